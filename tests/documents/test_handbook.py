from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.documents import Malformed, handbook

TEXT = """# Task Group: payments

scope: the payment service
applies_to: cwd=~/shop; reuse_rule=safe for similar work here

## Task 1: Raise the retry limit, success

### rollout_summary_files

- rollout_summaries/a.md (cwd=/home/dev/a, b, rollout_path=/r.jsonl, updated_at=2026-11-28T21:44:37+00:00, thread_id=s1)
- rollout_summaries/b.md

### keywords

- retry, limit, payments

## User preferences

- (in ~/shop) "Use pnpm."

## Failures and how to do differently

- Port in use.

# Task Group: search
scope: search
applies_to: cwd=~/search; reuse_rule=no
## Task 1: x
### rollout_summary_files
- rollout_summaries/c.md (thread_id=s3)
### keywords
one
"""


def test_a_handbook_is_read_into_blocks_with_line_numbers() -> None:
    first, second = handbook.parse(TEXT).blocks
    assert (first.name, first.line, first.scope, first.cwd, first.reuse_rule) == (
        "payments", 1, "the payment service", "~/shop", "safe for similar work here"
    )  # fmt: skip
    (task,) = first.tasks
    assert (task.title, task.keywords) == ("Raise the retry limit, success", ("retry", "limit", "payments"))
    reference, bare = task.references
    assert (reference.thread_id, reference.cwd, reference.rollout_path) == ("s1", "/home/dev/a, b", "/r.jsonl")
    assert (reference.line, bare.pointer, bare.thread_id) == (10, "rollout_summaries/b.md", "")
    assert [(line.section, line.text, line.line) for line in first.lines] == [
        ("User preferences", '(in ~/shop) "Use pnpm."', 19),
        ("Failures and how to do differently", "Port in use.", 23),
    ]
    assert (second.name, second.line, second.tasks[0].keywords) == ("search", 25, ("one",))


def test_an_empty_handbook_has_no_blocks() -> None:
    assert handbook.parse("\n").blocks == ()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("# Task Group: payments", "# Payments", 1),
        ("# Task Group: payments", "intro\n# Task Group: payments", 1),
        ("scope: the payment service\n", "", 1),
        ("applies_to: cwd=~/shop; reuse_rule=safe for similar work here", "applies_to: all", 4),
        ("## Task 1: Raise", "## Task 2: Raise", 6),
        ("### keywords\n\n- retry, limit, payments\n", "", 6),
        ("- retry, limit, payments", "- retry\n- limit", 16),
        ("### keywords\n\n- retry", "### words\n\n- retry", 13),
        ("- rollout_summaries/b.md", "- elsewhere/b.md", 11),
        ("## User preferences", "## Preferences", 17),
        ("## User preferences", "## Failures and how to do differently", 21),
        ("## Failures and how to do differently", "## Task 2: late", 21),
    ],
)
def test_a_block_of_another_form_is_malformed_with_its_line(old: str, new: str, line: int) -> None:
    text = TEXT.replace(old, new, 1)
    assert line in [fault.line for fault in handbook.scan(text).faults]
    with pytest.raises(Malformed):
        handbook.parse(text)


def test_a_broken_block_does_not_hide_the_next_one() -> None:
    doc = handbook.scan("# Oops\n" + TEXT)
    assert [block.name for block in doc.blocks] == ["payments", "search"]


@given(st.lists(st.sampled_from([*TEXT.split("\n"), "x", "### ", "## "])).map("\n".join))
def test_any_arrangement_of_lines_is_scanned(text: str) -> None:
    doc = handbook.scan(text)
    assert all(1 <= fault.line <= text.count("\n") + 1 for fault in doc.faults)
