"""Is always, never, … said as a wish ("always use uv"), or does it tell how things are ("it always crashes")?"""

from __future__ import annotations

import re

from memkit.match.breaks import parts
from memkit.match.grammar import (
    directive,
    ends,
    opening_of,
    phrases,
    strip_lead,
    verb,
    works,
)
from memkit.match.words import Words, written_together

_FEW_WORDS = 4
WORD_CHARS = 2.0  # letters to a word where words have no spaces between them


def wished(text: str, words: Words) -> bool:
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
    alone = not opening_of(f"{part.rstrip(' .!…。！~')} x", words)[:-1].strip()
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
        told = _behind_condition(before, words)
        return bool(told) and (directive(told, words) or remark(told, words))
    if words.at("adverb_idioms").match(after):
        return False
    if words.find("subordinate").search(before) and not words.find("make_sure").match(strip_lead(before, words)):
        return False
    opening = _before_verb(before, words)
    condition, _, rest = before.rpartition(",")
    if rest and words.find("whenever", "conditions").match(opening_of(condition + " x", words)):
        then = text[len(condition) + 1 :].lstrip()
        found = words.find("adverbs").search(then)
        return bool(found and _adverb_wish(then, found, words))
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
        short = before[-1] in ",，" and remark(before, words) and remark(after, words)
        return _acts(after, words) or named or directive(before, words) or short
    if words.find("project").search(before) and words.find("rule_verbs").match(after):
        return True
    if not directive(text, words) or words.ending("being").search(before):
        return False
    return bool(words.ending("negated_imperative", "before_adverb").search(before)) or bool(
        words.find("after_adverb").match(after)
    )


def _behind_condition(text: str, words: Words) -> str:
    """ "When you write SQL, keywords in caps": what is told there; without a condition the text itself."""
    condition, comma, then = text.rstrip(" ,").partition(",")
    told = comma and words.find("whenever", "conditions").match(opening_of(condition + " x", words))
    return then.strip() if told else text


def _ends_in_subject(before: str, words: Words) -> bool:
    """ "Update the docs to say that users should …": the modal's subject is a thing of the program."""
    modal = words.ending("modals").search(before)
    return bool(modal and words.ending("spec_subjects").search(before[: modal.start()].rstrip()))


def remark(text: str, words: Words) -> bool:
    """A few words that tell of nothing: "pnpm, never npm", "conventional commits always"."""
    if words.spaced and written_together(text):
        return False  # "把 type 改成 Always" has one English word and is none
    few = len(text.split()) <= _FEW_WORDS if words.spaced else len(text) <= _FEW_WORDS * WORD_CHARS
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
