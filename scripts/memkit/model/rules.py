"""Permanent rules: what always holds, as its owner wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["written", "promoted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A rule of a rules.yaml.

    id: its name in the file, lower-case words joined by `-`. project: the root of a project as written (`~` for the
    user's home) or its remote as `host/path`; None for everywhere, and in a team's file for the whole repository.
    glob: of the files that it is about, from the project's root; None for all.
    origin: written, or promoted from a claim of the memory (`claim`, said in `sessions`). date: YYYY-MM-DD.
    """

    id: str
    text: str
    project: str | None = None
    glob: str | None = None
    origin: Origin = "written"
    date: str = ""
    why: str = ""
    claim: str = ""
    sessions: tuple[str, ...] = ()
