"""What a model is asked: instructions of both stages, a round of consolidation, and what has to be mended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from memkit.prompts.jinja import render
from memkit.prompts.safe import encodable, one_line

if TYPE_CHECKING:
    from memkit.model import Version

Mode = Literal["agent", "single"]
DIFF = "changes.diff"  # the name that the agent reads the changes under


def extract_instructions(*, version: Version, max_bytes: int) -> str:
    """Stage 1: how a session's evidence becomes a record. max_bytes: of the rollout summary."""
    return render(f"{version}/extract.md.j2", max_bytes=f"{max_bytes:,}")


def consolidate_instructions(
    *, version: Version, mode: Mode, max_bytes: int, max_tokens: int, steps: int = 0, minutes: int = 0, tokens: int = 0
) -> str:
    """Stage 2: what the documents are and what must hold of them. The last three are an agent's budget."""
    return render(
        f"{version}/consolidate.md.j2",
        version=version,
        mode=mode,
        diff=DIFF,
        max_bytes=f"{max_bytes:,}",
        max_tokens=f"{max_tokens:,}",
        steps=steps,
        minutes=minutes,
        tokens=f"{tokens:,}",
    )


def consolidate_round(
    *,
    mode: Mode,
    first: bool,
    number: int,
    rounds: int,
    forgotten: Sequence[str],
    changes: int,
    diff: str,
    documents: Sequence[tuple[str, str]] = (),
) -> str:
    """The message that opens a round. number: from 1; forgotten: texts that no document may hold; changes: files in
    the diff; documents: (path, text) of those that are shown at once."""
    return render(
        "consolidate_round.md.j2",
        mode=mode,
        first=first,
        round=number,
        rounds=rounds,
        forgotten=[one_line(text) for text in forgotten],
        changes=changes,
        lines=diff.count("\n") + 1,
        diff=DIFF,
        text=_inside(diff, "changes"),
        documents=[(path, _inside(text, "document")) for path, text in documents],
    )


def consolidate_repair(*, findings: Sequence[str]) -> str:
    """What is wrong with the documents, a line each."""
    return render("consolidate_repair.md.j2", findings=[one_line(each) for each in findings])


def _inside(text: str, tag: str) -> str:
    """The text unable to end the element that it stands in."""
    return encodable(text).replace(f"</{tag}", f"<\\/{tag}").strip("\n")
