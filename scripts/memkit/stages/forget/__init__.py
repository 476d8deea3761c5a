"""Forgetting for good: a session that is not read again, and words that are erased from all that memkit owns."""

from memkit.stages.forget.erasing import carry_out
from memkit.stages.forget.planning import Plan, plan, wanted
from memkit.stages.forget.searching import bound_paths, copies, search, unreachable
from memkit.stages.forget.sessions import forget_session

__all__ = ["Plan", "bound_paths", "carry_out", "copies", "forget_session", "plan", "search", "unreachable", "wanted"]
