"""`make test-llm` says why it skips, and keeps only what was made whole; that it works, it shows itself."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "llm" / "prepare.py"


@pytest.fixture
def prepare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("llm_prepare", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_a_compiler_it_says_what_is_missing(
    prepare: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert prepare.main([str(tmp_path / "cache")]) == 0
    told = capsys.readouterr().err
    assert told.startswith("test-llm: skipped: no ") and "build-essential" in told


def test_a_step_that_fails_is_said_and_leaves_nothing_half_made(
    prepare: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_network(line: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        (tmp_path / "called").touch()
        return subprocess.CompletedProcess(line, 1, "", "Could not reach the index")

    monkeypatch.setattr(prepare.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(prepare.subprocess, "run", no_network)
    cache = tmp_path / "cache"
    (cache / "tools").mkdir(parents=True)
    (cache / "tools" / ".complete").touch()
    assert prepare.main([str(cache)]) == 1
    told = capsys.readouterr().err
    assert "could not pip download" in told and "Could not reach the index" in told
    assert [path.name for path in cache.iterdir()] == ["tools"] and (tmp_path / "called").exists()


def test_what_is_in_the_cache_is_not_made_again(
    prepare: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = tmp_path / f"llama-server-{prepare.SOURCE.split('==')[1]}"
    weights = tmp_path / f"weights-{prepare.WEIGHTS.split('==')[1]}" / "package" / "model.gguf"
    server.touch()
    weights.parent.mkdir(parents=True)
    weights.touch()
    monkeypatch.setattr(prepare.subprocess, "run", None)
    assert prepare.prepared(tmp_path) == (server, weights)
