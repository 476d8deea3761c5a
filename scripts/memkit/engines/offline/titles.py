"""Naming tasks in the user's words, quoting them, and slugs."""

from __future__ import annotations

import re

from memkit import match, tokens
from memkit.engines.offline import phrases
from memkit.engines.offline.segment import Task, Turn, asks_work
from memkit.match.words import unmarked

_TITLE_CHARS = 90
_STOPS = " .!,;:。！，、；："


def title(task: Task) -> str:
    """The sentence that asks for the work; where that says too little ("fix it"), the one before it."""
    for turn in task.turns:
        if found := _of_turn(turn):
            return found
    for turn in task.turns:
        for text in turn.foreign:
            if line := _first_line(text):
                return _cut(f"about pasted text: {line}")
    return "untitled"


def _of_turn(turn: Turn) -> str:
    parts = [
        s
        for s in match.sentences(turn.own)
        if not match.greets(s) and not match.approves(s) and (asks_work(s) or not match.praises(s))
    ]
    work = [s for s in parts if asks_work(s) and match.judge(s).wish is not match.Wish.STANDING]
    for sentence in work:
        said = len(match.stance(_trim(sentence)).words)
        if said >= 3 or (said >= 2 and sentence is parts[0]):
            return _cut(_trim(sentence))
    plain = [s for s in parts if match.judge(s).wish is not match.Wish.STANDING] or parts
    if work and plain and work[0] is not plain[0]:
        both = f"{_trim(plain[0])}: {_trim(work[0])}"
        return (
            _cut(both)
            if len(both) <= _TITLE_CHARS
            and len(match.stance(work[0]).words) > 1
            and match.judge(work[0]).wish is not match.Wish.STEER
            else _cut(_trim(plain[0]))
        )
    return _cut(_trim(plain[0])) if plain else ""


def _trim(sentence: str) -> str:
    """Without a polite opening and the stop at its end; a question keeps its mark."""
    if asks_work(sentence):
        sentence = phrases.without(sentence, "occasion")
    text = re.sub(
        r"^(?:(?:hi|hey|hello|please|pls|ok|okay|so|now|also|and|then|great|thanks|thank you|cool|perfect|good|next"
        r"|alright|right)(?: there)?[\s,.!:—–-]+)+",
        "",
        sentence.strip(),
        flags=re.IGNORECASE,
    )
    text = re.sub(r"^(?:can|could|would|will) you(?: please)?(?: also)?\s+", "", text, flags=re.IGNORECASE)
    text = match.bare(text).rstrip(_STOPS) or sentence
    if phrases.holds(text, "puts_off") and ", " in text:
        text = text[: text.rindex(", ")]
    text = text.rstrip("?？") if match.task_like(text.rstrip("?？")) else text
    # "https://…", "src/a.py", "iOS" and "`npm`" keep their spelling.
    word = text.split(maxsplit=1)[0].rstrip(",.:;!?") if text.strip() else ""
    return text[:1].upper() + text[1:] if word.isalpha() and word.islower() else text


def _cut(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= _TITLE_CHARS:
        return text
    head = text[:_TITLE_CHARS]
    clause = max(head.rfind(mark) for mark in (", ", "; ", " – ", " — ", ": ", "，", "、", "；", "：", "。"))
    if clause > _TITLE_CHARS // 3:
        return head[:clause]
    return (head.rsplit(" ", 1)[0] if " " in head[40:] else head).rstrip(" ,;:—–-(") + "…"


def _first_line(text: str) -> str:
    return next((" ".join(line.split()) for line in text.splitlines() if any(c.isalnum() for c in line)), "")


def clip(text: str, *, max_chars: int) -> str:
    """The text, or its beginning up to a word's end and `…`."""
    if len(text) <= max_chars:
        return text
    head = text[:max_chars]
    # Without spaces between words a space far back is none of a word's end near the limit.
    return (head.rsplit(" ", 1)[0] if " " in head[max_chars // 2 :] else head).rstrip(_STOPS) + "…"


def slug(name: str) -> str:
    """ASCII words of a title (marks taken off: "für" is "fur"), joined by `-`, at most 60 characters; "" if none."""
    words = re.findall(r"[a-z0-9]+", unmarked(name.replace("[REDACTED_SECRET]", "")).lower())
    kept = [
        w
        for w in words
        if w
        not in (
            "the",
            "a",
            "an",
            "to",
            "of",
            "and",
            "in",
            "on",
            "for",
            "it",
            "is",
            "with",
            "that",
            "this",
            "so",
            "please",
        )
    ]
    text = ""
    for word in kept or words:
        if len(text) + len(word) > 48:
            break
        text = f"{text}-{word}" if text else word
    return text


def quote(text: str, *, max_bytes: int = 700) -> str:
    """The words as they were said, on one line, between double quotes (inner ones become single), cut visibly."""
    line = " ".join(text.split()).replace('"', "'")
    return f'"{tokens.cut(line, max_bytes=max_bytes)}"'
