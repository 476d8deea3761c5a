"""Rules over a memory tree's documents, to Findings: the same for the command, the Git hook, CI and the gate."""

from memkit.lint.check import lint_file, lint_tree
from memkit.lint.render import Format, render
from memkit.lint.rules import GATING, RULES

__all__ = ["GATING", "RULES", "Format", "lint_file", "lint_tree", "render"]
