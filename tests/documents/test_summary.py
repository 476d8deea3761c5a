from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memkit import prompts
from memkit.documents import Malformed, summary
from memkit.documents.summary import SummaryLine
from memkit.model import Section

TEXT = """v1

## User Profile

- Works on macOS. [by hand]

## User preferences

- (in ~/shop (old)) "Use pnpm." (1 session, last 2026-11-28)
- "Answer in German." (3 sessions, last 2026-11-28) [ad-hoc note]

a remark
## General Tips

## What's in Memory

### ~/shop

#### 2026-11-28

- rollout_summaries/2026-11-28T21-44-14-d39J.md — "Fix it" — done; again; thread_id=s1

### Older Memory Topics

#### ~/geo

- rollout_summaries/2026-11-26T21-44-14-HtuC-x.md — Read; thread_id=s2
- not a pointer
"""


def test_a_summary_is_read_line_by_line() -> None:
    doc = summary.parse(TEXT)
    assert [(line.line, line.section, line.text) for line in doc.lines] == [
        (5, Section.PROFILE, "Works on macOS."),
        (9, Section.PREFERENCES, '"Use pnpm."'),
        (10, Section.PREFERENCES, '"Answer in German."'),
        (12, Section.PREFERENCES, "a remark"),
        (21, Section.INDEX, '"Fix it" — done; again'),
        (27, Section.INDEX, "Read"),
        (28, Section.INDEX, "not a pointer"),
    ]
    assert doc.sections == tuple(zip(Section, (3, 7, 13, 15), strict=True))


def test_marks_scope_and_support_are_taken_off_the_text() -> None:
    profile, shop, german, remark = summary.parse(TEXT).lines[:4]
    assert (profile.mark, profile.scope, profile.sessions) == ("by hand", None, None)
    assert (shop.scope, shop.sessions, shop.last, shop.mark) == ("~/shop (old)", 1, "2026-11-28", "")
    assert (german.scope, german.sessions, german.mark) == (None, 3, "ad-hoc note")
    assert (remark.bullet, remark.raw) == (False, "a remark")


def test_index_lines_know_their_pointer_project_and_day() -> None:
    recent, older, odd = summary.parse(TEXT).of(Section.INDEX)
    assert (recent.pointer, recent.thread_id) == ("rollout_summaries/2026-11-28T21-44-14-d39J.md", "s1")
    assert (recent.heading, recent.date) == ("~/shop", "2026-11-28")
    assert (older.heading, older.date, older.thread_id) == ("~/geo", "", "s2")
    assert (odd.pointer, odd.thread_id) == ("", "")


@pytest.mark.parametrize(
    ("text", "scope", "fault"),
    [
        ("(in ~/a) x", "~/a", False),
        ("(in ~/a b/c) x", "~/a b/c", False),
        ("(in ~/a)b) x", "~/a)b", False),
        ("(in ~/a(b) x (y)", "~/a(b", False),
        ("(in ) x", None, True),
        ("(in) x", None, True),
        ("(in ~/a x", None, True),
        ("(inside) x", None, False),
        ("x (in ~/a)", None, False),
    ],
)
def test_a_scope_mark_is_read_faulty_or_absent(text: str, scope: str | None, fault: bool) -> None:
    line = summary.parse_line(f"- {text}", section=Section.TIPS)
    assert (line.scope, bool(line.fault)) == (scope, fault)


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("", "first-line", 1),
        ("v2" + TEXT[2:], "first-line", 1),
        ("\ufeff" + TEXT, "first-line", 1),
        (TEXT.replace("## General Tips\n", ""), "sections", 0),
        (TEXT + "## General Tips\n", "sections", 29),
        (TEXT.replace("## User Profile", "## Profile"), "sections", 3),
        (TEXT.replace("General Tips", "?").replace("User Profile", "General Tips").replace("?", "User Profile"),
         "sections", 7),
        (TEXT.replace("v1\n", "v1\nhello\n"), "sections", 2),
        (TEXT.replace("## General Tips", "# General Tips"), "sections", 13),
    ],
)  # fmt: skip
def test_a_text_of_another_form_is_malformed_with_its_line(text: str, kind: str, line: int) -> None:
    doc = summary.scan(text)
    assert (kind, line) in [(fault.kind, fault.line) for fault in doc.faults]
    with pytest.raises(Malformed):
        summary.parse(text)


