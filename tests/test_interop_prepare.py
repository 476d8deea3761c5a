"""`make interop` says why it skips, never hangs, keeps only what was made whole; that it works, it shows itself."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "interop" / "prepare.py"
REFUSED = "echo 'npm error code ECONNREFUSED' >&2; exit 1"
# What npm does: says the versions of a range, and puts a program that says its version where it was told.
WORKS = """\
case $1 in
view) echo '["0.171.0", "0.170.9"]' ;;
*) bin=$3/node_modules/.bin; mkdir -p "$bin"; printf '#!/bin/sh\\necho "codex-cli %s"\\n' "${5##*@}" >"$bin/codex"
   chmod +x "$bin/codex" ;;
esac"""


@pytest.fixture
def prepare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("interop_prepare", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Machine:
    """Its npm is a script; cache: what make interop keeps."""

    def __init__(self, folder: Path, *, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache, self._bin = folder / "cache", folder / "bin"
        self._bin.mkdir()
        monkeypatch.setenv("PATH", f"{self._bin}:/usr/bin:/bin")
        self.script("node", "exit 0")

    def script(self, name: str, lines: str) -> None:
        (self._bin / name).write_text(f"#!/bin/sh\n{lines}\n")
        (self._bin / name).chmod(0o755)

    def keep(self, *versions: str) -> None:
        for version in versions:
            program = self.cache / f"codex-{version}" / "node_modules" / ".bin" / "codex"
            program.parent.mkdir(parents=True)
            program.touch()

    @property
    def kept(self) -> list[str]:
        return sorted(each.name for each in self.cache.iterdir())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch=monkeypatch)


def test_without_npm_it_says_what_is_missing(
    prepare: ModuleType, machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(machine.cache))
    assert prepare.main([str(machine.cache)]) == 0
    assert capsys.readouterr().err.count("no npm on PATH; on Debian and Ubuntu: apt-get install npm") == 2


@pytest.mark.parametrize(
    ("npm", "why"), [(REFUSED, "registry (ECONNREFUSED)"), ("exec sleep 60", "took over 0 seconds")]
)
def test_a_registry_that_cant_be_reached_is_said_and_not_waited_for(
    prepare: ModuleType,
    machine: Machine,
    npm: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("_ASK_SECONDS", "_INSTALL_SECONDS"):
        monkeypatch.setattr(prepare, name, 0.3)
    machine.script("npm", npm)
    assert prepare.main([str(machine.cache)]) == 0
    assert capsys.readouterr().err.count(why) == 2 and machine.kept == []


def test_then_what_is_in_the_cache_is_used(prepare: ModuleType, machine: Machine) -> None:
    machine.script("npm", REFUSED)
    machine.keep("0.160.0", "0.170.2", "0.170.10", "0.180.0")
    found = [prepare.prepared(machine.cache, release=release) for release in prepare.RELEASES]
    assert [each.parents[2].name for each in found] == ["codex-0.160.0", "codex-0.170.10"]


def test_the_newest_of_a_range_is_installed_and_takes_the_place_of_older_ones(
    prepare: ModuleType, machine: Machine
) -> None:
    machine.script("npm", WORKS)
    machine.keep("0.160.0", "0.170.2")
    found = prepare.prepared(machine.cache, release=prepare.RELEASES[1])
    assert os.access(found, os.X_OK) and found.parents[2].name == "codex-0.171.0"
    assert machine.kept == ["codex-0.160.0", "codex-0.171.0"]


@pytest.mark.parametrize(
    ("npm", "said"),
    [
        ("echo 'npm error code ENOSPC' >&2; exit 1", "could not npm install"),
        (WORKS.replace("codex-cli %s", "%.0s"), "does not start"),
        ("exit 0", "npm installed no program"),
    ],
)
def test_a_step_that_fails_is_said_and_leaves_nothing_half_made(
    prepare: ModuleType, machine: Machine, npm: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.script("npm", npm)
    assert prepare.main([str(machine.cache)]) == 1
    assert said in capsys.readouterr().err and machine.kept == []
