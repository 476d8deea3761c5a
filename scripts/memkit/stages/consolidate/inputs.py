"""What an engine is given: selected records in their places, projects, lines by hand, tombstones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memkit import match, tokens, tree
from memkit.config import Config
from memkit.documents.hiding import hide
from memkit.documents.places import RULE
from memkit.engines.base import Inputs, Source, Synced
from memkit.model import Claim, Record, Tombstone, Version
from memkit.projects import Place, Projects
from memkit.stages.consolidate.extensions import Extensions
from memkit.stages.consolidate.leaving import leaving
from memkit.store import Store


def visible(selected: Sequence[Record], *, stones: Sequence[Tombstone], places: Projects) -> list[Record]:
    """The records without what forget notes name; the database keeps it, so that a later word can bring it back."""
    notes = [stone for stone in stones if stone.source.startswith(("note:", "hand:")) and not stone.thread_id]
    return [_visible(record, notes, places) for record in selected] if notes else list(selected)


def _visible(record: Record, notes: Sequence[Tombstone], places: Projects) -> Record:
    project = places.of_place(Place(record.cwd, record.remote))
    name = project.name if project else None
    mine = [n for n in notes if n.created_at >= record.updated_at and n.scope in (None, name)]

    def gone(text: str) -> bool:
        return any(match.buries(stone, text, scope=stone.scope) for stone in mine)

    return (
        replace(
            record,
            rollout_summary=hide(record.rollout_summary, gone),
            raw_memory=hide(record.raw_memory, gone),
            slug="" if gone(re.sub(r"[-_]", " ", record.slug)) else record.slug,
        )
        if mine
        else record
    )


def place_inputs(version: Version, root: Path, selected: Sequence[Record]) -> None:
    """Makes the tree's inputs those of the records: rollout summaries, and V1's raw memories."""
    tree.sync(root, tree.record_files(selected))
    if version == "v1":
        tree.write_documents(root, {tree.RAW: tree.raw_text(selected)})


def projects(store: Store, *, user_home: str) -> Projects:
    """The projects of all sessions in the ledger."""
    return Projects.of(
        (Place(e.session.cwd, e.session.remote) for e in store.entries() if e.session.cwd), user_home=user_home
    )


def inputs_of(
    version: Version,
    selected: Sequence[Record],
    *,
    before: tree.TreeFiles,
    extensions: Extensions,
    store: Store,
    config: Config,
    user_home: str,
    check: Callable[[Mapping[str, str]], tuple[str, ...]],
    withheld: frozenset[str],
    synced: Callable[[], Synced],
) -> Inputs:
    """The engine's inputs. before: the tree as it was committed; the last three are as `Inputs` says."""
    names, places = tree.record_names(selected), projects(store, user_home=user_home)
    stones = store.tombstones()

    def project_of(directory: str) -> str | None:
        found = places.of_directory(directory)
        return found.name if found else None

    sources = []
    for each in selected:
        project = places.of_place(Place(each.cwd, each.remote))
        file = f"{tree.RECORDS}/{names[each.session_id]}"
        sources.append(Source(record=each, file=file, project=project.name if project else None))
    documents = {
        p: d.decode("utf-8", "replace") for p, d in before.files.items() if not p.startswith(f"{tree.RECORDS}/")
    }
    return Inputs(
        version=version,
        sources=tuple(sources),
        documents=documents,
        max_bytes=config.summary.max_bytes,
        max_tokens=config.summary.max_tokens,
        count=tokens.count,
        project_of=project_of,
        claims=tuple(claim for claim in store.hand_claims() if not _ruled(claim, stones)),
        tombstones=tuple(stones),
        left=(*leaving(version, selected, files=before.files, store=store, config=config), *extensions.left),
        extensions=extensions.claims,
        check=check,
        withheld=withheld,
        synced=synced,
    )


def _ruled(claim: Claim, stones: Sequence[Tombstone]) -> bool:
    """Did a line that was noted become a rule? It stays in the store, for the day when the rule goes."""
    mine = (stone for stone in stones if stone.source.startswith(RULE))
    return any(match.buries(stone, claim.text, scope=claim.scope) for stone in mine)
