"""Cutting text into sentences and clauses: the units that words are judged in."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from memkit.match.fit import fitting
from memkit.match.words import Words, languages, merged


@cache
def _end() -> re.Pattern[str]:
    # Full-width stops end a sentence without a space; the others need one, so that 3.11 and app.py stay whole.
    return re.compile(
        # Each run of signs or empty lines is read once: pastes may hold very long ones.
        r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*(?=\s|$)|[。！？｡]++(?:[」』”）]++(?!と|って)|(?![」』”）]))"
        r"|\n(?:[^\S\n]*+\n)++[^\S\n]*+|\n[^\S\n]*(?=[-*•]\s|\d+[.)]\s)|\n(?=[^\S\n]*\S)"
    )


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(merged("abbreviations"))


@cache
def _joints(found: tuple[Words, ...]) -> re.Pattern[str]:
    """Where a clause ends: semicolons, dashes, before the languages' joints, at their breaks."""
    parts = [r"\s*;\s+|\s+[—–-]\s+|\s*[；]\s*"]
    for words in found:
        if joints := words.body("joints"):
            parts.append(rf",?\s+(?=(?:{joints})\s)" if words.spaced else rf"[,，、]?\s*(?=(?:{joints}))")
        if breaks := words.body("breaks"):
            parts.append(rf"(?:{breaks})\s*")
    return re.compile("|".join(parts), re.IGNORECASE)


@lru_cache(1_024)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, trimmed, list bullets taken off; never empty strings.

    A line break ends a sentence unless the line simply goes on (next line starts in lower case).
    """
    text = unicodedata.normalize("NFC", text)
    found: list[str] = []
    start = 0
    for match in _end().finditer(text):
        if match.group().startswith("\n") and _runs_on(text, match):
            continue
        piece = text[start : match.end()]
        if _abbreviated(piece):
            continue
        _add(piece, found)
        start = match.end()
    _add(text[start:], found)
    cleaned = (_bullet().sub("", " ".join(piece.split())) for piece in found)
    return tuple(piece for piece in cleaned if any(c.isalnum() for c in piece))


def _add(piece: str, found: list[str]) -> None:
    """One more sentence; one that says where the last one holds ("That goes for all my repos.") belongs to it."""
    if found and _refers_back().match(piece.lstrip()):
        found[-1] += piece
    else:
        found.append(piece)


@cache
def _refers_back() -> re.Pattern[str]:
    bodies = ((words.body("refers_back"), words.spaced) for words in languages())
    return re.compile("|".join(rf"(?:{body})" + (r"\b" if spaced else "") for body, spaced in bodies if body), re.I)


def _abbreviated(piece: str) -> bool:
    """Does the piece end with an abbreviation, or is it only the number of a list's line?"""
    if piece.strip()[:-1].isdecimal():
        return True
    pieces = piece.rsplit(maxsplit=1)
    last = pieces[-1].lower().lstrip("(\"'“[") if pieces else ""
    return last in _abbreviations()


def _runs_on(text: str, match: re.Match[str]) -> bool:
    if match.group().count("\n") > 1:
        return False
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    return bool(before) and before[-1] not in ":.!?。！？" and bool(after) and after[0].islower()


def clauses(sentence: str) -> list[tuple[int, str]]:
    """(offset, text) of the sentence's clauses: cut at semicolons, dashes, and before joints of its languages."""
    found, start = [], 0
    for match in _joints(fitting(sentence)).finditer(sentence):
        if match.start() > start:
            found.append((start, sentence[start : match.start()]))
        start = match.end()
    if start < len(sentence):
        found.append((start, sentence[start:]))
    return found


def parts(clause: str) -> list[str]:
    """The parts of a clause between commas and colons, trimmed."""
    return [part for part in (p.strip() for p in re.split(r"[,:]\s+|[，、：]\s*", clause)) if part]
