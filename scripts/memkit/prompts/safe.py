"""What makes a value safe to stand in a generated text."""

from __future__ import annotations

import re
from functools import lru_cache

UNTITLED = "untitled"

# Characters that show nothing and change how their neighbours read: bidi controls, zero width, fillers, tags.
_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
_JOINERS = "[\u200c\u200d]+"
_FRAME = r"(?i)<(?=\s*(?:/\s*)?memkit[-_\s]?memory)"


@lru_cache(4_096)
def one_line(text: str) -> str:
    """The text as one line that is no heading: breaks and control characters fold to a space, invisible ones go.

    Also defuses the reading frame's delimiters (see `defuse`) and drops heading marks at the start. Idempotent.
    """
    if text.isascii() and text.isprintable() and not {"#", "<"} & set(text):
        return text.strip()  # nearly every value, and summaries are rendered many times to fit their budget
    folded = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", lambda run: " " if run[0].strip(" ") else run[0], _visible(text))
    return re.sub(r"^(?:#{1,6}(?: +|$))+", "", defuse(folded.strip()))


def plain_lines(text: str) -> str:
    """A text of many lines whose breaks are `\\n` alone: of other breaks and control characters nobody sees one."""
    if text.isascii() and "\r" not in text and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = encodable(text).replace("\r\n", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)


def defuse(text: str) -> str:
    """The text, of any number of lines, unable to open or close the reading frame: `</memkit-memory` loses its `<`."""
    return re.sub(_FRAME, "[", text)


def encodable(text: str) -> str:
    """The text without what UTF-8 or Git can't take: lone surrogates and NUL become U+FFFD."""
    return re.sub("[\ud800-\udfff\x00]", "\ufffd", text)


def _visible(text: str) -> str:
    """The text without characters that show nothing: what is read is what is there. Line breaks stay."""
    return re.sub(_JOINERS, _joiner, re.sub(_INVISIBLE, "", encodable(text)))


def _joiner(run: re.Match[str]) -> str:
    """Between letters of Persian, Hindi or emoji a joiner is spelling; beside ASCII it only hides something."""
    sides = (run.string[max(run.start() - 1, 0) : run.start()], run.string[run.end() : run.end() + 1])
    spelling = all(side and not side.isascii() and not side.isspace() for side in sides)
    return run[0][0] if spelling else ""


def thread_id(text: str) -> str:
    """An id as header and pointer write it: a pointer ends where its id does, so an id holds no space."""
    return one_line(text).replace(" ", "_")
