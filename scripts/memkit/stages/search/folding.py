"""Texts made alike for literal matching, and the way back from a place in such a text to the one in the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_BLOCK = 4_096  # characters; only the block that holds a place is walked through


@dataclass(frozen=True, kw_only=True, slots=True)
class Fold:
    """What does not count when texts are compared. Canonically equal characters are always equal.

    case: upper and lower case, by Unicode's full folding (`ß` is `ss`). punctuation: whatever is no letter, digit or
    mark, spaces included (`pre-commit` is `pre commit` is `precommit`). Newlines stay, so lines stay lines.
    """

    case: bool
    punctuation: bool

    def __call__(self, text: str) -> str:
        """The text as it is compared."""
        if self.case:
            text = text.casefold()
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return text.translate(_dropped()) if self.punctuation else text

    def origin(self, text: str, *, at: int) -> int:
        """The index of the character in `text` that stands at index `at` of the folded text."""
        start = 0
        for block in _blocks().findall(text):
            size = len(self(block))
            if at < size:
                return start + self._within(block, at)
            at -= size
            start += len(block)
        return start

    def _within(self, block: str, at: int) -> int:
        if block.isascii() and not self.punctuation:
            return at
        start = 0
        for cluster in clusters(block):
            size = len(self(cluster))
            if at < size:
                break
            at -= size
            start += len(cluster)
        return start


@dataclass(frozen=True, kw_only=True, slots=True)
class Sieve:
    """Tells from a file's bytes, without decoding them, whether its folded text can hold the folded texts.

    Only the ASCII among them are looked for; a file with a character that folds to ASCII may hold anything, a file of
    ASCII only such texts.
    """

    fold: Fold
    wanted: tuple[str, ...]

    def __call__(self, data: bytes) -> list[bool]:
        """Of each text in turn: whether the file may hold it. False is certain."""
        skeleton = data.lower() if self.fold.case else data
        if self.fold.punctuation:
            skeleton = skeleton.translate(None, _not_alphanumeric())
        plain = data.isascii()
        found = [each.encode() in skeleton if each.isascii() else not plain for each in self.wanted]
        if all(found) or plain or not _to_ascii().search(data.translate(None, _ascii())):
            return found
        return [True] * len(found)


def clusters(text: str) -> Iterator[str]:
    """The pieces that fold each by itself: a character with all that composes with it."""
    start = 0
    for end in range(1, len(text)):
        if not _joins(text[start:end], text[end]):
            yield text[start:end]
            start = end
    if text:
        yield text[start:]


def _joins(before: str, char: str) -> bool:
    if char.isascii():
        return False
    normal = unicodedata.normalize
    if unicodedata.combining(normal("NFD", char)[0]):
        return True
    return normal("NFC", before + char) != normal("NFC", before) + normal("NFC", char)


class _Dropped(dict[int, int | None]):
    """For str.translate: None for what is no letter, digit, mark or newline; filled as characters are met."""

    def __missing__(self, code: int) -> int | None:
        kept = chr(code) == "\n" or unicodedata.category(chr(code))[0] in "LNM"
        self[code] = code if kept else None
        return self[code]


@cache
def _dropped() -> _Dropped:
    return _Dropped()


@cache
def _blocks() -> re.Pattern[str]:
    # Cut before an ASCII character: it composes with nothing that stands before it.
    return re.compile(rf"[\s\S]{{1,{_BLOCK}}}[^\x00-\x7f]*")


@cache
def _not_alphanumeric() -> bytes:
    return bytes(code for code in range(256) if code != 10 and not (code < 128 and chr(code).isalnum()))


@cache
def _ascii() -> bytes:
    return bytes(range(128))


@cache
def _to_ascii() -> re.Pattern[bytes]:
    """The characters beyond ASCII that fold or compose to some of it: sharp s to `ss`, the Kelvin sign to `k`."""
    singles = "\xdf\u0130\u0149\u017f\u01f0\u037e\u1e96\u1e97\u1e98\u1e99\u1e9a\u1e9e\u1fef\u212a"
    return re.compile("|".join((*singles, *map(chr, range(0xFB00, 0xFB07)))).encode())
