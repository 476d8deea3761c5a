"""What stands inside a line: quotes, code spans, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

_NONE, _UNCLOSED = -1, -2
_PAIRS = {"“": "”", "«": "»", "„": "“"}
_BEFORE_QUOTE = frozenset("([{<—\u2013-:;,/=|'“«„")
_AFTER_QUOTE = frozenset(".,;:!?)]}>—\u2013-/|'”»…")


class Span(NamedTuple):
    """A quote or code span of a line: the characters [start, end) with their marks; text is what is between them."""

    start: int
    end: int
    text: str
    kind: str  # "quote" or "code"


def quotes(text: str) -> tuple[str, ...]:
    """The texts between straight double quotes, outermost only, so that words quoted inside a quote stay whole."""
    return tuple(span.text for span in spans(text) if span.kind == "quote" and text[span.start] == '"')


def unquoted(text: str) -> str:
    """The line without its quotes (of any shape) and code spans; each leaves one space behind."""
    kept: list[str] = []
    at = 0
    for span in spans(text):
        kept += (text[at : span.start], " ")
        at = span.end
    return "".join((*kept, text[at:]))


def spans(text: str) -> tuple[Span, ...]:
    """Quotes and code spans in order, none inside another: inside a quote a backtick is only a backtick."""
    return tuple(_walk(text))


def leading_code(text: str) -> tuple[str, str]:
    """`` `code` rest `` as (code, rest), both stripped; ("", text) when the text does not begin with a code span.

    A code span ends at the first run of as many backticks as opened it that ends the text or stands before a dash;
    so a command with single backticks inside is read whole when it was fenced with two.
    """
    ticks = len(text) - len(text.lstrip("`"))
    if not ticks:
        return "", text
    closings = [at for at, length in _runs(text, ticks) if length == ticks]
    if not closings:
        return "", text
    ends = (at for at in closings if at + ticks == len(text) or text.startswith((" — ", " —"), at + ticks))
    close = next(ends, closings[0])
    return text[ticks:close].strip(), text[close + ticks :].strip()


def _runs(text: str, start: int) -> Iterator[tuple[int, int]]:
    at = text.find("`", start)
    while at >= 0:
        end = at
        while end < len(text) and text[end] == "`":
            end += 1
        yield at, end - at
        at = text.find("`", end)


def _walk(text: str) -> Iterator[Span]:
    code = dict(_code_ends(text))
    unclosed: set[str] = set()
    at = 0
    while at < len(text):
        mark = text[at]
        end = -1 if mark in unclosed else _span_end(text, at, code=code)
        if end > at:
            ticks = len(text[at:end]) - len(text[at:end].lstrip("`")) if mark == "`" else 1
            yield Span(at, end, text[at + ticks : end - ticks], "code" if mark == "`" else "quote")
            at = end
        else:
            if end == _UNCLOSED:
                unclosed.add(mark)
            at += 1


def _span_end(text: str, at: int, *, code: Mapping[int, int]) -> int:
    """The end of the span that opens at a character: _NONE when none does, _UNCLOSED when no such mark closes after."""
    mark = text[at]
    if mark == "`":
        return code.get(at, _NONE)
    if mark == '"':
        return _quote_end(text, at) if _opens(text, at) else _NONE
    if mark in _PAIRS:
        return text.find(_PAIRS[mark], at + 1) + 1 or _UNCLOSED
    return _NONE


def _code_ends(text: str) -> Iterator[tuple[int, int]]:
    """For each run of backticks the end of the next run of the same length: linear, whatever the text is."""
    after: dict[int, int] = {}
    for start, length in reversed(list(_runs(text, 0))):
        if length in after:
            yield start, after[length]
        after[length] = start + length


def _opens(text: str, at: int) -> bool:
    before = text[at - 1] if at else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    return (before.isspace() or before in _BEFORE_QUOTE or before == '"') and not after.isspace()


def _closes(text: str, at: int) -> bool:
    after = text[at + 1] if at + 1 < len(text) else " "
    return not text[at - 1].isspace() and (after.isspace() or after in _AFTER_QUOTE or after == '"')


def _quote_end(text: str, start: int) -> int:
    """The end of the quote that opens at start: where the depth is zero again, else after the last closing mark."""
    depth = 1
    last = _UNCLOSED
    at = text.find('"', start + 1)
    while at >= 0:
        fresh = text[at - 1].isspace()
        if _closes(text, at):
            depth -= 1
            last = at + 1
            if not depth:
                return last
        elif fresh and _opens(text, at):
            depth += 1
        at = text.find('"', at + 1)
    return last
