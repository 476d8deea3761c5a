"""Literal matching: what is made alike, what the byte sieve may pass over, and where a match stands."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.stages.search.finding import _spans
from memkit.stages.search.folding import Fold, Sieve, clusters

FOLDS = [Fold(case=case, punctuation=punctuation) for case in (False, True) for punctuation in (False, True)]
# Letters that fold to several, that compose, that stand for others, marks of all kinds, signs, and a surrogate pair.
HARD = "aAsSkK eE-_.;`\u00df\u1e9e\u017f\u212a\u0130\u0131\u00e9\u0301\u0323\u0345\u03b1\u03a3\u03c2\u1fb7\u0390\ufb01"
HARD += "\u01f0\u0149\ud55c\u1112\u1161\u11ab\u09c7\u09be\u0f73\u0f71\u0f72\u2014\u65e5\u200d\U0001f600"
texts = st.text(alphabet=HARD, max_size=12)


@pytest.mark.parametrize(
    ("asked", "text", "case", "punctuation"),
    [
        ("STRASSE", "Die Straße", True, False),
        ("straße", "DIE STRASSE", True, False),
        ("ΓΕΙΣ", "γεις", True, False),
        ("caf\u00e9", "Cafe\u0301", True, False),
        ("caf\u00e9", "cafe\u0301", False, False),
        ("file", "The ﬁle", True, False),
        ("300 k", "at 300 \u212a", True, False),
        ("pre commit", "run pre-commit", False, True),
        ("precommit", "run Pre_Commit", True, True),
        ("don't", "don’t", False, True),
        ("की", "बाकी", False, True),
    ],
)
def test_what_does_not_count_is_made_alike(asked: str, text: str, case: bool, punctuation: bool) -> None:
    fold = Fold(case=case, punctuation=punctuation)
    assert fold(asked) in fold(text)
    assert Sieve(fold=fold, wanted=(fold(asked),))(text.encode()) == [True]


@pytest.mark.parametrize(
    ("asked", "text", "case", "punctuation"),
    [
        ("Make", "make", False, False),
        ("pre commit", "pre-commit", True, False),
        ("cafe", "caf\u00e9", True, False),
        ("का", "की", True, True),  # marks are no punctuation: they tell words apart
        ("ab", "a\nb", True, True),
    ],
)
def test_what_counts_keeps_texts_apart(asked: str, text: str, case: bool, punctuation: bool) -> None:
    fold = Fold(case=case, punctuation=punctuation)
    assert fold(asked) not in fold(text)


@pytest.mark.parametrize("fold", FOLDS, ids=str)
@given(text=texts)
def test_pieces_fold_each_by_itself_and_lead_back(fold: Fold, text: str) -> None:
    pieces = list(clusters(text))
    assert "".join(pieces) == text
    assert "".join(map(fold, pieces)) == fold(text)
    at = start = 0
    for piece in pieces:
        for _ in fold(piece):
            assert fold.origin(text, at=at) == start
            at += 1
        start += len(piece)


@pytest.mark.parametrize("fold", FOLDS, ids=str)
@given(text=texts, asked=texts)
def test_the_sieve_passes_over_nothing_that_matches(fold: Fold, text: str, asked: str) -> None:
    wanted = fold(asked)
    if wanted.strip() and wanted in fold(text):
        assert Sieve(fold=fold, wanted=(wanted,))(text.encode()) == [True]


def test_the_sieve_knows_every_character_that_folds_to_ascii() -> None:
    case = Fold(case=True, punctuation=False)
    plain = Fold(case=False, punctuation=False)
    for code in range(128, sys.maxunicode + 1):
        char = chr(code)
        if not 0xD800 <= code <= 0xDFFF and unicodedata.category(char) != "Cn":
            for fold in (case, plain) if char.casefold() != char else (plain,):
                for letter in filter(str.isascii, fold(char)):
                    assert Sieve(fold=fold, wanted=(letter,))(char.encode()) == [True], hex(code)


def test_most_files_that_hold_nothing_are_not_decoded() -> None:
    sieve = Sieve(fold=Fold(case=True, punctuation=True), wanted=("precommit", "tox"))
    assert sieve("Use Pre-Commit — always…".encode()) == [True, False]
    assert sieve(b"nothing") == [False, False]
    assert sieve("groß".encode()) == [True, True]  # not certain
    assert Sieve(fold=Fold(case=True, punctuation=False), wanted=("é", "uv"))(b"use uv") == [False, True]


def test_a_place_far_into_a_long_line_is_found_at_once() -> None:
    fold = Fold(case=True, punctuation=True)
    line = "Straße, ﬁx; " * 400_000  # 5 MB
    assert line[fold.origin(line, at=len(fold(line)) - 2)] == "\ufb01"
    assert line[fold.origin(line, at=len(fold(line)) - 1)] == "x"


def spans(text: str, *wanted: str, within: int | None = None) -> Iterable[tuple[int, int]]:
    fold = Fold(case=True, punctuation=False)
    return list(_spans(text.encode(), fold=fold, wanted=list(wanted), within=within))


def test_any_all_on_a_line_and_all_within_some_lines() -> None:
    text = "uv\nrun tests\nuv run\n\ntests\nuv\n"
    assert spans(text, "uv", "tests") == [(0, 0), (1, 1), (2, 2), (4, 4), (5, 5)]
    assert spans(text, "uv", "run", within=1) == [(2, 2)]
    assert spans(text, "uv", "tests", within=1) == []
    assert spans(text, "uv", "tests", within=2) == [(0, 1), (1, 2), (4, 5)]
    assert spans(text, "uv", "tests", within=3) == [(0, 1), (1, 2), (2, 4), (4, 5)]
    assert spans(text, "tests", within=3) == [(1, 1), (4, 4)]
    assert spans("", "uv", within=3) == spans("", "uv") == []


@given(st.lists(st.sampled_from(["", "a", "b", "ab", "c a"]), max_size=9), st.integers(1, 4))
def test_spans_are_the_shortest_that_hold_all(lines: list[str], within: int) -> None:
    def holds(first: int, last: int) -> bool:
        return all(any(text in line for line in lines[first : last + 1]) for text in "ab")

    every = [(i, j) for i in range(len(lines)) for j in range(i, min(i + within, len(lines))) if holds(i, j)]
    shortest = [(i, j) for i, j in every if not holds(i + 1, j) and not holds(i, j - 1)]
    assert spans("\n".join(lines), "a", "b", within=within) == shortest
