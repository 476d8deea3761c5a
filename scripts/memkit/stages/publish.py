"""Publish: move the memory to a prepared commit, and take down what readers would otherwise have to compute."""

from __future__ import annotations

from dataclasses import dataclass

from memkit import tokens, tree
from memkit.model import RunLog, Version, content_hash
from memkit.repo import Repo
from memkit.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """The commit that is the memory now."""

    commit: str


def publish(
    *, store: Store, repo: Repo, commit: str, base: str, version: Version, now: float, tokens_used: int = 0
) -> Published:
    """Fast-forwards main and the home's files to the commit. Raises repo.Moved when the memory changed since `base`.

    tokens_used: what making the commit cost, for the log of runs.
    """
    repo.publish(commit, base=base)
    files = repo.read_files(tree.TREES[version])
    texts = [data.decode("utf-8", "replace") for data in files.values()]
    # Counting costs 0.4 s for its library: when publishing, not at each reading.
    store.put_line_tokens(
        {content_hash(line): tokens.count(line) for text in texts for line in text.splitlines() if line.strip()}
    )
    store.log_run(RunLog(stage="consolidate", started_at=now, ended_at=now, tokens_used=tokens_used))
    return Published(commit=commit)
