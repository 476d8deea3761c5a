"""Cutting text into sentences and clauses: the units that words are judged in."""

from __future__ import annotations

import re
from functools import cache

_ABBREVIATIONS = (
    "e.g.",
    "i.e.",
    "etc.",
    "vs.",
    "approx.",
    "no.",
    "incl.",
    "cf.",
    "resp.",
    "min.",
    "max.",
    "mr.",
    "ms.",
    "dr.",
    "p.s.",
)


@cache
def _end() -> re.Pattern[str]:
    # Full-width stops end a sentence without a space; the others need one, so that 3.11 and app.py stay whole.
    return re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”）]*|\n\s*(?=[-*•]\s|\d+[.)]\s)|\n{2,}|\n(?=\s*\S)")


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(r"\s*;\s+|\s+[—–-]\s+|,?\s+(?=(?:but|and|also|so)\s)|\s*[；]\s*", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, trimmed, list bullets taken off; never empty strings.

    A line break ends a sentence unless the line simply goes on (next line starts in lower case).
    """
    found: list[str] = []
    start = 0
    for match in _end().finditer(text):
        if match.group().startswith("\n") and _runs_on(text, match):
            continue
        piece = text[start : match.end()]
        if piece.rstrip().lower().endswith(_ABBREVIATIONS):
            continue
        found.append(piece)
        start = match.end()
    found.append(text[start:])
    cleaned = (_bullet().sub("", " ".join(piece.split())) for piece in found)
    return [piece for piece in cleaned if any(c.isalnum() for c in piece)]


def _runs_on(text: str, match: re.Match[str]) -> bool:
    if match.group().count("\n") > 1:
        return False
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    return bool(before) and before[-1] not in ":.!?。！？" and bool(after) and after[0].islower()


def clauses(sentence: str) -> list[tuple[int, str]]:
    """(offset, text) of the sentence's clauses: cut at semicolons, dashes and before "and", "but", "also", "so"."""
    found, start = [], 0
    for match in _joints().finditer(sentence):
        if match.start() > start:
            found.append((start, sentence[start : match.start()]))
        start = match.end()
    if start < len(sentence):
        found.append((start, sentence[start:]))
    return found
