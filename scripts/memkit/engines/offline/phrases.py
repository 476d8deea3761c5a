"""The engine's own short lists of phrases (data/phrases.toml), one table a language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import cast


@cache
def _found(key: str) -> re.Pattern[str]:
    text = (files("memkit.engines.offline") / "data" / "phrases.toml").read_text(encoding="utf-8")
    tables = cast("dict[str, dict[str, list[str] | bool]]", tomllib.loads(text))
    spaced = _body([table for table in tables.values() if table.get("spaced", True)], key)
    together = _body([table for table in tables.values() if not table.get("spaced", True)], key)
    return re.compile(rf"(?<![\w'’-])(?:{spaced})(?![\w'’-])|(?:{together})", re.IGNORECASE)


def _body(tables: Sequence[Mapping[str, list[str] | bool]], key: str) -> str:
    fragments = [f.replace(" ", r"\s+") for table in tables for f in cast("list[str]", table.get(key, []))]
    return "|".join(sorted(fragments, key=lambda f: (-len(f), f))) or "(?!)"


def opens(text: str, key: str) -> bool:
    """Does the text begin with a phrase of the list?"""
    return _found(key).match(text.lstrip(" \t\"'“「(*-")) is not None


def holds(text: str, key: str) -> bool:
    """Does a phrase of the list stand anywhere in the text?"""
    return _found(key).search(text) is not None


def without(text: str, key: str) -> str:
    """The text without a phrase of the list at its begin; unchanged when nothing else would be left."""
    found = _found(key).match(text)
    rest = text[found.end() :].lstrip(" ,:—–-，、：") if found else ""
    return rest or text
