"""What the user said in a task: requests, corrections, stated preferences, decisions, answers, open ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memkit import match, tokens
from memkit.engines.offline import phrases, titles
from memkit.engines.offline.segment import Task, Turn
from memkit.match import Wish
from memkit.model import Kind, PartKind

Bullets = list[tuple[str, str]]

_REQUESTS, _REFERENCES, _OPEN = 4, 6, 4
_FULL = 3  # content words from which a correction stands by itself
_STATED = "preference (stated)"


def said(task: Task, *, opens: bool, stated: list[str]) -> Bullets:
    """The user's words of a task. opens: it is the session's first. stated: earlier preferences, added to here."""
    found: Bullets = []
    requests = 0
    for i, turn in enumerate(task.turns):
        sentences = _with_conditions(match.sentences(turn.own))
        corrections, rest = _corrections(sentences, first=opens and i == 0)
        amended = [words for s in [*corrections, *rest] if (words := _amended(s, stated))]
        corrections, rest = ([s for s in each if not _amended(s, stated)] for each in (corrections, rest))
        stated += amended
        found += [(_STATED, titles.quote(words)) for words in amended]
        asking = rest if i == 0 else [s for s in rest if not _standing(s) and not only_praise([s])]
        if asking and requests < _REQUESTS:
            whole = i == 0 and not corrections
            found.append(("request", titles.quote(turn.own if whole else " ".join(asking)) + _foreign(turn)))
            requests += 1
        elif i == 0 and turn.foreign:
            found.append(("request", f"(no own words){_foreign(turn)}"))
        found += [_correction(s, stated) for s in corrections]
        for sentence in sentences:
            judged = match.judge(sentence)
            if judged.wish in (Wish.STANDING, Wish.PROFILE):
                if match.subject(judged.text):  # "Remember that." says nothing by itself
                    stated.append(judged.text)
                    found.append((_STATED, titles.quote(judged.text)))
            elif _decides(sentence) and not any(sentence in c for c in corrections):
                found.append(("decision", titles.quote(sentence)))
    return list(dict.fromkeys(found))


def _standing(sentence: str) -> bool:
    return match.judge(sentence).wish is Wish.STANDING


def _decides(sentence: str) -> bool:
    return match.decides(sentence) or phrases.opens(sentence, "decides")


def _correction(sentence: str, stated: list[str]) -> tuple[str, str]:
    """What takes back a preference stated before is itself one: it holds as long as that would have held."""
    steer = match.judge(sentence).wish is Wish.STEER
    if steer and any(match.conflict(sentence, earlier) for earlier in stated):
        stated.append(sentence)
        return _STATED, titles.quote(sentence)
    return "correction", titles.quote(sentence)


def _amended(sentence: str, stated: Sequence[str]) -> str:
    """The words that put an earlier preference right ("Sorry, I meant 4 spaces."), "" when it does no such thing."""
    words = phrases.without(sentence, "amends")
    return words if words != sentence and any(match.conflict(words, earlier) for earlier in stated) else ""


def _with_conditions(sentences: Sequence[str]) -> list[str]:
    """The sentences, a wish joined with the next one where that narrows it ("Only for *.go files.")."""
    joined: list[str] = []
    for sentence in sentences:
        narrows = phrases.opens(sentence, "restricts") and not match.asks(sentence)
        if joined and narrows and match.judge(joined[-1]).wish in (Wish.STANDING, Wish.STEER):
            joined[-1] = f"{joined[-1]} {sentence}"
        else:
            joined.append(sentence)
    return joined


def _corrections(sentences: Sequence[str], *, first: bool) -> tuple[list[str], list[str]]:
    """(corrections, the other sentences). One that says too little by itself ("Stop.") takes the next along."""
    corrections: list[str] = []
    rest: list[str] = []
    joins = False
    for sentence in sentences:
        if joins and not match.greets(sentence) and not _standing(sentence):
            corrections[-1] = f"{corrections[-1]} {sentence}"
            joins = len(match.stance(corrections[-1]).words) < _FULL
        elif _is_correction(sentence, first=first):
            corrections.append(sentence)
            joins = len(match.stance(sentence).words) < _FULL
        else:
            joins = False
            if not match.approves(sentence) and not match.greets(sentence):
                rest.append(sentence)
    return corrections, rest


def _is_correction(sentence: str, *, first: bool) -> bool:
    judged = match.judge(sentence)
    if judged.wish is Wish.STANDING or match.approves(sentence) or match.greets(sentence):
        return False
    if first:
        return judged.wish is Wish.STEER and match.corrects(sentence)
    return corrective(sentence) or judged.wish is Wish.STEER


def corrective(sentence: str) -> bool:
    """Does the sentence turn against what was done?"""
    return match.corrects(sentence) or match.complains(sentence) or phrases.opens(sentence, "puts_back")


def only_praise(sentences: Sequence[str]) -> bool:
    """Nothing but praise, and no work asked for?"""
    return all(match.praises(s) and not match.task_like(s) for s in sentences)


def _foreign(turn: Turn) -> str:
    """Says that something was pasted, without making it the user's words."""
    rows = (" ".join(row.split()) for text in turn.foreign for row in text.splitlines())
    line = next((row for row in rows if any(c.isalnum() for c in row)), "").replace('"', "'")
    return f" [with pasted text, which begins: {tokens.cut(line, max_bytes=120)}]" if line else ""


def answers(task: Task) -> Bullets:
    """The user's answers with their questions: decisions, or preferences when the answer says so in general words."""
    found: Bullets = []
    for _, row in task.rows:
        if row.kind is not Kind.ANSWER:
            continue
        own = " ".join(p.text for p in row.parts if p.kind is PartKind.OWN).strip() or row.text
        pair = titles.quote(own, max_bytes=300)
        if row.question:
            pair = f"{titles.quote(row.question, max_bytes=300)} — {pair}"
        standing = any(_standing(s) for s in match.sentences(own))
        found.append((_STATED if standing else "decision", pair))
    return found


def left_open(task: Task) -> Bullets:
    """What the user interrupted or put off."""
    found: Bullets = []
    last = task.turns[-1]
    if last.interrupted:
        words = titles.quote(last.own or titles.title(task), max_bytes=200)
        found.append(("open", f"interrupted by the user while at {words}"))
    for i, turn in enumerate(task.turns):
        for sentence in match.sentences(turn.own):
            later = match.leaves_open(sentence) and (i > 0 or len(task.turns) == 1)
            puts_off = later or phrases.holds(sentence, "puts_off")
            if puts_off and not _standing(sentence):
                found.append(("open", titles.quote(sentence)))
    return list(dict.fromkeys(found))[:_OPEN]


def references(task: Task) -> Bullets:
    """Addresses and tickets that the user named."""
    found: list[str] = []
    for turn in task.turns:
        found += [u.rstrip(".,;:!?)]}>'\"") for u in re.findall(r"https?://[^\s<>\"'`]+", turn.own)]
        found += re.findall(r"(?<![\w/-])(?:[A-Z][A-Z0-9]{1,9}-\d+|(?:GH-|#)\d+)(?![\w-])", turn.own)
    return [("reference", text) for text in dict.fromkeys(found)][:_REFERENCES]


def rejected(task: Task) -> list[tuple[int, frozenset[str]]]:
    """(turn, words) for each correction that turns away from something: commands before it that hold one are undone."""
    found = []
    for turn in task.turns[1:]:
        for sentence in match.sentences(turn.own):
            against = frozenset(match.stance(sentence).con)
            if against and (corrective(sentence) or match.judge(sentence).wish in (Wish.STEER, Wish.STANDING)):
                found.append((turn.number, against))
    return found
