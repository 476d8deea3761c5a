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

from memkit.match.sentences import clauses
from memkit.match.words import Words, languages, pattern


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


@cache
def _lead(words: Words) -> re.Pattern[str]:
    body = "|".join(f.replace(" ", r"\s+") for f in sorted(words.of("lead_ins"), key=len, reverse=True))
    return re.compile(rf"(?:(?:{body})(?![\w'’-])[\s,:!.…—–-]*)+", re.IGNORECASE)


@cache
def imperative(words: Words, *keys: str) -> re.Pattern[str]:
    body = "|".join(f.replace(" ", r"\s+") for key in keys for f in words.of(key))
    return re.compile(rf"(?:{body})(?![\w'’])", re.IGNORECASE)


def strip_lead(text: str, words: Words) -> str:
    """The text without polite and connecting openings ("No, please …", "And again: …")."""
    text = text.lstrip(" \t-–—*•>\"'“(")
    match = _lead(words).match(text)
    return text[match.end() :] if match and match.end() < len(text) else text


def _phrases(words: Words) -> re.Pattern[str]:
    return words.find("standing", "recurring", "everywhere", "project", "adverbs")


def opening_of(text: str, words: Words) -> str:
    """The clause from its verb on: lead-ins, general phrases and "make sure you" at its begin taken off."""
    for _ in range(6):
        before = text
        text = strip_lead(text, words)
        for found in (
            _phrases(words).match(text),
            words.find("make_sure").match(text),
            words.find("polite").match(text),
        ):
            if found and found.end() < len(text):
                text = text[found.end() :].lstrip(" ,:—–-")
                break
        if text == before:
            break
    return text


def directive(text: str, words: Words) -> bool:
    """Does the clause tell somebody what to do: an imperative, "make sure", "I want you to", "we use"?"""
    lead = strip_lead(text, words)
    if words.find("make_sure").match(lead) or words.find("prefer").match(lead):
        return True
    opening = opening_of(text, words)
    if imperative(words, "task_verbs", "manner_verbs", "negated_imperative").match(opening):
        return True
    return bool(_first_person_habit(opening, words))


def _first_person_habit(text: str, words: Words) -> re.Match[str] | None:
    person = "|".join(words.of("first_person"))
    verbs = "|".join(words.of("habit_verbs"))
    adverbs = "|".join(words.of("adverbs"))
    return (
        re.match(
            rf"(?:{person})\s+(?:(?:{adverbs}|only|all|also|just|usually|generally)\s+)?(?:do\s+not\s+|don't\s+)?(?:{verbs})(?![\w'’])",
            text,
            re.IGNORECASE,
        )
        if person
        else None
    )


def is_question(sentence: str, words: Words) -> bool:
    """A question, but not a polite request ("can you always …?")."""
    stripped = sentence.rstrip(" \"'”’)")
    opening = strip_lead(sentence, words)
    polite = (
        re.match(words.of("polite")[0].replace(" ", r"\s+") + r"(?![\w'’])", opening, re.IGNORECASE)
        if words.of("polite")
        else None
    )
    if polite:
        return False
    if stripped.endswith(("?", "？")):
        return True
    first = words.find("questions").match(opening)
    # "When you commit, …" and "Have a look" open like questions and are none.
    return (
        bool(first)
        and not stripped.endswith((".", "!"))
        and first is not None
        and first.group().lower() in ("why", "should", "shall", "does", "did", "is", "are", "was", "were")
        and not _phrases(words).match(opening)
    )


def once(text: str, words: Words) -> bool:
    """Words that bind a wish to one occasion: "this time", "for now", "before this edit", a ticket's id."""
    if words.find("one_off").search(text):
        return True
    tickets = re.compile("|".join(words.of("tickets")) or r"(?!)")
    examples = words.of("examples")
    for match in tickets.finditer(text):
        before = text[: match.start()].rstrip(" ([\"'`:,")
        if not (examples and re.search(rf"(?:{'|'.join(examples)})$", before, re.IGNORECASE)):
            return True
    return False


