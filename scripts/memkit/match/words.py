"""Word lists by language (words/*.toml), compiled once and only when something is judged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import cast

Raw = Mapping[str, object]


def pattern(fragments: Sequence[str], *, spaced: bool = True) -> re.Pattern[str]:
    """One regular expression for any of the fragments, longest first, between word borders where words have them."""
    if not fragments:
        return re.compile(r"(?!)")
    body = "|".join(sorted((f.replace(" ", r"\s+") for f in fragments), key=len, reverse=True))
    return re.compile(rf"(?<![\w'’-])(?:{body})(?![\w'’-])" if spaced else f"(?:{body})", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Words:
    """One language's lists. Patterns are compiled on first use and kept."""

    raw: Raw

    def of(self, key: str) -> list[str]:
        return cast("list[str]", self.raw.get(key, []))

    def rows(self, key: str) -> list[list[str]]:
        return cast("list[list[str]]", self.raw.get(key, []))

    @property
    def language(self) -> str:
        return str(self.raw["language"])

    @property
    def stemmer(self) -> str:
        return str(self.raw.get("stemmer", ""))

    @property
    def spaced(self) -> bool:
        return bool(self.raw.get("spaced", True))

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {}

    def find(self, *keys: str) -> re.Pattern[str]:
        """The pattern of one or several lists together."""
        name = "+".join(keys)
        if name not in self._patterns:
            self._patterns[name] = pattern([f for k in keys for f in self.of(k)], spaced=self.spaced)
        return self._patterns[name]

    @cached_property
    def stopwords(self) -> frozenset[str]:
        return frozenset(self.of("stopwords"))

    @cached_property
    def negations(self) -> frozenset[str]:
        return frozenset(self.of("negations"))

    @cached_property
    def synonyms(self) -> dict[str, str]:
        return {word: row[0] for row in self.rows("synonyms") for word in row}


def _load(name: str) -> Raw:
    return tomllib.loads((files("memkit.match") / "words" / name).read_text(encoding="utf-8"))


@cache
def languages() -> tuple[Words, ...]:
    """Every language that has a file, English first, then by name."""
    names = sorted(f.name for f in (files("memkit.match") / "words").iterdir() if f.name.endswith(".toml"))
    loaded = [Words(_load(name)) for name in names if name != "values.toml"]
    return tuple(sorted(loaded, key=lambda w: (w.language != "en", w.language)))


@cache
def values() -> dict[str, frozenset[int]]:
    """Word to the numbers of the groups of alternatives that it belongs to."""
    found: dict[str, set[int]] = {}
    groups = cast("list[list[str]]", _load("values.toml")["groups"])
    for number, group in enumerate(groups):
        for word in group:
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
