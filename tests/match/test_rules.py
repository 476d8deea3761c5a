"""Contradiction and duplicate of rules, by the matcher that consolidation uses: judged pairs in three languages."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memkit import match
from memkit.model import Rule
from memkit.stages.rules.changing import contradict

DATA = Path(__file__).parents[1] / "data" / "rules"
BAR = 10


def judged(one: str, other: str) -> str:
    if match.same(one, other):
        return "same"
    either = (Rule(id="a", text=one), Rule(id="b", text=other))
    return "conflict" if contradict(*either) or contradict(*reversed(either)) else "none"


@pytest.mark.parametrize("pairs_of", ["en", "ru", "pt", "en-2", "ru-2", "pt-2"])
def test_most_pairs_are_judged_right(pairs_of: str) -> None:
    pairs = tomllib.loads((DATA / f"{pairs_of}.toml").read_text(encoding="utf-8"))["pairs"]
    assert len(pairs) == 12 and sum(pair["is"] == "none" for pair in pairs) == 6
    wrong = [pair for pair in pairs if judged(pair["one"], pair["other"]) != pair["is"]]
    assert len(pairs) - len(wrong) >= BAR, wrong


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ({}, {}, True),
        ({"project": "~/a"}, {}, True),
        ({"project": "~/a"}, {"project": "~/b"}, False),
        ({"glob": "*.go"}, {}, False),
        ({"glob": "*.go"}, {"glob": "*.go"}, True),
    ],
)
def test_rules_contradict_only_where_both_hold(one: dict[str, str], other: dict[str, str], meets: bool) -> None:
    a, b = Rule(id="a", text="Use tabs, not spaces.", **one), Rule(id="b", text="Use spaces, not tabs.", **other)
    assert contradict(a, b) is meets
