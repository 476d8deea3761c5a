"""What a model or a new session reads: evidence, and the frame around memory."""

from __future__ import annotations

import re
import string

from memkit import clock, resources
from memkit.model import OMITTED, Evidence, Row, Tier
from memkit.prompts.jinja import render
from memkit.prompts.safe import defuse, encodable, one_line, visible


def evidence_text(*, evidence: Evidence) -> str:
    """V2's evidence as a request to a model has it: a header, each row as `[label] text`, a gap as `[omitted] N rows`.

    A line inside a row that would read as the start of another row gets a backslash, so no tool can speak for the user.
    """
    session = evidence.session
    return render(
        "v2/evidence.txt.j2",
        session={
            "id": one_line(session.id),
            "cwd": one_line(session.cwd),
            "branch": one_line(session.branch),
            "started": clock.iso(session.started_at) if session.started_at else "",
            "updated": clock.iso(session.updated_at),
        },
        rows=[{"label": one_line(row.label), "text": _row(row), "omitted": row.omitted} for row in evidence.rows],
    )


def _row(row: Row) -> str:
    """A row's text; an answer has its question before it, which is the assistant's and marked as asked."""
    asked = one_line(row.question)
    text = f'(asked: "{asked}") {row.text}' if asked and asked not in row.text else row.text
    labels = "|".join([OMITTED, *Tier])
    lines = re.sub(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]", "\n", visible(text)).strip("\n")
    return re.sub(rf"(?im)^([^\S\n]*)(?=\[[ \t]*(?:{labels})[ \t]*\])", r"\1\\", lines)


def context_frame(*, as_of: str, place: str, body: str) -> str:
    """What a new session is told, around `body` (lines of the tree). A plain string template: no jinja2 on this path.

    as_of: when the memory was last changed; place: the tree's path. The body can't close the frame.
    """
    frame = string.Template(resources.read("context_frame.txt"))
    return frame.substitute(
        as_of=one_line(as_of).replace('"', "'"), place=one_line(place), body=defuse(encodable(body)).strip("\n")
    )
