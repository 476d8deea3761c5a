"""Every generated text, one keyword-only function per template of templates/. The only user of jinja2.

Values are made safe here, once, and the templates only place them: a value is a single line, so it can open no heading,
bullet or block of its own, and it can't close the frame that a reader gets the memory in.
"""

from __future__ import annotations

from memkit.documents.summary import SummaryLine
from memkit.prompts.git import commit_message, gitignore
from memkit.prompts.handbook import handbook, raw_memories, raw_memory, skill
from memkit.prompts.notes import note
from memkit.prompts.reading import context_frame, evidence_text
from memkit.prompts.records import TaskBlock, record, record_body
from memkit.prompts.safe import defuse, one_line
from memkit.prompts.summary import memory_summary

__all__ = [
    "SummaryLine",
    "TaskBlock",
    "commit_message",
    "context_frame",
    "defuse",
    "evidence_text",
    "gitignore",
    "handbook",
    "memory_summary",
    "note",
    "one_line",
    "raw_memories",
    "raw_memory",
    "record",
    "record_body",
    "skill",
]