def _reported(text: str, words: Words) -> bool:
    for match in words.find("reported").finditer(text):
        before = re.search(r"([\w']+)\s*$", text[: match.start()])
        if not (before and before.group(1).lower() in {w.lower() for w in words.of("reporters_own")}):
            return True
    return False


def _adverb_wishes(text: str, words: Words) -> bool:
    """Is one of always, never, … said as a wish and not as an observation?"""
    return any(_adverb_wish(text, match, words) for match in words.find("adverbs").finditer(text))


def _adverb_wish(text: str, match: re.Match[str], words: Words) -> bool:
    before, after = text[: match.start()].rstrip(), text[match.end() :].strip(" .!,;")
    if not after:
        return bool(before) and directive(before, words)
    if pattern(words.of("never_idioms")).match(after):
        return False
    opening = _before_verb(before, words)
    if not opening:
        return not pattern(words.of("determiners")).match(after)
    last = re.search(r"([\w'’]+)$", before)
    word = last.group(1).lower() if last else ""
    if word in {p.lower() for p in words.of("first_person")}:
        return not pattern(words.of("describing")).match(after) and _acts(after, words)
    if re.search(rf"(?<![\w'])(?:{'|'.join(words.of('modals'))})(?:\s+also|\s+not)?$", before, re.IGNORECASE):
        return not pattern(words.of("determiners")).match(strip_lead(before, words))
    if before[-1] in ",:—–-;(":
        return (
            _acts(after, words)
            or (before[-1] == ":" and not pattern(words.of("determiners")).match(after))
            or directive(before, words)
        )
    if words.find("project").search(before) and pattern(words.of("rule_verbs")).match(after):
        return True
    if not directive(text, words) or word in words.of("being"):
        return False
    return pattern([*words.of("negated_imperative"), "to", "you"]).fullmatch(word) is not None or bool(
        pattern(words.of("after_adverb")).match(after)
    )


def _acts(text: str, words: Words) -> bool:
    return bool(imperative(words, "task_verbs", "manner_verbs", "habit_verbs").match(text))


def _before_verb(before: str, words: Words) -> str:
    """What stands before an adverb, without lead-ins, general phrases and polite openings."""
    rest = opening_of(before + " x", words)[:-1].strip(" ,:—–-")
    for found in (
        _phrases(words).fullmatch(rest),
        words.find("polite").fullmatch(rest),
        words.find("make_sure").fullmatch(rest),
    ):
        if found:
            return ""
    condition = words.find("whenever").match(rest)
    return "" if condition and before.endswith(",") else rest


def _standing(text: str, words: Words) -> bool:
    """General words around a directive."""
    lead = strip_lead(text, words)
    if words.find("remember").match(lead) or _adverb_wishes(text, words):
        return True
    if words.find("standing").search(text) and not words.find("hedges").search(text):
        return not pattern(["it", "they", "he", "she", "the", "there"]).match(opening_of(text, words))
    if _recurs(text, words):
        return True
    for start in (lead, opening_of(text, words)):
        prefer = words.find("prefer").match(start)
        if prefer and not pattern(words.of("deictic")).match(start[prefer.end() :].lstrip()):
            return (
                bool(words.find("project").search(text))
                or not _first_person_habit(start, words)
                or "prefer" in prefer.group().lower()
            )
    return bool(words.find("project").search(text)) and _project_rule(text, words)


def _recurs(text: str, words: Words) -> bool:
    """ "Run the linter before every commit", "whenever you change X, run make gen": somebody is told something."""
    condition = words.find("whenever").search(text)
    if condition:
        before, (_, comma, after) = text[: condition.start()].rstrip(" ,"), text[condition.end() :].partition(",")
        mine = re.match(
            rf"\s*(?:{'|'.join(words.of('first_person'))}|it|this|that|the)(?![\w'’])",
            text[condition.end() :],
            re.IGNORECASE,
        )
        general = condition.group().lower().split()[0] not in ("before", "after", "if")
        told = _told(before, words) or bool(comma and _told(after, words))
        if told and general and not (mine and not comma):
            return True
    if words.find("everywhere_standing").search(text):
        return directive(text, words)
    return bool(words.find("recurring").search(text)) and directive(text, words)


