"""Is a sentence a wish of the user, for good or for once, and for where? Judged by words, sentence by sentence.

The order of questions: is it a question, somebody else's words, a guess, bound to one occasion? Then it is no standing
wish. Does it speak of how things are ("it always crashes")? Then neither. What remains has to look like a directive
(imperative, "I want", "we use", "should") and to carry a general word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from memkit.match.adverbs import WORD_CHARS, wished
from memkit.match.breaks import clauses, parts
from memkit.match.fit import fitting
from memkit.match.grammar import (
    directive,
    habit,
    is_question,
    manner,
    once,
    opening_of,
    reported,
    strip_lead,
    works,
)
from memkit.match.words import Words

# A contrast makes a steer of a short remark ("tabs, not spaces"), not of a long one.
_REMARK_WORDS = 12
_LONGEST = 2_000  # characters; longer ones are pastes


class Wish(StrEnum):
    """What a sentence asks for."""

    NONE = "none"  # no directive
    ONCE = "once"  # a directive bound to one occasion, or a request for work
    STEER = "steer"  # says how to work, without general words: counts when it is repeated
    STANDING = "standing"  # general words: counts at once
    PROFILE = "profile"  # says who the user is


@dataclass(frozen=True, slots=True)
class Judgement:
    """A sentence's wish, whether its words say that it holds everywhere, and the part of it that carries the wish."""

    wish: Wish
    everywhere: bool
    text: str


def _standing(text: str, words: Words) -> bool:
    """General words around a directive."""
    if words.find("no_wishes").search(text):
        return False
    lead = strip_lead(text, words)
    if words.find("hedges").match(lead):
        return False
    if words.find("wishes").search(text) or words.find("remember").match(lead) or wished(text, words):
        return True
    if words.find("standing").search(text) and not words.find("hedges").search(text):
        return not words.find("subjects").match(opening_of(text, words))
    if _recurs(text, words) or _prefers(text, words):
        return True
    return bool(words.find("project").search(text)) and _project_rule(text, words)


def _prefers(text: str, words: Words) -> bool:
    """ "I prefer small commits"; "we use pnpm" only with words for where; "I prefer the second one" chooses."""
    for start in (strip_lead(text, words), opening_of(text, words)):
        prefer, here = words.find("prefer").match(start), words.find("prefer_here").match(start)
        found = prefer or here
        if found and not words.find("deictic").match(start[found.end() :].lstrip()):
            return bool(prefer) or bool(words.find("project").search(text))
    return False


def _recurs(text: str, words: Words) -> bool:
    """ "Run the linter before every commit", "whenever you change X, run make gen": somebody is told something."""
    condition = words.find("whenever").search(text)
    if condition:
        before, after = text[: condition.start()].rstrip(" ,，、"), text[condition.end() :]
        _, comma, then = _comma().sub("\0", after, count=1).partition("\0")
        mine = not comma and words.find("first_person", "determiners").match(after.lstrip())
        if not mine and (_told(before, words) or bool(comma and _told(then, words))):
            return True
    if words.find("everywhere_standing").search(text):
        return any(directive(part, words) for part in (text, *parts(text))) or _rule_of_place(text, words)
    return bool(words.find("recurring").search(text) and directive(text, words)) or bool(
        words.find("recurring_manner").search(text) and manner(text, words)
    )


def _rule_of_place(text: str, words: Words) -> bool:
    """ "In all my projects: Python 3.12", "two-space indentation in all repos": a rule without a verb."""
    lead = strip_lead(text, words)
    place = words.find("everywhere_standing", "everywhere").match(lead)
    if place:
        return bool(_comma().match(lead[place.end() :].lstrip()))
    tells = words.find("being", "describing", "statements", "first_person", "modals").search(text)
    return not tells and not words.find("determiners", "subjects").match(lead)


@cache
def _comma() -> re.Pattern[str]:
    return re.compile("[,:，、：]")


def _told(text: str, words: Words) -> bool:
    return bool(text.strip()) and directive(text, words) and not is_question(text, words)


def _project_rule(text: str, words: Words) -> bool:
    """ "In this repo we run …" and "here use …" are rules; "in this repo fix …" is work."""
    return (
        any(habit(part, words) for part in (opening_of(text, words), *parts(text)))
        or manner(text, words)
        or bool(words.at("project_uses").match(strip_lead(text, words)))
    )


