"""The progress bar: on a terminal, for work that lasts; elsewhere nothing."""

from __future__ import annotations

import io
import threading

import pytest

from memkit.commands import work
from memkit.commands.app import Options


class Screen(io.StringIO):
    """A standard error that is, or is not, a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def work_that_lasts(
    monkeypatch: pytest.MonkeyPatch, *, terminal: bool, quiet: bool = False, term: str = "xterm"
) -> str:
    screen = Screen(terminal=terminal)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(work, "_BAR_AFTER", 0)
    with work.bar("reading", Options(home=None, quiet=quiet, verbose=False)) as progress:
        for timer in [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]:
            timer.join()
        progress(1, 2)
    return screen.getvalue()


def test_a_long_step_shows_a_bar_before_it_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "reading" in work_that_lasts(monkeypatch, terminal=True)


def test_short_work_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(terminal=True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(work, "_BAR_AFTER", 3600)
    with work.bar("reading", Options(home=None, quiet=False, verbose=False)) as progress:
        progress(1, 2)
    assert screen.getvalue() == ""
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.mark.parametrize(
    ("terminal", "quiet", "term"), [(False, False, "xterm"), (True, True, "xterm"), (True, False, "dumb")]
)
def test_nothing_moves_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool, term: str
) -> None:
    assert work_that_lasts(monkeypatch, terminal=terminal, quiet=quiet, term=term) == ""
