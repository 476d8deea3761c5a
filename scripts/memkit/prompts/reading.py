"""What a model or a new session reads: evidence, and the frame around memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memkit import clock, resources
from memkit.prompts.jinja import render
from memkit.prompts.safe import defuse, encodable, one_line

if TYPE_CHECKING:
    from memkit.model import Session


def evidence_text(*, session: Session, rows: str) -> str:
    """V2's evidence as a request to a model has it: a header, a blank line, and the rows.

    rows: as `rollouts.evidence.render` prints them (`[label] text`, a gap as `[omitted] N rows`); it sees to it that no
    text inside a row reads as another row. They stand as they are, since their budget was counted so.
    """
    return render(
        "v2/evidence.txt.j2",
        session={
            "id": one_line(session.id),
            "cwd": one_line(session.cwd),
            "branch": one_line(session.branch),
            "started": clock.iso(session.started_at) if session.started_at else "",
            "updated": clock.iso(session.updated_at),
        },
        rows=encodable(rows).strip("\n"),
    )


def context_frame(*, as_of: str, place: str, body: str, tools: bool = False) -> str:
    """What a new session is told, around `body` (lines of the tree). A plain string template: no jinja2 on this path.

    as_of: when the memory was last changed; place: the tree's path; tools: whether the session has those of
    `memkit mcp`. The body can't close the frame.
    """
    frame = resources.read("context_frame_tools.txt" if tools else "context_frame.txt")
    values = {"as_of": one_line(as_of).replace('"', "'"), "place": one_line(place)}
    values["body"] = defuse(encodable(body)).strip("\n")
    return re.sub(r"\$(\w+)", lambda found: values[found[1]], frame)
