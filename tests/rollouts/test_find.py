"""Which files are found, in what order, and what the head of one says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memkit.rollouts.find import Found, Problem, find, find_in, head, named_session
from tests.support.rollouts import Rollout, fork, subagent


def session(**more: object) -> Rollout:
    return Rollout(**more).user("Fix the retry.").final("Fixed.")  # type: ignore[arg-type]


def paths(found: object) -> list[Path]:
    return [each.path for each in found if isinstance(each, Found)]  # type: ignore[attr-defined]


def test_sessions_come_newest_first_and_nothing_else_does(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    older = session(started="2026-11-20T09:00:00Z").write(folder)
    newer = session(started="2026-11-21T09:00:00Z").write(folder)
    older.with_name("notes.jsonl").write_text("{}\n")
    older.with_name(older.name + ".deleted.1").write_bytes(older.read_bytes())
    assert paths(find(codex_home=tmp_path)) == [newer, older]


def test_a_home_without_sessions_gives_nothing(tmp_path: Path) -> None:
    assert list(find(codex_home=tmp_path / "none")) == []


def test_archived_sessions_come_last_and_only_when_asked_for(tmp_path: Path) -> None:
    here = session().write(tmp_path / "sessions")
    gone = session(started="2026-11-25T09:00:00Z").write(tmp_path / "archived_sessions", flat=True)
    assert paths(find(codex_home=tmp_path)) == [here]
    assert paths(find(codex_home=tmp_path, archived=True)) == [here, gone]


def test_named_folders_are_searched_and_a_file_comes_once(tmp_path: Path) -> None:
    file = session().write(tmp_path / "a", flat=True)
    other = tmp_path / "a" / "export.jsonl"
    other.write_bytes(file.read_bytes())
    deleted = tmp_path / "a" / "x.jsonl.deleted.7"
    deleted.write_bytes(file.read_bytes())
    assert paths(find_in([tmp_path / "a", file, deleted])) == [file, other]


def test_links_in_circles_end(tmp_path: Path) -> None:
    file = session().write(tmp_path / "a", flat=True)
    (tmp_path / "a" / "again").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    assert list(map(type, find_in([tmp_path / "a"]))) == [Found]
    assert paths(find_in([tmp_path / "a"])) == [file]


def test_a_missing_path_and_a_pipe_are_values(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    found = list(find_in([tmp_path / "none.jsonl", tmp_path]))
    assert {each.path.name: each.kind for each in found if isinstance(each, Problem)} == {
        "none.jsonl": "missing",
        "pipe.jsonl": "unreadable",
    }


def test_only_the_plain_one_of_two_copies_is_taken(tmp_path: Path) -> None:
    file = session().write(tmp_path, flat=True)
    file.with_name(file.name + ".zst").write_bytes(b"x")
    assert paths(find_in([tmp_path])) == [file]


def test_the_head_tells_who_where_and_when(tmp_path: Path) -> None:
    told = session(branch="main", cwd="/home/dev/shop", memory_mode="disabled")
    path = told.write(tmp_path)
    seen = head(path)
    assert not isinstance(seen, Problem)
    assert (seen.id, seen.cwd, seen.branch, seen.source) == (told.id, "/home/dev/shop", "main", "cli")
    assert (seen.remote, seen.memory_mode) == ("https://git.example.com/acme/shop.git", "disabled")
    assert (seen.started_at, seen.updated_at) == (told.started, told.last)
    assert (seen.size, seen.mtime_ns) == (path.stat().st_size, path.stat().st_mtime_ns)


@pytest.mark.parametrize("order", ["payload_first", "type_first"])
def test_the_last_time_is_found_in_any_key_order(tmp_path: Path, order: str) -> None:
    told = session(key_order=order)
    seen = head(told.write(tmp_path))
    assert not isinstance(seen, Problem)
    assert seen.updated_at == told.last


def test_a_last_line_of_20_mb_still_has_a_time(tmp_path: Path) -> None:
    told = session().image(size=20_000_000)
    seen = head(told.write(tmp_path))
    assert not isinstance(seen, Problem)
    assert seen.updated_at == told.last


@pytest.mark.parametrize("after", [b'{"timestamp":"2026-11-29T09:00:00Z","ty', b"\0" * 200_000, b"plain words\n"])
def test_the_last_time_is_that_of_the_last_whole_line(tmp_path: Path, after: bytes) -> None:
    told = session()
    seen = head(told.write(tmp_path, after=after))
    assert not isinstance(seen, Problem)
    assert seen.updated_at == told.last


def test_a_file_is_its_own_first_session_not_its_parents(tmp_path: Path) -> None:
    parent = session()
    for child in (fork(parent), subagent(parent)):
        seen = head(child.write(tmp_path))
        assert not isinstance(seen, Problem)
        assert (seen.id, seen.forked_from) == (child.id, parent.id)


def test_a_damaged_own_meta_does_not_hand_the_file_to_its_parent(tmp_path: Path) -> None:
    child = fork(session())
    path = child.write(tmp_path)
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first[:80] + b"\n" + rest)
    seen = head(path)
    assert not isinstance(seen, Problem)
    assert seen.id == child.id


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("vscode", "vscode"),
        (None, "cli"),
        ({"subagent": "review"}, "subagent"),
        ({"subagent": {"other": "x"}}, "subagent"),
    ],
)
def test_sources_of_every_shape(tmp_path: Path, source: object, want: str) -> None:
    seen = head(session(source=source).write(tmp_path))
    assert not isinstance(seen, Problem)
    assert seen.source == want


def test_an_id_that_is_no_uuid_stays_and_a_missing_one_is_made(tmp_path: Path) -> None:
    odd = session(meta={"id": "../x\ny", "session_id": None})
    path = odd.write(tmp_path / "b", flat=True)
    seen = head(path)
    assert not isinstance(seen, Problem) and seen.id == "../x\ny"
    nameless = session(meta={"id": None, "session_id": None})
    path = nameless.write(tmp_path / "c", flat=True)
    seen = head(path)
    assert not isinstance(seen, Problem) and seen.id == nameless.id
    path = path.rename(path.with_name("export.jsonl"))
    seen, again = head(path), head(path)
    assert not isinstance(seen, Problem) and not isinstance(again, Problem)
    assert len(seen.id) == 32 and seen.id == again.id


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"just words\nand more\n", "no_rollout"),
        (b'{"a": 1}\n', "no_rollout"),
        (b"\0" * 99, "no_rollout"),
    ],
)
def test_what_is_no_rollout_is_said_so(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    seen = head(tmp_path / "x.jsonl")
    assert isinstance(seen, Problem) and seen.kind == kind


def test_a_bare_file_has_its_directory_in_a_message_and_the_files_time(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-05-01-0196a1b2-0000-7000-8000-000000000001.jsonl"
    path.write_text(
        '{"id":"0196a1b2-0000-7000-8000-000000000001","timestamp":"2025-05-01T09:00:00Z","instructions":null,"git":null}\n'
        '{"record_type":"state"}\n'
        '{"type":"message","role":"user","content":[{"type":"input_text","text":'
        '"<environment_context>\\n\\nCurrent working directory: /home/dev/\\u00fcber\\n</environment_context>"}]}\n'
    )
    os.utime(path, (1_746_100_000, 1_746_100_000))
    seen = head(path)
    assert not isinstance(seen, Problem)
    assert (seen.cwd, seen.updated_at) == ("/home/dev/über", 1_746_100_000)


def test_a_file_that_cannot_be_opened_is_named_by_its_file(tmp_path: Path) -> None:
    told = session()
    seen = named_session(tmp_path / told.file_name, updated_at=5.0)
    assert (seen.id, seen.updated_at) == (told.id, 5.0)
