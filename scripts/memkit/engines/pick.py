"""Configuration to engine, and why. A model is used only when the user chose one, never because a key is set."""

from __future__ import annotations

from dataclasses import dataclass

from memkit.engines.base import Engine
from memkit.engines.offline import OfflineEngine
from memkit.errors import UsageError


@dataclass(frozen=True, slots=True)
class Choice:
    """The engine, and the reason in words."""

    engine: Engine
    why: str


def pick(*, wanted: str) -> Choice:
    """The engine that `wanted` (offline, openai, auto) names; UsageError for one that this version does not have.

    `auto` takes a model where one can be used and the offline engine elsewhere.
    """
    if wanted == "openai":
        raise UsageError("engine openai is not part of this version", mend="set engine: offline")
    if wanted == "auto":
        return Choice(OfflineEngine(), "engine: auto, and this version has no model engine")
    return Choice(OfflineEngine(), "engine: offline")
