"""Hooks: memkit's entries in the files of an agent, a shell or Git. Planned first, so that they can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.clients import Edit
    from memkit.stages.hooks.planning import TARGETS, Call, Plan, Target, carry_out, plan
else:
    __getattr__ = lazily(globals(), planning="TARGETS Call Edit Plan Target carry_out plan")

__all__ = ["TARGETS", "Call", "Edit", "Plan", "Target", "carry_out", "plan"]
