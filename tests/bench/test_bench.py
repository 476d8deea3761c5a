"""The bench runs whole on a tiny corpus: what it prints then means nothing, that it prints everything does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memkit.rollouts import shapes
from tests.bench import bench, corpus

ROOT = Path(__file__).parents[2]


def test_the_corpus_is_the_same_each_time_and_mostly_skipped(tmp_path: Path) -> None:
    made = [corpus.corpus(tmp_path / name, sessions=2, size=4 << 20) for name in "ab"]
    first, second = (b"".join(path.read_bytes() for path in each.files) for each in made)
    assert first == second and len(made[0].files) == 2
    read = skipped = 0
    for line in first.splitlines():
        value = json.loads(line)
        nested = value["type"] in ("response_item", "event_msg")
        kind = (value["type"], value["payload"]["type"] if nested else "")
        if kind in shapes.WANTED and kind not in shapes.NEEDLES:
            read += len(line)
        else:
            skipped += len(line)
    assert 0.75 < skipped / (read + skipped) < 0.95


def test_a_corpus_that_is_there_is_kept(tmp_path: Path) -> None:
    made = corpus.small_sessions(tmp_path, sessions=2)
    made.files[0].write_text("mine")
    assert corpus.small_sessions(tmp_path, sessions=2).size < made.size
    made.remove()
    assert corpus.small_sessions(tmp_path, sessions=2).size == made.size


def test_the_whole_bench_runs_on_a_tiny_corpus(tmp_path: Path) -> None:
    pytest.importorskip("orjson", reason="the extra `bench`")
    written = tmp_path / "bench.json"
    line = [sys.executable, "-m", "tests.bench.bench", "--tiny", "--cache", str(tmp_path / "c"), "--json", str(written)]
    done = subprocess.run(line, cwd=ROOT, env=dict(os.environ), capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    figures = json.loads(written.read_text())["figures"]
    assert len(figures) == 20 and all(figure["value"] > 0 for figure in figures if figure["unit"] != "n")
    assert all(figure["name"] in done.stdout for figure in figures)
    assert not [path for path in (tmp_path / "c").iterdir() if path.name.startswith("tmp")]


def test_a_model_is_sent_less_than_codex_sends_and_all_that_people_said(tmp_path: Path) -> None:
    figures = list(bench.evidence(tmp_path))
    assert [figure.bar for figure in figures] == [0.5, 1, 1, 0]
    assert all(figure.holds for figure in figures), figures
    assert all(figure.value > 0 for figure in figures[:3]) and figures[3].note == "of 45"


def test_a_missed_bar_is_said() -> None:
    figure = bench.Figure(name="x", value=2, bar=1)
    assert not figure.holds and "MISSED" in bench.shown(figure)
    assert bench.Figure(name="x", value=2, bar=None).holds
