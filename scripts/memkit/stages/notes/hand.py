"""Hand edits: a change found in a tree before a run is committed as the user's own, and its words become notes.

An added line of summary or handbook is a note to remember, a removed one to forget, a changed one to correct; each has
its file like any note (`by: hand`), and is taken at once. An edited rollout summary stays as edited until its session
grows. Edits that look like an accident (the summary emptied or gone), and those of files that are made anew each time,
are put back and said.
"""

from __future__ import annotations

from collections.abc import Sequence

from memkit.config import Config
from memkit.repo import Change, Repo
from memkit.repo.values import ChangeKind
from memkit.stages import notes
from memkit.stages.notes.tracked import HandEdits, is_ours
from memkit.store import Store

_MOST_COMMITS = 200


def take_hand_edits(*, store: Store, repo: Repo, config: Config, now: float) -> HandEdits:
    """Commits what was edited in the home by hand and keeps its words. For the holder of the consolidation lock."""
    warnings: list[str] = []
    changes = _with_commits(_without_links(repo, warnings), repo)
    if not changes:
        return HandEdits(warnings=tuple(warnings))
    return notes.edited.take(changes, store=store, repo=repo, config=config, now=now, warnings=warnings)


def _without_links(repo: Repo, warnings: list[str]) -> tuple[Change, ...]:
    """The changes once symbolic links in the home's own places are gone, so that nothing is written through one."""
    changes = repo.changed()
    links = [c for c in changes if c.kind == "symlink" and (repo.home / c.path).is_symlink() and is_ours(c)]
    for change in links:
        (repo.home / change.path).unlink()
        warnings.append(f"{change.path} was a symbolic link and is taken away")
    return repo.changed() if links else changes


def _with_commits(changes: Sequence[Change], repo: Repo) -> tuple[Change, ...]:
    """The changes and what the user committed (or pulled, or reverted) since memkit's own last commit, as one."""
    theirs: list[str] = []
    base = ""
    for commit in repo.history(limit=_MOST_COMMITS):
        base = commit.id
        if not commit.foreign:
            break
        theirs.append(commit.id)
    if not theirs or base == theirs[-1]:
        return tuple(changes)
    found = {change.path: change for change in changes}
    paths = sorted({path for each in theirs for path in repo.show_files(each)})
    old, new = (repo.read_files(paths, rev=rev) for rev in (base, "HEAD"))
    for path in paths:
        was, now = (
            None if data is None else data.decode("utf-8", "replace") for data in (old.get(path), new.get(path))
        )
        now = found[path].new if path in found else now
        if was != now:
            kind: ChangeKind = "deleted" if now is None else "added" if was is None else "modified"
            found[path] = Change(path=path, kind=kind, old=was, new=now)
    return tuple(found[path] for path in sorted(found))
