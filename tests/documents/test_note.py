from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.documents import Malformed, note

TEXT = """---
kind: remember
project: ~/shop
created: 2026-11-28T21:44:37+00:00
---

Always use pnpm.
Never npm.
"""


def test_a_note_is_read() -> None:
    doc = note.parse(TEXT)
    assert (doc.kind, doc.project, doc.text, doc.line) == ("remember", "~/shop", "Always use pnpm.\nNever npm.", 7)
    assert doc.created == 1795902277


@pytest.mark.parametrize("project", ["", " ''", " null"])
def test_no_project_is_everywhere(project: str) -> None:
    assert note.parse(TEXT.replace(" ~/shop", project)).project is None


@pytest.mark.parametrize("created", ["1795902277", "2026-11-28 21:44:37", "'2026-11-28T23:44:37+02:00'"])
def test_times_of_several_forms_are_the_same_moment(created: str) -> None:
    assert note.parse(TEXT.replace("2026-11-28T21:44:37+00:00", created)).created == 1795902277


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("---\nkind", "kind", 1),
        ("+00:00\n---\n", "+00:00\n", 1),
        ("remember", "order", 2),
        ("~/shop", "[a]", 2),
        ("2026-11-28T21:44:37+00:00", "soon", 2),
        ("created: 2026-11-28T21:44:37+00:00\n", "", 2),
        ("created: 2026-11-28T21:44:37+00:00", "created: 2026-99-28", 2),
        ("kind: remember", "kind: remember: x", 2),
        ("kind: remember\nproject: ~/shop\ncreated: 2026-11-28T21:44:37+00:00", "- a", 2),
        ("kind: remember", "kind: " + "[" * 3000, 2),
        ("Always use pnpm.\nNever npm.\n", " \n", 5),
    ],
)
def test_a_note_that_is_off_is_malformed(old: str, new: str, line: int) -> None:
    with pytest.raises(Malformed) as caught:
        note.parse(TEXT.replace(old, new))
    assert caught.value.line == line


@given(st.text(alphabet=st.sampled_from("!&*:{}[]-<>%@?|'\"\\ #,.\n0123456789abtTzZ=~_")) | st.text())
def test_any_front_matter_is_a_note_or_malformed(header: str) -> None:
    try:
        doc = note.parse(f"---\n{header}\n---\nx\n")
    except Malformed as error:
        assert error.line >= 1
    else:
        assert doc.text
