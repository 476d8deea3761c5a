"""The names of rollout summary files: `<time>-<4 characters>[-<slug>].md` (CODEX.md, "Files")."""

from __future__ import annotations

import re
import uuid
from functools import cache
from typing import NamedTuple

from memkit.documents import Malformed, places

FOLDER = places.RECORDS

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SPACE = len(_DIGITS) ** 4


class RecordName(NamedTuple):
    """A rollout summary's file name. stamp: `2026-11-26T19-20-14`; slug: "" when the name has none."""

    stamp: str
    short: str
    slug: str = ""


def parse(name: str) -> RecordName:
    """Reads a file name (without its folder); raises Malformed when it is not of the form."""
    match = _form().fullmatch(name)
    if match is None:
        raise Malformed(0, "the name is not <YYYY-MM-DDTHH-MM-SS>-<4 characters>[-<slug>].md")
    return RecordName(stamp=match["stamp"], short=match["short"], slug=match["slug"] or "")


def short_hash(thread_id: str) -> str:
    """The 4 characters of a thread id: its low 32 bits (of no UUID: a 32-bit hash) modulo 62^4, in base 62."""
    try:
        value = uuid.UUID(thread_id).int & 0xFFFF_FFFF
    except ValueError:
        value = 0
        for byte in thread_id.encode("utf-8", "surrogatepass"):
            value = (value * 31 + byte) & 0xFFFF_FFFF
    value %= _SPACE
    digits = ""
    for _ in range(4):
        value, digit = divmod(value, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


@cache
def _form() -> re.Pattern[str]:
    return re.compile(
        r"(?P<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2})-(?P<short>[0-9A-Za-z]{4})"
        r"(?:-(?P<slug>[a-z0-9_]{1,60}))?\.md"
    )
