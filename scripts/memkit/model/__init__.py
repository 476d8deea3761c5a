"""The frozen records that travel between layers, canonical JSON, and content hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.model.claims import Claim, Note, Tombstone
    from memkit.model.drafts import Drafts, Finding, Loss
    from memkit.model.evidence import OMITTED, Evidence, Facts, Item, Kind, Part, PartKind, Row, Tier
    from memkit.model.records import CONSOLIDATION, Record, StageOne, about_session
    from memkit.model.rules import Origin, Rule
    from memkit.model.sections import Section
    from memkit.model.sessions import Entry, Outcome, Reason, RunLog, Session, State
    from memkit.model.values import Version, canonical, content_hash
else:
    __getattr__ = lazily(
        globals(),
        claims="Claim Note Tombstone",
        drafts="Drafts Finding Loss",
        evidence="Evidence Facts Item Kind OMITTED Part PartKind Row Tier",
        records="CONSOLIDATION Record StageOne about_session",
        rules="Origin Rule",
        sections="Section",
        sessions="Entry Outcome Reason RunLog Session State",
        values="Version canonical content_hash",
    )

__all__ = [
    "CONSOLIDATION",
    "OMITTED",
    "Claim",
    "Drafts",
    "Entry",
    "Evidence",
    "Facts",
    "Finding",
    "Item",
    "Kind",
    "Loss",
    "Note",
    "Origin",
    "Outcome",
    "Part",
    "PartKind",
    "Reason",
    "Record",
    "Row",
    "Rule",
    "RunLog",
    "Section",
    "Session",
    "StageOne",
    "State",
    "Tier",
    "Tombstone",
    "Version",
    "about_session",
    "canonical",
    "content_hash",
]
