"""What bad input gets: one clear line, the right exit status, everything else goes on, nothing lost.

Where permissions matter the command runs in a thread that gave up root's right to pass over them; a full disk is a
small tmpfs.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memkit import locks
from memkit.commands import log
from memkit.errors import ExitCode
from memkit.model import Reason, State
from tests.commands.world import World, working
from tests.support.env import command
from tests.support.rollouts import Rollout

GOOD = "From now on always use uv."
SECRET = "hunter2-Qx81hYwZpLr3"


def one_line(text: str) -> str:
    """The one line of a refusal."""
    assert text.startswith("memkit: ") and text.count("\n") == 1, text
    return text


# --- rollouts --------------------------------------------------------------------------------------------------------


def test_no_sessions_at_all(world: World) -> None:
    done = world.call("run")
    assert done.err.endswith(f"no rollout files in {world.sessions}\n")
    assert done.out.startswith("nothing new\nno sessions seen yet\n")
    assert world.call("run", "-q").err == ""


def test_a_folder_without_rollouts(world: World, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing here")
    done = world.call("run", tmp_path)
    assert done.err.endswith(f"no rollout files in {tmp_path}\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"dear diary\nnothing today\n", "not a rollout file"),
        (b"\x00\x01\x02" * 999, "not a rollout file"),
        (b'{"some": "json"}\n[1, 2]\n', "not a rollout file"),
        (b"\xff\xfe{\x00}\x00", "not a rollout file"),
    ],
)
def test_a_file_that_is_no_rollout_is_named_and_changes_no_status(world: World, content: bytes, said: str) -> None:
    world.write(working(wish=GOOD))
    odd = world.sessions / "2026/11/20" / "rollout-odd.jsonl"
    odd.write_bytes(content)
    for _ in range(2):
        assert f"memkit: {odd}: {said}\n" in world.call("run").err
    assert GOOD in world.summary and len(world.call("sessions", "--json").json) == 1
    assert f"{odd}: {said}" in world.call("extract", odd, "-q").err


def test_links_pipes_and_folders_named_like_rollouts_are_no_sessions(world: World) -> None:
    world.write(working(wish=GOOD))
    folder = world.sessions / "2026/11/20"
    (folder / "rollout-link.jsonl").symlink_to("/nowhere")
    (folder / "rollout-circle.jsonl").symlink_to(folder / "rollout-circle.jsonl")
    (folder / "rollout-folder.jsonl").mkdir()
    os.mkfifo(folder / "rollout-pipe.jsonl")
    assert "rollout-pipe.jsonl: not a file" in world.call("run").err
    assert GOOD in world.summary and len(world.call("sessions", "--json").json) == 1


def test_an_unreadable_file_fails_its_session_and_nothing_else(world: World) -> None:
    shut = working("shut", started="2026-11-21T09:00:00Z")
    world.write(working(wish=GOOD), shut)
    (path,) = world.sessions.rglob(f"*{shut.id}.jsonl")
    path.chmod(0)
    done = world.unprivileged("run", ok=ExitCode.PARTIAL)
    assert f"memkit: {path}: Permission denied\n" in done.err and "2 sessions: 1 extracted, 1 failed" in done.out
    assert GOOD in world.summary
    entry = world.entry(shut.id)
    assert (entry.state, entry.reason, entry.session.path) == (State.FAILED, Reason.UNREADABLE, str(path))
    path.chmod(0o600)
    world.unprivileged("run")
    again = world.entry(shut.id)
    assert (again.state, again.session.cwd) == (State.EXTRACTED, "/home/dev/shop")


def test_a_session_that_grew_and_can_no_longer_be_read_keeps_its_record_and_what_is_known(world: World) -> None:
    session = working(wish=GOOD)
    world.write(session)
    world.call("run")
    session.user("Now also raise the timeout.").final("Done.")
    world.write(session)
    (path,) = world.sessions.rglob("*.jsonl")
    path.chmod(0)
    world.unprivileged("run", ok=ExitCode.PARTIAL)
    assert GOOD in world.summary and world.record(session.id) is not None
    entry = world.entry(session.id)
    assert entry.state is State.FAILED and entry.session.cwd == "/home/dev/shop"
    path.chmod(0o600)
    assert "1 session: 1 extracted" in world.call("run").out
    record = world.record(session.id)
    assert record is not None and "timeout" in record.rollout_summary


def test_an_unreadable_folder_is_named(world: World) -> None:
    world.write(working(wish=GOOD), working("later", started="2026-11-21T09:00:00Z"))
    shut = world.sessions / "2026/11/21"
    shut.chmod(0)
    done = world.unprivileged("run")
    shut.chmod(0o700)
    assert f"memkit: {shut}: Permission denied\n" in done.err and "1 session: 1 extracted" in done.out


def test_a_line_of_twenty_megabytes(world: World) -> None:
    session = Rollout().user("Fix the header.").image(size=20_000_000, text=GOOD).run("pytest -q").final("Fixed.")
    world.write(session)
    world.call("run")
    record = world.record(session.id)
    assert record is not None and GOOD in record.rollout_summary and len(record.rollout_summary) < 9_000


def test_a_session_without_a_directory_gives_a_record_and_no_claim(world: World) -> None:
    session = Rollout(cwd="").user("Fix it. Never touch the lock file.").run("make").final("Fixed.")
    world.write(session)
    world.call("run")
    assert world.record(session.id) is not None and world.call("sessions", "--json").json[0]["project"] is None
    world.healthy()


@pytest.mark.parametrize(
    "identity",
    ["my-session", "my session\twith  blanks", "../../etc/passwd", "# heading", "x" * 300, "<memkit-memory>"],
)
def test_an_id_that_is_no_uuid(world: World, identity: str) -> None:
    path = working().write(world.sessions, flat=True)
    path.write_bytes(path.read_bytes().replace(working().id.encode(), identity.replace("\t", "\\t").encode()))
    path.rename(path.with_name("rollout-x.jsonl"))
    world.write(working("beta", wish=GOOD))
    assert "2 sessions: 2 extracted" in world.call("run").out
    assert GOOD in world.summary and len(world.records) == 2
    world.healthy()
    (world.home / "state.sqlite").unlink()
    assert "nothing new" in world.call("run").out and len(world.call("sessions", "--json").json) == 2


# --- the home --------------------------------------------------------------------------------------------------------


def test_a_home_that_can_not_be_made(world: World) -> None:
    world.home.parent.chmod(0o500)
    done = world.unprivileged("run", ok=ExitCode.CONFIG)
    world.home.parent.chmod(0o700)
    assert f"the home {world.home} can't be made: Permission denied" in one_line(done.err)


def test_a_read_only_home_is_refused_for_work_and_still_read(world: World) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    before = world.bytes()
    folders = [world.home, *(path for path in world.home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    for path in world.home.rglob("*"):
        if path.is_file():
            path.chmod(0o400)
    try:
        done = world.unprivileged("run", ok=ExitCode.CONFIG)
        assert "state.lock" in one_line(done.err) and done.out == ""
        assert GOOD in world.unprivileged("context", "--cwd", "/home/dev/shop").out
        assert world.unprivileged("summary").out.startswith(world.summary)
        for reader in ("status", "lint"):
            assert world.unprivileged(reader).err in ("", "no findings\n")
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert world.bytes() == before


@pytest.mark.parametrize("words", [["run"], ["init"], ["context"], ["status"], ["lint"]])
def test_a_home_that_is_a_file(world: World, words: list[str]) -> None:
    world.home.write_text("mine")
    done = world.call(*words, ok=None)
    assert done.code == ExitCode.CONFIG and str(world.home) in one_line(done.err)
    assert world.home.read_text() == "mine"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own that has a megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a tmpfs can't be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_disk_without_room_leaves_the_memory_as_it_was(world: World, small_disk: Path) -> None:
    world.write(working(wish=GOOD))
    home = small_disk / "home"
    at = World(env={**world.env, "MEMKIT_HOME": str(home)}, home=home, codex=world.codex)
    at.call("run", "--home", home)
    before, commits = at.summary, at.commits()
    world.write(working("beta", started="2026-11-21T09:00:00Z", wish="Never commit directly to main."))
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    done = at.call("run", "--home", home, ok=None)
    assert done.code in (ExitCode.CONFIG, ExitCode.GIT)
    assert done.err.splitlines()[-1].startswith("memkit: ") and "Traceback" not in done.err
    assert at.summary == before and at.commits() == commits
    assert at.call("summary", "--home", home).out.startswith(before)
    filler.unlink()
    assert "Never commit" in at.call("run", "--home", home).out
    at.healthy()


def test_a_home_inside_another_work_tree_is_warned_about(world: World) -> None:
    outer = world.home.parent
    subprocess.run(["git", "init", "-q", outer], env=world.env, check=True)
    assert f"lies inside the Git work tree {outer}" in world.call("init").err
    assert any("lies inside" in warning for warning in world.call("status", "--json").json["warnings"])
    world.write(working(wish=GOOD))
    world.call("run")
    assert GOOD in world.summary and world.commits()[-1] == "memory: a new home"
    tracked = subprocess.run(["git", "-C", outer, "ls-files"], env=world.env, capture_output=True, check=True)
    assert tracked.stdout == b""


def test_a_home_that_the_outer_work_tree_ignores_is_fine(world: World) -> None:
    outer = world.home.parent
    subprocess.run(["git", "init", "-q", outer], env=world.env, check=True)
    (outer / ".gitignore").write_text("/home/\n")
    assert "lies inside" not in world.call("init").err
    assert world.call("status", "--json").json["warnings"] == []


def test_a_repository_without_commits_is_completed(world: World) -> None:
    world.home.mkdir()
    subprocess.run(["git", "init", "-q", world.home], env=world.env, check=True)
    assert world.call("context").out == ""
    world.write(working(wish=GOOD))
    world.call("run")
    assert GOOD in world.summary
    world.healthy()


@pytest.mark.parametrize("broken", ["", "garbage\n", "ref: refs/heads/nowhere\n", "0" * 40 + "\n", None])
def test_a_broken_head_is_repaired_and_said(world: World, broken: str | None) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    before = world.summary
    head = world.home / ".git" / "HEAD"
    if broken is None:
        head.unlink()
    else:
        head.write_text(broken)
    done = world.call("run")
    assert done.err.startswith("memkit: ") and "nothing new" in done.out
    assert world.summary == before and len(world.commits()) == 2
    world.healthy()


def test_a_lost_branch_is_found_again(world: World) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    commits = world.commits()
    (world.home / ".git/refs/heads/main").write_text("1" * 40 + "\n")
    assert world.call("run").err.startswith("memkit: ")
    assert world.commits() == commits
    world.healthy()


# --- the database ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["run"], ["status"], ["context"]])
def test_a_database_of_a_newer_memkit_is_refused(world: World, words: list[str]) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    database = sqlite3.connect(world.home / "state.sqlite")
    database.execute("PRAGMA user_version = 999")
    database.commit()
    database.close()
    before = world.bytes()
    done = world.call(*words, ok=ExitCode.CONFIG)
    assert "newer" in one_line(done.err)
    assert world.bytes() == before


def test_a_damaged_database_is_refused_with_what_mends_it(world: World) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    database = world.home / "state.sqlite"
    database.write_bytes(b"this is no database at all, not even nearly" * 99)
    for words in (["run"], ["status"]):
        assert "move it away and run again" in one_line(world.call(*words, ok=ExitCode.CONFIG).err)
    database.rename(world.home.parent / "away")
    assert "nothing new" in world.call("run").out and GOOD in world.summary


# --- configuration and environment -----------------------------------------------------------------------------------


def test_an_unknown_key_is_named_with_the_one_that_was_meant(world: World) -> None:
    world.call("init")
    (world.home / "memkit.yaml").write_text("memories:\n  max_unused_dais: 5\n")
    said = f"{world.home}/memkit.yaml:2: unknown key memories.max_unused_dais; did you mean memories.max_unused_days?"
    assert f"memkit: {said}\n" in world.call("run").err
    assert world.call("status", "--json").json["warnings"] == [said]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("engine: [offline\n", "not valid YAML"),
        ("memories:\n  max_unused_days: many\n", "memkit.yaml:2: memories.max_unused_days must be a whole number"),
        ("engine: robot\n", "engine must be offline, openai or auto"),
        ("engine: openai\n", "the engine openai needs a key"),
        ("- a\n- b\n", "must be a list of `key: value` lines"),
    ],
)
def test_a_configuration_that_can_not_be_used_stops_work_before_it_begins(world: World, text: str, said: str) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    (world.home / "memkit.yaml").write_text(text)
    before = world.bytes()
    assert said in one_line(world.call("run", ok=ExitCode.CONFIG).err)
    assert world.bytes() == before


@pytest.mark.parametrize("now", ["yesterday", "1e99", "nan", "-1e12"])
def test_a_clock_that_is_none(world: World, now: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMKIT_NOW", now)
    assert "MEMKIT_NOW" in one_line(world.call("run", ok=ExitCode.CONFIG).err)
    assert not world.home.exists()


def test_without_home_in_the_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(working(wish=GOOD))
    monkeypatch.delenv("HOME")
    assert GOOD in world.call("run").out
    assert GOOD in world.call("context", "--cwd", "/home/dev/shop").out


def test_the_users_git_settings_do_not_matter(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nowhere\n\tautocrlf = true\n[user]\n\tname = X\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    world.write(working(wish=GOOD))
    world.call("run")
    assert GOOD in world.summary and not (tmp_path / "index").exists()
    assert world.git("log", "-1", "--format=%an") == "memkit\n"


# --- who works -------------------------------------------------------------------------------------------------------


def test_a_second_run_is_told_who_holds_the_lock(world: World) -> None:
    world.write(working(wish=GOOD))
    world.call("init")
    with locks.consolidation(world.home, command="memkit run"):
        for words in (["run"], ["extract"], ["consolidate"], ["init"]):
            done = world.call(*words, ok=ExitCode.BUSY)
            assert f"another run holds the lock: `memkit run`, process {os.getpid()}, since " in one_line(done.err)
        assert world.call("context").code == 0 and world.call("status").code == 0
    assert world.call("run").code == 0


def test_two_runs_at_once_lose_nothing(world: World) -> None:
    world.write(*(working(f"s{n}", started=f"2026-11-2{n}T09:00:00Z", wish=GOOD) for n in range(4)))
    world.call("init")
    line = [*command(), "run"]
    both = [
        subprocess.Popen(line, env=world.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        for _ in range(2)
    ]
    ends = [(each.communicate(timeout=60), each.returncode) for each in both]
    assert {code for _, code in ends} <= {ExitCode.OK, ExitCode.BUSY} and ExitCode.OK in {code for _, code in ends}
    assert len(world.records) == 4 and sum("new" in each for each in world.commits()) == 2
    world.healthy()


def test_an_interrupt_ends_with_130_and_the_next_run_goes_on(world: World) -> None:
    world.write(working(wish=GOOD))
    program = (
        "import os, signal, sys; from memkit import cli; from memkit.stages.extract import pool\n"
        "pool.read = lambda *a, **k: os.kill(os.getpid(), signal.SIGINT) or __import__('time').sleep(30)\n"
        "sys.argv[1:] = ['run']; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=world.env, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == ExitCode.INTERRUPTED
    assert done.stderr.endswith("memkit: interrupted; what was done is kept, the next run goes on\n")
    assert "Traceback" not in done.stderr
    assert GOOD in world.call("run").out


def test_a_reader_that_goes_away_is_no_error(world: World) -> None:
    world.write(*(working(f"s{n}", started=f"2026-11-20T0{n}:00:00Z") for n in range(3)))
    world.call("run")
    for words in (["history"], ["context", "--cwd", "/home/dev/shop"]):
        with subprocess.Popen(
            [*command(), *words], env=world.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b"" and process.wait(timeout=60) == 0


# --- privacy ---------------------------------------------------------------------------------------------------------


def test_the_home_is_private_whatever_the_umask(world: World) -> None:
    world.write(working(wish=GOOD))
    world.call("run", umask=0)
    modes = world.modes()
    assert modes.pop(".") == "0o700"
    assert {modes[name] for name in modes if (world.home / name).is_dir()} == {"0o700"}
    assert {modes[name] for name in modes if not (world.home / name).is_dir()} == {"0o600"}
    assert oct((world.home / ".git").stat().st_mode)[-3:] in ("700", "755")
    assert world.home.stat().st_mode & 0o077 == 0


def test_the_log_is_rotated_and_masked(tmp_path: Path) -> None:
    for _ in range(5):
        log.write(tmp_path, f"password={SECRET} " + "words " * 100_000)
    files = sorted(path.name for path in (tmp_path / "log").iterdir())
    assert files == ["memkit.log", "memkit.log.1", "memkit.log.2", "memkit.log.3"]
    assert all(path.stat().st_size < 1_100_000 for path in (tmp_path / "log").iterdir())
    assert not any(SECRET.encode() in path.read_bytes() for path in (tmp_path / "log").iterdir())


def test_a_bug_is_one_line_with_its_traceback_in_the_log(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.call("init")

    def broken(**_: object) -> None:
        raise ValueError(f"token={SECRET}")

    monkeypatch.setattr("memkit.stages.tell.history", broken)
    done = world.call("history", ok=ExitCode.BUG)
    where = world.home / "log" / "memkit.log"
    assert done.err.startswith("memkit: this is a bug in memkit: ValueError: ") and str(where) in one_line(done.err)
    assert "Traceback" in where.read_text() and SECRET not in where.read_text() + done.err


def test_a_run_leaves_a_line_in_the_log(world: World) -> None:
    world.write(working(wish=GOOD))
    world.call("run")
    assert "1 session: 1 extracted; commit " in (world.home / "log/memkit.log").read_text()


def test_no_secret_reaches_home_history_database_or_output(world: World) -> None:
    key = "AKIA" + "Z7QK3MVN2XHT4RWP"
    session = (
        Rollout(branch=f"fix-{key}", repository=f"https://me:{SECRET}@git.example.com/a/b.git")
        .user(f"Fix the login. The password is {SECRET}. Always use the key {key} here.")
        .run(f"curl -u me:{SECRET} https://example.com", output=f"AWS_SECRET={key}\n")
        .patch("a.env", new=f"API_TOKEN={SECRET}")
        .final(f"Used {key}.")
    )
    world.write(session)
    done = world.call("run", "--verbose")
    said = done.out + done.err + world.call("context", "--cwd", "/home/dev/shop").out + world.call("sessions").out
    everything = b"".join(world.bytes().values()) + world.history() + said.encode()
    assert key.encode() not in everything and SECRET.encode() not in everything
    assert "[REDACTED_SECRET]" in b"".join(world.bytes().values()).decode("utf-8", "replace")
