"""Rollout files to items: every spelling of a tool, every kind of damage, each thing once."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit.errors import RolloutError
from memkit.model import Facts, Item, Kind, Tier
from memkit.rollouts import reading
from memkit.rollouts.decode import Decoder
from tests.support import shapes
from tests.support.rollouts import Rollout, fork


def read(path: Path, **more: Any) -> tuple[list[Item], Facts]:
    decoder = Decoder(path, **more)
    return list(decoder), decoder.facts


def said(items: list[Item]) -> list[tuple[str, str]]:
    return [(item.tier.value, item.text) for item in items if item.tier is not Tier.HARNESS]


def a_session() -> Rollout:
    return (
        Rollout()
        .user("Fix the retry.")
        .say("Reading.")
        .reasoning()
        .run("pytest -q", exit=1, output="1 failed\n")
        .patch("src/a.py", old="x", new="y")
        .final("Fixed.")
        .user("Tag it.")
        .mcp("read_page", output="style")
        .final("Tagged.")
    )


def one(payloads: list[dict[str, Any]], tmp_path: Path) -> tuple[list[Item], Facts]:
    session = Rollout(cwd="").user("go")
    for payload in payloads:
        session.item(payload)
    items, facts = read(session.write(tmp_path))
    return items[1:], facts


@pytest.mark.parametrize("name", ["usual", "payload_first", "type_first"])
def test_items_are_the_same_in_every_key_order(tmp_path: Path, name: Any) -> None:
    items, facts = read(Rollout(key_order=name).user("Hi.").run("ls", output="a\n").final("Ok.").write(tmp_path))
    assert said(items) == [("human user", "Hi."), ("tool", "ls"), ("tool", "a\n"), ("assistant final", "Ok.")]
    assert (facts.bad_lines, facts.unknown_lines, facts.human_turns) == (0, 0, 1)


def test_labels_of_the_golden_sessions(golden: Path, golden_sessions: Path) -> None:
    evidence = golden / "evidence"
    seen = 0
    for path in sorted(golden_sessions.rglob("*.jsonl")):
        items, facts = read(path)
        labels = json.loads((evidence / f"{facts.session.id}.v2.rows.json").read_text())
        if "omitted" not in labels:
            assert [item.tier.value for item in items] == labels
            seen += 1
    assert seen == 11


def test_facts_are_only_known_at_the_end(tmp_path: Path) -> None:
    decoder = Decoder(a_session().write(tmp_path))
    next(iter(decoder))
    with pytest.raises(RuntimeError):
        _ = decoder.facts


def test_a_missing_file_is_a_rollout_error(tmp_path: Path) -> None:
    with pytest.raises(RolloutError, match="no such file"):
        Decoder(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("payload", "kind", "tool", "text"),
    [
        ({"name": "exec_command", "arguments": '{"cmd": "ls -l"}'}, Kind.COMMAND, "exec_command", "ls -l"),
        ({"name": "shell", "arguments": '{"command": ["bash", "-lc", "a && b"]}'}, Kind.COMMAND, "shell", "a && b"),
        ({"name": "shell", "arguments": '{"command": ["git", "log", "a b"]}'}, Kind.COMMAND, "shell", "git log 'a b'"),
        (
            {"name": "shell_command", "arguments": {"command": "bash -lc 'make x'"}},
            Kind.COMMAND,
            "shell_command",
            "make x",
        ),
        (
            {"name": "write_stdin", "arguments": '{"session_id": 1, "chars": "y"}'},
            Kind.CALL,
            "write_stdin",
            '{"session_id": 1, "chars": "y"}',
        ),
        (
            {"name": "apply_patch", "arguments": '{"input": "*** Begin Patch\\n*** End Patch"}'},
            Kind.PATCH,
            "apply_patch",
            "*** Begin Patch\n*** End Patch",
        ),
        (
            {
                "name": "shell",
                "arguments": json.dumps(
                    {
                        "command": [
                            "bash",
                            "-lc",
                            "cd /x && apply_patch <<'EOF'\n*** Begin Patch\n+a\n*** End Patch\nEOF\n",
                        ]
                    }
                ),
            },
            Kind.PATCH,
            "apply_patch",
            "*** Begin Patch\n+a\n*** End Patch",
        ),
        ({"name": "read", "namespace": "mcp__docs", "arguments": "{}"}, Kind.CALL, "mcp:docs/read", "{}"),
        ({"name": "mcp__docs__read", "namespace": "mcp__docs", "arguments": "{}"}, Kind.CALL, "mcp:docs/read", "{}"),
        ({"name": "mcp__docs__read", "arguments": "{}"}, Kind.CALL, "mcp:docs/read", "{}"),
        ({"name": "docs__read", "arguments": "{}"}, Kind.CALL, "mcp:docs/read", "{}"),
        (
            {"name": "read_mcp_resource", "arguments": '{"server":"docs"}'},
            Kind.CALL,
            "mcp:docs/read_mcp_resource",
            None,
        ),
        ({"name": "shell", "arguments": "{broken"}, Kind.CALL, "shell", "{broken"),
        ({"name": None, "arguments": None}, Kind.CALL, "tool_search", ""),
    ],
)
def test_calls_in_every_spelling(
    tmp_path: Path, payload: dict[str, Any], kind: Kind, tool: str, text: str | None
) -> None:
    items, facts = one([{"type": "function_call", "call_id": "c", **payload}], tmp_path)
    assert [(item.kind, item.tool) for item in items] == [(kind, tool)]
    assert text is None or items[0].text == text
    assert facts.external_context == tool.startswith("mcp:")


def test_calls_that_are_items_of_their_own(tmp_path: Path) -> None:
    items, facts = one(
        [
            {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["sh", "-c", "ls"]}},
            {"type": "custom_tool_call", "call_id": "d", "name": "apply_patch", "input": "*** Begin Patch"},
            {"type": "web_search_call", "action": {"type": "search", "query": "lts", "queries": ["lts", "node"]}},
            {"type": "image_generation_call", "revised_prompt": "a cat", "result": "A" * 999},
            {"type": "agent_message", "content": [{"type": "input_text", "text": "use kafka"}]},
            {"type": "ghost_snapshot"},
            {"type": "reasoning", "summary": []},
        ],
        tmp_path,
    )
    assert [(item.tier, item.kind, item.tool, item.text) for item in items] == [
        (Tier.TOOL, Kind.COMMAND, "local_shell", "ls"),
        (Tier.TOOL, Kind.PATCH, "apply_patch", "*** Begin Patch"),
        (Tier.TOOL, Kind.CALL, "web_search", "lts node"),
        (Tier.TOOL, Kind.CALL, "image_generation", "a cat"),
        (Tier.OTHER_AGENT, Kind.MESSAGE, "", "use kafka"),
    ]
    assert facts.external_context and facts.unknown_lines == 0


@pytest.mark.parametrize(
    ("output", "text", "code"),
    [
        ("Exit code: 1\nWall time: 1 s\nOutput:\nno\n", "no\n", 1),
        ("Chunk ID: a1\nWall time: 1 s\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nok", "ok", 0),
        ("Chunk ID: a1\nWall time: 1 s\nProcess running with session ID 7\nOutput:\n", "", None),
        ("Wall time: 0.4 seconds\nOutput:\nstyle", "style", None),
        ('{"output": "hm", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}', "hm", 2),
        ('{"output": "Exit code: 3\\nWall time: 1\\nOutput:\\nx"}', "x", 3),
        ('[{"type": "text", "text": "from a server"}]', "from a server", None),
        ('{"rows": 3}', '{"rows": 3}', None),
        ("plain Exit code: 9", "plain Exit code: 9", None),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:"}], "a\n[image]", None),
        ({"content": "old", "success": True}, "old", None),
        (None, "", None),
    ],
)
def test_outputs_lose_their_wrapping(tmp_path: Path, output: object, text: str, code: int | None) -> None:
    items, _ = one(
        [
            {"type": "function_call", "name": "exec_command", "call_id": "c", "arguments": '{"cmd":"x"}'},
            {"type": "function_call_output", "call_id": "c", "output": output},
        ],
        tmp_path,
    )
    assert [(item.kind, item.text, item.exit_code, item.tool) for item in items[1:]] == [
        (Kind.OUTPUT, text, code, "exec_command")
    ]


def test_an_answer_is_human_and_keeps_its_question(tmp_path: Path) -> None:
    items, facts = read(Rollout().user("Set up.").ask("Which scheme?", "Calendar").final("Ok.").write(tmp_path))
    answer = next(item for item in items if item.kind is Kind.ANSWER)
    assert (answer.tier, answer.text, answer.question, answer.turn) == (Tier.HUMAN, "Calendar", "Which scheme?", 1)
    assert facts.human_turns == 1


def test_several_answers_stand_line_by_line_and_a_refusal_is_an_output(tmp_path: Path) -> None:
    asked = json.dumps({"questions": [{"id": "a", "question": "One?"}, {"id": "b", "question": "Two?"}]})
    call = {"type": "function_call", "name": "request_user_input", "arguments": asked}
    given = {"answers": {"a": {"answers": ["yes", "user_note: but\nlate"]}, "b": {"answers": ["no"]}}}
    items, _ = one(
        [
            {**call, "call_id": "1"},
            {"type": "function_call_output", "call_id": "1", "output": json.dumps(given)},
            {**call, "call_id": "2"},
            {"type": "function_call_output", "call_id": "2", "output": "cancelled"},
        ],
        tmp_path,
    )
    assert (items[1].kind, items[1].text, items[1].question) == (Kind.ANSWER, "yes; but late\nno", "One?\nTwo?")
    assert (items[3].kind, items[3].tier, items[3].text) == (Kind.OUTPUT, Tier.TOOL, "cancelled")


def test_who_speaks_is_judged_part_by_part(tmp_path: Path) -> None:
    texts = [
        shapes.agents_text("Use tabs.", cwd="/x"),
        shapes.environment_text("/srv/x"),
        "First words.",
        "And more.",
        shapes.ide_text("Fix it.", active_file="a.py"),
    ]
    content = [{"type": "input_text", "text": text} for text in texts]
    session = Rollout(cwd="").item({"type": "message", "role": "user", "content": content})
    items, facts = read(session.write(tmp_path))
    assert [item.tier for item in items] == [Tier.HARNESS, Tier.HUMAN, Tier.HARNESS, Tier.HUMAN]
    assert (items[1].text, items[3].text) == ("First words.\nAnd more.", "Fix it.")
    assert items[3].cwd == "/srv/x" and facts.session.cwd == "/srv/x"
    assert facts.first_human.startswith("First words.") and facts.human_turns == 2


def test_images_are_placeholders_and_a_line_of_20_mb_is_read(tmp_path: Path) -> None:
    items, facts = read(Rollout().image(size=20_000_000, text="What is this?").final("A cat.").write(tmp_path))
    assert said(items) == [("human user", "[image]\nWhat is this?"), ("assistant final", "A cat.")]
    assert facts.bad_lines == 0


def test_an_assistant_without_phases_comments_until_it_stops(tmp_path: Path) -> None:
    session = Rollout().user("Go.").item(shapes.message("assistant", "Looking."))
    session.run("ls", output="a").item(shapes.message("assistant", "Done."))
    items, _ = read(session.user("Thanks.").item(shapes.message("assistant", "Sure.")).write(tmp_path))
    assert [(item.tier, item.text) for item in items if item.tier in (Tier.COMMENTARY, Tier.FINAL)] == [
        (Tier.COMMENTARY, "Looking."),
        (Tier.FINAL, "Done."),
        (Tier.FINAL, "Sure."),
    ]
    times = [item.time for item in items]
    assert times == sorted(times, key=lambda time: time or 0)


def test_facts_of_a_whole_file(tmp_path: Path) -> None:
    session = Rollout(used_percent=40).user("Go.", cwd="/home/dev/other").run("ls").interrupt()
    session.user("Again.").final("Ok.<oai-mem-citation><rollout_ids>\nid-1\nid-2\n</rollout_ids></oai-mem-citation>")
    session.event("agent_message", message="x", memory_citation={"entries": [], "rollout_ids": ["id-2", "id-3"]})
    items, facts = read(session.line("brand_new", {"a": 1}).event("brand_new_event").raw("{cut").write(tmp_path))
    assert (facts.interrupted, facts.human_turns, facts.first_human) == (frozenset({1}), 2, "Go.")
    assert facts.citations == ("id-1", "id-2", "id-3")
    assert facts.rate is not None and facts.rate[0] == 40
    assert (facts.bad_lines, facts.unknown_lines) == (1, 2)
    assert items[-1].text == "Ok."
    assert {item.cwd for item in items if item.kind is Kind.COMMAND} == {"/home/dev/other"}


def test_rolled_back_turns_are_gone_and_turns_stay_counted(tmp_path: Path) -> None:
    session = Rollout().user("One.").final("1").user("Two.").run("ls").interrupt().user("Three.").final("3")
    items, facts = read(session.rollback(2).user("Four.").final("4").write(tmp_path))
    assert said(items) == [
        ("human user", "One."),
        ("assistant final", "1"),
        ("human user", "Four."),
        ("assistant final", "4"),
    ]
    assert [item.turn for item in items[-2:]] == [2, 2] and facts.human_turns == 2
    assert facts.interrupted == frozenset()


def test_more_is_taken_back_than_there_was(tmp_path: Path) -> None:
    items, _ = read(Rollout().user("One.").final("1").rollback(9).user("Two.").final("2").write(tmp_path))
    assert said(items) == [("human user", "Two."), ("assistant final", "2")]


def test_a_fork_gives_only_its_own_part(tmp_path: Path) -> None:
    parent = Rollout().user("Always squash.").final("Ok.")
    child = fork(parent).user("Rename it.").final("Renamed.")
    items, facts = read(child.write(tmp_path))
    assert said(items) == [("human user", "Rename it."), ("assistant final", "Renamed.")]
    assert (items[-1].turn, facts.first_human) == (1, "Rename it.")


def test_a_fork_whose_turn_ids_are_new_is_told_by_its_parents_file(tmp_path: Path) -> None:
    parent = Rollout().user("Always squash.").run("ls", output="a").final("Ok.").user("Next.").final("Done.")
    path = parent.write(tmp_path)
    child = Rollout(name="child", started="2026-11-20T10:00:00Z", meta={"forked_from_id": parent.id})
    child.line("session_meta", {"id": parent.id}).user("Always squash.").run("ls", output="a").final("Ok.")
    child.user("Rename it.").final("Renamed.")
    file = child.write(tmp_path)
    assert said(read(file, parent=path)[0]) == [("human user", "Rename it."), ("assistant final", "Renamed.")]
    for nothing in (None, tmp_path / "gone.jsonl"):
        assert said(read(file, parent=nothing)[0])[0] == ("human user", "Always squash.")


def test_what_the_parent_said_after_the_fork_is_not_taken_from_the_fork(tmp_path: Path) -> None:
    parent = (
        Rollout(started="2026-11-20T09:00:00Z").user("One.").final("1").wait(days=1).user("ok, go ahead").final("2")
    )
    child = Rollout(name="child", started="2026-11-20T10:00:00Z", meta={"forked_from_id": parent.id})
    child.line("session_meta", {"id": parent.id}).user("One.").final("1").user("ok, go ahead").final("other")
    items, _ = read(child.write(tmp_path), parent=parent.write(tmp_path))
    assert said(items) == [("human user", "ok, go ahead"), ("assistant final", "other")]


@pytest.mark.parametrize(
    ("form", "bad"),
    [
        ({"ending": "\r\n"}, 0),
        ({"before": b"\xef\xbb\xbf"}, 0),
        ({"after": b"\0" * 4096}, 0),
        ({"after": b"\n\n  \n"}, 0),
        ({"after": b'{"timestamp":"2026-11-20T09:00:09.000Z","ordinal":99,"type":"resp'}, 1),
    ],
)
def test_damaged_ends_and_odd_line_ends_lose_nothing(tmp_path: Path, form: dict[str, Any], bad: int) -> None:
    clean, _ = read(a_session().write(tmp_path / "a"))
    items, facts = read(a_session().write(tmp_path / "b", **form))
    assert (items, facts.bad_lines) == (clean, bad)


def test_a_line_cut_and_written_again_comes_once(tmp_path: Path) -> None:
    path = a_session().write(tmp_path)
    clean, _ = read(path)
    out = b""
    for line in path.read_bytes().splitlines(keepends=True):
        out += line[: len(line) // 2] + (b"" if len(out) % 2 else b"\n") + line + line
    path.write_bytes(out)
    items, facts = read(path)
    assert items == clean and facts.bad_lines > 5


def test_invalid_utf8_lone_surrogates_and_nul_keep_the_line(tmp_path: Path) -> None:
    session = Rollout().user("Fix \udc80 it.").user("MARK").user("NUL\0 inside").final("Ok.")
    path = session.write(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"MARK", b"caf\xe9").replace(b"Ok.", b"\\ud83d ok \\ud83d\\ude00"))
    items, facts = read(path)
    texts = [text for _, text in said(items)]
    assert texts[1] == "caf�" and texts[2] == "NUL inside" and texts[3].endswith("ok 😀")
    assert "Fix" in texts[0] and facts.bad_lines == 0
    assert all(text.encode() for text in texts)


def test_a_compacted_history_is_no_evidence_even_when_its_line_is_cut(tmp_path: Path) -> None:
    line = json.dumps(
        {
            "timestamp": "2026-11-20T09:00:00Z",
            "type": "compacted",
            "payload": {"message": "", "replacement_history": [shapes.message("user", "Always use pip.")] * 3},
        }
    )
    items, facts = read(Rollout().user("Go.").raw(line[:-20]).raw(line).final("Ok.").write(tmp_path))
    assert said(items) == [("human user", "Go."), ("assistant final", "Ok.")]
    assert facts.bad_lines == 1


def test_bare_files_are_read(tmp_path: Path) -> None:
    lines = [
        {"id": "0196a1b2-0000-7000-8000-000000000001", "timestamp": "2025-05-01T09:00:00Z", "git": None},
        {"record_type": "state"},
        shapes.message("user", shapes.environment_text("/home/dev/old")),
        shapes.message("user", "Fix it."),
        {"type": "function_call", "name": "shell", "call_id": "c", "arguments": '{"command": ["ls"]}'},
        {"type": "function_call_output", "call_id": "c", "output": '{"output": "a", "metadata": {"exit_code": 0}}'},
        shapes.message("assistant", "Fixed."),
        {"record_type": "state"},
    ]
    path = tmp_path / "rollout-2025-05-01.jsonl"
    path.write_text("\r\n".join(map(json.dumps, lines)) + "\r\n")
    items, facts = read(path)
    assert said(items)[0] == ("human user", "Fix it.") and said(items)[-1] == ("assistant final", "Fixed.")
    assert [(item.time, item.cwd) for item in items] == [(None, "/home/dev/old")] * 5
    assert (facts.bad_lines, facts.unknown_lines) == (0, 0)


def test_compressed_files_are_read(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = a_session().write(tmp_path)
    clean, facts = read(path)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    items, again = read(packed)
    assert items == clean and again.session.updated_at == facts.session.updated_at
    packed.write_bytes(packed.read_bytes()[:20] + b"junk")
    with pytest.raises(RolloutError):
        read(packed)


@pytest.mark.parametrize("ordinal", [{}, {"ordinal": 3}])
def test_what_codex_notes_beside_the_conversation_is_known(tmp_path: Path, ordinal: dict[str, int]) -> None:
    session = Rollout().user("Go.")
    for kind, payload in (
        ("world_state", {"full": True, "state": {"agents_md": {}}}),
        ("token_usage_record", {"thread_id": "x", "turn_id": "y"}),
        ("event_msg", {"type": "thread_settings_applied", "thread_settings": {"model": "x"}}),
    ):
        line = {"timestamp": "2026-11-20T09:00:00.000Z", **ordinal, "type": kind, "payload": payload}
        session.raw(json.dumps(line, separators=(",", ":"))).raw(json.dumps(line))
    items, facts = read(session.final("Ok.").write(tmp_path))
    assert [text for _, text in said(items)] == ["Go.", "Ok."]
    assert (facts.bad_lines, facts.unknown_lines) == (0, 0)


def test_odd_values_cost_at_most_their_own_line(tmp_path: Path) -> None:
    session = Rollout().user("Go.")
    odd: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": "plain text"},
        {"type": "message", "role": "user", "content": [7]},
        {"type": "message", "role": 5},
        {"type": 7},
        {"type": "function_call", "name": "x", "arguments": [1]},
    ]
    for payload in odd:
        session.item(payload)
    session.raw("[" * 100_000).raw("123").raw("[]").raw("null").raw('{"timestamp": NaN, "type": "x", "payload": {}}')
    items, facts = read(session.final("Ok.").write(tmp_path))
    assert [text for _, text in said(items)] == ["Go.", "plain text", "Ok."]
    assert facts.bad_lines == 4 and facts.unknown_lines == 5


_steps = st.lists(
    st.sampled_from(["user", "say", "run", "patch", "mcp", "web", "agent", "ask", "reasoning", "final", "event"]),
    min_size=1,
    max_size=8,
)


def build(steps: list[str], *, order: Any) -> Rollout:
    session = Rollout(key_order=order).user("Start.")
    for at, step in enumerate(steps):
        match step:
            case "user":
                session.user(f"Words {at}")
            case "say":
                session.say(f"Say {at}")
            case "run":
                session.run(f"cmd {at}", output=f"out {at}\n", exit=at % 2)
            case "patch":
                session.patch(f"f{at}.py", old="a", new="b")
            case "mcp":
                session.mcp("read", output="x")
            case "web":
                session.web(f"q {at}")
            case "agent":
                session.agent(f"a {at}")
            case "ask":
                session.ask(f"q {at}", f"a {at}")
            case "reasoning":
                session.reasoning()
            case "final":
                session.final(f"Final {at}")
            case _:
                session.event("agent_reasoning", text="x")
    return session


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_steps, seed=st.integers(0, 2**32))
def test_damage_between_lines_never_loses_a_good_line(tmp_path: Path, steps: list[str], seed: int) -> None:
    rnd = random.Random(seed)
    order = rnd.choice(["usual", "payload_first", "type_first"])
    path = build(steps, order=order).write(tmp_path)
    clean, _ = read(path)
    lines = path.read_bytes().splitlines(keepends=True)
    out = lines[0]
    for line in lines[1:]:
        kind = rnd.randrange(8)
        cut = line[: rnd.randrange(1, len(line) - 2)]
        junk = [b"", b"", b"\0" * 9 + b"\n", cut + b"\n", cut, b"junk }\n", b"\xff\xfe\n", b"{}\n"][kind]
        out += junk + line
    path.write_bytes(out)
    assert read(path)[0] == clean
    assert read(path, fast=False)[0] == clean


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_steps, seed=st.integers(0, 2**32))
def test_the_head_filter_changes_neither_items_nor_counts(tmp_path: Path, steps: list[str], seed: int) -> None:
    rnd = random.Random(seed)
    session = (
        build(steps, order="usual").line("world_state", {"files": []}).event("brand_new", text="x").compact(size=90)
    )
    path = session.write(tmp_path, ending=rnd.choice(["\n", "\r\n"]))
    data = bytearray(path.read_bytes())
    for _ in range(rnd.randrange(4)):
        data[rnd.randrange(len(data))] = rnd.randrange(256)
    lines = bytes(data).splitlines(keepends=True)
    for _ in range(rnd.randrange(3)):
        at = rnd.randrange(len(lines))
        lines.insert(at, rnd.choice([lines[at], lines[at][: rnd.randrange(len(lines[at]))]]))
    path.write_bytes(b"".join(lines))
    assert read(path) == read(path, fast=False)


@pytest.mark.parametrize("order", ["usual", "payload_first", "type_first"])
def test_a_whole_line_behind_half_a_skipped_one_is_read_in_any_key_order(tmp_path: Path, order: Any) -> None:
    whole = Rollout(key_order=order).user("Keep me.").data().splitlines()
    half = next(line for line in Rollout().user("Go.").reasoning().data().splitlines() if b'"reasoning"' in line)[:300]
    said_line = next(line for line in whole if b"Keep me." in line and b"content" in line)
    items, facts = read(Rollout().user("Go.").raw(half + said_line).final("Ok.").write(tmp_path))
    assert [text for _, text in said(items)] == ["Go.", "Keep me.", "Ok."]
    assert facts.bad_lines == 1


def test_a_skipped_line_is_bad_only_at_its_ends(tmp_path: Path) -> None:
    line = Rollout().reasoning().data().splitlines()[-1]
    session = Rollout().user("Go.").raw(line[:200] + b'"' + line[200:]).raw(line[:-1]).raw(b"{" + line)
    for fast in (True, False):
        assert read(session.write(tmp_path), fast=fast)[1].bad_lines == 2


def test_what_is_taken_back_in_a_session_too_long_to_hold_is_found_by_reading_it_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Rollout().user("One.").final("1").user("Two.").interrupt().user("Three.").final("3").rollback(2)
    path = session.user("Four.").run("ls").final("4").write(tmp_path)
    held = read(path)
    monkeypatch.setattr(reading, "_MOST_HELD", 3)
    assert read(path) == held
    assert [text for _, text in said(held[0])] == ["One.", "1", "Four.", "ls", "", "4"]
