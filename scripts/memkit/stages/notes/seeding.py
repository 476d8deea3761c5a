"""Filling a new database with what people said, from the tracked files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from memkit.documents import erased
from memkit.model import Claim, Tombstone
from memkit.stages.notes.tracked import CLAIMS, TOMBSTONES
from memkit.store import Store

T = TypeVar("T")


def seed(*, store: Store, home: Path, files: Mapping[str, bytes]) -> int:
    """Fills a new database from the tracked files; how many statements it took. Lines that can't be read are left."""
    claims = [claim for line in _rows(files.get(CLAIMS, b"")) if (claim := _read(line, Claim))]
    stones = [stone for line in _rows(files.get(TOMBSTONES, b"")) if (stone := _read(line, Tombstone))]
    gone = erased.load(home)
    claims = [claim for claim in claims if erased.clean(claim.text, gone) == claim.text]
    stones = [stone for stone in stones if erased.clean(stone.text, gone) == stone.text]
    store.keep_claims(claims)
    store.bury(stones)
    return len(claims) + len(stones)


def _rows(data: bytes) -> list[str]:
    return [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]


def _read(line: str, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError:
        return None
