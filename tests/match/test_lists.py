"""The word lists themselves, and what pastes of any size do to the patterns made of them."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from memkit import match
from memkit.match.words import Words, languages, unmarked, values

README = (files("memkit.match") / "words" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(params=languages(), ids=lambda words: words.language)
def words(request: pytest.FixtureRequest) -> Words:
    return request.param


def test_every_key_of_a_language_is_explained(words: Words) -> None:
    assert [key for key in words.raw if not re.search(rf"(?<!\w){key}(?!\w)", README)] == []


def test_every_list_makes_a_pattern_without_groups(words: Words) -> None:
    lists = [key for key, value in words.raw.items() if isinstance(value, list) and isinstance((*value, "")[0], str)]
    assert "stopwords" in lists
    assert [key for key in lists if words.find(key).groups] == []


def test_no_list_matches_nothing(words: Words) -> None:
    lists = [key for key, value in words.raw.items() if isinstance(value, list) and isinstance((*value, "")[0], str)]
    assert [key for key in lists if words.find(key).fullmatch("")] == []


def test_words_of_one_kind_are_whole_words_in_lower_case() -> None:
    assert [word for word in values() if word != word.casefold() or " " in word] == []


def test_a_language_is_read_as_it_is_typed_without_its_marks() -> None:
    assert unmarked("luôn đúng, für Straße") == "luon dung, fur Strasse"


@pytest.mark.parametrize(
    "paste",
    ["!" * 50_000 + "x", "\n" * 50_000 + "x", "\n \n" * 20_000, "*" * 50_000 + "x", "_" * 50_000, "no, " * 20_000,
     "hi there " * 5_000 + "x", "a-" * 30_000, "ok猫" * 10_000, "SHOP-1 " * 10_000, "`" * 50_000, "always " * 10_000],
    ids=lambda paste: repr(paste[:8]),
)  # fmt: skip
def test_a_paste_is_read_in_one_go(paste: str) -> None:
    assert match.judge(paste).wish in (match.Wish.NONE, match.Wish.ONCE)
    assert not match.approves(paste)
    assert not match.greets(paste) or not re.search(r"\w", paste.replace("_", ""))
    assert "".join("".join(match.sentences(paste)).split()) in "".join(paste.split())
    assert match.same(paste, paste)
    assert not match.conflict(paste, paste)


def test_what_is_the_same_or_in_conflict_shares_a_key_word() -> None:
    pool = ["Use pnpm.", "Use yarn.", "use port 3000", "use port 3001", "Answer in German", "English answers", "run it"]
    related = [(a, b) for a in pool for b in pool if match.same(a, b) or match.conflict(a, b)]
    assert len(related) > len(pool)
    assert all(match.key_words(a) & match.key_words(b) for a, b in related)


def test_emphasis_does_not_change_what_is_quoted() -> None:
    said = "**Never** commit `__init__` by hand."
    assert match.judge(said) == match.Judgement(match.Wish.STANDING, False, said)


def test_only_the_clause_that_holds_for_good_is_kept() -> None:
    judged = match.judge("Fix the login bug, and from now on always run the linter.")
    assert judged.text == "from now on always run the linter."


@pytest.mark.parametrize(
    "said", ["mai is a month here", "nie is the name of a variable", "the die is cast", "nunca.py is empty"]
)
def test_a_word_of_another_language_means_nothing_in_english(said: str) -> None:
    assert match.judge(said).wish is match.Wish.NONE
