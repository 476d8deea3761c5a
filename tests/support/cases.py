"""The behaviour cases of tests/cases, played by their own runner with memkit in this process: a quarter of the time."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.env import call_memkit

CASES = Path(__file__).parents[1] / "cases"
_HERE = "memkit-in-this-process"


def dev_cases() -> list[Path]:
    """The files of the dev cases, by name."""
    return sorted(CASES.glob("dev/*.yaml"))


def runner(patch: pytest.MonkeyPatch, folder: Path, more: Mapping[str, str] | None = None) -> ModuleType:
    """cases/check.py, whose calls of memkit are made in this process and whose homes lie below `folder`.

    more: variables that memkit gets besides those that the runner gives it.
    """
    spec = importlib.util.spec_from_file_location("memkit_cases_check", CASES / "check.py")
    assert spec is not None and spec.loader is not None
    patch.setattr(sys, "path", [str(CASES), *sys.path])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    real = subprocess.run

    def run(line: Sequence[str], **given: object) -> object:
        if line[0] != _HERE:
            return real(line, **given)  # type: ignore[call-overload]
        env, cwd = given["env"], given["cwd"]
        assert isinstance(env, Mapping) and isinstance(cwd, Path)
        with contextlib.chdir(cwd):
            done = call_memkit(line[1:], env={**env, **(more or {})}, ok=None)
        return subprocess.CompletedProcess(line, done.returncode, done.stdout.encode(), done.stderr.encode())

    patch.setattr(module.subprocess, "run", run)
    patch.setenv("MEMKIT", _HERE)
    patch.setenv("TMPDIR", str(folder))
    patch.setattr(module.tempfile, "tempdir", str(folder))
    return module


def play(module: ModuleType, patch: pytest.MonkeyPatch, case: Path, *options: str) -> int:
    """The runner's exit status for one case; what it found is on stdout."""
    patch.setattr(sys, "argv", ["check.py", *options, str(case)])
    return int(module.main())
