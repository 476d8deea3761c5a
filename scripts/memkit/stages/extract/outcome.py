"""What an extraction came to, or would cost: plain values, without what it takes to extract."""

from __future__ import annotations

from dataclasses import dataclass

from memkit.model import Outcome, State


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracted:
    """What became of each session that was due, in the order of the work; busy: those that another run works on.

    spent: why the engine may not be asked any more, "" where it may; the sessions that were left for it wait.
    """

    outcomes: tuple[Outcome, ...] = ()
    busy: int = 0
    left: int = 0
    spent: str = ""

    def count(self, state: State) -> int:
        return sum(o.state is state for o in self.outcomes)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What an extraction would send: the sessions that would be asked about, and their evidence in tokens."""

    sessions: int
    tokens: int
