"""Sentences of every language and how they are to be judged: tests/data/languages/<code>.toml.

A file has the tables, all optional:

    wishes = [["sentence", "standing"], ["sentence", "standing everywhere"], ["sentence", "none|once"], …]
    same = [["a", "b"], …]          # say the same
    differ = [["a", "b"], …]        # neither the same nor in conflict
    conflict = [["later", "earlier"], …]
    turns = [["text", "approves corrects"], …]  # every function named holds, and no other of those in the file's
    turn_functions = ["approves", …]            # list, default: approves, complains, corrects, greets, praises
    sentences = [["text", "first", "second"], …]

Wishes are none, once, steer, standing or profile; `|` where several will do. "everywhere", or its absence, is held to
in wishes that are standing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from memkit import match

DATA = Path(__file__).parents[1] / "data" / "languages"
TURN_FUNCTIONS = ("approves", "complains", "corrects", "greets", "praises")


def _files() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(DATA.glob("*.toml")):
        yield path.stem, tomllib.loads(path.read_text(encoding="utf-8"))


def _rows(table: str) -> list[ParameterSet]:
    return [
        pytest.param(row, id=f"{language}-{i}-{row[0][:40]}")
        for language, data in _files()
        for i, row in enumerate(data.get(table, []), 1)
    ]


@pytest.mark.parametrize("row", _rows("wishes"))
def test_a_sentence_is_judged(row: list[str]) -> None:
    judged = match.judge(row[0])
    wish, _, where = row[1].partition(" ")
    assert judged.wish.value in wish.split("|")
    if judged.wish is match.Wish.STANDING:
        assert judged.everywhere == (where == "everywhere")


@pytest.mark.parametrize("row", _rows("same"))
def test_two_statements_say_the_same(row: list[str]) -> None:
    assert match.same(row[0], row[1]), (match.stance(row[0]), match.stance(row[1]))
    assert match.same(row[1], row[0])
    assert not match.conflict(row[1], row[0])
    assert match.key_words(row[0]) & match.key_words(row[1])


@pytest.mark.parametrize("row", _rows("differ"))
def test_two_statements_are_two_claims(row: list[str]) -> None:
    assert not match.same(row[0], row[1]), (match.stance(row[0]), match.stance(row[1]))
    assert not match.conflict(row[0], row[1]), (match.stance(row[0]), match.stance(row[1]))


@pytest.mark.parametrize("row", _rows("conflict"))
def test_a_later_statement_contradicts_an_earlier_one(row: list[str]) -> None:
    assert match.conflict(row[0], row[1]), (match.stance(row[0]), match.stance(row[1]))
    assert not match.same(row[0], row[1])
    assert match.key_words(row[0]) & match.key_words(row[1])


@pytest.mark.parametrize(
    ("row", "functions"),
    [
        pytest.param(row, data.get("turn_functions", TURN_FUNCTIONS), id=f"{language}-{i}-{row[0][:40]}")
        for language, data in _files()
        for i, row in enumerate(data.get("turns", []), 1)
    ],
)
def test_a_turn_gives_its_signals_and_no_others(row: list[str], functions: list[str]) -> None:
    found = {name for name in functions if getattr(match, name)(row[0])}
    assert found == set(row[1].split())


@pytest.mark.parametrize("row", _rows("sentences"))
def test_a_text_is_cut_into_sentences(row: list[str]) -> None:
    assert list(match.sentences(row[0])) == row[1:]
