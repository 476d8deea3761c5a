"""What must be masked, what must stay, with and without the optional engines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from memkit.redact import find, leaks, mask, prefilter
from tests.redact.vectors import masked, read, without_marks

ENGINES = ["both", "few bytes", "no hyperscan", "no betterleaks", "neither"]


@pytest.fixture(params=ENGINES)
def engines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Runs a test as if the optional packages were missing; the compiled engines are rebuilt before and after.

    few bytes: as in a process that masks too little for the engines to be worth loading.
    """
    monkeypatch.setattr(prefilter, "_FEW_BYTES", 1 << 40 if request.param == "few bytes" else 0)
    if request.param in ("no hyperscan", "neither"):
        monkeypatch.setattr(prefilter, "hyperscan", lambda: None)
    if request.param in ("no betterleaks", "neither"):
        monkeypatch.setattr(leaks, "betterleaks", lambda: None)
    prefilter._engine.cache_clear()
    leaks._scanner.cache_clear()
    yield request.param
    prefilter._engine.cache_clear()
    leaks._scanner.cache_clear()


@pytest.mark.usefixtures("engines")
def test_every_secret_is_masked_and_nothing_beside_it() -> None:
    wrong = [(line, got) for line in read("caught.txt") if (got := mask(without_marks(line))) != masked(line)]
    assert wrong == []


@pytest.mark.usefixtures("engines")
def test_what_is_no_secret_stays() -> None:
    wrong = [(line, got) for line in read("survives.txt") if (got := mask(line)) != line]
    assert wrong == []


@pytest.mark.usefixtures("engines")
def test_masking_masked_text_changes_nothing() -> None:
    for line in read("caught.txt"):
        once = mask(without_marks(line))
        assert mask(once) == once


def test_both_keyword_engines_give_the_same_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("hyperscan")
    monkeypatch.setattr(prefilter, "_FEW_BYTES", 0)
    texts = [without_marks(line) for line in read("caught.txt")] + read("survives.txt")
    texts.append("\ud800é".join(texts))
    prefilter._engine.cache_clear()
    with_hyperscan = [find(text) for text in texts]
    monkeypatch.setattr(prefilter, "hyperscan", lambda: None)
    prefilter._engine.cache_clear()
    assert [find(text) for text in texts] == with_hyperscan
    prefilter._engine.cache_clear()


def test_a_process_that_masks_little_loads_no_engine() -> None:
    code = (
        "import sys; from memkit import redact; redact.mask('run: 12 sessions; commit none')\n"
        "assert 'hyperscan' not in sys.modules, sorted(sys.modules)\n"
        "redact.mask('word ' * 10_000); print('hyperscan' in sys.modules)"
    )
    pytest.importorskip("hyperscan")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "True\n"
