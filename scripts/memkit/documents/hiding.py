"""Taking sentences out of a stage-1 text: what a forget note names is shown in no file."""

from __future__ import annotations

import re
from collections.abc import Callable

from memkit import match
from memkit.documents import inline

_FORGOTTEN = "(forgotten)"


def hide(text: str, gone: Callable[[str], bool]) -> str:
    """The text without the sentences that are gone: quotes lose them, bullets that say nothing more go, titles too."""
    kept = (_line(line, gone) for line in text.split("\n"))
    return "\n".join(line for line in kept if line is not None)


def _line(line: str, gone: Callable[[str], bool]) -> str | None:
    heading = re.match(r"(#+ (?:Task \d+: )?)(.*)", line)
    if heading:
        return f"{heading[1]}{_FORGOTTEN}" if gone(heading[2]) else line
    if not line.strip():
        return line
    quotes = [span for span in inline.spans(line) if span.kind == "quote"]
    if not quotes:
        label = re.match(r"- [\w ()]+: ", line)
        return None if gone(line[label.end() :] if label else line) else line
    rest, at, left = "", 0, 0
    for span in quotes:
        sentences = [s for s in match.sentences(span.text) if not gone(s)]
        whole = len(sentences) == len(match.sentences(span.text))
        mark, close = line[span.start], line[span.end - 1]
        rest += line[at : span.start] + (
            line[span.start : span.end] if whole else f"{mark}{' '.join(sentences)}{close}"
        )
        at, left = span.end, left + len(sentences)
    return rest + line[at:] if left and not gone(inline.unquoted(line)) else None
