"""A note's file, as documents.note reads it, and what stands beside the notes."""

from __future__ import annotations

import json

from memkit import clock
from memkit.prompts.jinja import render
from memkit.prompts.safe import defuse, one_line


def note(
    *,
    kind: str,
    text: str,
    project: str | None,
    created: float,
    by_hand: bool = False,
    section: str = "",
    replaces: str = "",
) -> str:
    """A note. project: a root as written, None for everywhere; created: Unix seconds, kept to milliseconds.

    by_hand, section, replaces: of an edit of the memory by hand, where it was made and what stood there.
    """
    found = {"by": "hand" if by_hand else "", "section": _quoted(section), "replaces": _quoted(replaces)}
    return render(
        "note.md.j2",
        kind=kind,
        project=_quoted(project) or '""',
        created=_time(created),
        more=[(key, value) for key, value in found.items() if value],
        text=one_line(defuse(text)) or "(nothing)",
    )


def notes_instructions() -> str:
    """instructions.md of the extension ad_hoc: what its notes are."""
    return render("ad_hoc_instructions.md.j2")


def _quoted(text: str | None) -> str:
    return json.dumps(one_line(text), ensure_ascii=False) if text else ""


def _time(seconds: float) -> str:
    """ISO 8601, with milliseconds only where there are some: notes of one second follow each other by them."""
    whole = clock.iso(seconds)
    part = round(seconds % 1 * 1000)
    return f"{whole[:19]}.{part:03d}{whole[19:]}" if 0 < part < 1000 else whole
