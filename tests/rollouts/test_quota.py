"""The agent's own rate limits, by the newest token count of any rollout file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import zstandard

from memkit.rollouts import find
from memkit.rollouts.find import Found
from memkit.rollouts.quota import tightest
from tests.support.rollouts import Rollout

START = 1_795_166_000  # about 2026-11-20T09:13Z, some minutes into a Rollout's default day


def files(folder: Path) -> list[Found]:
    """What a scan finds; each file was last changed when its session says."""
    return [each for each in find.find_in([folder]) if isinstance(each, Found)]


def told(folder: Path, *, now: float = START) -> float | None:
    found = tightest(files(folder), now=now)
    return None if found is None else found.used_percent


def counted(name: str, *, hour: int, primary: object = None, secondary: object = None, tail: int = 0) -> Rollout:
    """A session whose last token count tells these two windows; tail: bytes of other lines behind it."""
    session = Rollout(name=name, started=f"2026-11-20T{hour:02}:00:00Z").user("Go.").run("ls", output="a\n")
    session.event("token_count", info=None, rate_limits={"primary": primary, "secondary": secondary})
    return session.reasoning(size=tail) if tail else session


def window(used: float, *, ends: float | None = START + 3_600, left: float | None = None) -> dict[str, float]:
    keys = {"used_percent": used, "resets_at": ends, "resets_in_seconds": left}
    return {key: value for key, value in keys.items() if value is not None}


def written(session: Rollout, folder: Path) -> Path:
    path = session.write(folder)
    os.utime(path, (session.last, session.last))
    return path


def test_the_newest_count_of_all_files_tells_whatever_the_order_of_their_names(tmp_path: Path) -> None:
    written(counted("young", hour=8, primary=window(30)), tmp_path)
    assert told(tmp_path) == 30
    grown = counted("old", hour=5, primary=window(90))
    grown.last = START  # goes on long after the other one
    written(grown.event("token_count", info=None, rate_limits={"primary": window(55), "secondary": None}), tmp_path)
    assert told(tmp_path) == 55


def test_of_two_windows_the_tighter_one_counts_as_long_as_it_has_not_passed(tmp_path: Path) -> None:
    written(counted("a", hour=9, primary=window(95, ends=START + 60), secondary=window(80, ends=START + 600)), tmp_path)
    assert [told(tmp_path, now=START + after) for after in (0, 59, 60, 599, 600)] == [95, 95, 80, 80, None]


@pytest.mark.parametrize(("used", "at", "left"), [(91, 0, 91), (91, 599, 91), (91, 601, None)])
def test_a_window_may_tell_its_end_in_seconds_from_its_line(
    tmp_path: Path, used: float, at: int, left: float | None
) -> None:
    session = counted("a", hour=9, primary=window(used, ends=None, left=600))
    written(session, tmp_path)
    assert told(tmp_path, now=session.last + at) == left


def test_a_window_without_an_end_counts_for_five_hours(tmp_path: Path) -> None:
    session = counted("a", hour=9, primary=window(91, ends=None))
    written(session, tmp_path)
    assert told(tmp_path, now=session.last + 5 * 3_600 - 1) == 91
    assert told(tmp_path, now=session.last + 5 * 3_600 + 1) is None


@pytest.mark.parametrize("tail", [0, 200_000, 700_000, 3_000_000])
def test_long_lines_behind_the_count_do_not_hide_it(tmp_path: Path, tail: int) -> None:
    written(counted("a", hour=9, primary=window(77), tail=tail), tmp_path)
    assert told(tmp_path) == 77


def test_words_about_limits_damaged_lines_and_counts_without_limits_tell_nothing(tmp_path: Path) -> None:
    session = counted("a", hour=9, primary=window(42)).injected('{"type":"token_count","used_percent": 99}')
    session.event("token_count", info=None, rate_limits=None)
    written(session.raw('{"timestamp":"2026-11-20T09:00:09.000Z","type":"event_msg","payload":{"type":"token_count","ra'
                        'te_limits":{"primary":{"used_percent":98'), tmp_path)  # fmt: skip
    assert told(tmp_path) == 42
    assert told(tmp_path / "nothing") is None


def test_a_compressed_file_tells_too_and_one_that_is_damaged_stops_nothing(tmp_path: Path) -> None:
    path = written(counted("a", hour=9, primary=window(66)), tmp_path)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    path.unlink()
    packed.with_name("rollout-2026-11-21T09-00-00-broken.jsonl.zst").write_bytes(b"no frame")
    assert told(tmp_path) == 66
