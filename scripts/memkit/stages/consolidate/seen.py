"""What there is to consolidate, and whether the committed memory is made of just that already.

Every run asks, and most find nothing new: so this is all that such a run loads of the stage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from memkit import __version__, tree
from memkit.config import Config
from memkit.model import Finding, Loss, Record, Version, content_hash
from memkit.repo import Repo
from memkit.stages.consolidate import extensions
from memkit.stages.consolidate.extensions import Extensions
from memkit.store import Store

# What the last consolidation was made of, and what it made: while both are as they were there is nothing to do.
_SEEN = "consolidated"
_WORDS = "consolidated_words"  # the part of it that people said in notes and by hand
_UNSHOWN = ("usage_count", "last_usage", "selected")


@dataclass(frozen=True, kw_only=True, slots=True)
class Consolidated:
    """A commit that is ready to be published; commit is "" when nothing changed. Counts are lines of the summary.

    findings: those that do not gate. records: how many were selected. base: what the commit stands on. inputs: a hash
    of all that it was made of, for `remember` once the commit is published.
    """

    base: str = ""
    commit: str = ""
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[Loss, ...] = ()
    findings: tuple[Finding, ...] = ()
    records: int = 0
    engine: str = ""
    inputs: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """The selected records by version, and a hash of all that a consolidation draws on."""

    selected: Mapping[Version, Sequence[Record]]
    inputs: str


def gather(*, store: Store, repo: Repo, config: Config, engine: str, now: float) -> Gathered:
    """Selects; engine: its name."""
    selected = {version: select(version, store=store, config=config, now=now) for version in config.versions}
    said = extensions.look([repo.home / tree.TREES[version] for version in config.versions], now=now)
    return Gathered(selected=selected, inputs=_hash(selected, said=said, store=store, config=config, engine=engine))


def nothing_new(found: Gathered, *, store: Store, repo: Repo, config: Config, engine: str) -> Consolidated | None:
    """What a consolidation comes to where the committed memory is made of just this; None where it is not."""
    if store.meta(_SEEN) != _mark(found.inputs, repo=repo, config=config):
        return None
    records = len(found.selected[config.version])
    return Consolidated(base=repo.head(), records=records, engine=engine, inputs=found.inputs)


def select(version: Version, *, store: Store, config: Config, now: float) -> list[Record]:
    """The records of a version that are to be in its tree, ascending by id; none held back or forgotten.

    While nothing is learned, and so no use is seen, none expires.
    """
    held = {stone.thread_id for stone in store.tombstones() if stone.source.startswith(("undo:", "session:"))}
    found = store.select(
        version,
        now=now,
        limit=config.memories.max_raw_memories_for_consolidation,
        max_unused_days=config.memories.max_unused_days if config.memories.generate_memories else math.inf,
    )
    return [each for each in found if each.session_id not in held]


def _hash(
    selected: Mapping[Version, Sequence[Record]],
    *,
    said: Sequence[Extensions],
    store: Store,
    config: Config,
    engine: str,
) -> str:
    """A hash of all that a consolidation draws on; usage counts are no part of it, since no document shows them."""
    shown = attrgetter(*(each.name for each in fields(Record) if each.name not in _UNSHOWN))
    records = [shown(each) for records in selected.values() for each in records]
    parts = [__version__, engine, config.versions, config.summary, store.places()]
    return content_hash("\n".join(map(repr, [*parts, store.hand_claims(), store.tombstones(), said, *records])))


def remember(*, store: Store, repo: Repo, config: Config, inputs: str) -> None:
    """Takes down that the committed memory is made of these inputs. A run that is killed before does the work again."""
    store.set_meta(_WORDS, _words(store))
    store.set_meta(_SEEN, _mark(inputs, repo=repo, config=config))


def words_wait(*, store: Store) -> bool:
    """Is there something that was said in notes, by hand or by undoing, since the memory was made?"""
    known = store.meta(_WORDS)
    return bool(store.hand_claims() or store.tombstones()) if not known else known != _words(store)


def _words(store: Store) -> str:
    return content_hash(repr((store.hand_claims(), store.tombstones())))


def _mark(inputs: str, *, repo: Repo, config: Config) -> str:
    return " ".join([inputs, *(repo.tree_id(tree.TREES[version]) for version in config.versions)])
