"""Findings as text for people, JSON for programs, annotations for GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal

from memkit.model import Finding

Format = Literal["text", "json", "github"]


def render(findings: Iterable[Finding], format: Format = "text") -> str:
    """One line a finding (text: `file:line: rule: message`), or a JSON list; nothing found is "" or `[]`.

    Ends without a newline. Findings about a whole file have line 0, in annotations line 1.
    """
    if format == "json":
        rows = [{"file": f.file, "line": f.line, "rule": f.rule, "message": f.message} for f in findings]
        return _encodable(json.dumps(rows, ensure_ascii=False, indent=2))
    line = _annotation if format == "github" else _text
    return _encodable("\n".join(line(found) for found in findings))


def _text(found: Finding) -> str:
    file = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in found.file)
    return f"{file}:{found.line}: {found.rule}: {found.message}"


def _annotation(found: Finding) -> str:
    kind = "error" if found.gates else "warning"
    place = f"file={_property(found.file)},line={max(found.line, 1)},title={_property(found.rule)}"
    return f"::{kind} {place}::{_data(found.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
