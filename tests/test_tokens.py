"""Counting and cutting text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import tokens

MARK = re.compile(r"\[… ([\d,]+) bytes left out …\]")
# Lone surrogates, combining marks, joined emoji and line ends, more often than plain generation gives them.
TEXT = st.lists(
    st.one_of(
        st.text(),
        st.sampled_from(["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "\ud83d", "\udc00", "\r\n", "한", "a" * 200]),
    )
).map("".join)


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    tokens._encoding.cache_clear()
    yield
    tokens._encoding.cache_clear()


def test_estimate_is_bytes_over_two_point_four_rounded_up() -> None:
    assert [tokens.estimate(text) for text in ("", "a", "ab", "abc", "a" * 12, "a" * 24, "я" * 6)] == [
        0,
        1,
        1,
        2,
        5,
        10,
        5,
    ]


def test_count_gives_the_ids_of_o200k() -> None:
    pytest.importorskip("bpe_openai")
    assert tokens.exact()
    assert tokens.count("") == 0
    assert tokens.count("hello world") == 2
    assert tokens.count("<|endoftext|>") > 1, "text that names a special token is text"


def test_count_takes_lone_surrogates_and_long_text() -> None:
    pytest.importorskip("bpe_openai")
    assert tokens.count("a\ud83d") >= 2
    assert tokens.count("word " * 300_000) == pytest.approx(300_000, rel=0.001)
    assert tokens.count("꧁" * 250_000) > 200_000, "more than the package lets through at once"


@settings(deadline=None)
@given(text=TEXT)
def test_count_is_what_the_public_interface_counts(text: str) -> None:
    bpe_openai = pytest.importorskip("bpe_openai")
    assert tokens.count(text) == len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))


@pytest.mark.usefixtures("without_the_extra")
def test_without_the_extra_count_is_the_estimate() -> None:
    assert not tokens.exact()
    assert tokens.count("hello world") == tokens.estimate("hello world") == 5


def test_what_fits_is_unchanged() -> None:
    assert tokens.cut("short", max_bytes=5) == "short"
    assert tokens.cut("short", max_tokens=3) == "short"
    assert tokens.cut("short") == "short"
    assert tokens.cut_lines("a\nb\n", max_bytes=4) == "a\nb\n"


def test_head_keeps_the_beginning_and_counts_the_rest() -> None:
    cut = tokens.cut("x" * 1000, max_bytes=100)
    assert size(cut) in range(95, 101)
    match = MARK.search(cut)
    assert match and cut.index(match[0]) + int(match[1]) == 1000


def test_both_keeps_the_two_ends() -> None:
    cut = tokens.cut("begin" + "-" * 5000 + "finish", max_bytes=200, keep="both")
    assert cut.startswith("begin-")
    assert cut.endswith("-finish")
    assert size(cut) <= 200


def test_tokens_limit_by_the_given_counter() -> None:
    text = "one two three four " * 500
    assert tokens.estimate(tokens.cut(text, max_tokens=50)) in range(45, 51)
    words = tokens.cut(text, max_tokens=50, counter=lambda part: len(part.split()))
    assert len(words.split()) in range(45, 51)


def test_both_limits_hold_together() -> None:
    text = "word " * 1000
    assert size(tokens.cut(text, max_bytes=100, max_tokens=1000)) <= 100
    assert tokens.estimate(tokens.cut(text, max_bytes=4000, max_tokens=50)) <= 50


@pytest.mark.parametrize(("limit", "left"), [(0, ""), (2, ""), (3, "…"), (20, "…")])
def test_a_limit_too_small_for_the_mark(limit: int, left: str) -> None:
    assert tokens.cut("x" * 1000, max_bytes=limit) == left


def test_a_family_of_joined_characters_is_not_halved() -> None:
    family = "👩\u200d👩\u200d👧"
    for limit in range(60, 120):
        head, _, tail = tokens.cut(family * 40, max_bytes=limit, keep="both").partition("[")
        assert not head.replace(family, "")
        assert not tail.rpartition("]")[2].replace(family, "")


def test_an_endless_combining_sequence_is_cut_all_the_same() -> None:
    cut = tokens.cut("a" + "\u0301" * 5000, max_bytes=1000, keep="both")
    assert 900 <= size(cut) <= 1000


def test_lines_are_cut_at_line_borders() -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    cut = tokens.cut_lines(text, max_bytes=100)
    *kept, mark = cut.splitlines()
    assert kept == [f"line {number}" for number in range(len(kept))]
    assert mark == f"[… {100 - len(kept)} lines left out …]"
    assert len(kept) == 10
    assert cut.endswith("\n")


def test_a_first_line_that_is_too_long_is_cut_within() -> None:
    cut = tokens.cut_lines("x" * 500 + "\nlast\n", max_bytes=100)
    assert cut.startswith("xxx")
    assert MARK.search(cut)
    assert size(cut) <= 100


@given(TEXT, st.integers(0, 400), st.sampled_from(["head", "both"]))
def test_no_cut_exceeds_its_limit_or_halves_a_character(text: str, limit: int, keep: str) -> None:
    cut = tokens.cut(text, max_bytes=limit, keep="head" if keep == "head" else "both")
    assert size(cut) <= limit or cut == text
    if size(text) <= limit:
        assert cut == text
        return
    match = MARK.search(cut)
    if match is None:
        assert cut in ("", "…")
        return
    head, tail = cut[: match.start()], cut[match.end() :]
    assert text.startswith(head)
    assert text.endswith(tail)
    assert int(match[1].replace(",", "")) == size(text) - size(head) - size(tail)
    for at in (len(head), len(text) - len(tail)):
        assert not ("\ud800" <= text[at - 1 : at] <= "\udbff" and "\udc00" <= text[at : at + 1] <= "\udfff")


@given(TEXT, st.integers(0, 200))
def test_no_cut_exceeds_its_tokens(text: str, limit: int) -> None:
    cut = tokens.cut(text, max_tokens=limit)
    assert tokens.estimate(cut) <= limit
    assert cut == text or tokens.estimate(text) > limit


@given(TEXT, st.integers(0, 300))
def test_no_cut_of_lines_exceeds_its_limit(text: str, limit: int) -> None:
    cut = tokens.cut_lines(text, max_bytes=limit)
    assert size(cut) <= limit
    assert cut == text or size(text) > limit