def _whole_or_clause(sentence: str, offset: int, words: Words) -> str:
    """The sentence, or its part from the clause on when what stands before is a request of its own."""
    before = sentence[:offset].rstrip(" ,;，；、—–-")
    if not before:
        return sentence
    work = works(before, words) or once(before, words) or is_question(before, words)
    return _without_joint(sentence[offset:]) if work else sentence


def _without_joint(clause: str) -> str:
    """The clause without the "and" or "but", of any language of it, that it begins with."""
    joint = next((m for w in fitting(clause) if (m := w.find("joints").match(clause))), None)
    return clause[joint.end() :].lstrip(" ,，、") if joint else clause


def _judge(sentence: str, words: Words) -> Judgement:
    everywhere = bool(words.find("everywhere").search(sentence))
    if is_question(sentence, words):
        return Judgement(Wish.NONE, everywhere, sentence)
    about_me = words.find("self").match(strip_lead(sentence, words))
    if about_me and not reported(sentence, words) and not once(sentence, words):
        return Judgement(Wish.PROFILE, not words.find("project").search(sentence), sentence)
    for offset, clause in clauses(sentence):
        if reported(clause, words) or once(clause, words):
            continue
        if _standing(_without_joint(clause), words):
            return Judgement(Wish.STANDING, everywhere, _whole_or_clause(sentence, offset, words))
    # A general phrase may govern clauses that it does not stand in: "In this repo, format with black; never by hand."
    if once(sentence, words):
        told = any(directive(part, words) for part in (sentence, *parts(sentence)))
        return Judgement(Wish.ONCE if told else Wish.NONE, everywhere, sentence)
    if not reported(sentence, words) and _standing(sentence, words):
        return Judgement(Wish.STANDING, everywhere, sentence)
    return Judgement(_steer(sentence, words), everywhere, sentence)


def _steer(sentence: str, words: Words) -> Wish:
    if reported(sentence, words) or words.find("hedges").search(sentence):
        return Wish.NONE
    opening = opening_of(sentence, words)
    if manner(sentence, words):
        return Wish.STEER
    gap = r"\s+" if words.spaced else r"\s*"
    form = rf"[\w`]\s*[,，、]?{gap}(?:{{}}){gap}[\w`]"
    contrast = words.compiled("contrast", "contrasts", form=form).search(opening)
    if directive(sentence, words):
        return Wish.STEER if contrast else Wish.ONCE
    length = len(opening.split()) if words.spaced else len(opening) / WORD_CHARS
    remark = length <= _REMARK_WORDS and not words.find("describing", "statements").search(opening)
    return Wish.STEER if contrast and remark else Wish.NONE


@lru_cache(maxsize=65_536)
def judge(sentence: str) -> Judgement:
    """What one sentence of the user's own words asks for, in the languages that it fits; the strongest counts."""
    order = [Wish.NONE, Wish.ONCE, Wish.STEER, Wish.PROFILE, Wish.STANDING]
    if len(sentence) > _LONGEST:
        return Judgement(Wish.NONE, False, sentence)
    plain = _emphasis().sub("", sentence)
    found = [(words, _judge(plain, words)) for words in fitting(sentence)]
    if any(once(plain, words) and j.wish != Wish.STANDING for words, j in found):
        bound = (Wish.NONE, Wish.ONCE)
        found = [(w, j if j.wish in bound else Judgement(Wish.ONCE, j.everywhere, j.text)) for w, j in found]
    best = max((j for _, j in found), key=lambda j: order.index(j.wish))
    text = sentence if best.text == plain else best.text
    return Judgement(best.wish, any(j.everywhere for _, j in found), text)


@cache
def _emphasis() -> re.Pattern[str]:
    """Marks of emphasis around words; underscores and asterisks inside words are theirs."""
    return re.compile(r"(?<!\w)[*_]{1,3}(?=\w)|(?<=[^\W_])[*_]{1,3}(?!\w)")


def everywhere(text: str) -> bool:
    """Do the words say that it holds in every project?"""
    return any(words.find("everywhere").search(text) for words in fitting(text))


def in_project(text: str) -> bool:
    """Do the words bind it to the project at hand ("in this repo")?"""
    return any(words.find("project").search(text) for words in fitting(text))
