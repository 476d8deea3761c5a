"""Notes as a user has them: written at once, taken by the next run, true about what became of them."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memkit.repo import Repo
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
