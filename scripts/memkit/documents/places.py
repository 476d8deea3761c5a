"""Where the documents lie: in a tree by Codex's names (CODEX.md, "Files"), in the home by memkit's."""

from __future__ import annotations

SUMMARY = "memory_summary.md"
HANDBOOK = "MEMORY.md"
RAW = "raw_memories.md"
RECORDS = "rollout_summaries"
NOTES = "extensions/ad_hoc/notes"

# Beside the trees in the home: what the user said and took out, rules, hashes of what was erased, and their key.
CLAIMS, TOMBSTONES = "hand.jsonl", "tombstones.jsonl"
RULES = "rules.yaml"
HASHES, HASHES_KEY = "purged.jsonl", "state.purge.key"

RULE = "rule:"  # how the tombstone of a claim that became a rule names it: `rule:<id>`, or `rule:<file>#<id>`
