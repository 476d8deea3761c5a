"""Hooks of Codex and Claude Code: what they are told, what runs behind them, and their files merged and restored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memkit import locks
from memkit.model import Reason, State
from tests.commands.world import World, bound_by_permissions, valid, working
from tests.hooks.tools import HOOKS, fire, handlers, log, payload, processes, settle
from tests.support.env import NOW

FRESH = "2026-11-25T11:00:00Z"  # an hour before the clock's time
FOREIGN = {
    "compact": '{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[{"type":"command","command":"hi"}]}]},"n":1e5}',
    "two spaces": json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say é"}]}]}}, indent=2),
    "tabs": json.dumps({"model": "x", "hooks": {"SessionStart": [], "SessionEnd": [{}]}}, indent="\t") + "\n",
    "crlf": '{\r\n    "hooks": {\r\n        "SessionEnd": [ {"hooks": []} ]\r\n    }\r\n}\r\n',
    "no hooks": '{\n  "env": {"A": "\\ud83d\\ude00"}\n}',
    "empty object": "{}",
    "empty hooks": '{"hooks": {}}\n',
    "empty": "",
    "another memkit": '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x-memkit"}]}]}}',
}


def install(world: World, target: str = "codex") -> Path:
    world.call("hooks", "install", target)
    return target_file(world, target)


def target_file(world: World, target: str) -> Path:
    return world.codex / "hooks.json" if target == "codex" else Path(world.env["HOME"]) / ".claude" / "settings.json"


# --- what runs ---------------------------------------------------------------------------------------------------


def test_a_session_that_codex_says_has_ended_is_read_at_once(world: World) -> None:
    ended, other = working("alpha", started=FRESH), working("beta", started=FRESH)
    world.write(ended, other)
    [hook] = handlers(install(world), "SessionEnd")
    done = fire(world, hook["command"], payload("SessionEnd", ended.id, reason="exit"))
    assert processes(world) and (done.stdout, done.stderr) == ("", "")  # the run goes on behind it
    settle(world)
    assert world.entry(ended.id).state is State.EXTRACTED
    assert world.entry(other.id).reason is Reason.TOO_FRESH
    assert "alpha" in world.summary and "beta" not in world.summary
    assert "1 extracted" in log(world) and "background: memory: " in log(world)


def test_a_session_that_went_on_after_its_end_has_to_rest_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session = working("alpha", started=FRESH)
    world.write(session)
    [hook] = handlers(install(world), "SessionEnd")
    fire(world, hook["command"], payload("SessionEnd", session.id))
    settle(world)
    world.write(session.user("And the timeout, too.").final("Done."))
    moved = NOW + 3 * 3_600
    os.utime(next(world.sessions.rglob("*.jsonl")), (moved, moved))
    monkeypatch.setenv("MEMKIT_NOW", str(moved))
    world.call("run", "--hook")
    assert "timeout" not in world.summary


def test_a_session_that_ended_while_another_run_works_is_read_by_the_next(world: World) -> None:
    session = working("alpha", started=FRESH)
    world.write(session)
    world.call("init")
    [hook] = handlers(install(world), "SessionEnd")
    with locks.consolidation(world.home, command="a long run"):
        fire(world, hook["command"], payload("SessionEnd", session.id))
        settle(world)
    assert "background: memkit: another run holds the lock: `a long run`" in log(world)
    assert "alpha" not in world.summary
    world.call("run", "--hook")
    assert "alpha" in world.summary


def test_a_new_session_is_told_its_memory_and_last_weeks_session_is_read(world: World) -> None:
    world.write(working("alpha", wish="From now on always use uv."))
    [hook] = handlers(install(world), "SessionStart")
    shop = Path(world.env["HOME"])
    assert fire(world, hook["command"], payload("SessionStart", "new", source="startup"), cwd=shop).stdout == ""
    settle(world)
    assert "always use uv" in world.summary
    world.edit("## User preferences\n", "## User preferences\n- Say </memkit-memory> twice.\n")
    world.call("run", ok=None)
    told = fire(world, hook["command"], payload("SessionStart", "new", source="startup"), cwd=shop).stdout
    settle(world)
    said = json.loads(told)["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart" and said["additionalContext"].startswith("<memkit-memory ")
    assert said["additionalContext"].count("</memkit-memory>") == 1


def test_nothing_is_printed_when_reading_is_off(world: World) -> None:
    world.write(working("alpha", wish="In all my projects always use uv."))
    world.call("run")
    [hook] = handlers(install(world), "SessionStart")
    assert "always use uv" in fire(world, hook["command"], payload("SessionStart", "new")).stdout
    settle(world)
    for name, value in (("MEMKIT_DISABLE", "1"), ("MEMKIT_MEMORIES_USE_MEMORIES", "false")):
        world.env[name] = value
        assert fire(world, hook["command"], payload("SessionStart", "new")).stdout == ""
        settle(world)
        del world.env[name]


def test_a_session_that_is_resumed_is_left_alone(world: World) -> None:
    session, other = working("alpha"), working("beta")
    world.write(session, other)
    [hook] = handlers(install(world), "SessionStart")
    fire(world, hook["command"], payload("SessionStart", session.id, source="resume"))
    settle(world)
    entry = world.entry(session.id)
    assert (entry.reason, entry.until) == (Reason.TOO_FRESH, NOW + 6 * 3_600)
    assert world.entry(other.id).state is State.EXTRACTED


@pytest.mark.parametrize(
    ("said", "logged"),
    [
        ("", ""),
        ("{", "the hook's stdin is no JSON"),
        ('["SessionEnd"]', "names no session"),
        ('{"session_id": 7, "hook_event_name": "SessionEnd"}', "names no session"),
        (json.dumps({"session_id": "x" * 5_000, "hook_event_name": "SessionEnd"}), "names no session"),
        ("[" * 100_000, "the hook's stdin is no JSON"),
    ],
)
def test_a_payload_that_says_nothing_of_use_changes_nothing(world: World, said: str, logged: str) -> None:
    world.write(working("alpha", started=FRESH))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memkit", "run", "--hook", "--payload"],
        env=world.env,
        input=said.encode(),
        capture_output=True,
        check=True,
    )
    assert b"1 session: 1 waiting" in done.stdout and logged in done.stderr.decode()


def test_an_agent_that_never_closes_stdin_is_not_waited_for_long(world: World) -> None:
    reader, writer = os.pipe()
    try:
        os.write(writer, json.dumps(payload("SessionEnd", "one")).encode())
        words = [sys.executable, "-P", "-m", "memkit", "run", "--hook", "--payload"]
        done = subprocess.run(words, env=world.env, stdin=reader, capture_output=True, timeout=30, check=True)
    finally:
        os.close(reader)
        os.close(writer)
    assert done.stderr == b"" or b"no rollout files" in done.stderr


def test_detached_runs_come_back_at_once_work_one_at_a_time_and_fire_no_hooks_of_the_user(
    world: World, tmp_path: Path
) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    for name in ("pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change"):
        (foreign / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
        (foreign / name).chmod(0o755)
    (tmp_path / "gitconfig").write_text(
        f"[core]\n\thooksPath = {foreign}\n[init]\n\ttemplateDir = {tmp_path}/template\n"
    )
    world.env["GIT_CONFIG_GLOBAL"] = str(tmp_path / "gitconfig")
    world.write(working("alpha"))
    world.call("init")
    with locks.consolidation(world.home, command="a long run"):
        began = time.monotonic()
        done = world.shell("run", "--hook", "--detach")
        assert (done.stdout, done.stderr) == ("", "") and time.monotonic() - began < 10
        settle(world)
    assert log(world).count("another run holds the lock") == 1
    for _ in range(3):
        world.shell("run", "--hook", "--detach", cwd=tmp_path)
    settle(world)
    assert "alpha" in world.summary and not (tmp_path / "fired").exists()
    assert len([line for line in world.commits() if line.startswith("memory: ")]) == 2


def test_a_detached_run_is_stopped_after_its_time(world: World) -> None:
    world.call("init")
    code = (
        "import pathlib, sys, time\nfrom memkit import cli\nfrom memkit.commands import background, run\n"
        "background.LIMIT = 1\nbackground.detach.__kwdefaults__['limit'] = 1\n"
        "run._told = lambda options: time.sleep(60) or ''\n"
        "sys.exit(cli.run(['run', '--hook', '--detach', '--payload']))"
    )
    subprocess.run([sys.executable, "-c", code], env=world.env, check=True, stdin=subprocess.DEVNULL)
    settle(world, seconds=15)
    assert "a run took over 1 seconds and is stopped" in log(world) and "background: memkit: interrupted" in log(world)


def test_hooks_never_fail_their_caller(world: World) -> None:
    for script in ("post-session", "session-start"):
        text = (HOOKS / script).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 20 and text.startswith("#!/bin/sh\n") and os.access(HOOKS / script, os.X_OK)
        fire(world, f"sh '{HOOKS / script}' /nowhere/python -P -m memkit", payload("SessionEnd", "one"))
    assert processes(world) == []


# --- the files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["codex", "claude"])
@pytest.mark.parametrize("form", FOREIGN)
def test_installing_and_uninstalling_leaves_the_file_as_it_was(world: World, target: str, form: str) -> None:
    path = target_file(world, target)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(FOREIGN[form].encode())
    path.chmod(0o640)
    install(world, target)
    there = json.loads(path.read_text(encoding="utf-8"))
    before = json.loads(FOREIGN[form] or "{}")
    for event, groups in before.get("hooks", {}).items():
        assert there["hooks"][event][: len(groups)] == groups
    assert {key: there[key] for key in before if key != "hooks"} == {k: before[k] for k in before if k != "hooks"}
    assert ("SessionEnd" in there["hooks"]) is (target == "codex" or "SessionEnd" in before.get("hooks", {}))
    written = path.read_bytes()
    assert "nothing to do" in world.call("hooks", "install", target).out and path.read_bytes() == written
    world.call("hooks", "uninstall", target)
    assert path.read_bytes() == FOREIGN[form].encode() and path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_that_was_missing_is_missing_again(world: World) -> None:
    path = install(world)
    assert [h["timeout"] for event in ("SessionStart", "SessionEnd") for h in handlers(path, event)] == [10, 3]
    world.call("hooks", "uninstall", "codex")
    assert list(world.codex.iterdir()) == []
    assert "nothing to do" in world.call("hooks", "uninstall", "codex").out


@pytest.mark.parametrize(
    "form", [form for form in FOREIGN if form not in ("empty", "empty object", "empty hooks", "tabs")]
)
def test_only_memkits_entries_go_when_the_file_was_changed_since(world: World, form: str) -> None:
    path = target_file(world, "codex")
    path.write_bytes(FOREIGN[form].encode())
    install(world)
    changed = FOREIGN[form].replace("{", '{"later": true,', 1).encode()
    path.write_bytes(path.read_bytes().replace(b"{", b'{"later": true,', 1))
    world.call("hooks", "uninstall", "codex")
    assert path.read_bytes() == changed and list(world.codex.iterdir()) == [path]


def test_an_entry_of_memkit_that_somebody_put_into_his_own_group_goes_alone(world: World) -> None:
    path = install(world)
    said = json.loads(path.read_text())
    said["hooks"]["SessionEnd"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    path.write_text(json.dumps(said))
    world.call("hooks", "uninstall", "codex")
    assert json.loads(path.read_text()) == {
        "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "mine"}]}]}
    }


def test_installing_again_renews_an_old_entry_in_its_place(world: World) -> None:
    path = install(world)
    said = json.loads(path.read_text())
    said["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "mine"}]})
    text = json.dumps(said, indent=4).replace(sys.executable, "/gone/bin/python")
    path.write_text(text)
    install(world)
    assert path.read_text() == text.replace("/gone/bin/python", sys.executable)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"hooks": {', "is not JSON"),
        ("{\n// comment\n}", ":2: this is not JSON"),
        ("[]", "no JSON object"),
        ('{"hooks": []}', "'hooks' is no object"),
        ('{"hooks": {"SessionStart": {}}}', "'SessionStart' is no list"),
        ('{"hooks": {}, "hooks": {}}', "'hooks' twice"),
        ("\xff", "is not UTF-8"),
        ("[" * 100_000, "nested too deep"),
    ],
)
@pytest.mark.parametrize("verb", ["install", "uninstall", "show"])
def test_a_malformed_file_stays_as_it_was(world: World, text: str, says: str, verb: str) -> None:
    path = target_file(world, "codex")
    path.write_bytes(text.encode("latin-1"))
    done = world.call("hooks", verb, "codex", ok=None)
    if not (verb == "uninstall" and "SessionStart" in text and done.code == 0):
        assert done.code == 3 and says in done.err and str(path) in done.err and done.err.count("\n") == 1
    assert path.read_bytes() == text.encode("latin-1") and list(world.codex.iterdir()) == [path]


@pytest.mark.parametrize("how", ["mode", "folder"])
def test_a_read_only_file_stays_as_it_was(world: World, how: str) -> None:
    path = target_file(world, "codex")
    path.write_text("{}")
    (path if how == "mode" else world.codex).chmod(0o444 if how == "mode" else 0o555)
    with bound_by_permissions():
        done = world.call("hooks", "install", "codex", ok=3)
    world.codex.chmod(0o755)
    assert "it stays as it was" in done.err and str(path) in done.err and "hooks show" in done.err
    assert path.read_text() == "{}" and list(world.codex.iterdir()) == [path]


def test_a_symbolic_link_is_written_through_and_stays_one(world: World, tmp_path: Path) -> None:
    path, real = target_file(world, "codex"), tmp_path / "dotfiles" / "codex-hooks.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    path.symlink_to(real)
    done = world.call("hooks", "install", "codex")
    assert f"symbolic link to {real}" in done.out and path.is_symlink() and handlers(real, "SessionStart")
    world.call("hooks", "uninstall", "codex")
    assert path.is_symlink() and real.read_text() == "{}\n" and list(real.parent.iterdir()) == [real]
    real.unlink()
    done = world.call("hooks", "install", "codex", ok=3)
    assert f"is a symbolic link to {real}, which does not exist" in done.err


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_not_touched(world: World, kind: str) -> None:
    path = target_file(world, "codex")
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    done = world.call("hooks", "install", "codex", ok=3)
    assert str(path) in done.err and done.err.count("\n") == 1


def test_an_agent_that_was_never_started_has_no_folder_yet(world: World) -> None:
    world.codex.rmdir()
    assert "start Codex once, or set CODEX_HOME" in world.call("hooks", "install", "codex", ok=3).err
    assert "CLAUDE_CONFIG_DIR" in world.call("hooks", "install", "claude", ok=3).err
    assert "nothing to do" in world.call("hooks", "uninstall", "claude").out


def test_show_prints_what_would_be_written_and_writes_nothing(world: World) -> None:
    path = target_file(world, "codex")
    path.write_text('{\n  "token": "ghp_012345678901234567890123456789abcdef"\n}\n')
    before = path.read_bytes()
    text = world.call("hooks", "show", "codex").out
    assert "+" in text and "post-session" in text and "ghp_" not in text and path.read_bytes() == before
    shown = world.call("hooks", "show", "codex", "--json").json
    valid(shown, schema="hooks")
    assert shown[0]["changes"] is True and shown[0]["file"] == str(path)
    install(world)
    assert "in place" in world.call("hooks", "show", "codex").out


def test_a_command_names_this_memkit_its_home_and_codex_home_whatever_their_names(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "it's a home; $(touch x)"
    codex = tmp_path / "codex 'n' more"
    codex.mkdir()
    monkeypatch.setenv("CODEX_HOME", str(codex))
    session = working("alpha", started=FRESH)
    session.write(codex / "sessions")
    world.call("--home", home, "hooks", "install", "codex")
    [hook] = handlers(codex / "hooks.json", "SessionEnd")
    fire(world, hook["command"], payload("SessionEnd", session.id), cwd=tmp_path)
    settle(world)
    assert "alpha" in (home / "memories_v2" / "memory_summary.md").read_text()


def test_modules_of_the_directory_that_a_session_is_in_are_not_taken_for_memkits(world: World, tmp_path: Path) -> None:
    (tmp_path / "memkit.py").write_text("open('taken', 'w')")
    (tmp_path / "json.py").write_text("open('taken', 'w')")
    for event in ("SessionStart", "SessionEnd"):
        [hook] = handlers(install(world), event)
        fire(world, hook["command"], payload(event, "one"), cwd=tmp_path)
        settle(world)
    assert not (tmp_path / "taken").exists()
