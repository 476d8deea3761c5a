"""The behaviour cases of tests/cases, played by their own runner: two from outside, as a user's memkit is called."""

from __future__ import annotations

import contextlib
import importlib.util
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.env import call_memkit, command

CASES = Path(__file__).parent / "cases"
FROM_OUTSIDE = ("formats", "rerun_is_quiet")
_HERE = "memkit-in-this-process"


def _cases() -> list[Path]:
    return sorted(CASES.glob("dev/*.yaml"))


def test_all_cases_are_there() -> None:
    assert len(_cases()) == 18 and set(FROM_OUTSIDE) <= {path.stem for path in _cases()}


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_memory_says_what_the_case_asks_for_from_outside(name: str, env: dict[str, str], tmp_path: Path) -> None:
    runner = [sys.executable, str(CASES / "check.py"), str(CASES / "dev" / f"{name}.yaml")]
    outside = {**env, "MEMKIT": shlex.join(command()), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        runner, env=outside, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 cases" in done.stdout


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The cases' runner, whose calls of memkit are made in this process: the same checks in a quarter of the time."""
    spec = importlib.util.spec_from_file_location("memkit_cases_check", CASES / "check.py")
    assert spec is not None and spec.loader is not None
    monkeypatch.setattr(sys, "path", [str(CASES), *sys.path])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    real = subprocess.run

    def run(line: Sequence[str], **more: object) -> object:
        if line[0] != _HERE:
            return real(line, **more)  # type: ignore[call-overload]
        env, cwd = more["env"], more["cwd"]
        assert isinstance(env, Mapping) and isinstance(cwd, Path)
        with contextlib.chdir(cwd):
            done = call_memkit(line[1:], env=env, ok=None)
        return subprocess.CompletedProcess(line, done.returncode, done.stdout.encode(), done.stderr.encode())

    monkeypatch.setattr(module.subprocess, "run", run)
    monkeypatch.setenv("MEMKIT", _HERE)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    return module


@pytest.mark.parametrize("case", _cases(), ids=lambda path: path.stem)
def test_memory_says_what_the_case_asks_for(
    runner: ModuleType, case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["check.py", str(case)])
    status = runner.main()
    told = capsys.readouterr().out
    assert status == 0 and "1 of 1 cases" in told, told
