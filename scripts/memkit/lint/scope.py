"""scope-mark-missing: a mark that can't be read, or a claim of one project that is written as if it held everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from memkit import match
from memkit.documents import inline
from memkit.documents.summary import SummaryDoc, SummaryLine
from memkit.lint import near
from memkit.lint.world import World
from memkit.model import Section

_NOWHERE = ("", "~", "/")
LABELS = ("preference (stated)", "correction", "decision")


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """What a user said in a session, as its record quotes it. project: as marks write it, "" for no directory."""

    project: str
    thread_id: str
    text: str


def problems(doc: SummaryDoc, judged: Iterable[SummaryLine], *, world: World) -> Iterator[tuple[SummaryLine, str]]:
    """The judged claim lines whose scope is off, and how; lines of notes and those by hand are the user's own."""
    claims = [line for line in judged if line.section is not Section.INDEX and not line.mark]
    if not claims:
        return
    known = {world.project(record.cwd) for record in world.records.values()} - {""}
    said = _Said(statements(world)) if any(line.scope is None for line in claims) else _Said(())
    for line in claims:
        what = _form(line, known=known | _named(doc), cwds=known) or said.owner(line)
        if what:
            yield line, what


def statements(world: World) -> tuple[Statement, ...]:
    """The user's preferences, corrections and decisions in the tree's records."""
    return tuple(
        Statement(project=world.project(task.project or record.cwd), thread_id=record.thread_id, text=text)
        for record in world.records.values()
        for task in record.body.tasks
        for bullet in task.labelled(*LABELS)
        for text in bullet.quotes or (bullet.text,)
    )


def _named(doc: SummaryDoc) -> set[str]:
    return {name for line in doc.lines for name in (line.scope, line.heading if line.pointer else None) if name}


def _form(line: SummaryLine, *, known: set[str], cwds: set[str]) -> str:
    if line.fault:
        return line.fault
    if line.scope is not None:
        is_path = re.match(r"[~/\\]|[A-Za-z]:[/\\]", line.scope) is not None
        return "" if is_path or line.scope in cwds else "a scope mark must name a project by the path of its root"
    for found in re.findall(r"\(in ([^()]+)\)", inline.unquoted(line.text)):
        if found.strip() in known:
            return "a scope mark must stand at the begin of its line"
    return ""


class _Said:
    """Statements, found by the words that they share with a claim."""

    def __init__(self, all_said: Iterable[Statement]) -> None:
        self._all = tuple(all_said)
        self._by_word: dict[str, set[int]] = {}
        for number, statement in enumerate(self._all):
            for word in _words(statement.text):
                self._by_word.setdefault(word, set()).add(number)

    def owner(self, line: SummaryLine) -> str:
        """What to say of an unmarked claim whose every session lies in one project, "" where that can't be told.

        Where fewer sessions are found here than the line counts, the rest may lie in other projects.
        """
        if line.scope is not None or not self._all:
            return ""
        texts = inline.quotes(line.text) or (line.text,)
        close = [statement for text in texts for statement in self._close(text)]
        found = [statement for statement in close if any(_occurs(text, statement.text) for text in texts)]
        projects = {statement.project for statement in found}
        if len(projects) != 1 or len({statement.thread_id for statement in found}) < (line.sessions or 1):
            return ""
        if any(map(_general, texts)) or any(_general_for(statement.text, texts) for statement in close):
            return ""
        project = projects.pop()
        if project in _NOWHERE:
            return "said outside of any project and not for every one: it stays in its record"
        return f"said in {project} only and not for every project: the line must begin with `(in {project}) `"

    def _close(self, text: str) -> list[Statement]:
        numbers: set[int] = set().union(*(self._by_word.get(word, set()) for word in _words(text)))
        return [self._all[number] for number in sorted(numbers)]


@lru_cache(maxsize=65_536)
def _pieces(statement: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((statement, *match.sentences(statement))))


def _occurs(text: str, statement: str) -> bool:
    flat = _flat(text)
    if flat and f" {flat} " in f" {_flat(statement)} ":
        return True
    return any(near.same(text, piece) for piece in _pieces(statement))


def _general(text: str) -> bool:
    return match.everywhere(text) or any(match.judge(piece).everywhere for piece in _pieces(text))


def _general_for(statement: str, texts: Iterable[str]) -> bool:
    """Whether general words stand where the claim was said, or in what it corrects: a correction keeps that scope."""
    for piece in match.sentences(statement):
        if _general(piece) and any(_occurs(text, piece) or match.conflict(text, piece) for text in texts):
            return True
    return False


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _flat(text).split() if len(word) > 2 or not word.isascii())


@lru_cache(maxsize=65_536)
def _flat(text: str) -> str:
    return " ".join(_word().findall(text.casefold()))


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"\w+")
