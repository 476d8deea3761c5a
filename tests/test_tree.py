"""Names, sync, documents and reading of a tree on disk."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import clock, tree
from memkit.documents import names
from memkit.errors import GateError, StorageError
from memkit.model import Record
from memkit.tree import SyncResult, TreeFiles, file_name, record_files, record_names
from memkit.tree import reading as tree_reading

V7 = "01a219d0-f3b0-79b4-82f6-a5d7c88b90b6"
V4 = "01a219d0-f3b0-49b4-82f6-a5d7c88b90b6"
AT = 1_796_000_000


def record(session_id: str, *, slug: str = "", updated_at: int = AT, **more: str) -> Record:
    return Record(
        session_id=session_id, version="v2", updated_at=updated_at, slug=slug, **{"rollout_summary": "# T", **more}
    )  # type: ignore[arg-type]


def files_of(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


# --- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("session_id", "slug", "expected"),
    [
        (V7, "fix_retry_limit", "2026-11-26T21-44-14-HtuC-fix_retry_limit.md"),
        (V7, "Fix Payment-Retry: the LIMIT!!", "2026-11-26T21-44-14-HtuC-fix_payment_retry__the_limit.md"),
        (V7, "___", "2026-11-26T21-44-14-HtuC.md"),
        (V7, "é" * 80 + "x", "2026-11-26T21-44-14-HtuC.md"),
        (V7, "../../etc\x00/passwd", "2026-11-26T21-44-14-HtuC-______etc__passwd.md"),
        (V4, "x", "2026-11-30T00-53-20-HtuC-x.md"),
        (V7.replace("-82f6", "-02f6"), "x", "2026-11-30T00-53-20-HtuC-x.md"),  # version 7 of another variant
        ("ffffffff-ffff-7fff-bfff-ffffffffffff", "x", "2026-11-30T00-53-20-Ffc3-x.md"),  # a time beyond year 9999
        ("a", "x", "2026-11-30T00-53-20-001z-x.md"),  # h = 97
        ("ab", "x", "2026-11-30T00-53-20-00O5-x.md"),  # h = 97 * 31 + 98
        ("../../../evil", "x", None),
        ("", "", None),
    ],
)
def test_a_file_name_is_codexs_own(session_id: str, slug: str, expected: str | None) -> None:
    name = file_name(session_id=session_id, updated_at=AT, slug=slug)
    assert name == expected if expected else re.fullmatch(r"2026-11-30T00-53-20-[0-9A-Za-z]{4}(-x)?\.md", name)


@given(st.text(max_size=50), st.floats() | st.integers(), st.text() | st.just("a/" * 5_000))
def test_any_input_gives_a_plain_name(session_id: str, updated_at: float, slug: str) -> None:
    name = file_name(session_id=session_id, updated_at=updated_at, slug=slug)
    assert name.isascii() and len(name) < 100
    assert names.parse(name).short == names.short_hash(session_id)


def test_records_that_would_share_a_name_get_their_own() -> None:
    # "Aa" and "BB" have one 31-hash; so have all of their combinations.
    ids = ["AaAa", "AaBB", "BBAa", "BBBB"]
    assert len({file_name(session_id=id_, updated_at=AT, slug="s") for id_ in ids}) == 1
    for slug in ("s", "", "x" * 70):
        by_id = record_names([record(id_, slug=slug) for id_ in reversed(ids)])
        assert list(by_id) == ids
        assert by_id["AaAa"] == file_name(session_id="AaAa", updated_at=AT, slug=slug)
        assert len(set(by_id.values())) == 4
        assert all(names.parse(name).slug.startswith(slug[:20]) for name in by_id.values())
        assert by_id == record_names([record(id_, slug=slug) for id_ in ids])


def test_a_slug_that_imitates_anothers_tag_takes_nothing() -> None:
    tagged = names.parse(record_names([record("AaAa", slug="s"), record("BBBB", slug="s")])["BBBB"]).slug
    by_id = record_names([record("AaAa", slug="s"), record("AaBB", slug=tagged), record("BBBB", slug="s")])
    assert len(set(by_id.values())) == 3


def test_names_differ_even_where_case_does_not_count() -> None:
    pairs: dict[str, str] = {}
    for n in range(200_000):
        name = file_name(session_id=str(n), updated_at=AT, slug="")
        other = pairs.setdefault(name.casefold(), str(n))
        if other != str(n) and file_name(session_id=other, updated_at=AT, slug="") != name:
            break
    found = record_names([record(other), record(str(n))])
    assert len({name.casefold() for name in found.values()}) == 2


def test_a_session_twice_is_refused() -> None:
    with pytest.raises(GateError, match="two records of session 'a'"):
        record_names([record("a"), record("a", slug="other")])


def test_the_golden_tree_comes_out_byte_for_byte(golden: Path, tmp_path: Path, golden_sessions: Path) -> None:
    outputs = json.loads((golden / "stage1_outputs.json").read_text(encoding="utf-8"))
    records = [
        golden_record(path, sessions=golden_sessions, output=outputs[path.stem[-36:]]["v2"])
        for path in golden_sessions.rglob("rollout-*.jsonl")
    ]
    expected = files_of(golden / "memories_v2")
    files = record_files(records)
    assert len(files) == 12
    assert {path: text.encode() for path, text in files.items()} == expected
    assert [text.split()[1] for text in files.values()] == sorted(outputs)
    result = tree.sync(tmp_path / "tree", files)
    assert result == SyncResult(added=tuple(sorted(expected)))
    assert files_of(tmp_path / "tree") == expected


def golden_record(path: Path, *, sessions: Path, output: Mapping[str, str]) -> Record:
    with path.open("rb") as file:
        first = last = file.readline()
        for line in file:
            last = line
    meta = json.loads(first)["payload"]
    updated = clock.parse(json.loads(last)["timestamp"])
    assert updated is not None
    return Record(
        session_id=meta["id"],
        version="v2",
        updated_at=int(updated),
        path=f"/home/dev/.codex/sessions/{path.relative_to(sessions).as_posix()}",
        cwd=meta["cwd"],
        branch=(meta.get("git") or {}).get("branch") or "",
        rollout_summary=output["rollout_summary"],
        slug=output["rollout_slug"],
    )


# --- sync --------------------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "staging" / "memories_v2"


def in_records(**texts: str) -> dict[str, str]:
    return {f"rollout_summaries/{name}.md": text for name, text in texts.items()}


def test_sync_adds_changes_removes_and_leaves_the_rest_of_the_tree(root: Path) -> None:
    tree.sync(root, in_records(a="1\n", b="2\n", c="3\n"))
    (root / "memory_summary.md").write_text("v1\n", encoding="utf-8")
    (root / "extensions").mkdir()
    (root / "extensions" / "x.md").write_text("mine", encoding="utf-8")
    same = (root / "rollout_summaries/a.md").stat()
    result = tree.sync(root, in_records(a="1\n", b="2 longer\n", d="é\r\n"))
    assert result == SyncResult(
        added=("rollout_summaries/d.md",), changed=("rollout_summaries/b.md",), removed=("rollout_summaries/c.md",)
    )
    assert files_of(root) == {
        "extensions/x.md": b"mine",
        "memory_summary.md": b"v1\n",
        "rollout_summaries/a.md": b"1\n",
        "rollout_summaries/b.md": b"2 longer\n",
        "rollout_summaries/d.md": "é\r\n".encode(),
    }
    after = (root / "rollout_summaries/a.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (same.st_ino, same.st_mtime_ns)


def test_a_second_sync_changes_nothing(root: Path) -> None:
    tree.sync(root, in_records(a="1", b="2"))
    assert tree.sync(root, in_records(a="1", b="2")) == SyncResult()


def test_what_is_written_is_the_users_alone(root: Path) -> None:
    tree.sync(root, in_records(a="1"))
    tree.write_documents(root, {"memory_summary.md": "v1\n", "skills/x/SKILL.md": "s"})
    assert {oct(p.stat().st_mode & 0o777) for p in root.rglob("*") if p.is_file()} == {"0o600"}
    assert {oct(p.stat().st_mode & 0o777) for p in [root, *root.rglob("*")] if p.is_dir()} == {"0o700"}


def test_no_symbolic_link_survives_and_none_is_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("precious", encoding="utf-8")
    tree.sync(root, in_records(a="old"))
    (root / "rollout_summaries/a.md").unlink()
    (root / "rollout_summaries/a.md").symlink_to(outside / "a.md")
    (root / "rollout_summaries/dangling.md").symlink_to(tmp_path / "nowhere")
    (root / "skills" / "deep").mkdir(parents=True)
    (root / "skills" / "deep" / "folder").symlink_to(outside)
    (root / "skills" / ".git").symlink_to(outside)
    (root / "loop").symlink_to(root)
    result = tree.sync(root, in_records(a="new"))
    assert result == SyncResult(
        added=("rollout_summaries/a.md",),
        unlinked=(
            "loop",
            "rollout_summaries/a.md",
            "rollout_summaries/dangling.md",
            "skills/.git",
            "skills/deep/folder",
        ),
    )
    assert not any(path.is_symlink() for path in root.rglob("*"))
    assert files_of(outside) == {"a.md": b"precious"} and files_of(root) == {"rollout_summaries/a.md": b"new"}


def test_a_folder_of_records_that_is_a_link_is_replaced(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep.md").write_text("precious", encoding="utf-8")
    root.mkdir(parents=True)
    (root / "rollout_summaries").symlink_to(outside)
    tree.sync(root, in_records(a="1"))
    assert files_of(outside) == {"keep.md": b"precious"} and files_of(root) == {"rollout_summaries/a.md": b"1"}


@pytest.mark.parametrize(
    "write", [lambda root: tree.sync(root, {}), lambda root: tree.write_documents(root, {"a": "b"})]
)
def test_a_root_that_is_a_link_is_refused(root: Path, tmp_path: Path, write: object) -> None:
    (tmp_path / "outside").mkdir()
    root.parent.mkdir(parents=True)
    root.symlink_to(tmp_path / "outside")
    with pytest.raises(GateError, match="symbolic link"):
        write(root)  # type: ignore[operator]
    assert not files_of(tmp_path / "outside")


def test_whatever_stands_in_the_way_of_a_record_goes(root: Path) -> None:
    (root / "rollout_summaries/a.md/deep").mkdir(parents=True)
    (root / "rollout_summaries/a.md/deep/x").write_text("x", encoding="utf-8")
    (root / "rollout_summaries/stale/deep").mkdir(parents=True)
    os.mkfifo(root / "rollout_summaries/b.md")
    os.mkfifo(root / "rollout_summaries/other")
    result = tree.sync(root, in_records(a="1", b="2"))
    assert result == SyncResult(
        added=("rollout_summaries/a.md", "rollout_summaries/b.md"),
        removed=("rollout_summaries/other", "rollout_summaries/stale"),
    )
    assert files_of(root) == {"rollout_summaries/a.md": b"1", "rollout_summaries/b.md": b"2"}


def test_a_file_in_the_place_of_the_folder_goes(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "rollout_summaries").write_text("x", encoding="utf-8")
    tree.sync(root, in_records(a="1"))
    assert files_of(root) == {"rollout_summaries/a.md": b"1"}


def test_leftovers_of_a_killed_run_go(root: Path) -> None:
    tree.sync(root, in_records(a="1"))
    for place in (".x1.tmp", "rollout_summaries/.x2.tmp"):
        (root / place).write_text("half", encoding="utf-8")
    (root / "notes.tmp").write_text("mine", encoding="utf-8")
    assert tree.sync(root, in_records(a="1")) == SyncResult()
    assert files_of(root) == {"notes.tmp": b"mine", "rollout_summaries/a.md": b"1"}


def test_a_write_that_fails_leaves_the_old_file_and_no_leftover(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.sync(root, in_records(a="old"))

    def full(_: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StorageError, match=r"a\.md: No space left on device"):
        tree.sync(root, in_records(a="new"))
    assert files_of(root) == {"rollout_summaries/a.md": b"old"}


def test_a_place_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StorageError, match="Not a directory"):
        tree.sync(tmp_path / "file" / "memories_v2", in_records(a="1"))


# --- paths -------------------------------------------------------------------------------------------------------


BAD = [
    "",
    "/etc/passwd",
    "../x.md",
    "a/../../x.md",
    "a/./x.md",
    "a//x.md",
    "a/",
    ".",
    "a\\x.md",
    "C:x.md",
    "a/x.md:stream",
    "a/.git/config",
    ".gitattributes",
    "GIT~1/config",
    "con",
    "skills/NUL.md",
    "a/lpt1.txt",
    "a\x00b",
    "a\nb",
    "a\u202eb",
    "\u200b.git/x",
    "a\ud800",
    "a/x.md.",
    "a/x.md ",
    " a/x.md",
    "x" * 256,
    "é" * 200,
    "a/" * 300 + "x",
    "rollout_summaries/x.md",
    "Rollout_Summaries/x.md",
]


@pytest.mark.parametrize("path", BAD)
def test_no_document_leaves_the_tree_or_hides_in_it(root: Path, path: str) -> None:
    with pytest.raises(GateError):
        tree.write_documents(root, {"memory_summary.md": "v1\n", path: "x"})
    assert not root.exists()


@pytest.mark.parametrize("path", ["x.md", "other/x.md", "rollout_summaries/a/x.md", "rollout_summaries/../x.md"])
def test_sync_writes_records_only(root: Path, path: str) -> None:
    with pytest.raises(GateError):
        tree.sync(root, {path: "x"})
    assert not root.exists()


@pytest.mark.parametrize("other", ["Memory.md", "MEMORY.md/x", "memory.MD"])
def test_two_documents_cannot_be_one_place(root: Path, other: str) -> None:
    with pytest.raises(GateError, match="one place"):
        tree.write_documents(root, {"MEMORY.md": "a", other: "b"})


def test_a_text_that_is_no_utf8_is_refused_before_anything_is_written(root: Path) -> None:
    with pytest.raises(GateError, match=r"b\.md: .* at character 1"):
        tree.write_documents(root, {"a.md": "x", "b.md": "x\ud800"})
    assert not root.exists()


# --- documents ---------------------------------------------------------------------------------------------------


def test_documents_are_written_and_nothing_else_is_touched(root: Path) -> None:
    tree.sync(root, in_records(a="1"))
    first = tree.write_documents(root, {"memory_summary.md": "v1\n", "skills/ü/SKILL.md": "s"})
    second = tree.write_documents(root, {"memory_summary.md": "v1\n\nmore\n"})
    assert first == SyncResult(added=("memory_summary.md", "skills/ü/SKILL.md"))
    assert second == SyncResult(changed=("memory_summary.md",))
    assert tree.write_documents(root, {"memory_summary.md": "v1\n\nmore\n"}) == SyncResult()
    assert files_of(root) == {
        "memory_summary.md": b"v1\n\nmore\n",
        "rollout_summaries/a.md": b"1",
        "skills/ü/SKILL.md": b"s",
    }


def test_a_document_takes_the_place_of_a_folder_a_link_or_a_file_above_it(root: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious", encoding="utf-8")
    (root / "MEMORY.md" / "deep").mkdir(parents=True)
    (root / "memory_summary.md").symlink_to(tmp_path / "victim")
    (root / "skills").write_text("a file", encoding="utf-8")
    result = tree.write_documents(root, {"MEMORY.md": "m", "memory_summary.md": "v1\n", "skills/x/SKILL.md": "s"})
    assert result.unlinked == ("memory_summary.md",)
    assert files_of(root) == {"MEMORY.md": b"m", "memory_summary.md": b"v1\n", "skills/x/SKILL.md": b"s"}
    assert (tmp_path / "victim").read_text(encoding="utf-8") == "precious"


def test_a_hard_link_is_replaced_not_written_through(root: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious", encoding="utf-8")
    root.mkdir(parents=True)
    (root / "memory_summary.md").hardlink_to(tmp_path / "victim")
    tree.write_documents(root, {"memory_summary.md": "v1\n"})
    assert (tmp_path / "victim").read_text(encoding="utf-8") == "precious"


# --- reading -----------------------------------------------------------------------------------------------------


def test_a_tree_is_read_as_bytes_by_path(root: Path) -> None:
    files = in_records(b="2", a="1\r\n")
    tree.sync(root, files)
    tree.write_documents(root, {"memory_summary.md": "v1\n"})
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref", encoding="utf-8")
    (root / ".x.tmp").write_text("half", encoding="utf-8")
    (root / ".DS_Store").write_bytes(b"\xff")
    read = tree.read_tree(root)
    assert list(read.files.items()) == [
        (".DS_Store", b"\xff"),
        ("memory_summary.md", b"v1\n"),
        ("rollout_summaries/a.md", b"1\r\n"),
        ("rollout_summaries/b.md", b"2"),
    ]
    assert (read.symlinks, read.skipped, read.found) == ((), (), True)


def test_links_pipes_and_unprintable_names_are_named_not_read(root: Path) -> None:
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "loop").symlink_to(root)
    (root / "passwd").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    (root / "a\nb").write_text("x", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(root) + b"/\xff")).write_text("x", encoding="utf-8")
    assert tree.read_tree(root) == TreeFiles(
        files={}, symlinks=("passwd", "sub/loop"), skipped=("\\udcff", "a\\nb", "pipe")
    )


def test_reading_is_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_reading, "_MAX_FILE", 10)
    monkeypatch.setattr(tree_reading, "_MAX_TREE", 21)
    monkeypatch.setattr(tree_reading, "_MAX_FILES", 3)
    sizes = {"a": 10, "b": 11, "c": 10, "d": 2, "e": 1, "f": 1}
    tree.write_documents(root, {name: "x" * size for name, size in sizes.items()})
    read = tree.read_tree(root)
    assert (sorted(read.files), read.skipped) == (["a", "c", "e"], ("b", "d", "f"))


def test_no_tree_an_empty_tree_and_a_linked_tree_are_three_outcomes(root: Path, tmp_path: Path) -> None:
    assert tree.read_tree(root) == TreeFiles(found=False)
    root.mkdir(parents=True)
    assert tree.read_tree(root) == TreeFiles()
    (tmp_path / "link").symlink_to(root)
    assert tree.read_tree(tmp_path / "link") == TreeFiles(symlinks=(".",))


def test_a_tree_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "memories_v2").write_text("x", encoding="utf-8")
    with pytest.raises(StorageError, match="Not a directory"):
        tree.read_tree(tmp_path / "memories_v2")


def test_the_trees_of_both_versions_are_codexs_folders(golden: Path) -> None:
    assert {version: (golden / folder).is_dir() for version, folder in tree.TREES.items()} == {"v1": True, "v2": True}
    assert (tree.SUMMARY, tree.RECORDS) == ("memory_summary.md", "rollout_summaries")
