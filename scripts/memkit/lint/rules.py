"""The names of the rules (DESIGN.md, "Lint rules"), and which of them keep a draft from being committed."""

from __future__ import annotations

from memkit.model import Finding

GATING = frozenset(
    {
        "summary-first-line",
        "summary-sections",
        "summary-bytes",
        "summary-tokens",
        "pointer-missing",
        "thread-id-mismatch",
        "scope-mark-missing",
        "frame-delimiter",
        "secret",
        "symlink",
        "record-header",
        "handbook-block",
        "raw-order",
        "note-header",
    }
)
RULES = GATING | {"line-too-long", "status-undated", "duplicate-line", "record-shape", "unknown-file"}

_SHOWN = 60


def finding(file: str, line: int, *, rule: str, message: str) -> Finding:
    """A result of a rule; what a message repeats of a document can't move a terminal's cursor."""
    clean = "".join(char if char.isprintable() else "\ufffd" for char in message)
    return Finding(file=file, line=line, rule=rule, message=clean, gates=rule in GATING)


def shown(text: str) -> str:
    """A document's words as a message shows them: on one line, short."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"
