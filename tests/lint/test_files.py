from __future__ import annotations

from pathlib import Path

import pytest

from memkit.documents import raw
from tests.lint.trees import body, found, found_in, places, tree
from tests.support.trees import RecordFile

SHOP = RecordFile(body=body('request: "Raise the retry limit."'))
HANDBOOK = f"""# Task Group: payments
scope: payments
applies_to: cwd=~/shop; reuse_rule=safe

## Task 1: Raise the limit, success
### rollout_summary_files
- {SHOP.path} (cwd=/home/dev/shop, rollout_path=/r.jsonl, updated_at=2026-11-20T09:04:00+00:00, thread_id={SHOP.id})
### keywords
- retry

## User preferences
- Use pnpm.
"""
NOTE = "---\nkind: forget\nproject:\ncreated: 2026-11-20T10:00:00+00:00\n---\n\nthe retry limit\n"


def record_rules(text: str) -> list[tuple[str, int]]:
    return [(finding.rule, finding.line) for finding in found_in(SHOP.path, text)]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("thread_id: ", "id: ", 1),
        ("updated_at: 2026-11-20T09:04:00+00:00", "updated_at: 20 Nov", 2),
        ("cwd: /home/dev/shop\ngit_branch: main", "git_branch: main\ncwd: /home/dev/shop", 4),
        ("main\n\n", "main\n", 6),
        ("main\n\n", "main\n\n\n", 7),
    ],
)
def test_a_record_header_that_is_off_is_found(old: str, new: str, line: int) -> None:
    assert record_rules(SHOP.text.replace(old, new)) == [("record-header", line)]


def test_a_record_without_its_last_newline_is_found() -> None:
    assert record_rules(SHOP.text.removesuffix("\n")) == [("record-header", 11)]
    assert record_rules(SHOP.text) == []


def test_a_record_without_a_branch_is_good() -> None:
    assert record_rules(SHOP.text.replace("git_branch: main\n", "")) == []


def test_a_record_of_another_shape_is_told_and_does_not_gate() -> None:
    (finding,) = found_in(SHOP.path, SHOP.text.replace("- outcome: success", "It went well."))
    assert (finding.rule, finding.line, finding.gates) == ("record-shape", 10, False)


def test_a_record_has_the_name_of_its_thread() -> None:
    other = RecordFile(name="other").path
    assert places(found_in(other, SHOP.text), "thread-id-mismatch") == [(other, 1)]
    assert places(found_in("rollout_summaries/mine.md", SHOP.text), "unknown-file") == [
        ("rollout_summaries/mine.md", 0)
    ]


def test_status_words_in_a_record_count_only_where_memkit_speaks() -> None:
    quoted = [
        'request: "is it done" [with pasted text, which begins: all done]',
        'reported: "All done."',
        "verified: `make` — done",
        "failed: `make` — not done; fixed by: `make done`",
        "changed: ready, done",
        'open: "done later"',
    ]
    text = RecordFile(body=body(*quoted)).text
    assert record_rules(text) == []
    assert record_rules(text.replace('open: "done later"', "open: the rest is done")) == [("status-undated", 16)]


def test_a_bullet_that_stands_twice_in_a_task_is_found() -> None:
    twice = RecordFile(body=body('request: "Fix it"', 'request: "fix  it"', 'correction: "Fix it"'))
    assert record_rules(twice.text) == [("duplicate-line", 12)]
    again = twice.body.replace('- request: "fix  it"', '\n## Task 2: Again\n- outcome: success\n- request: "Fix it"')
    assert record_rules(RecordFile(body=again).text) == []


def test_handbook_blocks_are_held_to_their_form() -> None:
    assert found(tree(SHOP, more={"MEMORY.md": HANDBOOK})) == ()
    broken = HANDBOOK.replace("scope: payments\n", "")
    assert places(found(tree(SHOP, more={"MEMORY.md": broken})), "handbook-block") == [("MEMORY.md", 1)]


def test_handbook_pointers_threads_status_and_duplicates_are_judged() -> None:
    assert places(found(tree(more={"MEMORY.md": HANDBOOK})), "pointer-missing") == [("MEMORY.md", 7)]
    other = HANDBOOK.replace(f"thread_id={SHOP.id}", "thread_id=01a2194d-1db1-7401-baa6-e4bd56804014")
    assert places(found(tree(SHOP, more={"MEMORY.md": other})), "thread-id-mismatch") == [("MEMORY.md", 7)]
    more = HANDBOOK + "- use pnpm.\n- The move is done.\n"
    findings = found(tree(SHOP, more={"MEMORY.md": more}))
    assert [(finding.rule, finding.line) for finding in findings] == [("duplicate-line", 13), ("status-undated", 14)]


def test_raw_memories_stand_in_order_with_their_headers(golden: Path) -> None:
    text = (golden / "memories" / raw.FILE).read_bytes().decode()
    assert found_in(raw.FILE, text) == ()
    first, second = text.index("## Thread"), text.index("## Thread", text.index("## Thread") + 1)
    moved = text[:first] + text[second:] + text[first:second]
    assert [finding.rule for finding in found_in(raw.FILE, moved)] == ["raw-order"]
    assert places(found_in(raw.FILE, text + text[first:second]), "raw-order") != []
    assert places(found_in(raw.FILE, text.replace("cwd: /home/dev/fw\n", "")), "raw-order") == [(raw.FILE, 7)]


def test_raw_memories_point_at_files_of_their_threads(golden: Path) -> None:
    text = (golden / "memories" / raw.FILE).read_bytes().decode()
    assert len(places(found(tree(more={raw.FILE: text})), "pointer-missing")) == 12
    swapped = text.replace("BYHu.md", "d39J.md")
    assert len(places(found_in(raw.FILE, swapped), "thread-id-mismatch")) == 1


def test_notes_have_their_front_matter_and_name() -> None:
    name = "extensions/ad_hoc/notes/2026-11-20T10-00-00-retry.md"
    assert found_in(name, NOTE) == ()
    assert places(found_in(name, NOTE.replace("forget", "obey")), "note-header") == [(name, 2)]
    assert places(found_in(name, "the retry limit\n"), "note-header") == [(name, 1)]
    assert places(found_in("extensions/ad_hoc/notes/retry.md", NOTE), "unknown-file") != []
