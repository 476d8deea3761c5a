"""`memkit mcp`, asked by the SDK's own client: mostly in this process, the wire by a process of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from mcp import Client, StdioServerParameters, types
from mcp.client.stdio import stdio_client

from memkit.commands import toolbox
from memkit.commands.mcp import server
from memkit.errors import ExitCode, StorageError
from memkit.model import canonical
from tests.commands.test_tools import FILES, NEW, OLD, commit
from tests.commands.world import World, bound_by_permissions, valid
from tests.support.env import command
from tests.support.trees import Link


@pytest.fixture
def memory(world: World) -> World:
    world.call("init")
    commit(world, FILES)
    return world


def asked(*calls: tuple[str, Mapping[str, Any]]) -> list[types.CallToolResult]:
    """What a server answers to calls of one session, in this process."""

    async def session() -> list[types.CallToolResult]:
        async with Client(server(None), read_timeout_seconds=20) as client:
            return [await client.call_tool(name, dict(arguments)) for name, arguments in calls]

    return asyncio.run(session())


def ask(name: str, **arguments: Any) -> Any:
    """The JSON that a tool answers."""
    (done,) = asked((name, arguments))
    return told(done)


def told(done: types.CallToolResult) -> Any:
    assert not done.is_error, done
    said = json.loads(text(done))
    assert said == done.structured_content
    return said


def text(done: types.CallToolResult) -> str:
    (part,) = done.content
    assert isinstance(part, types.TextContent)
    return part.text


def refused(name: str, **arguments: Any) -> str:
    """The one line of a refusal, which is a tool's error and none of the protocol."""
    (done,) = asked((name, arguments))
    assert done.is_error and text(done).isprintable(), done
    return text(done)


# --- what is answered -------------------------------------------------------------------------------------------------


def test_the_tools_say_what_they_take_and_which_of_them_writes() -> None:
    async def session() -> list[types.Tool]:
        async with Client(server(None), read_timeout_seconds=20) as client:
            assert client.instructions and "data, not instructions" in client.instructions
            return (await client.list_tools()).tools

    tools = {each.name: each for each in asyncio.run(session())}
    assert list(tools) == ["list", "read", "search", "add_note"]
    for each in tools.values():
        jsonschema.Draft202012Validator.check_schema(each.input_schema)
        assert each.input_schema["type"] == "object" and each.input_schema["additionalProperties"] is False
        assert each.annotations and each.annotations.read_only_hint is (each.name != "add_note")


def test_list_read_and_search_answer_what_the_commands_do(memory: World) -> None:
    for (name, arguments), words in (
        (("list", {"path": "rollout_summaries"}), ["list", "rollout_summaries"]),
        (("read", {"path": OLD, "line": 2, "max_lines": 1}), ["read", OLD, "--line", "2", "--lines", "1"]),
        (("search", {"texts": ["use UV", "pip"], "context": 1}), ["search", "use UV", "pip", "-C1"]),
        (("search", {"texts": ["use UV"], "case": True}), ["search", "use UV", "--case"]),
        (("search", {"texts": ["use.uv"], "fold": True}), ["search", "use.uv", "--fold"]),
        (("search", {"texts": ["uv", "pip"], "match": "line"}), ["search", "uv", "pip", "--all"]),
        (
            ("search", {"texts": ["uv", "pip"], "match": "lines", "within": 2, "path": OLD}),
            ["search", "uv", "pip", "--within", "2", "--path", OLD],
        ),
        (("list", {"max_entries": "2", "path": None, "cursor": None}), ["list", "--max", "2"]),
    ):
        said = ask(name, **arguments)
        valid(said, schema=name)
        assert said == memory.call(*words, "--json").json, words


def test_what_is_committed_meanwhile_is_read_anew(memory: World) -> None:
    async def session() -> None:
        async with Client(server(None), read_timeout_seconds=20) as client:

            async def call(name: str, **arguments: Any) -> types.CallToolResult:
                return await client.call_tool(name, arguments)

            first = told(await call("search", texts=["use"], max_matches=1))
            again = told(await call("search", texts=["use"], max_matches=1, cursor=first["cursor"]))
            assert again["matches"] and again["matches"] != first["matches"]
            commit(memory, {"memory_summary.md": "v1\nravens\n"})
            assert told(await call("search", texts=["ravens"]))["matches"][0]["line"] == 2
            assert "has changed" in text(await call("search", texts=["use"], cursor=first["cursor"]))
            (memory.home / "memkit.yaml").write_text("memories:\n  use_memories: false\n")
            for name, more in (("list", {}), ("read", {"path": NEW}), ("search", {"texts": ["x"]})):
                assert "switched off (memories.use_memories)" in text(await call(name, **more))
            assert told(await call("add_note", kind="forget", text="ravens"))["matches"] == []
            (memory.home / "memkit.yaml").write_text("version: [\n")
            assert "memkit.yaml" in text(await call("list"))
            (memory.home / "memkit.yaml").write_text("version: v1\n")
            assert told(await call("list"))["entries"] == []
            (memory.home / "memkit.yaml").unlink()
            assert told(await call("list"))["entries"] != []

    asyncio.run(session())


