"""The sections of a summary."""

from __future__ import annotations

from enum import StrEnum


class Section(StrEnum):
    """The four sections of memory_summary.md, in their order; the values are the headings."""

    PROFILE = "User Profile"
    PREFERENCES = "User preferences"
    TIPS = "General Tips"
    INDEX = "What's in Memory"