def _told(text: str, words: Words) -> bool:
    return bool(text.strip()) and directive(text, words) and not is_question(text, words)


def _project_rule(text: str, words: Words) -> bool:
    """ "In this repo we run …" and "here use …" are rules; "in this repo fix …" is work."""
    opening = opening_of(text, words)
    rest = re.split(r"[,:]\s+", text)
    return (
        bool(_first_person_habit(opening, words))
        or any(_first_person_habit(part, words) for part in rest)
        or bool(imperative(words, "manner_verbs", "negated_imperative").match(opening))
        or bool(
            re.match(
                r"(?:this|our)\s+\w+\s+(?:uses?|wants|needs|expects|requires|follows)(?![\w'])",
                strip_lead(text, words),
                re.IGNORECASE,
            )
        )
    )


def _whole_or_clause(sentence: str, offset: int, words: Words) -> str:
    """The sentence, or its part from the clause on when what stands before is a request of its own."""
    before = sentence[:offset].rstrip(" ,;—–-")
    if not before:
        return sentence
    work = (
        imperative(words, "task_verbs").match(opening_of(before, words))
        or once(before, words)
        or is_question(before, words)
    )
    tail = sentence[offset:]
    tail = re.sub(r"^(?:and|but|also|so)\s+", "", tail, flags=re.IGNORECASE)
    return tail if work else sentence


def _judge(sentence: str, words: Words) -> Judgement:
    everywhere = bool(words.find("everywhere").search(sentence))
    if is_question(sentence, words):
        return Judgement(Wish.NONE, everywhere, sentence)
    if words.find("self").search(sentence) and not _reported(sentence, words) and not once(sentence, words):
        lead = strip_lead(sentence, words)
        if words.find("self").match(lead):
            return Judgement(Wish.PROFILE, not words.find("project").search(sentence), sentence)
    for offset, clause in clauses(sentence):
        if _reported(clause, words) or once(clause, words):
            continue
        if _standing(clause, words):
            return Judgement(Wish.STANDING, everywhere, _whole_or_clause(sentence, offset, words))
    # A general phrase may govern clauses that it does not stand in: "In this repo, format with black; never by hand."
    if once(sentence, words):
        return Judgement(Wish.ONCE if directive(sentence, words) else Wish.NONE, everywhere, sentence)
    if not _reported(sentence, words) and _standing(sentence, words):
        return Judgement(Wish.STANDING, everywhere, sentence)
    return Judgement(_steer(sentence, words), everywhere, sentence)


def _steer(sentence: str, words: Words) -> Wish:
    if _reported(sentence, words) or words.find("hedges").search(sentence):
        return Wish.NONE
    opening = opening_of(sentence, words)
    contrast = re.search(rf"[\w`]\s*,?\s+(?:{'|'.join(words.of('contrasts'))})\s+[\w`]", opening, re.IGNORECASE)
    if imperative(words, "manner_verbs", "negated_imperative").match(opening):
        return Wish.STEER
    if directive(sentence, words):
        return Wish.STEER if contrast else Wish.ONCE
    return (
        Wish.STEER
        if contrast and len(opening.split()) <= 12 and not words.find("describing").search(opening)
        else Wish.NONE
    )


@lru_cache(maxsize=65_536)
def judge(sentence: str) -> Judgement:
    """What one sentence of the user's own words asks for, over all languages; the strongest judgement counts."""
    order = [Wish.NONE, Wish.ONCE, Wish.STEER, Wish.PROFILE, Wish.STANDING]
    found = [_judge(sentence, words) for words in languages()]
    if any(once(sentence, words) and j.wish != Wish.STANDING for words, j in zip(languages(), found, strict=True)):
        found = [j if j.wish in (Wish.NONE, Wish.ONCE) else Judgement(Wish.ONCE, j.everywhere, j.text) for j in found]
    return max(found, key=lambda j: order.index(j.wish))


def everywhere(text: str) -> bool:
    """Do the words say that it holds in every project?"""
    return any(words.find("everywhere").search(text) for words in languages())


def in_project(text: str) -> bool:
    """Do the words bind it to the project at hand ("in this repo")?"""
    return any(words.find("project").search(text) for words in languages())
