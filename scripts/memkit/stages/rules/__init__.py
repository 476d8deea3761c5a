"""Rules: what always holds, added, promoted from the memory, and written into AGENTS.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.stages.rules.agents import (
        FILE,
        MOST_BYTES,
        Planned,
        State,
        chain,
        in_repository,
        named,
        plan,
        read,
        sayings,
        write,
    )
    from memkit.stages.rules.books import Book, held, personal, save, team
    from memkit.stages.rules.changing import Added, add, edit, opposed, remove
    from memkit.stages.rules.promoting import Suggestion, bare, candidates, released, rule_of, stone_of, suggest, wanted
else:
    __getattr__ = lazily(
        globals(),
        agents="FILE MOST_BYTES Planned State chain in_repository named plan read sayings write",
        books="Book held personal save team",
        changing="Added add edit opposed remove",
        promoting="Suggestion bare candidates released rule_of stone_of suggest wanted",
    )

__all__ = [
    "FILE",
    "MOST_BYTES",
    "Added",
    "Book",
    "Planned",
    "State",
    "Suggestion",
    "add",
    "bare",
    "candidates",
    "chain",
    "edit",
    "held",
    "in_repository",
    "named",
    "opposed",
    "personal",
    "plan",
    "read",
    "released",
    "remove",
    "rule_of",
    "save",
    "sayings",
    "stone_of",
    "suggest",
    "team",
    "wanted",
    "write",
]
