"""Rules over a memory tree's documents, to Findings: the same for the command, the Git hook, CI and the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.lint.check import lint_file, lint_tree
    from memkit.lint.output import Format, render
    from memkit.lint.rules import GATING, RULES
    from memkit.lint.strays import memory
    from memkit.lint.world import Earlier
else:
    __getattr__ = lazily(
        globals(),
        check="lint_file lint_tree",
        output="Format render",
        rules="GATING RULES",
        strays="memory",
        world="Earlier",
    )

__all__ = [
    "GATING",
    "RULES",
    "Earlier",
    "Format",
    "lint_file",
    "lint_tree",
    "memory",
    "render",
]
