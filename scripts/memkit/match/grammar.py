"""What a clause is, by a language's lists: its opening, whether it tells somebody to do something, asks, or reports."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memkit.match.words import Words, merged

_TASK = ("task_verbs",)
_MANNER = ("manner_verbs", "negated_imperative")
_ENDS = ("task_ends", "manner_ends", "directive_ends")
_VERBS = ("task_verbs", "manner_verbs", "negated_imperative", "imperatives")


@cache
def _lead(words: Words) -> re.Pattern[str]:
    return words.compiled("lead", "lead_ins", form=r"(?:(?:{}){b}[\s,，、:：!！.…—–¿¡-]*)+", spaced=r"(?![\w'’-])")


@lru_cache(4_096)
def strip_lead(text: str, words: Words) -> str:
    """The text without polite and connecting openings ("No, please …", "And again: …")."""
    text = text.lstrip(" \t-–—*_•>\"'“«(「『¿¡")
    match = _lead(words).match(text)
    return text[match.end() :] if match and match.end() < len(text) else text


def phrases(words: Words) -> re.Pattern[str]:
    """General phrases: what may stand around a directive without being part of it."""
    return words.find("standing", "recurring", "recurring_manner", "everywhere", "project", "adverbs")


@lru_cache(4_096)
def opening_of(text: str, words: Words) -> str:
    """The clause from its verb on: lead-ins, general phrases and "make sure you" at its begin taken off."""
    for _ in range(6):
        before = text
        text = strip_lead(text, words)
        for pattern in (phrases(words), words.find("make_sure"), words.find("polite"), words.find("one_off")):
            found = pattern.match(text)
            if found and found.end() < len(text):
                text = text[found.end() :].lstrip(" ,，、:：—–-*_")
                break
        if text == before:
            break
    return text


def verb(text: str, words: Words, *keys: str) -> bool:
    """Does one of the lists' verbs open the text, or stand anywhere in it where the language's order is free?"""
    if words.free:
        return bool(words.find(*keys).search(text))
    return bool(words.at(*keys).match(text))


def works(text: str, words: Words) -> bool:
    """Does the clause ask for work?"""
    opening = opening_of(text, words)
    return verb(opening, words, *_TASK) or ends(opening, words, "task_ends")


def ends(text: str, words: Words, *keys: str) -> bool:
    """Is the text's last word one of the lists' verbs, as infinitives that tell somebody to do something are?

    Searched in what follows the opening; a statement ("the tests have to …") may end in the same verb.
    """
    if not words.ending(*keys or _ENDS).search(text):
        return False
    return not words.find("statements").search(text) and not words.find("modals").search(text)


def manner(text: str, words: Words) -> bool:
    """Does the clause say how to work?"""
    opening = opening_of(text, words)
    told = verb(opening, words, *_MANNER) or ends(opening, words, "manner_ends")
    return told and not words.find("statements").search(opening)


def directive(text: str, words: Words) -> bool:
    """Does the clause tell somebody what to do: an imperative, "make sure", "I want you to", "we use"?"""
    lead = strip_lead(text, words)
    if words.find("make_sure", "prefer", "prefer_here").match(lead):
        return True
    opening = opening_of(text, words)
    if not words.find("statements").search(opening) and (
        verb(opening, words, *_VERBS)
        or words.at("opening_verbs").match(opening)
        or words.ending(*_ENDS).search(opening)
    ):
        return True
    return habit(opening, words)


def habit(text: str, words: Words) -> bool:
    """ "We run", "I never use": what the speaker says to do as a habit."""
    if words.at("habits").match(text):
        return True
    pattern = _habit(words)
    return bool(pattern and pattern.match(text))


@cache
def _habit(words: Words) -> re.Pattern[str] | None:
    person, gap = words.body("first_person"), words.gap
    if not person or not words.of("habit_verbs"):
        return None
    between = words.body("adverbs", "between") or "(?!)"
    negated = words.body("habit_negations") or "(?!)"
    form = rf"(?:{person}){gap}(?:(?:{between}){gap})?(?:(?:{negated}){gap})?(?:{{}}){{b}}"
    return words.compiled("habit", "habit_verbs", form=form, spaced=r"(?![\w'’])")


def is_question(sentence: str, words: Words) -> bool:
    """A question, but not a polite request ("can you always …?")."""
    stripped = sentence.rstrip(" \"'”’)」』*_")
    opening = strip_lead(sentence, words)
    if words.at("polite_questions").match(opening) or words.ending("polite_ends").search(sentence):
        return False
    if stripped.endswith(("?", "？")):
        return True
    if words.ending("question_ends").search(sentence):
        return True
    # "When you commit, …" and "Have a look" open like questions and are none.
    asks = words.find("questions").match(opening)
    return bool(asks) and not stripped.endswith((".", "!", "。", "！")) and not phrases(words).match(opening)


def once(text: str, words: Words) -> bool:
    """Words that bind a wish to one occasion: "this time", "for now", "before this edit", a ticket's id."""
    if words.find("one_off").search(text):
        return True
    examples = words.ending("examples")
    found = (text[: match.start()].rstrip(" ([\"'`:,") for match in _tickets().finditer(text))
    return any(not examples.search(before) for before in found)


@cache
def _tickets() -> re.Pattern[str]:
    return re.compile("|".join(merged("tickets")) or r"(?!)")


def reported(text: str, words: Words) -> bool:
    """Somebody else's words, or a thought only; "as I said" are the speaker's own."""
    own = words.ending("reporters_own")
    return any(not own.search(text[: m.start()].rstrip()) for m in words.find("reported").finditer(text))
