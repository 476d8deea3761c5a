"""The tokens of a run: what was used, what is under way, and the cap that no run passes."""

from __future__ import annotations

import threading

from memkit.errors import BudgetError


class Meter:
    """Shared by all questions of a run. cap: tokens, input and output together."""

    def __init__(self, *, cap: int) -> None:
        self.cap = cap
        self._used = 0
        self._reserved = 0
        self._changed = threading.Condition()

    @property
    def used(self) -> int:
        """Tokens that the servers reported so far, or that were counted where they report none."""
        return self._used

    def reserve(self, tokens: int) -> None:
        """Sets aside what a question may cost at most; waits while others could still give some back.

        Raises BudgetError when it can't fit any more.
        """
        with self._changed:
            while self._used + self._reserved + tokens > self.cap:
                if not self._reserved:
                    raise BudgetError(
                        f"{self._used:,} of {self.cap:,} tokens are used, and the next question may cost {tokens:,}",
                        mend="the next run goes on; openai.max_tokens_per_run is the cap",
                    )
                self._changed.wait()
            self._reserved += tokens

    def settle(self, reserved: int, *, used: int) -> None:
        """Ends a reservation with what the question did cost."""
        with self._changed:
            self._reserved -= reserved
            self._used += used
            self._changed.notify_all()
