"""What memkit's own files are made of: words that can't be erased, since every new file would say them again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from memkit import prompts, tree
from memkit.config.schema import leaves
from memkit.documents import places
from memkit.documents.erased import Words
from memkit.documents.record import LABELS
from memkit.errors import UsageError
from memkit.model import Loss, Reason, State
from memkit.repo import Repo
from memkit.stages.forget.cleaning import stamp, stem
from memkit.store import Store

_FILES = (
    *("memkit.yaml", "rules.yaml", ".gitignore", places.CLAIMS, places.TOMBSTONES, places.HASHES, places.HASHES_KEY),
    *("state.sqlite-wal", "state.sqlite-shm", "state.holder.json", "state.lock", "log/memkit.log", "staging"),
    *(".git/objects/pack", ".git/objects/info/commit-graph", ".git/info/exclude", ".git/hooks", ".git/index"),
    *(".git/refs/heads/main", ".git/logs/HEAD", ".git/packed-refs", ".git/worktrees", ".git/description"),
    *(places.SUMMARY, places.HANDBOOK, places.RAW, places.RECORDS, places.NOTES, "instructions.md", "resources"),
    *("skills", "SKILL.md"),
)
_FORMS = (
    "thread_id: updated_at: rollout_path: cwd: git_branch: rollout_summary_file: rollout_summary_files",
    "# Task Group: scope: applies_to: cwd= reuse_rule= ## Task 1 ### keywords ## Reusable knowledge",
    "## Failures and how to do differently ## User preferences # Raw Memories",
    "(2 sessions, last [ad-hoc note] outcome: success partial failed unfinished project:",
    "kind: remember correct forget project: created: author memkit committer parent tree gpgsig blob commit tag",
    "memory: words erased / a new home / edited by hand / a session forgotten / started over",
    "memory: a rule added / changed / removed / a rule is no more / a preference became a rule",
    "rules: id: text: project: glob: origin: written promoted date: why: claim: sessions:",
)


def refuse(words: Words, *, store: Store, repo: Repo, paths: Iterable[bytes]) -> None:
    """Raises UsageError for words that memkit writes by itself: erasing them would break the memory.

    paths: every path that a file of the home ever had.
    """
    for what, text in _own(store=store, repo=repo):
        if next(words.spans(text), None):
            raise UsageError(f"the words are part of {what}, and stay in every memory", mend="name more of the words")
    if any(next(words.spans(each[: stamp(each)]), None) for each in map(stem, paths)):
        raise UsageError("the words are part of the times in names of files", mend="name more of the words")
    for entry in store.entries():
        if next(words.spans(entry.session.id), None):
            raise UsageError("that is part of a session's id", mend=f"memkit forget --session {entry.session.id}")


def _own(*, store: Store, repo: Repo) -> Iterator[tuple[str, str]]:
    yield from (("the names of memkit's files", each) for each in (*_FILES, *tree.TREES.values()))
    yield "the headings of memkit's files", prompts.memory_summary()
    yield from (("the forms of memkit's files", each) for each in (*_FORMS, *LABELS))
    yield from (("the keys of memkit.yaml", part) for key in leaves() for part in key.split("."))
    yield from (("the states of sessions", each.value) for kind in (State, Reason) for each in kind)
    yield (
        "memkit's messages of commits",
        prompts.commit_message(
            new=1,
            changed=1,
            removed=1,
            engine="offline",
            losses=[Loss(line="", reason="")],
            sessions=["1"],
            notes=["1"],
        ),
    )
    for name in ("config", "HEAD", "description", "info/exclude"):
        yield "Git's own files", _text(repo.door.git_dir / name)
    yield from (("the database's own names", each) for each in store.schema())


def _text(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""
