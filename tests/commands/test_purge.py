"""Erasing as a user has it: the words are in no byte of the home and in no Git object, and don't come back."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.errors import StorageError
from memkit.repo import purge
from memkit.store import Store
from tests.commands.world import World, put_back, working

BLUE = "I always prefer dark blue diagrams drawn with graphviz."
OTHER = "Always run the linter before you commit."
WORD = "graphviz"
PACKAGE = Path(__file__).resolve().parents[2] / "scripts" / "memkit"


def _everywhere(world: World) -> bytes:
    return b"\n".join([*world.bytes().values(), *(p.encode() for p in world.bytes()), world.history()]).lower()


def _fill(world: World) -> None:
    world.write(working("one", wish=BLUE), working("two", wish=OTHER, started="2026-11-21T09:00:00Z"))
    world.call("run")
    world.call("remember", "--global", "Diagrams: dark blue, drawn with graphviz, always.")
    world.call("consolidate")
    assert WORD.encode() in _everywhere(world)


@pytest.fixture
def filled(shared: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A memory that says it in records, summary, a note and several commits."""
    world = put_back(shared, _fill)
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    return world


def test_erased_words_are_in_no_byte_and_the_rest_stays(filled: World) -> None:
    before = filled.commits()
    said = filled.call("forget", "--purge", BLUE, "--yes")
    assert "searched" in said.out
    assert WORD.encode() not in _everywhere(filled)
    assert "linter" in filled.summary
    assert filled.commits()[-len(before) :] == before
    filled.healthy()


def test_they_do_not_come_back_when_the_session_is_read_again(filled: World) -> None:
    filled.call("forget", "--purge", BLUE, "--yes")
    filled.call("extract", "--all")
    filled.call("consolidate")
    assert WORD.encode() not in _everywhere(filled)
    filled.healthy()


def test_without_a_terminal_and_without_yes_nothing_is_erased(filled: World) -> None:
    before = filled.bytes()
    done = filled.call("forget", "--purge", BLUE, ok=2)
    assert "--yes" in done.err
    assert filled.bytes() == before


def test_the_files_of_the_agent_that_hold_the_words_are_named(filled: World) -> None:
    done = filled.call("forget", "--purge", BLUE, "--yes")
    (held,) = [p for p in filled.sessions.rglob("*.jsonl") if WORD in p.read_text()]
    assert str(held) in done.err


def test_words_that_are_nowhere_are_kept_out_all_the_same(filled: World) -> None:
    done = filled.call("forget", "--purge", "The piano is tuned on Fridays.", "--yes")
    assert "nowhere" in done.out
    done = filled.call("remember", "--global", "Note: the piano is tuned on Fridays.", ok=2)
    assert "erased" in done.err
    assert b"piano" not in _everywhere(filled)


def test_the_key_is_private_and_not_tracked(filled: World) -> None:
    filled.call("forget", "--purge", BLUE, "--yes")
    assert stat.S_IMODE((filled.home / "state.purge.key").stat().st_mode) == 0o600
    assert "state.purge.key" not in filled.git("ls-files")
    assert "purged.jsonl" in filled.git("ls-files")


def test_a_rebuilt_database_and_a_hand_edit_do_not_bring_them_back(filled: World) -> None:
    old = filled.summary
    filled.call("forget", "--purge", BLUE, "--yes")
    for file in filled.home.glob("state.sqlite*"):
        file.unlink()
    Path(filled.home / "memories_v2" / "memory_summary.md").write_text(old)
    filled.call("run")
    assert WORD.encode() not in _everywhere(filled)


def test_refs_stash_and_copies_are_cleaned(filled: World) -> None:
    filled.git("branch", "older", "HEAD~1")
    filled.git("tag", "marked", "HEAD")
    filled.call("reset", "--yes")
    (copy,) = filled.home.parent.glob(f"{filled.home.name}.reset-*")
    filled.call("forget", "--purge", BLUE, "--yes")
    assert WORD.encode() not in _everywhere(filled)
    assert all(WORD.encode() not in p.read_bytes().lower() for p in copy.rglob("*") if p.is_file())
    assert "older" in filled.git("branch")


def test_objects_in_packs_and_unreachable_ones_are_cleaned(filled: World) -> None:
    filled.git("repack", "-a", "-d", "-q")
    filled.git("update-ref", "refs/memkit/kept/x", "HEAD")
    filled.git("hash-object", "-w", "memories_v2/memory_summary.md")
    filled.call("forget", "--purge", BLUE, "--yes")
    assert WORD.encode() not in _everywhere(filled)


