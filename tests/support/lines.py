"""A session file as lines on a clock of its own; `rollouts` says things with it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from tests.support import shapes
from tests.support.shapes import Payload

KeyOrder = Literal["usual", "payload_first", "type_first"]
_STEP = 0.5  # seconds between two lines


class SessionFile:
    """Lines in order. Steps return the builder. started, last: Unix seconds of the session and of its last line."""

    def __init__(self, *, id: str, started: float, key_order: KeyOrder) -> None:
        self.id = id
        self.started = started
        self.last = started
        self._key_order = key_order
        self._rows: list[tuple[str, Mapping[str, object]]] = []
        self._lines: list[bytes] = []

    def _key(self, kind: str, digits: int = 16) -> str:
        """Hex digits that no other line of any session has."""
        return shapes.noise_hex(f"{self.id}/{len(self._lines)}/{kind}", digits=digits)

    def line(self, kind: str, payload: Mapping[str, object], **more: object) -> Self:
        """A line of any type, with its time and ordinal; `more` adds keys beside `payload`."""
        self.last = round(self.last + _STEP, 3)
        row: Payload = {"timestamp": shapes.moment(self.last), "ordinal": len(self._lines), "type": kind, **more}
        if self._key_order == "payload_first":
            row = {"payload": payload, "type": kind, **more, "timestamp": row["timestamp"]}
        elif self._key_order == "type_first":
            row = {"type": kind, "payload": payload, **more, "timestamp": row["timestamp"]}
        else:
            row["payload"] = payload
        self._rows.append((kind, payload))
        self._lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
        return self

    def item(self, payload: Payload) -> Self:
        """A response item as it is."""
        return self.line("response_item", payload)

    def event(self, kind: str, **payload: object) -> Self:
        """An event of this kind."""
        return self.line("event_msg", {"type": kind, **payload})

    def raw(self, line: str | bytes) -> Self:
        """A literal line: broken JSON, an unknown type, an empty one."""
        self._lines.append(line.encode() if isinstance(line, str) else line)
        return self

    def wait(self, *, minutes: float = 0, days: float = 0) -> Self:
        """Nothing happens for a while."""
        self.last += minutes * 60 + days * 86_400
        return self

    def data(self, *, ending: str = "\n") -> bytes:
        """The file's bytes; an open turn stays open."""
        return b"".join(line + ending.encode() for line in self._lines)

    @property
    def file_name(self) -> str:
        """`rollout-<start>-<id>.jsonl`."""
        return f"rollout-{datetime.fromtimestamp(self.started, UTC):%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"

    def write(
        self, folder: Path, *, flat: bool = False, ending: str = "\n", before: bytes = b"", after: bytes = b""
    ) -> Path:
        """Write the file below folder/YYYY/MM/DD (flat: into folder itself) with the last line's time as its own.

        before, after: bytes around the lines (a byte-order mark, NULs, a half-written line).
        """
        if not flat:
            folder = folder / f"{datetime.fromtimestamp(self.started, UTC):%Y/%m/%d}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        path.write_bytes(before + self.data(ending=ending) + after)
        os.utime(path, (self.last, self.last))
        return path
