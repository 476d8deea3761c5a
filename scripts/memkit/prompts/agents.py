"""What stands in AGENTS.md between memkit's two comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memkit.prompts.jinja import render
from memkit.prompts.safe import one_line

if TYPE_CHECKING:
    from memkit.model import Rule


def agents_block(*, rules: Sequence[Rule]) -> str:
    """The rules in the order given, a bullet each, under a heading; a blank line at its end."""
    rows = [(one_line(r.text), one_line(r.glob or "").replace("`", "'"), one_line(r.why)) for r in rules]
    return render("agents_block.md.j2", rules=rows)
