"""What Git gets: commit messages and the home's .gitignore."""

from __future__ import annotations

from collections.abc import Sequence

from memkit import tokens
from memkit.model import Loss
from memkit.prompts.jinja import render
from memkit.prompts.safe import one_line
from memkit.repo import Trailer

_MAX_LOSSES = 50
_MAX_LOSS_BYTES = 300
_MAX_SESSIONS = 100


def commit_message(
    *,
    new: int,
    changed: int,
    removed: int,
    engine: str,
    losses: Sequence[Loss] = (),
    sessions: Sequence[str] = (),
    notes: Sequence[str] = (),
    causes: Sequence[tuple[str, str]] = (),
) -> str:
    """A consolidation's commit message: line counts, the lines that went with their reasons, trailers.

    Shows up to 50 losses of 300 bytes and 100 sessions, and says how many more there were; notes all stand, since
    their state is read from here. causes: further trailers, key and value, of what made this consolidation. Masks
    nothing: what comes in is masked.
    """
    shown = [
        Loss(
            line=tokens.cut(one_line(loss.line).removeprefix("- "), max_bytes=_MAX_LOSS_BYTES),
            reason=one_line(loss.reason),
        )
        for loss in losses[:_MAX_LOSSES]
    ]
    trailers: list[tuple[str, str]] = [(Trailer.SESSION, session) for session in sessions[:_MAX_SESSIONS]]
    if len(sessions) > _MAX_SESSIONS:
        trailers.append(("Memkit-More-Sessions", str(len(sessions) - _MAX_SESSIONS)))
    trailers += [(Trailer.NOTE, note) for note in notes] + list(causes)
    return render(
        "commit_message.txt.j2",
        new=new,
        changed=changed,
        removed=removed,
        engine=one_line(engine),
        losses=shown,
        more_losses=len(losses) - len(shown),
        trailers=[(str(key), one_line(value)) for key, value in trailers],
    )


def gitignore() -> str:
    """The home's .gitignore."""
    return render("gitignore.j2")