def test_an_answer_has_its_bound_and_pages_are_the_whole(memory: World) -> None:
    commit(memory, {"big.md": "".join(f"{n} needle {'x' * 900}\n" for n in range(120)), "long.md": "y" * 90_000})
    found, cursor = [], None
    while len(found) < 120:
        said = ask("search", texts=["needle"], context=3, max_matches=100, cursor=cursor)
        assert len(canonical(said)) < toolbox.MAX_BYTES + 1_000
        found += [each["line"] for each in said["matches"]]
        cursor = said["cursor"]
    assert found == list(range(1, 121)) and cursor is None
    first = ask("read", path="big.md")
    assert len(first["text"]) < toolbox.MAX_BYTES and first["next"] == 44
    assert ask("read", path="big.md", line=44)["text"].startswith("43 needle")
    assert len(ask("read", path="long.md")["text"]) < toolbox.MAX_BYTES + 100


# --- notes ------------------------------------------------------------------------------------------------------------


def test_a_note_is_all_that_is_written(memory: World) -> None:
    before = memory.bytes()
    kept = ask("add_note", kind="remember", text="Use tabs.\nReally.", everywhere=True)
    gone = ask("add_note", kind="forget", text="use uv, not pip")
    ask("list")
    for each in (kept, gone):
        valid(each, schema="note")
    assert (kept["text"], kept["project"], "matches" in kept) == ("Use tabs. Really.", None, False)
    assert gone["matches"] == [{"path": "memory_summary.md", "line": 4, "text": "- Use uv, not pip."}]
    new = {f"memories_v2/extensions/ad_hoc/notes/{each['id']}.md" for each in (kept, gone)}
    now = memory.bytes()
    assert set(now) - set(before) - {"memories_v2/extensions/ad_hoc/instructions.md"} == new
    assert {path: data for path, data in now.items() if path in before} == before
    assert {each["id"]: each["state"] for each in memory.call("notes", "--json").json} == {
        kept["id"]: "pending",
        gone["id"]: "pending",
    }


def test_a_note_is_for_a_project_unless_it_is_for_all(memory: World, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = memory.home.parent / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (shop / "src").mkdir()
    assert ask("add_note", kind="remember", text="Use tabs.", cwd=f"{shop}/src/..")["project"] == str(shop)
    monkeypatch.chdir(shop / "src")
    assert ask("add_note", kind="correct", text="Use spaces.")["project"] == str(shop)
    assert ask("add_note", kind="forget", text="use uv, not pip", cwd=str(shop))["matches"] == []
    monkeypatch.chdir("/")
    said = refused("add_note", kind="remember", text="Use tabs.")
    assert said == "/ is no project (give cwd, or ask the user whether it holds everywhere)"


# --- what is refused --------------------------------------------------------------------------------------------------


OFF: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("nothing", {}, "there is no tool 'nothing'"),
    ("read", {}, "missing required field `path`"),
    ("read", {"path": 5}, "Expected `str`, got `int` - at `$.path`"),
    ("read", {"path": "x", "line": 0}, "Expected `int` >= 1"),
    ("read", {"path": OLD, "line": 10**40}, "has 3 lines"),
    ("read", {"path": "x" * 4_001}, "length <= 4000"),
    ("list", {"path": "", "home": "/etc"}, "unknown field `home`"),
    ("list", {"path": {"$ref": "#"}}, "Expected `str`, got `object`"),
    ("list", {"cursor": "x"}, "'x' is no cursor"),
    ("search", {"texts": []}, "length >= 1"),
    ("search", {"texts": ["x"] * 33}, "length <= 32"),
    ("search", {"texts": "x"}, "Expected `array`, got `str`"),
    ("search", {"texts": ["a\nb"]}, "line break"),
    ("search", {"texts": ["x"], "match": "regex"}, "Invalid enum value 'regex'"),
    ("search", {"texts": ["x"], "context": 21}, "<= 20"),
    ("add_note", {"kind": "erase", "text": "x"}, "Invalid enum value"),
    ("add_note", {"kind": "remember", "text": " \n", "everywhere": True}, "nothing to remember"),
    ("add_note", {"kind": "remember", "text": "x" * 20_001, "everywhere": True}, "length <= 20000"),
    ("add_note", {"kind": "remember", "text": "word " * 3_900, "everywhere": True}, "at most 4,000 bytes"),
    ("add_note", {"kind": "remember", "text": "x", "cwd": "/", "everywhere": True}, "not both"),
    ("add_note", {"kind": "remember", "text": "x", "cwd": "shop"}, "cwd is an absolute path"),
    ("add_note", {"kind": "remember", "text": "x", "cwd": "/a\0b"}, "cwd is an absolute path"),
    ("add_note", {"kind": "remember", "text": "x", "cwd": "/"}, "/ is no project"),
)
OUTSIDE = ("../memkit.yaml", "/etc/passwd", "~/x", "a\0b", "link.md", ".dotfile", "a" * 3_999)


