"""Linear by construction: no regex of the own rules may repeat without bound, and rules read a run once."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from memkit.redact import find, leaks, mask, named, patterns, shape

parser = re._parser  # type: ignore[attr-defined]
REPEATS = (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT)
SOURCES = {
    **patterns.sources(),
    **{f"shape {name}": source for name, source in shape.SOURCES.items()},
    "environment name": named._ENV.pattern,
    "words of a name": named._WORDS.pattern,
}


def _bounds(parsed: object) -> Iterator[int]:
    if isinstance(parsed, (tuple, list, parser.SubPattern)):
        items = list(parsed)  # type: ignore[arg-type]
        if len(items) == 2 and items[0] in REPEATS:
            yield int(items[1][1])
        for item in items:
            yield from _bounds(item)


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_quantifier_is_bounded(name: str) -> None:
    assert all(bound <= 20_000 for bound in _bounds(parser.parse(SOURCES[name])))


def test_the_walk_sees_an_unbounded_quantifier() -> None:
    assert max(_bounds(parser.parse(r"(?:a|(?P<x>b+?))c{1,3}"))) == int(parser.MAXREPEAT)


@pytest.mark.parametrize("unit", ["password=", "cookie=a", "sk-" + "proj-aB3", "token=a1b2c3d4", "eyJhbGc.", "://a:a@"])
def test_a_run_that_was_taken_is_not_read_again(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "betterleaks", lambda: None)
    leaks._scanner.cache_clear()
    text = unit * 400
    masked = mask(text)
    assert mask(masked) == masked
    assert len(find(text)) <= 400
    leaks._scanner.cache_clear()


def test_a_secret_longer_than_a_rule_reads_is_masked_to_its_end() -> None:
    key = "sk-" + "proj-" + "aB3dE6gH9" * 500
    assert mask(f"a {key} b") == "a [REDACTED_SECRET] b"
    assert mask(f"TOKEN={'aB3dE6gH9' * 500} b") == "TOKEN=[REDACTED_SECRET] b"
    assert mask(f'password="{"aB3dE6gH9" * 500}" b') == 'password="[REDACTED_SECRET]" b'


def test_a_key_across_the_windows_of_the_second_pass_is_found() -> None:
    pytest.importorskip("betterleaks")
    key = "gh" + "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
    for at in (leaks.WINDOW - 20, leaks.WINDOW - leaks.OVERLAP - 20):
        text = "x" * (at - 1) + " " + key + " " + "y" * leaks.WINDOW
        assert any(text[start:end] == key for start, end, _ in leaks.spans(text))
