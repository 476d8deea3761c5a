"""The tools of the tests do what they say."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import shapes
from tests.support.env import NOW, hermetic, run_memkit
from tests.support.rollouts import Rollout, fork, subagent
from tests.support.trees import Link, RecordFile, memory_tree, read_tree, summary, write_tree


def rows(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def payloads(rollout: Rollout, kind: str) -> list[dict[str, Any]]:
    return [row["payload"] for row in rows(rollout.data()) if row["payload"].get("type") == kind]


def a_session() -> Rollout:
    return Rollout().user("Fix the retry.").run("pytest -q", exit=1, output="1 failed\n").final("Fixed.")


def test_the_same_calls_give_the_same_bytes_and_other_names_other_ids() -> None:
    assert a_session().data() == a_session().data()
    assert (
        len({Rollout().id, Rollout(name="b").id, Rollout(cwd="/x").id, Rollout(started="2026-11-21T09:00:00Z").id}) == 4
    )


def test_ids_are_uuid7_of_the_start() -> None:
    identity = Rollout(started="2026-11-20T09:00:00Z").id
    assert int(identity.replace("-", "")[:12], 16) == 1_795_165_200_000
    assert identity[14] == "7" and identity[19] in "89ab"


def test_a_file_lies_where_codex_puts_it_and_has_the_time_of_its_last_line(tmp_path: Path) -> None:
    session = a_session()
    path = session.write(tmp_path)
    assert path.relative_to(tmp_path).as_posix() == f"2026/11/20/rollout-2026-11-20T09-00-00-{session.id}.jsonl"
    assert path.stat().st_mtime == session.last
    assert rows(path.read_bytes())[-1]["timestamp"] == shapes.moment(session.last)


def test_lines_have_the_keys_of_the_golden_sessions(golden_sessions: Path) -> None:
    def shape(value: object) -> object:
        return {k: shape(v) for k, v in sorted(value.items())} if isinstance(value, dict) else type(value).__name__

    def shapes_of(lines: list[dict[str, Any]]) -> dict[str, str]:
        found = {}
        for row in lines:
            payload = row["payload"]
            kind = "/".join(str(payload.get(k, "")) for k in ("type", "role", "name", "phase"))
            if row["type"] != "session_meta" and payload.get("type") != "token_count":
                found[f"{row['type']}/{kind}"] = json.dumps(shape(row))
        return found

    theirs: dict[str, str] = {}
    for path in golden_sessions.rglob("*.jsonl"):
        theirs |= shapes_of(rows(path.read_bytes()))
    ours = Rollout(agents_md="Be brief.").user("x").say("y").reasoning().run("ls").patch("a.py", new="b").agent("c")
    ours.mcp("read_page").web("lts").ask("q", "a").interrupt().user("y").final("z")
    mine = shapes_of(rows(ours.data()))
    assert set(theirs) <= set(mine)
    assert {kind: mine[kind] for kind in theirs} == theirs


def test_a_session_that_goes_on_starts_with_the_same_bytes() -> None:
    session = Rollout().user("One.").run("ls", output="a\n")
    before = session.data()
    after = session.final("Done.").user("Two.").final("Done.").data()
    assert after.startswith(before) and len(after) > len(before)


def test_turns_open_and_close_around_what_is_said() -> None:
    session = Rollout().user("One.").user("Wait, two.", steer=True).user("Three.").interrupt(marker=True).user("Four.")
    kinds = [p["type"] for k in ("task_started", "task_complete", "turn_aborted") for p in payloads(session, k)]
    assert kinds == ["task_started"] * 3 + ["task_complete", "turn_aborted"]
    aborted = payloads(session, "turn_aborted")[0]["turn_id"]
    assert aborted == payloads(session, "task_started")[1]["turn_id"]


@pytest.mark.parametrize(
    ("wrapping", "start"),
    [
        ("chunk", "Chunk ID: "),
        ("exit_code", "Exit code: 3\nWall time: "),
        ("json", '{"output": "boom'),
        ("plain", "boom"),
    ],
)
def test_outputs_come_in_every_wrapping(wrapping: shapes.Wrapping, start: str) -> None:
    output = payloads(
        Rollout().user("x").run("make", output="boom\n", exit=3, wrapping=wrapping), "function_call_output"
    )
    assert output[0]["output"].startswith(start)
    assert "boom" in output[0]["output"]


@pytest.mark.parametrize("shell", ["exec_command", "shell", "shell_command", "local_shell"])
def test_commands_come_from_every_shell_tool(shell: shapes.Shell) -> None:
    session = Rollout(shell=shell).user("x").run("make check", output="ok\n")
    call = (payloads(session, "function_call") + payloads(session, "local_shell_call"))[0]
    assert "make check" in json.dumps(call)
    assert call["call_id"] == payloads(session, "function_call_output")[0]["call_id"]


def test_an_answer_keeps_its_call_and_a_request_its_ide_header() -> None:
    session = Rollout().user("Rename it.", ide="src/a.py").ask("Which name?", "orders")
    call, output = payloads(session, "function_call")[0], payloads(session, "function_call_output")[0]
    assert call["call_id"] == output["call_id"]
    assert json.loads(output["output"]) == {"answers": {"q1": {"answers": ["orders"]}}}
    said = payloads(session, "user_message")[0]["message"]
    assert said.startswith("# Context from my IDE setup:") and said.endswith("## My request for Codex:\nRename it.")


def test_key_order_changes_the_text_and_not_what_it_says() -> None:
    usual, first = Rollout().user("x"), Rollout(key_order="payload_first").user("x")
    assert first.data().startswith(b'{"payload":')
    assert [row["payload"] for row in rows(usual.data())] == [row["payload"] for row in rows(first.data())]


def test_meta_keys_can_be_added_replaced_and_dropped() -> None:
    meta = rows(Rollout(meta={"cwd": None, "source": None, "extra": 1}, thread_id="no-uuid", source=None).data())[0][
        "payload"
    ]
    assert "cwd" not in meta and "source" not in meta and meta["id"] == "no-uuid" and meta["extra"] == 1
    assert rows(Rollout(source=None).data())[0]["payload"]["source"] is None


def test_a_session_without_a_directory_names_none() -> None:
    lines = rows(Rollout(cwd="", branch=None).user("x").final("y").data())
    assert not [row for row in lines if "cwd" in row["payload"] or "<cwd>" in json.dumps(row)]


def test_forks_and_subagents_have_their_own_meta_first_and_repeat_the_parent_later() -> None:
    parent = a_session()
    for child, key in ((fork(parent), "forked_from_id"), (subagent(parent), "parent_thread_id")):
        lines = rows(child.data())
        assert [row["payload"]["id"] for row in lines if row["type"] == "session_meta"] == [child.id, parent.id]
        assert lines[0]["payload"][key] == parent.id
        assert [row["payload"] for row in lines[1:]] == [row["payload"] for row in rows(parent.data())]
        assert min(row["timestamp"] for row in lines) > max(row["timestamp"] for row in rows(parent.data()))


def test_a_long_line_is_as_long_as_asked() -> None:
    assert 20_000_000 < max(map(len, Rollout().image(size=20_000_000, text="See?").data().splitlines())) < 20_001_000


def test_odd_bytes_stand_where_they_were_put(tmp_path: Path) -> None:
    path = (
        Rollout()
        .user("x")
        .raw("{broken")
        .raw(b"\xff")
        .write(tmp_path, flat=True, ending="\r\n", before=b"\xef\xbb\xbf", after=b"\x00" * 8)
    )
    data = path.read_bytes()
    assert path.parent == tmp_path
    assert data.startswith(b'\xef\xbb\xbf{"timestamp"') and data.endswith(b"{broken\r\n\xff\r\n" + b"\x00" * 8)


def test_the_environment_is_closed_for_code_and_for_commands(env: dict[str, str], tmp_path: Path) -> None:
    assert {name: os.environ[name] for name in env} == env
    assert hermetic(tmp_path).keys() == env.keys() and list(tmp_path.iterdir()) == [tmp_path / "user"]
    assert [name for name in os.environ if name.startswith("GIT_")] == ["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL"]
    assert Path(env["HOME"]).is_dir() and not Path(env["MEMKIT_HOME"]).exists()
    assert int(env["MEMKIT_NOW"]) == NOW > Rollout().started
    said = subprocess.run(["git", "config", "--list"], env=env, cwd=tmp_path, capture_output=True, check=True)
    assert said.stdout == b""


def test_the_network_ends_at_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername()[0] == "127.0.0.1"
    with socket.socket() as outward:
        for attempt in (outward.connect, outward.connect_ex, socket.create_connection):
            with pytest.raises(AssertionError, match="tried to reach"):
                attempt(("192.0.2.1", 80))
    with pytest.raises(AssertionError, match="tried to reach"):
        socket.getaddrinfo("memkit.invalid", 80)


def test_run_memkit_holds_the_exit_status(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, sys; print(sorted(os.environ)); print(sys.stdin.read()); sys.exit(3)"
    monkeypatch.setattr("tests.support.env.command", lambda: [sys.executable, "-c", program])
    done = run_memkit([], env=env, ok=(3,), stdin="hello")
    names, said = done.stdout.splitlines()[:2]
    assert set(json.loads(names.replace("'", '"'))) - {"LC_CTYPE"} == set(env)
    assert said == "hello"
    with pytest.raises(AssertionError, match="exited 3, not"):
        run_memkit(["status"], env=env)


def test_trees_are_written_and_read_back(tmp_path: Path) -> None:
    files = {"a/b.txt": "é\n", "empty": None, "link": Link("a/b.txt"), "raw": b"\x00", ".git/config": "left out"}
    write_tree(tmp_path / "t", files)
    assert read_tree(tmp_path / "t") == {"a/b.txt": "é\n", "link": "-> a/b.txt", "raw": "\x00"}
    assert (tmp_path / "t" / "empty").is_dir()


def test_record_files_are_named_and_laid_out_as_codex_does(golden: Path) -> None:
    for path in sorted((golden / "memories_v2" / "rollout_summaries").iterdir()):
        header, _, body = path.read_text(encoding="utf-8").partition("\n\n")
        said = dict(line.split(": ", 1) for line in header.splitlines())
        slug = path.stem[len("2026-11-26T21-44-14-HtuC-") :]
        record = RecordFile(
            thread_id=said["thread_id"],
            updated_at=said["updated_at"],
            rollout_path=said["rollout_path"],
            cwd=said["cwd"],
            branch=said.get("git_branch", ""),
            slug=slug,
            body=body.removesuffix("\n"),
        )
        assert (record.path, record.text) == (f"rollout_summaries/{path.name}", path.read_text(encoding="utf-8"))


def test_a_memory_tree_has_a_summary_that_points_at_its_records(tmp_path: Path) -> None:
    record = RecordFile()
    index = {"/home/dev/shop": {"2026-11-20": [record.index_line("raised the retry limit")]}}
    memory_tree(tmp_path, text=summary(preferences=["Use uv."], index=index), records=[record])
    files = read_tree(tmp_path)
    assert list(files) == ["memory_summary.md", record.path]
    assert files["memory_summary.md"].startswith(
        "v1\n\n## User Profile\n\n## User preferences\n- Use uv.\n\n## General"
    )
    assert f"- {record.path} — raised the retry limit; thread_id={record.id}\n" in files["memory_summary.md"]


def test_the_skeleton_is_what_an_empty_tree_says(tmp_path: Path) -> None:
    headings = "## User Profile\n\n## User preferences\n\n## General Tips\n\n## What's in Memory\n"
    assert read_tree(memory_tree(tmp_path)) == {"memory_summary.md": f"v1\n\n{headings}"}
