"""What makes a line of a summary the same line: support, marks and places in the index may change."""

from __future__ import annotations

from memkit import match
from memkit.documents.summary import SummaryLine


def identity(line: SummaryLine) -> tuple[str, str]:
    """(section, session of an index line or the words of another one in their common form)."""
    return line.section.value, line.thread_id or match.normalise(line.text)
