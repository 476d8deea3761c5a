"""The engine's own short lists of phrases (data/phrases.toml), one table a language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import cast

from memkit import match


@cache
def _tables() -> dict[str, dict[str, list[str] | bool]]:
    text = (files("memkit.engines.offline") / "data" / "phrases.toml").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, list[str] | bool]]", tomllib.loads(text))


@cache
def _of(found: tuple[str, ...], key: str) -> re.Pattern[str]:
    tables = [table for language, table in _tables().items() if language in found]
    spaced = _body([table for table in tables if table.get("spaced", True)], key)
    together = _body([table for table in tables if not table.get("spaced", True)], key)
    return re.compile(rf"(?<![\w'’-])(?:{spaced})(?![\w'’-])|(?:{together})", re.IGNORECASE)


def _body(tables: Sequence[Mapping[str, list[str] | bool]], key: str) -> str:
    fragments = [f.replace(" ", r"\s+") for table in tables for f in cast("list[str]", table.get(key, []))]
    return "|".join(sorted(fragments, key=lambda f: (-len(f), f))) or "(?!)"


def _found(text: str, key: str) -> re.Pattern[str]:
    """The list's phrases in the languages that the text may be in."""
    return _of(match.fits(text), key)


def opens(text: str, key: str) -> bool:
    """Does the text begin with a phrase of the list?"""
    return _found(text, key).match(text.lstrip(" \t\"'“「(*-")) is not None


def holds(text: str, key: str) -> bool:
    """Does a phrase of the list stand anywhere in the text?"""
    return _found(text, key).search(text) is not None


def without(text: str, key: str) -> str:
    """The text without a phrase of the list at its begin; unchanged when nothing else would be left."""
    found = _found(text, key).match(text)
    rest = text[found.end() :].lstrip(" ,:—–-，、：") if found else ""
    return rest or text
