"""Which memory files a session opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memkit.rollouts.decode import Decoder
from memkit.rollouts.noted import Citations
from tests.support.rollouts import Rollout

ONE, TWO = "2026-11-20T09-00-00-aZ09-raise_the_limit.md", "2026-11-20T09-00-00-Bb12.md"
TREE = "/home/dev/.memkit/memories_v2"


def opened(*commands: str) -> tuple[str, ...]:
    seen = Citations()
    for command in commands:
        seen.of_call(command)
    return seen.files()


@pytest.mark.parametrize(
    "command",
    [
        f"cat {TREE}/rollout_summaries/{ONE}",
        f"sed -n 1,40p '{TREE}/rollout_summaries/{ONE}' | head",
        f"rg -n retry rollout_summaries/{ONE}",
        f"cd {TREE}/rollout_summaries && cat {ONE}",
        f"ls; cat ./{ONE}",
        f"git -C /home/dev/.memkit show HEAD:memories_v2/rollout_summaries/{ONE}",
        json.dumps({"path": f"rollout_summaries/{ONE}", "line_offset": 1}),
        json.dumps({"queries": ["retry"], "path": ONE}),
        f'python -c "print(open({ONE!r}).read())"',
    ],
)
def test_a_file_that_is_opened_is_seen_wherever_the_command_ran(command: str) -> None:
    assert opened(command) == (ONE,)


@pytest.mark.parametrize(
    "command",
    [
        f"ls {TREE}/rollout_summaries/{ONE}",
        f"rm {ONE}",
        f"echo see rollout_summaries/{ONE}",
        f"rg -n retry {TREE}/rollout_summaries",
        "cat README.md 2026-11-20.md notes/2026-11-20T09-00-00.md",
        f"cat x{ONE} {ONE}.bak",
    ],
)
def test_a_file_that_is_named_searched_past_or_another_one_is_not(command: str) -> None:
    assert opened(command) == ()


def test_each_file_is_seen_once_in_the_order_of_opening() -> None:
    assert opened(f"cat {TWO}", f"cat {ONE} {TWO}", f"cat {ONE}") == (TWO, ONE)


def test_shell_calls_and_memory_tools_of_a_session_are_seen_and_patches_are_not(tmp_path: Path) -> None:
    session = Rollout().user("Go.").run(f"cat rollout_summaries/{ONE}")
    session.mcp("read", server="memories", arguments={"path": f"rollout_summaries/{TWO}"})
    session.patch("docs/x.md", new="see rollout_summaries/2026-11-20T09-00-00-zzzz.md").final("Done.")
    decoder = Decoder(session.write(tmp_path))
    list(decoder)
    assert decoder.facts.reads == (ONE, TWO)
