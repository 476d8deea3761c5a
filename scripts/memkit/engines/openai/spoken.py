"""Only the user speaks for the user: words that a model puts into their mouth are not kept as theirs.

A model reads text of tools, files and other agents, which may try to make it write down a wish that nobody has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from memkit import match
from memkit.documents import inline
from memkit.model import Evidence, Kind, PartKind, Row, StageOne, Tier

_REPORTED = "reported"  # the label of what only the assistant says


def attributed(output: StageOne, evidence: Evidence) -> StageOne:
    """The output with each bullet that is said to be the user's, and is not in their words, labelled as reported."""
    said = _Said(evidence.rows)
    return replace(
        output,
        rollout_summary=_checked(output.rollout_summary, said),
        raw_memory=_checked(output.raw_memory, said),
    )


def _checked(text: str, said: _Said) -> str:
    return "\n".join(_line(line, said) for line in text.split("\n"))


def _line(line: str, said: _Said) -> str:
    found = _bullet().match(line)
    if found is None or said.holds(found["text"], pasted=found["label"] == "request"):
        return line
    return f"{found['head']}{_REPORTED}: {found['text']}"


@cache
def _bullet() -> re.Pattern[str]:
    """A labelled bullet of a record (DESIGN.md, "Documents") whose words are the user's."""
    labels = r"request|correction|preference(?: \([a-z]+\))?|decision"
    return re.compile(rf"(?P<head>\s*[-*] )(?P<label>{labels}): (?P<text>.*)$")


class _Said:
    """What people said in a session."""

    def __init__(self, rows: Iterable[Row]) -> None:
        mine = [row for row in rows if row.label == Tier.HUMAN.value]
        self._all = [_plain(f"{row.question} {''.join(part.text for part in row.parts) or row.text}") for row in mine]
        self._own = [_plain(_own(row)) for row in mine]
        self._foreign = [_plain(part.text) for row in mine for part in row.parts if part.kind is not PartKind.OWN]
        self._sentences = [one for row in mine for one in match.sentences(_own(row))]

    def holds(self, text: str, *, pasted: bool) -> bool:
        """Are all quotes of a bullet the user's words? One without a quote must say what a sentence of theirs says.

        pasted: words that they pasted or quoted count too.
        """
        quoted = inline.quotes(text)
        if quoted:
            return all(self._spoken(each, pasted=pasted) for each in quoted)
        return self._spoken(text, pasted=pasted) or any(match.same(text, each) for each in self._sentences)

    def _spoken(self, words: str, *, pasted: bool) -> bool:
        pieces = [_plain(each) for each in re.split(r"\[?(?:…|\.\.\.)\]?", words)]
        return all(self._piece(piece, pasted=pasted) for piece in pieces if piece)

    def _piece(self, piece: str, *, pasted: bool) -> bool:
        if pasted:
            return any(piece in text for text in self._all)
        return any(piece in text for text in self._own) and not any(piece in text for text in self._foreign)


def _own(row: Row) -> str:
    """A person's words in a row, with the names and code that stand inside their sentences; not what they pasted."""
    if row.kind is Kind.ANSWER or not row.parts:
        return f"{row.question} {row.text}"
    return "".join(part.text for part in row.parts if part.kind is not PartKind.PASTE)


def _plain(text: str) -> str:
    """Words alone, so that quotes, breaks and stops make no difference."""
    return " ".join(re.findall(r"\w+", text.casefold()))
