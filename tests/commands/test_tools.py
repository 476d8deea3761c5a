"""The dedicated tools: list, read and search of what is committed; what they refuse; pages; odd files."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from unittest import mock

import pytest

from memkit.errors import ExitCode
from memkit.repo import Repo
from tests.commands.world import World, valid
from tests.support.trees import Link, write_tree

OLD, NEW = "rollout_summaries/2026-11-20T09-00-00-aaaa.md", "rollout_summaries/2026-11-24T09-00-00-bbbb.md"
FILES: Mapping[str, str | bytes | Link | None] = {
    "memory_summary.md": "v1\n\n## User preferences\n- Use uv, not pip.\n",
    OLD: "# Old\n- decision: use pip\n- verified: `uv run`\n",
    NEW: "# New\n- decision: use uv\n- open: nothing\n",
    "skills/deploy/SKILL.md": "# Deploy\nuse pip\n",
    ".hidden/secret.md": "use pip\n",
    ".dotfile": "use pip\n",
}


def commit(world: World, files: Mapping[str, str | bytes | Link | None]) -> None:
    """Commits files of the tree with Git itself: memkit would leave links out."""
    Repo.ensure(world.home)
    write_tree(world.home / "memories_v2", files)
    world.git("add", "-A")
    world.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--no-verify", "-m", "x")


@pytest.fixture
def memory(world: World) -> World:
    commit(world, FILES)
    return world


# --- what is there ----------------------------------------------------------------------------------------------------


def test_the_tree_is_listed_folder_by_folder_the_newest_first(memory: World) -> None:
    assert memory.call("list").out.splitlines() == ["memory_summary.md  43 bytes", "rollout_summaries/", "skills/"]
    listing = memory.call("list", "rollout_summaries/", "--json").json
    valid(listing, schema="list")
    assert [each["path"] for each in listing["entries"]] == [NEW, OLD]
    assert memory.call("list", "./skills").out == "skills/deploy/\n"
    assert memory.call("list", OLD).out == f"{OLD}  47 bytes\n"


def test_a_file_is_read_by_lines(memory: World) -> None:
    assert memory.call("read", OLD).out == FILES[OLD]
    part = memory.call("read", OLD, "--line", "2", "--lines", "1")
    assert part.out == "- decision: use pip\n" and "lines 2 to 2 of 3; go on with --line 3" in part.err
    page = memory.call("read", OLD, "--line", "3", "--json").json
    valid(page, schema="read")
    assert page == {"path": OLD, "line": 3, "lines": 3, "text": "- verified: `uv run`", "next": None}
    assert "has 3 lines" in memory.call("read", OLD, "--line", "4", ok=ExitCode.USAGE).err


def test_search_finds_any_of_the_texts_the_summary_first_then_the_newest(memory: World) -> None:
    out = memory.call("search", "USE UV", "use pip").out
    assert out.splitlines() == [
        "memory_summary.md:4:- Use uv, not pip.",
        "skills/deploy/SKILL.md:2:use pip",
        f"{NEW}:2:- decision: use uv",
        f"{OLD}:2:- decision: use pip",
    ]
    assert memory.call("search", "use uv", "--case").out == f"{NEW}:2:- decision: use uv\n"
    assert memory.call("search", "uvnotpip", "--fold").out == "memory_summary.md:4:- Use uv, not pip.\n"
    assert memory.call("search", "ravens").out == "nothing matches\n"


def test_search_finds_all_on_a_line_or_within_lines(memory: World) -> None:
    assert memory.call("search", "uv", "pip", "--all").out == "memory_summary.md:4:- Use uv, not pip.\n"
    found = memory.call("search", "uv", "pip", "--within", "2", "--path", "rollout_summaries", "--json").json
    valid(found, schema="search")
    (match,) = found["matches"]
    assert (match["path"], match["line"], match["last_line"], match["column"]) == (OLD, 2, 3, 17)
    assert match["texts"] == ["uv", "pip"] and match["content"] == ["- decision: use pip", "- verified: `uv run`"]
    assert "not both" in memory.call("search", "a", "--all", "--within", "2", ok=ExitCode.USAGE).err


def test_context_is_shown_as_grep_does_each_line_once(memory: World) -> None:
    commit(memory, {"MEMORY.md": "a1\nb\nc\na2\nd\na3\ne\nf\ng\na4"})
    out = memory.call("search", "a", "--path", "MEMORY.md", "-C1").out
    assert [line.removeprefix("MEMORY.md") for line in out.splitlines()] == (
        [":1:a1", "-2-b", "-3-c", ":4:a2", "-5-d", ":6:a3", "-7-e", "--", "-9-g", ":10:a4"]
    )
    found = memory.call("search", "a4", "-C", "3", "--json").json["matches"]
    assert [(each["start_line"], each["content"]) for each in found] == [(7, ["e", "f", "g", "a4"])]


def test_what_is_committed_is_read_and_no_edit_that_waits(memory: World) -> None:
    (memory.home / "memories_v2/memory_summary.md").write_text("- Likes tea.\n")
    assert "tea" not in memory.call("read", "memory_summary.md").out + memory.call("search", "tea").out


def test_the_version_that_is_read_is_the_one_that_is_searched(memory: World) -> None:
    write_tree(memory.home / "memories", {"MEMORY.md": "handbook\n"})
    memory.git("add", "-A")
    memory.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
    (memory.home / "memkit.yaml").write_text("version: v1\n")
    assert memory.call("list").out == "MEMORY.md  9 bytes\n"


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../memkit.yaml", "may leave the memory's tree"),
        ("rollout_summaries/../../memkit.yaml", "may leave the memory's tree"),
        ("rollout_summaries//x.md", "may leave the memory's tree"),
        ("/etc/passwd", "does not lie in the memory's tree"),
        ("~/.ssh/id_rsa", "does not lie in the memory's tree"),
        ("..\\memkit.yaml", "does not lie in the memory's tree"),
        (".dotfile", "hidden files are not shown"),
        (".hidden/secret.md", "hidden files are not shown"),
        ("skills/.git", "hidden files are not shown"),
        ("a\nb", "characters that no shown name has"),
        ("link.md", "symbolic link"),
        ("folder/passwd", "folder is a symbolic link"),
        ("memory_summary.md/x", "nothing of this name"),
        ("nothing.md", "nothing of this name"),
    ],
)
def test_paths_stay_inside_the_tree(memory: World, path: str, said: str) -> None:
    commit(memory, {"link.md": Link("memory_summary.md"), "folder": Link("/etc")})
    for words in (["read", path], ["list", path], ["search", "x", "--path", path]):
        done = memory.call(*words, ok=ExitCode.USAGE)
        assert said in done.err and done.err.count("\n") == 1 and done.out == ""


def test_hidden_files_and_links_are_not_met_either(memory: World) -> None:
    commit(memory, {"link.md": Link("memory_summary.md"), "folder": Link("/etc"), "a\tb.md": "use pip\n"})
    assert "link" not in memory.call("list").out and "folder" not in memory.call("list").out
    files = {each["path"] for each in memory.call("search", "use pip", "passwd", "root", "--json").json["matches"]}
    assert files == {"skills/deploy/SKILL.md", OLD}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search", ""], "nothing to search for in ''"),
        (["search", " "], "nothing to search for in ' '"),
        (["search", "--fold", "--", "-."], "nothing to search for in '-.'"),
        (["search", "a\nb"], "line break"),
        (["search", "a\udcff"], "no valid Unicode"),
        (["search", *map(str, range(33))], "1 to 32 texts, not 33"),
        (["search", "x", "--within", "0"], "not in the range"),
        (["search"], "Missing argument"),
        (["read", "rollout_summaries"], "is a folder (memkit list rollout_summaries)"),
        (["read", ""], "the tree itself is a folder (memkit list)"),
        (["read", OLD, "--line", "0"], "not in the range"),
        (["list", "--cursor", "x"], "'x' is no cursor"),
        (["list", "--cursor", "a.b.1.-2"], "is no cursor"),
        (["list", "--cursor", "a.b.1.\u0663"], "is no cursor"),
        (["list", "--cursor", f"a.b.1.{'9' * 5000}"], "is no cursor"),
    ],
)
def test_a_call_that_is_off_gets_one_line(memory: World, words: list[str], said: str) -> None:
    done = memory.call(*words, ok=ExitCode.USAGE)
    assert said in done.err and done.err.count("\n") == 1 and done.out == ""


@pytest.mark.parametrize("words", [["list"], ["read", "memory_summary.md"], ["search", "x"]])
def test_without_a_home_the_command_that_makes_one_is_named(world: World, words: list[str]) -> None:
    assert "there is no memory at" in world.call(*words, ok=ExitCode.CONFIG).err
    assert not world.home.exists()


# --- pages ------------------------------------------------------------------------------------------------------------


def test_pages_together_are_the_whole(memory: World) -> None:
    commit(memory, {f"rollout_summaries/{n:03}.md": "pip\npip uv\n\nuv\npip\n" * (n % 3) for n in range(40)})

    def pages(*words: str) -> list[dict[str, object]]:
        found, cursor = [], None
        for _ in range(100):
            done = memory.call(*words, "--json", *(["--cursor", cursor] if cursor else [])).json
            rows = done.get("matches", done.get("entries"))
            assert len(rows) == 7 or not done["cursor"]
            found += rows
            if not (cursor := done["cursor"]):
                return found
        raise AssertionError("the pages do not end")

    for words in (["search", "pip", "uv"], ["search", "pip", "uv", "--within", "2"], ["list", "rollout_summaries"]):
        whole = memory.call(*words, "--max", "1000", "--json").json
        assert pages(*words, "--max", "7") == whole.get("matches", whole.get("entries"))
        assert whole["cursor"] is None


def test_a_cursor_holds_for_its_call_and_for_the_memory_that_it_was_given_for(memory: World) -> None:
    first = memory.call("search", "pip", "--max", "1")
    cursor = first.err.split()[-1]
    assert first.err == f"there is more: --cursor {cursor}\n"
    again = memory.call("search", "pip", "--max", "1", "-C1", "--cursor", cursor)  # how much is shown is free
    assert "skills/deploy/SKILL.md:2:use pip" in again.out
    for words in (["search", "uv"], ["search", "pip", "--case"], ["list"]):
        assert "given for another call" in memory.call(*words, "--cursor", cursor, ok=ExitCode.USAGE).err
    commit(memory, {"other.md": "x\n"})
    refused = memory.call("search", "pip", "--cursor", cursor, ok=ExitCode.USAGE)
    assert refused.err == "memkit: the memory has changed since this cursor was given (begin again without a cursor)\n"


# --- odd files --------------------------------------------------------------------------------------------------------


def test_an_empty_memory_has_nothing_and_a_skeleton_a_summary(world: World) -> None:
    Repo.ensure(world.home)
    for words, said in ((["list"], "nothing is there\n"), (["search", "x"], "nothing matches\n")):
        assert world.call(*words).out == said
    assert "nothing of this name" in world.call("read", "memory_summary.md", ok=ExitCode.USAGE).err
    world.call("init")
    assert world.call("list").out.startswith("memory_summary.md  ")
    assert world.call("search", "User Profile").out == "memory_summary.md:3:## User Profile\n"


def test_files_of_any_bytes_are_read_and_searched(memory: World) -> None:
    odd = {"crlf.md": b"one\r\ntwo uv\r\n", "bytes.md": b"caf\xe9 \xff uv\n\x00\x1b[2Juv"}
    commit(memory, {**odd, "empty.md": b"", "nl.md": b"\n"})
    assert memory.call("read", "crlf.md").out == "one\ntwo uv\n"
    assert memory.call("search", "two uv", "--path", "crlf.md", "--json").json["matches"][0]["content"] == ["two uv"]
    assert memory.call("read", "bytes.md").out == "caf\ufffd \ufffd uv\n\\x00\\x1b[2Juv\n"
    assert memory.call("search", "uv", "--path", "bytes.md").out == (
        "bytes.md:1:caf\ufffd \ufffd uv\nbytes.md:2:\\x00\\x1b[2Juv\n"
    )
    assert memory.call("read", "empty.md", "--json").json["lines"] == 0
    assert (memory.call("read", "empty.md").out, memory.call("read", "nl.md").out) == ("", "\n")


def test_a_match_after_letters_that_fold_to_several_stands_where_it_is(memory: World) -> None:
    commit(memory, {"a.md": "\u1e9e\ufb01\u0130 Straße e\u0301: UV hier\n"})
    (match,) = memory.call("search", "uv", "--path", "a.md", "--json").json["matches"]
    assert match["content"][0][match["column"] - 1 :] == "UV hier"
    (match,) = memory.call("search", "É:UV", "--fold", "--path", "a.md", "--json").json["matches"]
    assert match["content"][0][match["column"] - 1 :] == "e\u0301: UV hier"


def test_a_file_of_20_mb_is_searched_and_read_and_its_line_is_cut(memory: World) -> None:
    line = "0123456789" * 2_000_000
    commit(memory, {"big.md": f"first\n{line[:10_000_000]} needle {line[10_000_000:]}\nlast needle\n"})
    one, two = memory.call("search", "Needle", "--path", "big.md", "--json").json["matches"]
    assert (one["line"], one["column"], two["line"], two["column"]) == (2, 10_000_002, 3, 6)
    assert " needle " in one["content"][0] and len(one["content"][0]) == 1_002
    assert memory.call("read", "big.md", "--line", "3").out == "last needle\n"


def test_one_process_of_git_serves_a_search_of_many_files(memory: World) -> None:
    commit(memory, {f"rollout_summaries/{n:03}.md": f"number {n}\n" for n in range(300)})
    memory.git("gc", "-q")
    with mock.patch.object(subprocess, "Popen", wraps=subprocess.Popen) as started:
        assert memory.call("search", "number 299").out == "rollout_summaries/299.md:1:number 299\n"
    assert started.call_count == 1


def test_an_object_that_is_lost_or_broken_is_said(memory: World) -> None:
    oid = memory.git("rev-parse", f"HEAD:memories_v2/{OLD}").strip()
    lost = memory.home / ".git/objects" / oid[:2] / oid[2:]
    lost.chmod(0o600)
    lost.write_bytes(b"no zlib")
    for words in (["read", OLD], ["search", "use"]):
        assert memory.call(*words, ok=ExitCode.GIT).out == ""
    lost.unlink()
    assert "Git has lost an object" in memory.call("search", "use", ok=ExitCode.GIT).err


def test_nothing_is_written(memory: World) -> None:
    before = memory.bytes()
    for words in (["list"], ["read", OLD], ["search", "use"]):
        memory.call(*words)
    assert memory.bytes() == before
    off = memory.shell("search", "use uv", MEMKIT_DISABLE="1")
    assert "MEMKIT_DISABLE is set" in off.stderr and NEW in off.stdout
