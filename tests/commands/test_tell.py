"""`history`, `diff` and `status` say what changed, who said it, why it went, and what should be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.config import origins
from memkit.errors import ExitCode
from memkit.model import Reason, Session
from memkit.store import TRIES, Store
from tests.commands.world import World, greeting, valid, working

UV = "From now on always use uv."
PIP = "From now on always use pip instead of uv."
NOTE = "Release notes are written by hand."


def thread(world: World, name: str) -> str:
    return next(p for p in world.records if name in p.name).read_text().split("\n", 1)[0].partition(": ")[2]


def changes(world: World, commit: str = "HEAD") -> list[dict[str, object]]:
    found = world.call("diff", commit, "--json").json
    valid(found, schema="diff")
    return list(found["changes"])


def one(found: list[dict[str, object]], *, kind: str, words: str) -> dict[str, object]:
    (only,) = [c for c in found if c["kind"] == kind and words in str(c["line"]) and "thread_id" not in str(c["line"])]
    return only


def test_a_claim_that_came_names_its_session_and_one_that_went_its_reason(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish=PIP))
    world.call("run")
    beta = thread(world, "beta")
    came = one(changes(world), kind="added", words=PIP)
    assert came["sessions"] == [beta] and came["scope"] == "/home/dev/shop" and came["notes"] == []
    assert one(changes(world), kind="removed", words=UV)["reason"] == f'replaced by "{PIP}"'
    text = world.call("diff").out
    assert f"      session {beta}\n" in text and f'      replaced by "{PIP}"\n' in text
    assert "@@" not in text and "@@" in world.call("diff", "--raw").out


def test_more_support_is_a_change_that_shows_what_stood_before(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish=UV))
    world.call("run")
    change = one(changes(world), kind="changed", words=UV)
    assert "(1 session" in str(change["before"]) and "(2 sessions" in str(change["line"])
    assert change["sessions"] == [thread(world, "beta")]
    subject = world.commits()[0]
    found = world.call("diff", "--json").json
    assert subject.startswith(
        f"memory: {len(found['added'])} new, {len(found['changed'])} changed, {len(found['removed'])} removed"
    )


def test_notes_are_told_when_written_when_they_say_and_when_they_take_out(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("remember", "--global", NOTE, "--now")
    said = one(changes(world), kind="added", words=NOTE)
    assert said["notes"] == ["2026-11-25T12-00-00-release-notes-are-written-by-hand"] and said["sessions"] == []
    world.call("forget", "--global", "always use uv", "--now")
    gone = one(changes(world), kind="removed", words=UV)
    assert (gone["reason"], gone["notes"]) == ("forgotten by a note", ["2026-11-25T12-00-00-always-use-uv"])
    text = world.call("history").out
    assert "      forgotten by a note: note 2026-11-25T12-00-00-always-use-uv\n" in text
    assert f"  note 2026-11-25T12-00-00-release-notes-are-written-by-hand: remember (everywhere) {NOTE}\n" in text
    valid(world.call("history", "--json").json, schema="history")


def test_edits_by_hand_and_undo_are_told_as_such(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.edit("## User preferences\n", "## User preferences\n\n- Write short commits.\n")
    world.call("run")
    edit = world.git("log", "--format=%H", "--grep=edited by hand", "-1").strip()
    typed = one(changes(world, edit), kind="added", words="short commits")
    assert (typed["reason"], typed["sessions"]) == ("by hand", [])
    world.call("undo", edit)
    assert one(changes(world), kind="removed", words="short commits")["reason"] == "taken back by undo"


def test_a_line_that_is_back_names_the_session_that_had_said_it(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    alpha = thread(world, "alpha")
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish=PIP))
    world.call("run")
    world.call("undo")
    assert one(changes(world), kind="added", words=UV)["sessions"] == [alpha]


def test_two_trees_tell_a_change_once(world: World) -> None:
    world.call("init", "--version", "dual")
    world.write(working("alpha", wish=UV))
    world.call("run")
    found = world.call("diff", "--json").json
    assert sum(UV in line for line in found["added"]) == 1
    assert sum("thread_id=" in line for line in found["added"]) == 1


def test_history_is_raw_only_when_asked(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    assert "@@" not in world.call("history").out
    assert f'+- (in /home/dev/shop) "{UV}"' in world.call("history", "--raw").out
    assert "exclude each other" in world.call("history", "--raw", "--json", ok=ExitCode.USAGE).err


def test_a_streak_of_empty_sessions_is_suspicious(world: World) -> None:
    world.write(*[greeting(f"g{n}", started=f"2026-11-20T1{n}:00:00Z") for n in range(5)])
    world.call("run")
    found = world.call("status", "--json").json
    assert found["empty_streak"] == 5 and any("suspicious" in warning for warning in found["warnings"])
    world.write(working("alpha", started="2026-11-21T09:00:00Z"))
    world.call("run")
    found = world.call("status", "--json").json
    assert found["empty_streak"] == 0 and not any("suspicious" in warning for warning in found["warnings"])


def test_final_failures_are_told_apart_from_those_that_are_tried_again(world: World) -> None:
    world.call("init")
    with Store.open(world.home / "state.sqlite") as store:
        for name, tries in (("once", 1), ("often", TRIES)):
            store.see([Session(id=name, path=f"/x/{name}", updated_at=1_795_000_000, size=9)])
            for n in range(tries):
                fail(store, name, at=1_795_608_000 + n * 7_200 - (TRIES - 1) * 7_200)
    found = world.call("status", "--json").json
    valid(found, schema="status")
    (failed,) = found["failures"]
    assert (failed["reason"], failed["sessions"], failed["final"]) == ("model_error", 2, 1)
    assert "memkit extract --retry-failed" in " ".join(found["warnings"])
    assert "1 final" in world.call("status").out


def fail(store: Store, name: str, *, at: float) -> None:
    lease = store.lease(name, version="v2", owner="me", now=at, alive=lambda _owner: True)
    assert lease
    store.finish_failed(name, version="v2", owner="me", reason=Reason.MODEL_ERROR, detail="busy", now=at)


def test_each_switch_says_what_set_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.call("init")
    (world.home / "memkit.yaml").write_text("memories:\n  max_unused_days: 9\n  use_memories: false\n")
    monkeypatch.setenv("MEMKIT_VERSION", "v1")
    found = world.call("status", "--json").json["switches"]
    assert found["memories.max_unused_days"] == {"value": 9, "origin": "memkit.yaml"}
    assert found["version"] == {"value": "v1", "origin": "MEMKIT_VERSION"}
    assert found["engine"] == {"value": "offline", "origin": "default"}
    text = world.call("status").out
    assert "memories.use_memories false (memkit.yaml)" in text
    assert "a new session here is told nothing: memories.use_memories is false\n" in text


def test_what_a_model_server_is_called_with_is_not_shown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.call("init")
    monkeypatch.setenv("MEMKIT_OPENAI_BASE_URL", "http://user:hunter2@127.0.0.1:1/v1")
    assert "hunter2" not in world.call("status").out + world.call("status", "--json").out


def test_origins_know_the_variable_of_the_agent_itself(tmp_path: Path) -> None:
    found = origins(home=tmp_path, env={"CODEX_HOME": "/c", "MEMKIT_ENGINE": "offline"})
    assert (found["codex_home"], found["engine"], found["version"]) == ("CODEX_HOME", "MEMKIT_ENGINE", "default")


def test_the_size_is_shown_over_the_last_changes(world: World) -> None:
    for number, name in enumerate(("alpha", "beta")):
        world.write(working(name, started=f"2026-11-2{number}T09:00:00Z"))
        world.call("run")
    sizes = [each["bytes"] for each in world.call("status", "--json").json["trend"]]
    assert sizes == sorted(sizes) and len(sizes) == 3 and sizes[-1] == len(world.summary.encode())
    assert f"({sizes[-1] - sizes[0]:+,})\n" in world.call("status").out


def test_sessions_that_wait_while_no_run_succeeds_are_a_warning(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(working("alpha"), working("fresh", started="2026-11-25T09:00:00Z"))
    world.call("run")
    assert world.call("status", "--json").json["warnings"] == []
    monkeypatch.setenv("MEMKIT_NOW", str(1_795_608_000 + 5 * 86_400))
    found = world.call("status", "--json").json
    assert found["warnings"] == ["1 session waits, and the last good run was on 2026-11-25 (memkit run)"]
    assert found["ages"]["extract"] == 5 * 86_400


def test_telling_changes_no_byte(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    before = world.bytes()
    for arguments in (["status"], ["history"], ["diff"], ["status", "--json"]):
        world.call(*arguments)
    assert world.bytes() == before
