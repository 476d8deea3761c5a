"""A rollout file to items: streaming, in file order, each said or done once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memkit.errors import RolloutError
from memkit.model import Facts, Item, Session
from memkit.rollouts import find
from memkit.rollouts.files import Problem
from memkit.rollouts.heads import head
from memkit.rollouts.reading import Reading, TooLong
from memkit.rollouts.replay import Gone, Replay


class Decoder:
    """Iterates the items of a rollout file once, after those of the pages that it goes on from.

    facts: there when that has come to its end.
    session: what `head` said of the file, asked for when not given. parent: the file of the session that this one was
    forked from, to tell the repeated history from the fork's own. fast off: no line is skipped by its beginning.
    Lines that give nothing are counted, never fatal. Raises RolloutError where the file itself can't be read.
    """

    def __init__(
        self, path: Path, *, session: Session | None = None, parent: Path | None = None, fast: bool = True
    ) -> None:
        self._path = path
        self._paths = find.segments(path)
        self._fast = fast
        self._session = session if session is not None else _own_head(path)
        self._parent = parent
        self._facts: Facts | None = None

    @property
    def facts(self) -> Facts:
        """What the whole file showed. Raises RuntimeError before all items were taken."""
        if self._facts is None:
            raise RuntimeError("a rollout's facts are known when its items were read to the end")
        return self._facts

    def __iter__(self) -> Iterator[Item]:
        try:
            try:
                reading = self._reading(gone=None)
                yield from reading
            except TooLong:  # nothing was given out yet
                reading = self._reading(gone=Gone(self._rolled_back()))
                yield from reading
        except OSError as error:
            raise RolloutError(f"{self._path}: {error.strerror or error}") from error
        self._facts = reading.facts(self._session)

    def _reading(self, *, gone: Gone | None) -> Reading:
        session = self._session
        parent = _readable(self._parent) if self._parent is not None else None
        replay = Replay(forked=bool(session.forked_from), started_at=session.started_at, parent=parent)
        return Reading(self._paths, fast=self._fast, session=session, gone=gone, replay=replay, hold=gone is None)

    def _rolled_back(self) -> list[tuple[int, int]]:
        """What is taken back later must be known before it is given out: such files, which are few, are read twice."""
        survey = Reading(self._paths, fast=self._fast)
        for _ in survey:
            pass
        return survey.rollbacks.dropped


def _own_head(path: Path) -> Session:
    session = head(path)
    if isinstance(session, Problem):
        raise RolloutError(f"{path}: {session.what}")
    return session


def _readable(path: Path) -> Iterator[Item]:
    """The parent's items as far as they can be read: without them the fork's are still there."""
    with suppress(OSError, RolloutError):
        yield from Reading(find.segments(path), fast=True)
