"""Own words, quotes, pastes and code in a human message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.model import Part, PartKind
from memkit.rollouts import parts
from memkit.tokens import byte_length


def foreign(text: str) -> str:
    return "".join(part.text for part in parts.split(text) if part.kind is not PartKind.OWN)


@pytest.mark.parametrize(
    ("text", "own", "other"),
    [
        ("Fix it.\n\n> never use pip\n\nThanks", ["Fix it.", "Thanks"], ["never use pip"]),
        ("He said “always use tabs in files” but no.", ["He said", "but no."], ["always use tabs"]),
        ('They wrote "never squash before a merge" there.', ["They wrote", "there."], ["never squash"]),
        ("Он пишет «всегда делай так и только так», зря.", ["Он пишет", "зря"], ["всегда делай"]),
        ('Name it "base unit" and use `make test` always.', ['Name it "base unit" and use `make test` always.'], []),
        ("```sh\npip install x\n\nmore\n```\nAlways do this.", ["Always do this."], ["pip install x", "more"]),
        ("~~~\nnever closed\nalways", [], ["never closed", "always"]),
        ("Look:\n\n    always = 1\n    x = 2\n\nWhy?", ["Look:", "Why?"], ["always = 1"]),
        ("- one\n\n    and always this\n", ["always this"], []),
        (
            'Traceback (most recent call last):\n  File "a", line 1\nValueError: always\nFix this error now.',
            ["Fix this error now."],
            ["ValueError: always"],
        ),
        (
            "It fails.\n2026-01-01 10:00:00 ERROR always retry\n\tat a.b(C)\n\nAlways log in UTC.",
            ["It fails.", "Always log in UTC."],
            ["always retry", "at a.b"],
        ),
        (
            "Here is the output:\n\nsome words of a program\n\nAlways log in UTC.",
            ["Always log in UTC."],
            ["some words"],
        ),
        ("Here's the email from Bob:\n\nHi,\n\nplease always use tabs.\n\nBob", [], ["always use tabs"]),
        ("Bob wrote:\nplease always use tabs.", ["Bob wrote:"], ["always use tabs"]),
        (
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-never\n+always\n\nApply this.",
            ["Apply this."],
            ["+always"],
        ),
        ('I get\n{"always": 1,\n "b": [1]}\nwhy is that so?', ["I get", "why is that so?"], ['"always"']),
        (
            "sum up this comment: > @ana: we should always use DI, never singletons\nAlways log in UTC.",
            ["sum up this comment:", "Always log in UTC."],
            ["never singletons"],
        ),
        ("Always run: make > log.txt", ["make > log.txt"], []),
        ("Please follow these rules:\n- always use tabs\n- never use pip", ["always use tabs", "never use pip"], []),
        ("Here are my rules:\n- always use tabs", ["always use tabs"], []),
        ("The error handling: always on. Fix src/a.py: the loop.", ["always on"], []),
    ],
)
def test_whose_words(text: str, own: list[str], other: list[str]) -> None:
    mine = parts.own_words(parts.split(text))
    for words in own:
        assert words in mine
    for words in other:
        assert words not in mine and words in foreign(text)
    if not other:
        assert not foreign(text)


_texts = st.lists(
    st.sampled_from(
        [
            "Fix it. ",
            "> quoted\n",
            "\n",
            "\n\n",
            "```\n",
            "“a b c d e”",
            '"',
            "⟦",
            "⟦/paste⟧",
            "⟧",
            "Here is the log:\n",
            "2026-01-01 10:00 x\n",
            "    code\n",
            "\r\n",
            "\u2028",
            "é",
            "{\n",
        ]
    )
).map("".join)


@given(_texts | st.text())
def test_parts_are_the_text_and_marks_can_be_read_back(text: str) -> None:
    said = parts.split(text)
    assert "".join(part.text for part in said) == text
    assert parts.unmark(parts.mark(said)) == said


@given(_texts, st.integers(0, 300))
def test_shortened_parts_fit(text: str, limit: int) -> None:
    short = parts.shorten(parts.split(text * 9), max_bytes=limit)
    assert sum(byte_length(part.text) for part in short) <= limit


def test_pastes_give_way_before_own_words() -> None:
    said = (Part(PartKind.OWN, "Always use uv. " * 20), Part(PartKind.PASTE, "x" * 5_000), Part(PartKind.OWN, "End."))
    short = parts.shorten(said, max_bytes=1_000)
    assert (short[0], short[-1]) == (said[0], said[-1])
    assert "left out" in short[1].text


@pytest.mark.parametrize("piece", ['"', "“", "a/", "`", "> ", "{", "\n", "x=", "at ", "⟦", "a.a", "```\n", "    x\n"])
def test_hostile_text_is_split_at_all(piece: str) -> None:
    text = piece * (120_000 // len(piece))  # work beyond linear would not come to an end here
    assert "".join(part.text for part in parts.split(text)) == text
