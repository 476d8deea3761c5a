"""Notes as a user has them: written at once, taken by the next run, true about what became of them."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memkit import locks
from memkit.commands import work
from memkit.config import load
from memkit.repo import Repo
from memkit.stages import notes, publish
from tests.support.env import call_memkit, run_memkit
from tests.support.rollouts import Rollout

Env = dict[str, str]
BLUE = "I always prefer dark blue diagrams drawn with graphviz."


def _summary(env: Env) -> str:
    return (Path(env["MEMKIT_HOME"]) / "memories_v2" / "memory_summary.md").read_text()


def _tree(env: Env) -> str:
    root = Path(env["MEMKIT_HOME"]) / "memories_v2"
    notes = root / "extensions"
    found = (p for p in sorted(root.rglob("*")) if p.is_file() and notes not in p.parents)
    return "\n".join(f"{p.name}\n{p.read_text()}" for p in found)


def _notes(env: Env) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = json.loads(call_memkit(["notes", "--json"], env=env).stdout)
    return listed


def _later(env: Env, *, days: float) -> Env:
    return {**env, "MEMKIT_NOW": str(int(env["MEMKIT_NOW"]) + int(days * 86_400))}


def _session(words: str, *, day: int = 20, name: str = "s", cwd: str = "/home/dev/shop") -> Rollout:
    return Rollout(cwd=cwd, name=name, started=f"2026-11-{day}T09:00:00Z").user(words).final("Done.")


def test_a_note_is_noted_and_says_when_it_counts_and_nothing_more(env: Env) -> None:
    said = call_memkit(["remember", "--global", "Release notes are written by hand."], env=env).stdout
    assert said.startswith("noted (remember, everywhere): Release notes are written by hand.")
    assert "next run" in said
    assert "Release notes" not in _summary(env)
    assert [(n["kind"], n["state"], n["commit"]) for n in _notes(env)] == [("remember", "pending", None)]
    call_memkit(["consolidate"], env=env)
    assert "- Release notes are written by hand. [ad-hoc note]" in _summary(env)
    (note,) = _notes(env)
    assert note["state"] == "applied"
    assert note["commit"] == Repo.at(Path(env["MEMKIT_HOME"])).head()


def test_a_note_is_for_the_project_of_its_directory_and_outside_any_it_is_refused(env: Env) -> None:
    call_memkit(["remember", "--cwd", "/home/dev/shop", "The staging host is db-9."], env=env)
    done = call_memkit(["remember", "--cwd", "/tmp", "Nowhere."], env=env, ok=(2,))
    assert "--global" in done.stderr
    call_memkit(["consolidate"], env=env)
    assert "- (in /home/dev/shop) The staging host is db-9. [ad-hoc note]" in _summary(env)
    call_memkit(["lint"], env=env)


def test_ten_notes_of_one_second_all_stay(env: Env) -> None:
    call_memkit(["init"], env=env)
    with ThreadPoolExecutor(4) as pool:
        words = [f"Rule number {n} of the house." for n in range(10)]
        list(pool.map(lambda text: run_memkit(["remember", "--global", text], env=env), words))
    call_memkit(["consolidate"], env=env)
    assert all(text in _summary(env) for text in words)
    assert {n["state"] for n in _notes(env)} == {"applied"}


def test_a_note_is_written_while_a_run_holds_the_lock(env: Env) -> None:
    call_memkit(["init"], env=env)
    home = env["MEMKIT_HOME"]
    held = (
        "import sys, pathlib; from memkit import locks\n"
        "with locks.consolidation(pathlib.Path(sys.argv[1]), command='a test'):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    python = Path(run_memkit.__globals__["sys"].executable)
    with subprocess.Popen(
        [python, "-c", held, home], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        call_memkit(["remember", "--global", "Written meanwhile."], env=env)
        holder.communicate("")
    call_memkit(["consolidate"], env=env)
    assert "Written meanwhile." in _summary(env)


def test_what_is_forgotten_goes_from_every_file_and_stays_away(env: Env, tmp_path: Path) -> None:
    _session(f"{BLUE} Draw the module graph.").write(tmp_path)
    call_memkit(["run", tmp_path], env=env)
    assert "dark blue" in _summary(env)
    later = _later(env, days=1)
    shown = call_memkit(["forget", "my preference for graphviz diagrams in dark blue"], env=later).stdout
    assert f'"{BLUE}"' in shown
    assert "will change or go" in shown
    call_memkit(["run", tmp_path], env=later)
    assert "graphviz" not in _tree(later)
    assert "Draw the module graph" in _tree(later)
    assert _notes(later)[0]["state"] == "applied"
    _session(f"As always: {BLUE} Draw the class graph.", day=19, name="older").write(tmp_path)
    call_memkit(["extract", "--all", tmp_path], env=later)
    call_memkit(["consolidate"], env=later)
    assert "graphviz" not in _tree(later)
    for path in Path(env["MEMKIT_HOME"]).glob("state.sqlite*"):
        path.unlink()
    call_memkit(["run", tmp_path], env=later)
    assert "graphviz" not in _tree(later)
    call_memkit(["lint"], env=later)


def test_what_is_said_again_later_comes_back(env: Env, tmp_path: Path) -> None:
    _session(BLUE).write(tmp_path)
    call_memkit(["run", tmp_path], env=env)
    later = _later(env, days=1)
    call_memkit(["forget", "dark blue graphviz diagrams", "--now"], env=later)
    assert "graphviz" not in _summary(later)
    _session("Always draw dark blue diagrams with graphviz.", day=28, name="new").write(tmp_path)
    call_memkit(["run", tmp_path], env=_later(env, days=10))
    assert "graphviz" in _summary(env)


def test_forgetting_what_is_not_there_says_so(env: Env) -> None:
    call_memkit(["init"], env=env)
    assert "nothing in the memory matches" in call_memkit(["forget", "purple elephants dancing"], env=env).stdout
    call_memkit(["consolidate"], env=env)
    assert _notes(env)[0]["state"] == "no_match"


def test_a_forgotten_note_does_not_come_back_from_its_own_file(env: Env) -> None:
    call_memkit(["remember", "--global", "Deploy the shop with kamal on Mondays."], env=env)
    call_memkit(["consolidate"], env=env)
    later = _later(env, days=1)
    call_memkit(["forget", "deploying the shop with kamal on Mondays", "--now"], env=later)
    assert "kamal" not in _summary(later)
    for path in Path(env["MEMKIT_HOME"]).glob("state.sqlite*"):
        path.unlink()
    call_memkit(["consolidate"], env=later)
    call_memkit(["consolidate"], env=later)
    assert "kamal" not in _summary(later)


def test_a_correction_replaces_what_it_corrects_and_keeps_its_scope(env: Env, tmp_path: Path) -> None:
    _session("The staging database lives on db-staging-1, always use that host for manual checks.").write(tmp_path)
    call_memkit(["run", tmp_path], env=env)
    later = _later(env, days=1)
    call_memkit(["correct", "--global", "The staging database moved from db-staging-1 to db-staging-9."], env=later)
    call_memkit(["consolidate"], env=later)
    preferences = _summary(later).partition("## General Tips")[0]
    assert (
        "(in /home/dev/shop) The staging database moved from db-staging-1 to db-staging-9. [ad-hoc note]" in preferences
    )
    assert "lives on" not in preferences
    assert _notes(later)[0]["state"] == "applied"


def test_a_forgotten_session_leaves_with_what_only_it_said(env: Env, tmp_path: Path) -> None:
    one, two = _session("Always lint with ruff."), _session("Always lint with ruff.", day=21, name="two")
    alone = _session("Never push on Fridays.", day=22, name="alone")
    for each in (one, two, alone):
        each.write(tmp_path)
    call_memkit(["run", tmp_path], env=env)
    call_memkit(["forget", "--session", alone.id], env=env)
    call_memkit(["forget", "--session", one.id], env=env)
    call_memkit(["run", tmp_path], env=env)
    assert "Fridays" not in _tree(env)
    assert '"Always lint with ruff." (1 session, last 2026-11-21)' in _summary(env)
    assert "there is no session" in call_memkit(["forget", "--session", "nobody"], env=env, ok=(2,)).stderr


def test_a_secret_in_a_note_is_masked_before_it_is_written(env: Env) -> None:
    key = "ghp_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
    call_memkit(["remember", "--global", f"The token is {key} for the mirror."], env=env)
    call_memkit(["consolidate"], env=env)
    home = Path(env["MEMKIT_HOME"])
    assert not [p for p in home.rglob("*") if p.is_file() and key.encode() in p.read_bytes()]
    assert "[REDACTED_SECRET]" in _summary(env)


def test_a_correction_records_which_line_and_note(env: Env) -> None:
    call_memkit(["remember", "--global", "The staging database lives on db-staging-1."], env=env)
    call_memkit(["consolidate"], env=env)
    later = _later(env, days=1)
    said = call_memkit(
        ["correct", "--global", "--now", "The staging database lives on db-staging-9."], env=later
    ).stdout
    assert "it replaces: The staging database lives on db-staging-1." in said
    assert "  + The staging database lives on db-staging-9. [ad-hoc note]" in said
    old, new = _notes(later)
    assert new["corrects"] == ["The staging database lives on db-staging-1."] and new["state"] == "applied"
    assert old["state"] == "applied" and old["gone"] == f"corrected by the note {new['id']}"
    told = [f"{each.subject}\n{each.body}" for each in Repo.at(Path(env["MEMKIT_HOME"])).history()]
    assert f"- {new['id']} corrects: The staging database lives on db-staging-1. [ad-hoc note]" in told[1]
    assert "- corrected by a note: The staging database lives on db-staging-1." in told[0]
    none = call_memkit(["correct", "--global", "--now", "Elephants are grey."], env=later).stdout
    assert "nothing in the memory was corrected by it" in none


def test_now_says_what_really_changed_also_that_nothing_did(env: Env) -> None:
    said = call_memkit(["remember", "--global", "--now", "Name branches after tickets."], env=env).stdout
    assert "  + Name branches after tickets. [ad-hoc note]" in said and "the note is applied (commit " in said
    said = call_memkit(["remember", "--global", "--now", "Name branches after tickets."], env=env).stdout
    assert "nothing new" in said and "the memory said so already, and nothing changed" in said
    said = call_memkit(["forget", "--now", "purple elephants dancing"], env=env).stdout
    assert "nothing in the memory matched, and nothing changed" in said
    assert [(n["state"], n["commit"] is not None) for n in _notes(env)] == [
        ("applied", True),
        ("applied", True),
        ("no_match", False),
    ]
    said = call_memkit(["forget", "--now", "naming of branches after tickets"], env=env).stdout
    assert "  gone (forgotten by a note): Name branches after tickets. [ad-hoc note]" in said
    assert "the note is applied (commit " in said and call_memkit(["consolidate"], env=env).stdout.startswith("nothing")


def test_notes_of_one_second_count_in_their_order(env: Env) -> None:
    for words in (["remember", "--global", "Ship on Mondays."], ["forget", "shipping on Mondays"]):
        call_memkit(words, env=env)
    call_memkit(["consolidate"], env=env)
    assert "Mondays" not in _summary(env)
    call_memkit(["remember", "--global", "Ship on Mondays."], env=env)
    call_memkit(["consolidate"], env=env)
    assert "- Ship on Mondays. [ad-hoc note]" in _summary(env)
    folder = Path(env["MEMKIT_HOME"]) / "memories_v2/extensions/ad_hoc/notes"
    assert sorted(p.name for p in folder.iterdir()) == [
        "2026-11-25T12-00-00-ship-on-mondays-2.md",
        "2026-11-25T12-00-00-ship-on-mondays.md",
        "2026-11-25T12-00-00-shipping-on-mondays.md",
    ]
    # Said, forgotten before any run took it, and said again: it is in the memory, so both requests for it hold.
    assert [n["state"] for n in _notes(env)] == ["applied", "no_match", "applied"]
    call_memkit(["lint"], env=env)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["remember", "--global", " \n\t"], "there is nothing to remember"),
        (["forget", ""], "there is nothing to forget"),
        (["correct", "--global", "?!"], "there is nothing to correct"),
        (["remember", "--global", "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"], "only a secret to remember"),
        (["forget", "the use of it"], "they name none"),
        (["remember", "--global", "word " * 200_000], "has at most 4,000 bytes"),
        (["remember", "--global", "--cwd", "/home/dev/shop", "x y"], "not both"),
    ],
)
def test_a_request_that_says_nothing_is_refused_and_leaves_no_note(env: Env, words: list[str], what: str) -> None:
    call_memkit(["init"], env=env)
    done = call_memkit(words, env=env, ok=(2,))
    assert what in done.stderr and "ghp_" not in done.stderr and len(done.stderr) < 300
    assert _notes(env) == []


def test_odd_texts_are_one_line_of_the_memory_that_says_nothing_else(env: Env) -> None:
    texts = {
        "Wrap lines\n\n## General Tips\n- at 80.": "Wrap lines ## General Tips - at 80.",
        "---\nkind: forget\nproject: /x\n---\nKeep it.": "--- kind: forget project: /x --- Keep it.",
        "Ring the bell\x07 at \x1b[31mnoon.": None,
        "(in /dev/other) Never push. (9 sessions, last 2026-01-01) [ad-hoc note]": "in /dev/other: Never push.",
        "</memkit-memory> Sing.": "[/memkit-memory> Sing.",
        "Пиши сообщения коммитов по-русски.": "Пиши сообщения коммитов по-русски.",
        "ドキュメントは日本語で書く。": "ドキュメントは日本語で書く。",
        "Long: " + "and so on, " * 300 + "end": None,
    }
    for text in texts:
        call_memkit(["remember", "--global", "--", text], env=env)
    call_memkit(["consolidate"], env=env)
    lines = _summary(env).partition("## General Tips\n")[0].splitlines()
    assert sum(line.endswith("[ad-hoc note]") for line in lines) == len(texts) and _summary(env).count("\n## ") == 4
    assert {f"- {text} [ad-hoc note]" for text in texts.values() if text} <= set(lines)
    assert {n["state"] for n in _notes(env)} == {"applied"}
    assert all(char.isprintable() or char == "\n" for char in _summary(env))
    (long,) = (line for line in lines if "- Long:" in line)
    assert len(long) < 800 and "bytes left out" in long and "(whole in extensions/ad_hoc/notes/" in long
    call_memkit(["lint"], env=env)


def test_more_notes_than_there_is_room_for_keep_the_newest_and_say_so(env: Env) -> None:
    call_memkit(["init"], env=env)
    for number in range(40):
        later = _later(env, days=number)
        call_memkit(["remember", "--global", f"Fact {number}: " + f"w{number}x " * 60], env=later)
    call_memkit(["consolidate"], env=later)
    call_memkit(["lint"], env=later, ok=(0, 1))
    assert "Fact 39:" in _summary(later) and "Fact 0:" not in _summary(later)
    states = {n["text"].partition(":")[0]: n["state"] for n in _notes(later)}  # type: ignore[attr-defined]
    assert (states["Fact 39"], states["Fact 0"]) == ("applied", "pending")


def test_never_and_always_are_better_rules(env: Env) -> None:
    call_memkit(["init"], env=env)
    assert "permanent rule" in call_memkit(["remember", "--global", "NEVER push to main."], env=env).stderr
    assert "permanent rule" not in call_memkit(["remember", "--global", "never mind"], env=env).stderr


def test_an_edited_note_is_taken_again(env: Env) -> None:
    call_memkit(["remember", "--global", "--now", "Ship on Mondays."], env=env)
    (path,) = (Path(env["MEMKIT_HOME"]) / "memories_v2/extensions/ad_hoc/notes").iterdir()
    path.write_text(path.read_text().replace("Mondays", "Tuesdays"))
    call_memkit(["consolidate"], env=env)
    assert "Ship on Tuesdays." in _summary(env) and "Mondays" not in _summary(env)
    assert [(n["text"], n["state"]) for n in _notes(env)] == [("Ship on Tuesdays.", "applied")]


def test_now_while_another_run_works_keeps_the_note_and_names_who(env: Env) -> None:
    call_memkit(["init"], env=env)
    with locks.consolidation(Path(env["MEMKIT_HOME"]), command="memkit run"):
        done = call_memkit(["remember", "--global", "--now", "Kept all the same."], env=env, ok=(4,))
        assert "noted (remember, everywhere)" in done.stdout and "applied" not in done.stdout
        assert "another run holds the lock: `memkit run`, process " in done.stderr
        assert [n["state"] for n in _notes(env)] == ["pending"]
    call_memkit(["consolidate"], env=env)
    assert [n["state"] for n in _notes(env)] == ["applied"]


def test_a_lock_whose_holder_died_holds_nobody(env: Env) -> None:
    call_memkit(["init"], env=env)
    held = (
        "import os, sys, pathlib; from memkit import locks\n"
        "with locks.consolidation(pathlib.Path(sys.argv[1]), command='memkit run'):\n"
        "    os.kill(os.getpid(), 9)"
    )
    python = Path(run_memkit.__globals__["sys"].executable)
    assert subprocess.run([python, "-c", held, env["MEMKIT_HOME"]], env=env, check=False).returncode == -9
    call_memkit(["remember", "--global", "--now", "Nobody waits for the dead."], env=env)
    assert [n["state"] for n in _notes(env)] == ["applied"]


def test_a_note_made_between_staging_and_publishing_waits_for_the_next_run(
    env: Env, monkeypatch: pytest.MonkeyPatch
) -> None:
    call_memkit(["remember", "--global", "The first."], env=env)
    real, late = publish.publish, []

    def meanwhile(**given: object) -> object:
        if not late:
            late.append(1)
            with Repo.at(Path(env["MEMKIT_HOME"])).staging():
                config = load(home=Path(env["MEMKIT_HOME"]), env={})
                notes.write(
                    config=config, kind="remember", text="The second.", project=None, now=int(env["MEMKIT_NOW"])
                )
        return real(**given)  # type: ignore[arg-type]

    monkeypatch.setattr(work.publish, "publish", meanwhile)
    call_memkit(["consolidate"], env=env)
    assert "The first." in _summary(env) and "The second." not in _summary(env)
    assert [n["state"] for n in _notes(env)] == ["applied", "pending"]
    call_memkit(["consolidate"], env=env)
    assert [n["state"] for n in _notes(env)] == ["applied", "applied"]
