"""Literal search over the committed tree: several texts; any of them, or all of them within some lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memkit.errors import UsageError
from memkit.model import canonical
from memkit.repo.view import view
from memkit.stages.search import paths
from memkit.stages.search.folding import Fold, Sieve
from memkit.stages.search.looking import lines_of
from memkit.stages.search.paths import Cursors

MAX_TEXTS = 32
_LONGEST = 1_000  # characters of a line that are shown; the rest is what `read` is for


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What is looked for.

    texts: substrings, each within one line. within: None for any of them, else a number of lines that must hold all of
    them (1: all on one line). any_case, any_punctuation: what does not count (see Fold). path: a file or folder.
    context: lines shown before and after. most: matches on a page.
    """

    texts: tuple[str, ...]
    within: int | None = None
    any_case: bool = True
    any_punctuation: bool = False
    path: str = ""
    context: int = 0
    most: int = 100
    cursor: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """Lines of a file that match, the fewest that hold what was asked for. Lines and columns count from 1.

    column: of the first text in the first line, in characters. texts: those found in these lines, as asked. content:
    the lines from start_line on, those of the context included; what is over 1,000 characters of a line is left out.
    """

    path: str
    line: int
    last_line: int
    column: int
    texts: tuple[str, ...]
    start_line: int
    content: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A page of matches in the order of files (see paths.ordered) and lines. cursor: of the next page, "" without."""

    matches: tuple[Match, ...]
    cursor: str = ""


def search(*, home: Path, folder: str, query: Query) -> Found:
    """A page of the matches in the committed tree; folder: the tree in the home.

    Raises UsageError for a query that can match no line, for a path outside the tree or at which nothing stands, and
    for a cursor of something else.
    """
    fold = Fold(case=query.any_case, punctuation=query.any_punctuation)
    wanted = {text: _folded(text, fold) for text in dict.fromkeys(query.texts)}
    if not 0 < len(wanted) <= MAX_TEXTS:
        raise UsageError(f"a search is for 1 to {MAX_TEXTS} texts, not {len(wanted)}", mend='memkit search "…"')
    with view(home, folder) as seen:
        path, _ = paths.entry(seen, query.path)
        asked = [sorted(wanted), query.within, query.any_case, query.any_punctuation, path]
        cursors = Cursors(tree=seen.tree, call=canonical(asked))
        first, passed = cursors.place(query.cursor)
        files = seen.files(path)
        names = paths.ordered(name for name in files if paths.shown(name))[first:]
        sieve = Sieve(fold=fold, wanted=tuple(wanted.values()))
        enough = any if query.within is None else all
        page: list[Match] = []
        for at, (name, data) in enumerate(zip(names, seen.contents([files[n] for n in names]), strict=True), first):
            if not enough(sieve(data)):
                continue
            spans = _spans(data, fold=fold, wanted=list(wanted.values()), within=query.within)
            skipped = passed if at == first else 0
            room = query.most - len(page)
            new = list(islice(spans, skipped, skipped + room + 1))
            page += _shown(name, data, spans=new[:room], fold=fold, wanted=wanted, context=query.context)
            if len(new) > room:
                return Found(matches=tuple(page), cursor=cursors.at(at, skipped + room))
        return Found(matches=tuple(page))


def _folded(text: str, fold: Fold) -> str:
    """A text as it is looked for. Raises UsageError when no line can hold it, or every line does."""
    if "\n" in text or "\r" in text:
        raise UsageError("a text with a line break matches no line", mend="give each line as a text of its own")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError("a text to search for is no valid Unicode", mend="type it in UTF-8")
    folded = fold(text)
    if not folded.strip():
        raise UsageError(f"there is nothing to search for in {text!r}", mend="name a letter, or let punctuation count")
    return folded


def _spans(data: bytes, *, fold: Fold, wanted: list[str], within: int | None) -> Iterator[tuple[int, int]]:
    """(first, last) of the lines that match, from 0; of spans that hold all texts those that hold no shorter one."""
    text = fold(data.decode("utf-8", "replace"))
    if not (any if within is None else all)(each in text for each in wanted):
        return  # most files end here, without being cut into lines
    lines = text.split("\n")
    if within is None:
        yield from ((at, at) for at, line in enumerate(lines) if any(each in line for each in wanted))
        return
    last = dict.fromkeys(wanted, -1)
    told = -1
    for at, line in enumerate(lines):
        held = [each for each in last if each in line]
        last.update(dict.fromkeys(held, at))
        begin = min(last.values())
        if held and begin > told and at - begin < within:
            told = begin
            yield begin, at


def _shown(
    name: str, data: bytes, *, spans: list[tuple[int, int]], fold: Fold, wanted: dict[str, str], context: int
) -> Iterator[Match]:
    lines = lines_of(data) if spans else []
    for begin, end in spans:
        folded = [fold(line) for line in lines[begin : end + 1]]
        first = min(at for each in wanted.values() if (at := folded[0].find(each)) >= 0)
        column = fold.origin(lines[begin], at=first)
        start = max(begin - context, 0)
        content = [_cut(line, at=0) for line in lines[start : end + 1 + context]]
        content[begin - start] = _cut(lines[begin], at=column)
        yield Match(
            path=name,
            line=begin + 1,
            last_line=end + 1,
            column=column + 1,
            texts=tuple(text for text, each in wanted.items() if any(each in line for line in folded)),
            start_line=start + 1,
            content=tuple(content),
        )


def _cut(line: str, *, at: int) -> str:
    """A long line's part around a column."""
    if len(line) <= _LONGEST:
        return line
    start = max(min(at - _LONGEST // 4, len(line) - _LONGEST), 0)
    end = start + _LONGEST
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