@pytest.mark.parametrize("step", ["erase", "rewrite", "follow", "collect", "shred"])
def test_a_break_at_any_step_is_repaired_by_running_again(
    filled: World, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = filled.commits()
    owner = Store if step in ("erase", "shred") else purge
    real = getattr(owner, step)

    def breaks(*args: object, **kwargs: object) -> object:
        if step == "follow" and not (filled.home / ".git" / "filter-repo").exists():
            return real(*args, **kwargs)
        if kwargs.get("dry"):
            return real(*args, **kwargs)
        raise StorageError("broken off here")

    with monkeypatch.context() as broken:
        broken.setattr(owner, step, breaks)
        filled.call("forget", "--purge", BLUE, "--yes", ok=3)
    filled.call("forget", "--purge", BLUE, "--yes")
    assert WORD.encode() not in _everywhere(filled)
    assert filled.commits()[-len(before) :] == before
    assert "linter" in filled.summary
    filled.healthy()


def test_an_ordinary_run_after_a_break_brings_nothing_back(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_args: object) -> None:
        raise StorageError("broken off here")

    with monkeypatch.context() as broken:
        broken.setattr(purge, "rewrite", breaks)
        filled.call("forget", "--purge", BLUE, "--yes", ok=3)
    filled.call("run")
    assert WORD not in filled.summary
    filled.call("forget", "--purge", BLUE, "--yes")
    assert WORD.encode() not in _everywhere(filled)


def test_a_search_that_finds_the_words_fails_and_says_where(filled: World) -> None:
    (filled.home / "state.mine").write_text(BLUE)
    done = filled.call("forget", "--purge", BLUE, "--yes", ok=7)
    assert "still there: state.mine" in done.err


def test_a_commit_that_an_undo_names_is_followed(filled: World) -> None:
    filled.call("remember", "--global", "Ship on Mondays only.")
    filled.call("consolidate")
    filled.call("undo")
    filled.call("forget", "--purge", BLUE, "--yes")
    ids = set(filled.git("log", "--format=%H").split())
    with Store.open(filled.home / "state.sqlite", readonly=True) as store:
        held = {s.source.partition(":")[2] for s in store.tombstones() if s.source.startswith("undo:")}
    assert held
    assert held <= ids


@pytest.mark.parametrize("step", ["rewrite", "follow", "collect"])
def test_a_kill_is_repaired_by_running_again(filled: World, step: str) -> None:
    code = (
        "import os, sys; from memkit import cli; from memkit.repo import purge\n"
        f"real, calls = purge.{step}, []\n"
        "def killed(*args):\n"
        "    calls.append(1)\n"
        f"    if {step!r} != 'follow' or len(calls) == 2: os.kill(os.getpid(), 9)\n"
        "    return real(*args)\n"
        f"purge.{step} = killed\n"
        "cli.run(sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "forget", "--purge", BLUE, "--yes"],
        env=filled.env,
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    filled.call("forget", "--purge", BLUE, "--yes")
    assert WORD.encode() not in _everywhere(filled)
    assert "linter" in filled.summary
    filled.healthy()


def test_a_secret_is_said_to_be_one(filled: World) -> None:
    done = filled.call("forget", "--purge", "ghp_" + "A7f9Kq2LmX4bV8nR1tYcZ6wPsD3eGhJu5iO0", "--yes")
    assert "secret" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("User preferences", "headings"),
        ("memory", "names of memkit's files"),
        ("rollout_path", "forms"),
        ("max_tokens", "keys"),
        ("repositoryformatversion", "Git's own files"),
        ("mtime_ns", "database"),
        ("2026", "times"),
        ("(forgotten)", "in place of"),
        (" - ", "no words"),
    ],
)
def test_words_that_memkit_itself_writes_are_refused(world: World, text: str, said: str) -> None:
    world.write(working())
    world.call("run")
    before = world.tree(), world.commits()
    done = world.call("forget", "--purge", text, "--yes", ok=2)
    assert said in done.err
    assert (world.tree(), world.commits()) == before
    assert not (world.home / "purged.jsonl").exists()


def test_part_of_a_session_id_is_refused_with_the_command_that_forgets_it(world: World) -> None:
    session = working()
    world.write(session)
    world.call("run")
    done = world.call("forget", "--purge", session.id[:13], "--yes", ok=2)
    assert f"memkit forget --session {session.id}" in done.err


def test_a_project_whose_name_is_erased_stays_out(world: World) -> None:
    world.write(working("one", cwd="/home/dev/zanzibar", wish=OTHER))
    world.call("run")
    world.call("forget", "--purge", "zanzibar", "--yes")
    assert b"zanzibar" not in _everywhere(world)
    world.write(working("two", cwd="/home/dev/zanzibar", wish=BLUE, started="2026-11-21T09:00:00Z"))
    world.call("run")
    assert WORD in world.summary
    assert "erased" in world.call("remember", "--cwd", "/home/dev/zanzibar", "Use tabs.", ok=2).err
    assert b"zanzibar" not in _everywhere(world)
    world.healthy()


