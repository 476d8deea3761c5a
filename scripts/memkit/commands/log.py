"""The log file of a home: masked, private, rotated."""

from __future__ import annotations

import logging
import logging.handlers
import os
import traceback
from collections.abc import Sequence
from pathlib import Path

from memkit import clock, redact
from memkit.config import home_path

_BYTES, _KEPT = 1_000_000, 3


def write(home: Path, text: str) -> Path:
    """Adds lines to `<home>/log/memkit.log`, which is rotated at 1 MB, three old ones kept."""
    folder = home / "log"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "memkit.log"
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8", errors="backslashreplace"
    )
    try:
        handler.emit(
            logging.makeLogRecord({"msg": f"{clock.iso(clock.now())} {redact.mask(text)}", "levelno": logging.INFO})
        )
    finally:
        handler.close()
    return path


def bug(error: Exception, arguments: Sequence[str]) -> str:
    """Puts the traceback of a bug into the log; the line to show."""
    text = "".join(traceback.format_exception(error))
    line = f"this is a bug in memkit: {type(error).__name__}: {redact.mask(str(error))[:200]}"
    home = home_path(_named_home(arguments), env=os.environ)
    if not home.is_dir():
        return f"{line}\n{redact.mask(text)}"
    try:
        return f"{line}; the traceback is in {write(home, text)}"
    except OSError:
        return f"{line}\n{redact.mask(text)}"


def _named_home(arguments: Sequence[str]) -> Path | None:
    for at, word in enumerate(arguments):
        if word.startswith("--home="):
            return Path(word.removeprefix("--home="))
        if word == "--home" and at + 1 < len(arguments):
            return Path(arguments[at + 1])
    return None