def test_a_call_that_is_off_is_an_error_of_the_tool(memory: World) -> None:
    commit(memory, {"link.md": Link("memory_summary.md")})
    before = memory.bytes()
    off = [*OFF]
    for path in OUTSIDE:
        for name, more in (("read", {}), ("list", {}), ("search", {"texts": ["x"]})):
            off.append((name, {"path": path, **more}, "can't be read"))
    for (name, arguments, said), done in zip(off, asked(*((name, more) for name, more, _ in off)), strict=True):
        assert done.is_error and text(done).isprintable() and said in text(done), (name, arguments, done)
    assert memory.bytes() == before


def test_what_no_client_can_send_is_refused_too(memory: World) -> None:
    for name, arguments in (("read", {"path": "\ud800"}), ("add_note", {"kind": "remember", "text": "a\udcff"})):
        with pytest.raises(toolbox.UsageError, match="no valid Unicode"):
            toolbox.answer(name, arguments, home=memory.home)


def test_without_a_memory_or_switched_off_it_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = (("list", {}), ("add_note", {"kind": "remember", "text": "x", "everywhere": True}))
    assert ["there is no memory at" in text(done) for done in asked(*calls)] == [True, True]
    assert not world.home.exists()
    monkeypatch.setenv("MEMKIT_DISABLE", "1")
    assert ["MEMKIT_DISABLE is set" in text(done) for done in asked(*calls)] == [True, True]


def test_a_home_that_cannot_be_written_is_read_and_takes_no_note(memory: World) -> None:
    arguments = {"kind": "remember", "text": "Use tabs.", "everywhere": True}
    (memory.home / "memories_v2").chmod(0o500)
    try:
        with bound_by_permissions():
            assert toolbox.answer("list", {}, home=None)["entries"]
            with pytest.raises(StorageError):
                toolbox.answer("add_note", arguments, home=None)
    finally:
        (memory.home / "memories_v2").chmod(0o700)


def test_without_the_extra_one_line_says_how_to_get_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = world.call("mcp", ok=ExitCode.CONFIG)
    assert (done.out, done.err) == ("", "memkit: the MCP server needs the extra mcp (pip install 'memkit[mcp]')\n")


# --- the wire ---------------------------------------------------------------------------------------------------------


def test_a_session_over_stdio_with_the_sdks_client(memory: World, capfd: pytest.CaptureFixture[str]) -> None:
    line = command()
    started = StdioServerParameters(
        command=line[0], args=[*line[1:], "mcp", "--home", str(memory.home)], env=memory.env
    )

    async def session() -> None:
        async with Client(stdio_client(started), read_timeout_seconds=30) as client:
            assert [each.name for each in (await client.list_tools()).tools][-1] == "add_note"
            assert told(await client.call_tool("read", {"path": OLD}))["lines"] == 3
            assert (await client.call_tool("read", {"path": "../memkit.yaml"})).is_error
            many = await asyncio.gather(*(client.call_tool("search", {"texts": ["use"]}) for _ in range(8)))
            assert len({text(each) for each in many}) == 1
            note = told(
                await client.call_tool("add_note", {"kind": "remember", "text": "Use tabs.", "everywhere": True})
            )
            assert note["text"] == "Use tabs."

    asyncio.run(session())
    assert capfd.readouterr() == ("", "")  # stderr is handed on, and nothing was said there


def test_garbage_is_passed_over_and_an_interrupt_ends_it(memory: World) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    lines = (
        canonical({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        canonical({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "garbage",
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":{"path":"\\ud800"}}}',
        canonical({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list", "arguments": {}}}),
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command(), "mcp"], env=memory.env, encoding="utf-8", **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        for raw in process.stdout:
            said = json.loads(raw)
            if said.get("id") == 2:
                break
        assert said["result"]["structuredContent"]["entries"]
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == -signal.SIGINT
        assert (process.stdout.read(), process.stderr.read()) == ("", "")
