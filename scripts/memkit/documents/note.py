"""A note: front matter (kind, project, created) and one request, in extensions/ad_hoc/notes/ (CODEX.md, "Notes").

One that an edit by hand became has `by: hand` besides, the section that was edited, and of a changed line what stood
there (`replaces`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal, get_args

from memkit import clock
from memkit.documents import Malformed, places

FOLDER = places.NOTES

Kind = Literal["remember", "correct", "forget"]

_FENCE = "---"
_MAX_HEADER = 40  # lines; a header has three, and a note without its closing fence is not read to its end as YAML


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteDoc:
    """A note's file. project: a root as written, None for everywhere; created: Unix seconds; line: of the request.

    by_hand: what an edit by hand became. replaces: the words that a changed line had.
    """

    kind: Kind
    text: str
    project: str | None = None
    created: float
    line: int
    by_hand: bool = False
    replaces: str = ""


def parse(text: str) -> NoteDoc:
    """Reads a whole file; raises Malformed where the front matter or the request is off."""
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        raise Malformed(1, "a note must begin with `---`, then kind, project and created")
    fences = [at for at, line in enumerate(lines[1:_MAX_HEADER], 1) if line.rstrip() == _FENCE]
    if not fences:
        raise Malformed(1, "the note's front matter has no closing `---`")
    values = _front_matter("\n".join(lines[1 : fences[0]]))
    start = next((at for at in range(fences[0] + 1, len(lines)) if lines[at].strip()), None)
    if start is None:
        raise Malformed(fences[0] + 1, "the note asks for nothing: its request must follow the front matter")
    return NoteDoc(
        kind=_kind(values.get("kind")),
        text="\n".join(lines[start:]).strip(),
        project=_project(values.get("project")),
        created=_created(values.get("created")),
        line=start + 1,
        by_hand=values.get("by") == "hand",
        replaces=_text(values.get("replaces")),
    )


def _front_matter(text: str) -> dict[str, object]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        loaded = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        # the loader's own words would carry the note's text
        raise Malformed(2, f"the note's front matter is no YAML ({type(error).__name__})") from None
    if not isinstance(loaded, dict):
        raise Malformed(2, "the note's front matter must have kind, project and created")
    return {str(key): value for key, value in loaded.items()}


def _kind(value: object) -> Kind:
    for kind in get_args(Kind):
        if value == kind:
            found: Kind = kind
            return found
    raise Malformed(2, f"kind must be one of {', '.join(get_args(Kind))}")


def _project(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    raise Malformed(2, "project must be the path of a project's root, or empty for everywhere")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _created(value: object) -> float:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e11:
        return float(value)
    seconds = clock.parse(value) if isinstance(value, str) else None
    if seconds is None:
        raise Malformed(2, "created must be a time such as 2026-11-26T19:40:36+00:00")
    return seconds
