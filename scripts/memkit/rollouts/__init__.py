"""Reading rollout files: find them, decode them to items, tell who speaks, select evidence, judge eligibility."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.rollouts import find, quota, speakers
else:
    __getattr__ = lazily(globals(), find="find", quota="quota", speakers="speakers")

__all__ = ["find", "quota", "speakers"]