def test_lines_are_still_read_where_the_form_is_off() -> None:
    doc = summary.scan(TEXT.replace("v1\n", "").replace("## User Profile\n", ""))
    assert '"Use pnpm."' in [line.text for line in doc.lines]
    assert {fault.kind for fault in doc.faults} == {"first-line", "sections"}


_INLINE = st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])
_TEXT = st.text(alphabet=_INLINE, min_size=1, max_size=60).map(prompts.one_line).filter(bool)
_DATE = st.dates().map(str)
_SCOPE = st.sampled_from([None, "~/shop", "/srv/a b", "~/old (2)", "/Ж"])
_MARK: st.SearchStrategy[str] = st.sampled_from(["", "ad-hoc note", "by hand", "extension a.b-c"])


@given(text=_TEXT, scope=_SCOPE, support=st.none() | st.tuples(st.integers(1, 999), _DATE), mark=_MARK)
def test_a_claim_line_comes_back_from_its_own_text(
    text: str, scope: str | None, support: tuple[int, str] | None, mark: str
) -> None:
    assume(not text.startswith("(in") and not text.endswith((")", "]")))
    line = SummaryLine(
        section=Section.TIPS,
        text=text,
        scope=scope,
        sessions=support[0] if support else None,
        last=support[1] if support else None,
        mark=mark,
    )
    again = summary.parse_line(str(line), section=Section.TIPS)
    assert again == line
    assert str(again) == again.raw


@given(sentence=_TEXT, thread=st.from_regex(r"[0-9a-f-]{1,36}", fullmatch=True))
def test_an_index_line_comes_back_from_its_own_text(sentence: str, thread: str) -> None:
    pointer = "rollout_summaries/2026-11-28T21-44-14-d39J.md"
    line = SummaryLine(section=Section.INDEX, text=sentence, pointer=pointer, thread_id=thread, heading="~/a", date="d")
    assert summary.parse_line(str(line), section=Section.INDEX, heading="~/a", date="d") == line


@given(
    claims=st.lists(st.tuples(_TEXT, _SCOPE, st.none() | st.integers(1, 9), _MARK), max_size=5),
    works=st.lists(_TEXT, max_size=3),
)
def test_what_the_template_writes_is_read_back(
    claims: list[tuple[str, str | None, int | None, str]], works: list[str]
) -> None:
    assume(all(not text.startswith("(in") for text, *_ in claims))
    lines = [
        SummaryLine(
            section=Section.PREFERENCES,
            text=text,
            scope=scope,
            sessions=count,
            last="2026-11-28" if count else None,
            mark=mark,
        )
        for text, scope, count, mark in claims
    ]
    index = [
        SummaryLine(
            section=Section.INDEX, text=said, pointer=f"rollout_summaries/f{n}.md", thread_id="s", heading=h, date=date
        )
        for h, date in (("~/a", "2026-11-28"), ("~/a", "2026-11-27"), ("~/b", ""))
        for n, said in enumerate(works)
    ]
    doc = summary.parse(prompts.memory_summary(lines=[*lines, *index]))
    assert list(doc.lines) == [*lines, *index]
    assert all(str(line) == line.raw for line in doc.lines)


@given(st.text(alphabet=st.sampled_from("v1#- \n(in)~/abUser Profile[]")) | st.text())
def test_any_text_is_scanned(text: str) -> None:
    for line in summary.scan(text).lines:
        assert line.raw == text.split("\n")[line.line - 1]
