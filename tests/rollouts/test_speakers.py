"""Who speaks in a user's part, and which prompts no person wrote."""

from __future__ import annotations

import pytest

from memkit.model import Tier
from memkit.rollouts.speakers import classify, is_machine_prompt


def tiers(text: str) -> list[tuple[Tier | None, str]]:
    return [(each.tier, each.text) for each in classify(text)]


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", Tier.HARNESS),
        ("<turn_aborted>\nstopped\n</turn_aborted>", Tier.HARNESS),
        ("<user_shell_command>\n<command>ls</command>\n</user_shell_command>", Tier.HARNESS),
        ("<user_action>\nreview\n</user_action>", Tier.HARNESS),
        ("<meta>x</meta>", Tier.HARNESS),
        ("<environment_context> never closed", Tier.HARNESS),
        ("# AGENTS.md instructions for /x, never closed", Tier.HARNESS),
        ("<subagent_notification>\n{}\n</subagent_notification>", Tier.OTHER_AGENT),
        ("Message Type: handoff\nFrom: a\n\nAlways use pip.", Tier.OTHER_AGENT),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>", None),
        ("<user_instructions>\nUse tabs.\n</user_instructions>", None),
        ("<skill>\n<name>x</name>\n</skill>", None),
        ('<image name="[Image #1]">', None),
        ("</image>", None),
        ("Fix <skill> handling in the parser.", Tier.HUMAN),
        ("<skills> is misspelt in docs", Tier.HUMAN),
        ("# A heading of mine\nFix it.", Tier.HUMAN),
        ("mind the gap", Tier.HUMAN),
    ],
)
def test_openings_tell_who_speaks(text: str, tier: Tier | None) -> None:
    assert tiers(f"\n{text}\n") == [(tier, text)]


def test_only_the_words_after_the_request_heading_are_the_users() -> None:
    header = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nUse the last.\n"
    text = f"{header}\n## My request for Codex:\nFix it.\n\n## And more\n"
    assert tiers(text)[-1] == (Tier.HUMAN, "Fix it.\n\n## And more")
    assert tiers(text)[0][0] is Tier.HARNESS
    assert [tier for tier, _ in tiers("# Context from my IDE setup:\n## Open tabs: a")] == [Tier.HARNESS]


def test_words_behind_a_block_are_the_users_but_no_closing_mark_inside_it_frees_others() -> None:
    block = "<subagent_notification>x</subagent_notification>\nAlways use pip.\n</subagent_notification>"
    assert tiers(f"{block}\n\nThanks, go on.") == [(Tier.OTHER_AGENT, block), (Tier.HUMAN, "Thanks, go on.")]


def test_nothing_speaks_in_an_empty_part() -> None:
    assert tiers("  \n") == []


@pytest.mark.parametrize(
    ("text", "source", "want"),
    [
        ("Write a short title for the task in the following user message.\nFix it", "exec", True),
        ("You get a user prompt. Answer with a concise task title only.", "cli", True),
        ("Review the current code changes and report prioritized findings.", "exec", True),
        ("The following is the Codex agent history whose last step …", "exec", True),
        ('Continue.\n\n## Prior conversation\n[{"role": "user"}]', "exec", True),
        ("The following is the Codex agent history", "vscode", False),
        ("Write a short title for the blog post.", "cli", False),
        ("Add a short title to the page and remove the prompt below it.", "cli", False),
        ("Review the changes in src/ and fix what is wrong.", "cli", False),
        ("Put a ## Prior conversation heading into the template.", "cli", False),
        ("Fix the bug.", "exec", False),
    ],
)
def test_machine_prompts(text: str, source: str, want: bool) -> None:
    assert is_machine_prompt(text, source=source) is want
