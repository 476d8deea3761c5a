"""Which paths may be written below a tree's root."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path

from memkit.errors import GateError

_UNFIT = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))})


def checked(texts: Mapping[str, str]) -> dict[str, bytes]:
    """UTF-8 by path, sorted. Raises GateError for a path that could leave the tree or is no plain name everywhere."""
    folders: set[str] = set()
    for path in texts:
        if fault := _fault(path):
            raise GateError(f"the path {path[:80]!r} may not be written: {fault}")
        folders |= {part.as_posix().casefold() for part in Path(path).parents}
    spellings = [path.casefold() for path in texts]
    if len(set(spellings)) < len(spellings) or not folders.isdisjoint(spellings):
        raise GateError("two of the paths to be written are one place")
    return {path: _bytes(texts[path], path=path) for path in sorted(texts)}


def _fault(path: str) -> str:
    """Why a path could leave the tree, or be another file on another machine; "" when it could not."""
    if len(path) > 400 or any(char in '\\:*?"<>|' or unicodedata.category(char) in _UNFIT for char in path):
        return "it is too long, or holds a character that file names should not have"
    for part in path.split("/"):
        if not part or part[0] in ". " or part[-1] in ". ":
            return "it is absolute, or a part of it is empty, hidden, or begins or ends with a dot or space"
        stem = part.split(".")[0].strip().casefold()
        if stem in _DEVICES or stem.startswith("git~") or len(part.encode()) > 255:
            return "a part of it is reserved or too long"
    return ""


def _bytes(text: str, *, path: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise GateError(f"{path}: the text can't be written as UTF-8 at character {error.start}") from error
