"""The plain words in fragments of regular expressions: what speaks for a language."""

from __future__ import annotations

import re
from functools import cache


def plain_words(fragments: str) -> set[str]:
    """The words of fragments, one a line, that stand whole in them: "usa(?:r|d)? sempre" gives "sempre"."""
    plain, before = _escapes().sub("#", fragments), ""
    while plain != before:
        before, plain = plain, _groups().sub("#", plain)
    return {word.lower() for word in _whole_words().findall(plain)}


@cache
def _escapes() -> re.Pattern[str]:
    return re.compile(r"\\.|\[[^\]\n]*\]")


@cache
def _groups() -> re.Pattern[str]:
    return re.compile(r"\([^()\n]*\)")


@cache
def _whole_words() -> re.Pattern[str]:
    return re.compile(r"(?<![\w#])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w#?*+{|])")
