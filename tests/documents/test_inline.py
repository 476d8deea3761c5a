from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.documents import inline


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("no quotes", ()),
        ('say "one" and "two".', ("one", "two")),
        ('"rename "foo" to "bar"" — done', ('rename "foo" to "bar"',)),
        ('"run `make test` first"', ("run `make test` first",)),
        ('`grep "x"` — "found"', ("found",)),
        ('a 5" pipe', ()),
        ('"it "was" open', ('it "was',)),
        ('"never closed', ()),
        ('("in brackets")', ("in brackets",)),
        ("“typographic” is no straight quote", ()),
        ('"Пиши по-русски", "日本語で"', ("Пиши по-русски", "日本語で")),
    ],
)
def test_quotes_are_the_outermost_straight_ones(text: str, quoted: tuple[str, ...]) -> None:
    assert inline.quotes(text) == quoted


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('it is "done" now', "it is   now"),
        ("see `ready.py` there", "see   there"),
        ("“all done” he said", "  he said"),
        ("«готово» и всё", "  и всё"),
        ("a `lone tick", "a `lone tick"),
    ],
)
def test_unquoted_leaves_out_quotes_of_any_shape_and_code(text: str, rest: str) -> None:
    assert inline.unquoted(text) == rest


@pytest.mark.parametrize(
    ("text", "code", "rest"),
    [
        ("`pytest -q` — 12 passed", "pytest -q", "— 12 passed"),
        ("``echo `date` `` — exit 0", "echo `date`", "— exit 0"),
        ("`echo `date` now` — exit 0", "echo `date` now", "— exit 0"),
        ("`alone`", "alone", ""),
        ("plain — text", "", "plain — text"),
        ("`open — text", "", "`open — text"),
    ],
)
def test_leading_code_is_read_to_the_tick_before_the_dash(text: str, code: str, rest: str) -> None:
    assert inline.leading_code(text) == (code, rest)


@given(st.text(alphabet='"`“”«» ab(.—\n', max_size=60))
def test_spans_lie_in_order_inside_the_text_and_never_overlap(text: str) -> None:
    at = 0
    for span in inline.spans(text):
        assert at <= span.start < span.end <= len(text)
        assert span.text in text[span.start : span.end]
        at = span.end


@given(st.text(alphabet="abc ,.", min_size=1).map(str.strip).filter(bool))
def test_a_text_without_quotes_comes_back_from_its_quotes(text: str) -> None:
    assert inline.quotes(f'- request: "{text}" — 1 of 2') == (text,)
