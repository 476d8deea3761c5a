"""What holds for any text: no planted secret survives, nothing else changes, masking twice is masking once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.redact import MASK, find, mask
from tests.redact.vectors import read, secrets, without_marks

SURROUNDINGS = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.characters(categories=["Cs"]),
        st.sampled_from("\0\\\"'`{}[]<>=:;,@/ \t\n-_.é密😀aZ0"),
    ),
    max_size=60,
)
PIECES = st.lists(
    st.one_of(
        SURROUNDINGS,
        st.sampled_from(
            [
                MASK,
                "password=",
                "TOKEN: ",
                '"',
                "\\n",
                "-----BEGIN ",
                "Bearer ",
                "://a:",
                "@",
                "eyJ",
                "cookie: a=",
                "\n",
            ]
        ),
        st.sampled_from([without_marks(line) for line in read("caught.txt")]),
    ),
    max_size=8,
).map("".join)
# Keys that tell themselves, without a name before them: these must go wherever they stand.
KEYS = [
    key for line in read("caught.txt") for key in secrets(line) if key.startswith(("sk-", "gh", "xoxb", "AKIA", "AI"))
]


def test_there_are_keys_to_plant() -> None:
    assert len(KEYS) >= 10


@given(before=SURROUNDINGS, key=st.sampled_from(KEYS), after=SURROUNDINGS)
def test_a_planted_key_never_survives(before: str, key: str, after: str) -> None:
    assert key not in mask(before + key + after)
    assert key[6:26] not in mask(before + key + after)


@given(before=SURROUNDINGS, line=st.sampled_from(read("caught.txt")), after=SURROUNDINGS)
def test_a_line_with_a_secret_is_masked_between_other_lines(before: str, line: str, after: str) -> None:
    result = mask(f"{before}\n{without_marks(line)}\n{after}")
    assert [key for key in secrets(line) if len(key) >= 12 and key in result] == []


@given(PIECES)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@given(PIECES)
def test_spans_are_sorted_apart_and_inside_the_text(text: str) -> None:
    end = -1
    for secret in find(text):
        assert end < secret.start < secret.end <= len(text)
        end = secret.end


@given(PIECES)
def test_text_outside_the_spans_is_unchanged(text: str) -> None:
    pieces, done = [], 0
    for secret in find(text):
        pieces += [text[done : secret.start], MASK]
        done = secret.end
    by_hand = "".join((*pieces, text[done:]))
    # A mask can uncover what its secret had hidden, so a second round may follow; most often there is none.
    assert mask(text) == (by_hand if not find(by_hand) else mask(by_hand))


@pytest.mark.parametrize("text", ["", "a", "\0", "\ud800", MASK, MASK * 3])
def test_short_and_odd_texts_stay(text: str) -> None:
    assert mask(text) == text
