"""Where the documents lie in a tree; they are Codex's names (CODEX.md, "Files")."""

from __future__ import annotations

SUMMARY = "memory_summary.md"
HANDBOOK = "MEMORY.md"
RAW = "raw_memories.md"
RECORDS = "rollout_summaries"
NOTES = "extensions/ad_hoc/notes"
