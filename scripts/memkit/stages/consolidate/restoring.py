"""Filling a new database from what is committed: losing it loses no memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memkit import tree
from memkit.documents import Malformed, erased, raw, record
from memkit.model import Record, Version
from memkit.repo import Repo
from memkit.store import Store


def restore(*, store: Store, repo: Repo) -> int:
    """Takes the committed records of both trees into a database that is new; how many.

    Whether it was done is kept in the database itself: a kill in between repeats it.
    """
    if store.meta("restored"):
        return 0
    done, gone = 0, erased.load(repo.home)
    for version, folder in tree.TREES.items():
        for each in _records(version, repo.read_files(folder)):
            done += store.import_record(erased.clean_record(each, gone))
    store.set_meta("restored", "1")
    return done


def _records(version: Version, files: Mapping[str, bytes]) -> list[Record]:
    texts = {path.partition("/")[2]: data.decode("utf-8", "replace") for path, data in files.items()}
    memories = _raw_memories(texts.get(tree.RAW, ""))
    found = [_record(version, name, text) for name, text in texts.items() if name.startswith(f"{tree.RECORDS}/")]
    return [replace(each, raw_memory=memories.get(each.session_id, "")) for each in found if each]


def _record(version: Version, name: str, text: str) -> Record | None:
    try:
        doc = record.parse(text)
    except Malformed:
        return None  # lint reports it; the rollout file, where it is still there, gives the record anew
    return Record(
        session_id=doc.thread_id,
        version=version,
        updated_at=int(doc.time),
        path=doc.rollout_path,
        cwd=doc.cwd,
        branch=doc.git_branch,
        rollout_summary=doc.body.text,
        slug=tree.slug_of(name.removeprefix(f"{tree.RECORDS}/")),
        generated_at=int(doc.time),
    )


def _raw_memories(text: str) -> dict[str, str]:
    try:
        return {entry.thread_id: entry.text for entry in raw.parse(text).entries} if text else {}
    except Malformed:
        return {}
