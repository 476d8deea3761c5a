"""A note's file, as documents.note reads it."""

from __future__ import annotations

import json

from memkit import clock
from memkit.prompts.jinja import render
from memkit.prompts.safe import defuse, one_line


def note(*, kind: str, text: str, project: str | None, created: float) -> str:
    """A note. project: a root as written, None for everywhere; created: Unix seconds."""
    written = json.dumps(one_line(project), ensure_ascii=False) if project is not None else '""'
    return render(
        "note.md.j2", kind=kind, project=written, created=clock.iso(created), text=one_line(defuse(text)) or "(nothing)"
    )