def test_a_session_file_whose_path_holds_the_words_is_named_and_can_be_moved(world: World) -> None:
    folder, elsewhere = world.home.parent / "from-zanzibar", world.home.parent / "elsewhere"
    working(wish=OTHER).write(folder)
    world.call("run", folder)
    done = world.call("forget", "--purge", "zanzibar", "--yes", ok=7)
    assert "its path holds the words" in done.err
    folder.rename(elsewhere)
    world.call("run", elsewhere)
    world.call("forget", "--purge", "zanzibar", "--yes")
    assert b"zanzibar" not in _everywhere(world)
    assert "linter" in world.summary


def test_git_notes_stash_and_tags_with_messages_are_cleaned(filled: World) -> None:
    me = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    filled.git(*me, "notes", "add", "-m", BLUE, "HEAD")
    filled.git(*me, "tag", "-a", "-m", BLUE, "mine")
    filled.edit(f'"{OTHER}"', f'"{OTHER}" {WORD}')
    filled.git(*me, "stash")
    filled.call("forget", "--purge", BLUE, "--yes")
    filled.call("forget", "--purge", WORD, "--yes")
    assert WORD.encode() not in _everywhere(filled)
    refs = filled.git("for-each-ref", "--format=%(refname)")
    assert {"refs/notes/commits", "refs/stash", "refs/tags/mine"} <= set(refs.split())


def test_copies_of_a_home_that_lies_behind_a_link_are_cleaned(world: World) -> None:
    disk = world.home.parent / "disk" / "memory"
    disk.mkdir(parents=True, mode=0o700)
    world.home.symlink_to(disk)
    world.write(working(wish=BLUE))
    world.call("run")
    world.call("reset", "--yes")
    world.call("forget", "--purge", BLUE, "--yes")
    (copy,) = disk.parent.glob("memory.reset-*")
    assert all(WORD.encode() not in p.read_bytes().lower() for p in copy.rglob("*") if p.is_file())


def test_what_a_person_writes_while_the_history_is_rewritten_stays(
    filled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = purge.rewrite

    def meanwhile(*args: object) -> None:
        filled.edit(f'"{OTHER}"', f'"{OTHER[:-1]} again."')
        real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(purge, "rewrite", meanwhile)
    filled.call("forget", "--purge", BLUE, "--yes")
    assert "commit again." in filled.summary
    assert WORD.encode() not in _everywhere(filled)


def test_files_of_the_agent_in_other_words_and_compressed_ones_are_named(filled: World) -> None:
    (held,) = [p for p in filled.sessions.rglob("*.jsonl") if WORD in p.read_text()]
    packed = held.with_name(held.name + ".zst")
    packed.write_bytes(zstandard.compress(held.read_bytes()))
    held.unlink()
    filled.call("run")
    done = filled.call("forget", "--purge", "Dark blue graphviz diagrams, always.", "--yes")
    assert f"out of reach, not memkit's to change: {packed}" in done.err
    assert WORD.encode() not in _everywhere(filled)


@settings(max_examples=3, deadline=None)
@given(words=st.lists(st.text("bcdfgklmnprtvz", min_size=5, max_size=9), min_size=4, max_size=6, unique=True))
def test_whatever_is_erased_is_in_no_byte(words: list[str]) -> None:
    text = " ".join(words)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        home, codex = Path(folder) / "home", Path(folder) / "codex"
        patched.setenv("CODEX_HOME", str(codex))
        patched.setenv("MEMKIT_HOME", str(home))
        world = World(env=dict(os.environ), home=home, codex=codex)
        world.write(working("one", wish=f"Always {text}."))
        world.call("run")
        world.call("remember", "--global", text)
        world.call("consolidate")
        assert text.encode() in _everywhere(world)
        world.call("forget", "--purge", text, "--yes")
        assert text.encode() not in _everywhere(world)
        world.call("extract", "--all")
        world.call("consolidate")
        assert text.encode() not in _everywhere(world)


@pytest.mark.parametrize(
    "module",
    ["stages/scan.py", "stages/extract/work.py", "stages/consolidate/work.py", "stages/consolidate/restoring.py",
     "stages/notes/writing.py", "stages/notes/edited.py", "stages/notes/seeding.py", "stages/undo.py"],
)  # fmt: skip
def test_every_path_that_writes_asks_the_one_function(module: str) -> None:
    tree = ast.parse((PACKAGE / module).read_text())
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "erased.load" in called
    assert called & {"erased.clean", "erased.clean_record", "erased.clean_session"}


def test_no_module_but_the_matcher_normalises_for_tombstones() -> None:
    """Who judges a tombstone asks match: none folds case or compares the text of one by itself."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Tombstone"):
                subject = next((k.value for k in node.keywords if k.arg == "subject"), None)
                if subject is not None and "store" not in path.parts:
                    assert ast.unparse(subject).startswith("match.subject(") or ast.unparse(subject) == "''", path
