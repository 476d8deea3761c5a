"""The behaviour cases of tests/cases, played from outside on the memkit that is installed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.support.env import command

CASES = Path(__file__).parent / "cases"
LATER_STEPS: dict[str, int] = {}


def _cases() -> Iterator[ParameterSet]:
    for path in sorted(CASES.glob("dev/*.yaml")):
        step = LATER_STEPS.get(path.stem)
        yield pytest.param(path, id=path.stem, marks=[pytest.mark.later_step(step)] if step else [])


def test_every_case_of_a_later_step_is_there_to_be_run_one_day() -> None:
    assert set(LATER_STEPS) <= {path.stem for path in CASES.glob("dev/*.yaml")}
    assert len(list(CASES.glob("dev/*.yaml"))) == 18


@pytest.mark.parametrize("case", list(_cases()))
def test_memory_says_what_the_case_asks_for(case: Path, env: dict[str, str], tmp_path: Path) -> None:
    runner = [sys.executable, str(CASES / "check.py"), str(case)]
    outside = {**env, "MEMKIT": shlex.join(command()), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        runner, env=outside, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 cases" in done.stdout
