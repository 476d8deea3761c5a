"""AGENTS.md and its like: where memkit's block stands, and what the rest says. Everything outside the block is kept.

Two comments of their own lines mark the block. Markdown decides what is such a line: one that stands in a code fence,
a list or a quote marks nothing, so that a page may show what a block looks like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt

from memkit.documents import Malformed

BEGIN = "<!-- memkit:rules: made by `memkit agents write`; change the rules, not these lines -->"
END_HEAD, END_TAIL = "<!-- memkit:rules:end ", " -->"
BOM = "\ufeff"

_BEGIN = r"<!-- memkit:rules:(?!end\b)[^\n]*-->[ \t]*"
_SHOWN = ("<pre", "<script", "<style", "<textarea", "<!--")  # elements whose text is shown or hidden as it stands
_END = r"<!-- memkit:rules:end(?: ([0-9a-f]{12}))? -->[ \t]*"


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A file in three parts; joined they are its text. block: both comments and what is between, "" when there is none.

    body: what is between the comments. seal: the hash in the closing comment, "" when it has none. newline: how the
    file ends its lines. line: of the block's first line, from 1, 0 without one.
    """

    before: str
    block: str
    after: str
    body: str = ""
    seal: str = ""
    newline: str = "\n"
    line: int = 0


@dataclass(frozen=True, slots=True)
class Saying:
    """A line of the page outside of the block that tells something. line: from 1."""

    text: str
    line: int


def parse(text: str) -> Page:
    """The parts of a page. Malformed where a comment lacks its partner, or there are several blocks."""
    mark = BOM if text.startswith(BOM) else ""
    lines = _lines(text.removeprefix(BOM))
    first = lines[0] if lines else ""
    newline = next((each for each in ("\r\n", "\r") if first.endswith(each)), "\n")
    begins, ends = _marks(lines)
    if not begins and not ends:
        return Page(before=text, block="", after="", newline=newline)
    if len(begins) > 1:
        raise Malformed(begins[1] + 1, "a second block of rules begins")
    if not begins or not ends or ends[0] < begins[0]:
        lone = begins[0] if begins and not (ends and ends[0] < begins[0]) else ends[0]
        missing = "has no end" if lone in begins else "has no beginning"
        raise Malformed(lone + 1, f"the block of rules {missing}: a comment of memkit's is missing")
    if len(ends) > 1:
        raise Malformed(ends[1] + 1, "a block of rules ends a second time")
    top, last = begins[0], ends[0]
    seal = re.fullmatch(_END, _bare(lines[last]))
    return Page(
        before=mark + "".join(lines[:top]),
        block="".join(lines[top : last + 1]),
        after="".join(lines[last + 1 :]),
        body="".join(lines[top + 1 : last]),
        seal=(seal[1] or "") if seal else "",
        newline=newline,
        line=top + 1,
    )


def sayings(text: str) -> list[Saying]:
    """The list items and paragraphs of a page outside of memkit's block, each as one line; code is left out."""
    try:
        page = parse(text)
    except Malformed:
        page = Page(before=text, block="", after="")
    whole = page.before + "\n" * page.block.count("\n") + page.after
    return [
        Saying(" ".join(token.content.split()), token.map[0] + 1)
        for token in _reader().parse(whole.removeprefix(BOM))
        if token.type == "inline" and token.map and token.content.strip()
    ]


def _marks(lines: list[str]) -> tuple[list[int], list[int]]:
    """The numbers (from 0) of the lines that begin and end a block."""
    if not any("memkit:rules:" in line for line in lines):
        return [], []
    begins, ends = [], []
    for token in _reader().parse("".join(lines)):
        if token.type != "html_block" or token.level or not token.map:
            continue
        first, last = token.map
        head = _bare(lines[first]).lstrip()
        for number in range(first, min(last, len(lines))):
            row = _bare(lines[number])
            if number > first and head.startswith(_SHOWN):
                break
            if re.fullmatch(_BEGIN, row):
                begins.append(number)
            elif re.fullmatch(_END, row):
                ends.append(number)
    return begins, ends


@cache
def _reader() -> MarkdownIt:
    """Blocks only: what stands inside a line is of no interest here."""
    return MarkdownIt("commonmark").disable("inline")


def _lines(text: str) -> list[str]:
    """The lines with their ends, as Markdown counts them: neither form feeds nor Unicode's separators end one."""
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", text)


def _bare(line: str) -> str:
    return line.rstrip("\r\n")
