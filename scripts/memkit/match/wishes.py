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

from memkit.match.fit import fitting
from memkit.match.grammar import (
    directive,
    ends,
    habit,
    is_question,
    manner,
    once,
    opening_of,
    phrases,
    reported,
    strip_lead,
    verb,
    works,
)
from memkit.match.sentences import clauses, parts
from memkit.match.words import Words

# A contrast makes a steer of a short remark ("tabs, not spaces"), not of a long one.
_REMARK_WORDS = 12
_FEW_WORDS = 4
_LONGEST = 2_000  # characters; longer ones are pastes
_WORD_CHARS = 2.0


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


def _adverb_wishes(text: str, words: Words) -> bool:
    """Is one of always, never, … said as a wish and not as an observation?"""
    judge_one = _free_adverb_wish if words.free else _adverb_wish
    return any(
        judge_one(text, match, words)
        for match in words.find("adverbs").finditer(text)
        if text.count("`", 0, match.start()) % 2 == 0
    )


def _free_adverb_wish(text: str, match: re.Match[str], words: Words) -> bool:
    """Free order: between the commas around the adverb somebody is told something, and not of a thing described."""
    if words.at("adverb_idioms").match(text[match.end() :].strip(" .!,;")):
        return False
    start = max(text.rfind(sign, 0, match.start()) for sign in ",，、:：") + 1
    stops = [text.find(sign, match.end()) for sign in ",，、"]
    part = text[start : min((s for s in stops if s >= 0), default=len(text))]
    alone = not opening_of(f"{part.rstrip(' .!…')} x", words)[:-1].strip()
    part, start = (text, 0) if alone else (part, start)
    if words.find("subordinate").search(strip_lead(part, words)[: max(0, match.start() - start)]):
        told = words.find("make_sure", "polite").match(strip_lead(part, words))
        if not told:
            return False
    return directive(part, words)


def _adverb_wish(text: str, match: re.Match[str], words: Words) -> bool:
    before, after = text[: match.start()].rstrip(), text[match.end() :].strip(" .!,;*_")
    if words.ending("value_before").search(before) and (
        works(before, words) or words.find("spec_subjects").search(before)
    ):
        return False
    if not after:
        return bool(before) and (directive(before, words) or _remark(before, words))
    if words.at("adverb_idioms").match(after):
        return False
    if words.find("subordinate").search(before) and not words.find("make_sure").match(strip_lead(before, words)):
        return False
    opening = _before_verb(before, words)
    if not opening:
        return (
            _acts(after, words)
            or bool(words.at("negated_imperative").match(after))
            or (bool(words.raw.get("adverb_alone", False)) and not words.find("determiners").match(after))
        )
    if words.ending("first_person").search(before):
        return not words.find("describing").match(after) and _acts(after, words)
    if words.ending("modals").search(before):
        subject = strip_lead(parts(before)[-1], words)
        described = works(subject, words) and _ends_in_subject(subject, words)
        return not described and not words.find("determiners", "spec_subjects").match(subject)
    if before[-1] in ",:—–-;(，：；（":
        named = before[-1] in ":：" and not words.find("determiners").match(after)
        short = before[-1] in ",，" and _remark(before, words) and _remark(after, words)
        return _acts(after, words) or named or directive(before, words) or short
    if words.find("project").search(before) and words.find("rule_verbs").match(after):
        return True
    if not directive(text, words) or words.ending("being").search(before):
        return False
    return bool(words.ending("negated_imperative", "before_adverb").search(before)) or bool(
        words.find("after_adverb").match(after)
    )


def _ends_in_subject(before: str, words: Words) -> bool:
    """ "Update the docs to say that users should …": the modal's subject is a thing of the program."""
    modal = words.ending("modals").search(before)
    return bool(modal and words.ending("spec_subjects").search(before[: modal.start()].rstrip()))


def _remark(text: str, words: Words) -> bool:
    """A few words that tell of nothing: "pnpm, never npm", "conventional commits always"."""
    few = len(text.split()) <= _FEW_WORDS if words.spaced else len(text) <= _FEW_WORDS * _WORD_CHARS
    tells = words.find("being", "describing", "statements", "first_person", "modals").search(text)
    return few and not tells and not words.find("determiners", "subjects").match(strip_lead(text, words))


def _acts(text: str, words: Words) -> bool:
    return (
        verb(text, words, "task_verbs", "manner_verbs", "habit_verbs", "imperatives")
        or bool(words.at("opening_verbs").match(text))
        or ends(text, words)
    )


def _before_verb(before: str, words: Words) -> str:
    """What stands before an adverb, without lead-ins, general phrases and polite openings."""
    rest = opening_of(before + " x", words)[:-1].strip(" ,，、:：—–-*_")
    if any(p.fullmatch(rest) for p in (phrases(words), words.find("polite"), words.find("make_sure"))):
        return ""
    condition = words.find("whenever", "conditions").match(rest)
    return "" if condition and before.endswith((",", "，", "、")) else rest


def _standing(text: str, words: Words) -> bool:
    """General words around a directive."""
    if words.find("no_wishes").search(text):
        return False
    lead = strip_lead(text, words)
    if words.find("hedges").match(lead):
        return False
    if words.find("wishes").search(text) or words.find("remember").match(lead) or _adverb_wishes(text, words):
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
    length = len(opening.split()) if words.spaced else len(opening) / _WORD_CHARS
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
