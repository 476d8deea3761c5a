"""Counting and cutting text by tokens and bytes, at character borders, with a visible mark."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Literal, Protocol

_CHUNK = 500_000  # characters; bpe-openai refuses a million
_MOST_JOINED = 32  # characters that a border moves to keep a combining sequence whole; longer ones are hostile
_MOST_BYTES_A_TOKEN = 16  # where the search starts; text is 2 to 6
_JOINER = "\u200d"


class _Encoding(Protocol):
    def count(self, text: str) -> int: ...


@cache
def _encoding() -> _Encoding | None:
    """o200k, from the compiled half of bpe-openai alone: its Python half unpacks three vocabularies at import (1 s)."""
    name = "bpe_openai._bindings"
    package = find_spec("bpe_openai")
    spec = PathFinder.find_spec(name, package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        return None
    module = sys.modules.get(name)
    if module is None:
        module = sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(module)
    encoding: _Encoding = module.tokenizer_for_encoding("o200k_base")
    return encoding


def exact() -> bool:
    """Whether `count` counts real tokens (o200k; the extra `tokens`); does not load it."""
    return find_spec("bpe_openai") is not None


def byte_length(text: str) -> int:
    """UTF-8 bytes; a lone surrogate counts 3."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def estimate(text: str) -> int:
    """Tokens as bytes / 2.4, rounded up: the same on every machine, and safe for all but base64 (LIBRARIES.md)."""
    return -(-byte_length(text) * 5 // 12)


def count(text: str) -> int:
    """Tokens of o200k where the extra is installed, else the estimate.

    Text beyond 500,000 characters is counted in pieces: at most a few tokens off.
    """
    encoding = _encoding()
    if encoding is None:
        return estimate(text)
    if not text.isascii():  # a lone surrogate is no UTF-8, which Rust's strings are
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return sum(encoding.count(text[at : at + _CHUNK]) for at in range(0, len(text), _CHUNK))


def cut(
    text: str,
    *,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    keep: Literal["head", "both"] = "head",
    counter: Callable[[str], int] = estimate,
) -> str:
    """Text within both limits, a mark with the number of bytes left out included; unchanged when it fits.

    keep: what stays, the beginning or both ends. counter: how tokens are counted. Borders never fall inside a
    character, a surrogate pair or a combining sequence. A limit too small for the mark gets `…`, or nothing.
    """
    limit = byte_length(text) if max_bytes is None else min(max_bytes, byte_length(text))
    shorter = _cut_bytes(text, limit=limit, keep=keep)
    if max_tokens is None or counter(shorter) <= max_tokens:
        return shorter
    return _cut_tokens(text, limit=limit, max_tokens=max_tokens, keep=keep, counter=counter)


def cut_lines(text: str, *, max_bytes: int) -> str:
    """The first whole lines within the limit, and a last line saying how many were left out; unchanged when it fits.

    Where not even the first line fits, it is cut as by `cut`.
    """
    if byte_length(text) <= max_bytes:
        return text
    lines = text.splitlines(keepends=True)
    end = "\n" if text.endswith("\n") else ""
    room = max_bytes - byte_length(_lines_mark(len(lines)) + end)
    kept = 0
    for line in lines:
        room -= byte_length(line)
        if room < 0:
            break
        kept += 1
    if not kept:
        return cut(text, max_bytes=max_bytes)
    return "".join(lines[:kept]) + _lines_mark(len(lines) - kept) + end


def _mark(left_out: int) -> str:
    return f"[… {left_out:,} bytes left out …]"


def _lines_mark(left_out: int) -> str:
    return f"[… {left_out:,} lines left out …]"


def _cut_bytes(text: str, *, limit: int, keep: Literal["head", "both"]) -> str:
    total = byte_length(text)
    if total <= limit:
        return text
    room = limit - byte_length(_mark(total))  # no mark of this text is longer
    if room < 0:
        return "…" if limit >= byte_length("…") else ""
    head = _head(text, limit=room if keep == "head" else (room + 1) // 2)
    tail = "" if keep == "head" else _tail(text, limit=room // 2)
    return head + _mark(total - byte_length(head) - byte_length(tail)) + tail


def _cut_tokens(
    text: str, *, limit: int, max_tokens: int, keep: Literal["head", "both"], counter: Callable[[str], int]
) -> str:
    low, high, best = 0, min(limit, max_tokens * _MOST_BYTES_A_TOKEN), ""
    while low <= high:
        middle = (low + high) // 2
        candidate = _cut_bytes(text, limit=middle, keep=keep)
        if counter(candidate) <= max_tokens:
            low, best = middle + 1, candidate
        else:
            high = middle - 1
    return best


def _head(text: str, *, limit: int) -> str:
    """The longest beginning within `limit` bytes that ends at a border."""
    data = text[:limit].encode("utf-8", "surrogatepass")
    end = min(limit, len(data))
    while 0 < end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    size = len(data[:end].decode("utf-8", "surrogatepass"))
    for border in range(size, max(size - _MOST_JOINED, 0), -1):
        if not _joined(text, at=border):
            return text[:border]
    return text[: size - _paired(text, at=size)] if size > _MOST_JOINED else ""


def _tail(text: str, *, limit: int) -> str:
    """The longest end within `limit` bytes that starts at a border."""
    rest = text[-limit:] if limit else ""
    data = rest.encode("utf-8", "surrogatepass")
    start = max(len(data) - limit, 0)
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    first = len(text) - len(data[start:].decode("utf-8", "surrogatepass"))
    for border in range(first, min(first + _MOST_JOINED, len(text)) + 1):
        if not _joined(text, at=border):
            return text[border:]
    return text[first + _paired(text, at=first) :]


def _paired(text: str, *, at: int) -> bool:
    """Whether a border would halve a surrogate pair."""
    return 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"


def _joined(text: str, *, at: int) -> bool:
    """Whether the characters on both sides of a border belong together."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return (
        unicodedata.category(after) in ("Mn", "Me", "Mc")
        or _JOINER in (before, after)
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or (before == "\r" and after == "\n")
        or _paired(text, at=at)
    )
