"""Every generated text, one keyword-only function per template of templates/. The only user of jinja2.

Values are made safe here, once, and the templates only place them: a value is a single line, so it can open no heading,
bullet or block of its own, and it can't close the frame that a reader gets the memory in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.prompts.agents import agents_block
    from memkit.prompts.git import commit_message, gitignore
    from memkit.prompts.hooks import shell_hook
    from memkit.prompts.model import (
        DIFF,
        Mode,
        consolidate_instructions,
        consolidate_repair,
        consolidate_round,
        extract_instructions,
    )
    from memkit.prompts.notes import note, notes_instructions
    from memkit.prompts.projects import ci_files
    from memkit.prompts.reading import context_frame, evidence_text
    from memkit.prompts.records import TaskBlock, record, record_body
    from memkit.prompts.safe import defuse, one_line, plain_lines
    from memkit.prompts.summary import memory_summary
    from memkit.prompts.v1 import handbook, raw_memories, raw_memory, skill
else:
    __getattr__ = lazily(
        globals(),
        agents="agents_block",
        git="commit_message gitignore",
        hooks="shell_hook",
        model="DIFF Mode consolidate_instructions consolidate_repair consolidate_round extract_instructions",
        notes="note notes_instructions",
        projects="ci_files",
        reading="context_frame evidence_text",
        records="TaskBlock record record_body",
        safe="defuse one_line plain_lines",
        summary="memory_summary",
        v1="handbook raw_memories raw_memory skill",
    )

__all__ = [
    "DIFF",
    "Mode",
    "TaskBlock",
    "agents_block",
    "ci_files",
    "commit_message",
    "consolidate_instructions",
    "consolidate_repair",
    "consolidate_round",
    "context_frame",
    "defuse",
    "evidence_text",
    "extract_instructions",
    "gitignore",
    "handbook",
    "memory_summary",
    "note",
    "notes_instructions",
    "one_line",
    "plain_lines",
    "raw_memories",
    "raw_memory",
    "record",
    "record_body",
    "shell_hook",
    "skill",
]
