"""The behaviour cases of tests/cases, played by their own runner: two from outside, as a user's memkit is called."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import CASES, dev_cases, play, runner
from tests.support.env import command

FROM_OUTSIDE = ("formats", "rerun_is_quiet")


def test_all_cases_are_there() -> None:
    assert len(dev_cases()) == 18 and set(FROM_OUTSIDE) <= {path.stem for path in dev_cases()}


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_memory_says_what_the_case_asks_for_from_outside(name: str, env: dict[str, str], tmp_path: Path) -> None:
    line = [sys.executable, str(CASES / "check.py"), str(CASES / "dev" / f"{name}.yaml")]
    outside = {**env, "MEMKIT": shlex.join(command()), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        line, env=outside, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 cases" in done.stdout


@pytest.mark.parametrize("case", dev_cases(), ids=lambda path: path.stem)
def test_memory_says_what_the_case_asks_for(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status = play(runner(monkeypatch, tmp_path), monkeypatch, case)
    told = capsys.readouterr().out
    assert status == 0 and "1 of 1 cases" in told, told
