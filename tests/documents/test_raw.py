from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.documents import Malformed, raw


def test_the_golden_file_is_read(golden: Path) -> None:
    doc = raw.parse((golden / "memories" / raw.FILE).read_bytes().decode())
    assert len(doc.entries) == 12
    first = doc.entries[0]
    assert (first.line, first.cwd, first.updated_at) == (5, "/home/dev/fw", "2026-11-26T19:40:36+00:00")
    assert first.text == "---\ndescription: demo 11\n---\n### Task 1: demo 11\n- fact 11"
    assert (golden / "memories" / "rollout_summaries" / first.rollout_summary_file).is_file()


HEADER = "updated_at: 2026-11-26T19:40:36+00:00\ncwd: /a\nrollout_path: /r\nrollout_summary_file: f.md\n"
ENTRY = f"## Thread `s1`\n{HEADER}\nx\n"


def test_no_entries_is_an_empty_document() -> None:
    assert raw.parse("# Raw Memories\n").entries == ()


def test_a_heading_inside_a_text_begins_no_entry() -> None:
    (entry,) = raw.parse(f"# Raw Memories\n\n{ENTRY}\n## Thread safety\n- locks\n").entries
    assert entry.text == "x\n\n## Thread safety\n- locks"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("# Raw Memories", "# Raw", 1),
        ("`s1`", "s1", 3),
        ("cwd: /a\n", "", 5),
        ("2026-11-26T19:40:36+00:00", "soon", 4),
        ("f.md\n\n", "f.md\n", 8),
    ],
)
def test_headers_that_are_off_are_malformed(old: str, new: str, line: int) -> None:
    with pytest.raises(Malformed) as caught:
        raw.parse(f"# Raw Memories\n\n{ENTRY}".replace(old, new))
    assert caught.value.line == line


@given(st.lists(st.sampled_from([*ENTRY.split("\n"), "## Thread", ""])).map("\n".join))
def test_any_arrangement_of_lines_is_read_or_malformed(text: str) -> None:
    try:
        doc = raw.parse(f"# Raw Memories\n{text}")
    except Malformed as error:
        assert error.line > 1
    else:
        assert all(entry.thread_id == "s1" for entry in doc.entries)
