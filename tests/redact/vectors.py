"""Reads the made-up vectors of tests/data/secrets; the notation is at the top of caught.txt."""

from __future__ import annotations

import re
from pathlib import Path

from memkit.redact import MASK

HERE = Path(__file__).parent.parent / "data" / "secrets"


def read(name: str) -> list[str]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    plain = (line.replace("¦", "").replace("␤", "\n").replace("␛", "\x1b") for line in lines)
    return [line for line in plain if line and not line.startswith("#")]


def without_marks(line: str) -> str:
    return line.replace("«", "").replace("»", "")


def masked(line: str) -> str:
    return re.sub("«.*?»", lambda _: MASK, line, flags=re.DOTALL)


def secrets(line: str) -> list[str]:
    return re.findall("«(.*?)»", line, flags=re.DOTALL)
