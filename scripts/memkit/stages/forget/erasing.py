"""Erasing, in an order that makes a kill harmless: first the hashes, so that no path brings the words back, then
database, files, history. Running again does what is left.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

from memkit import tree
from memkit.documents import erased
from memkit.documents.erased import Words
from memkit.repo import Repo, purge
from memkit.stages.forget import cleaning
from memkit.stages.forget.planning import Plan
from memkit.store import Store

_MESSAGE = "memory: words erased\n"


def keep_hashes(*, home: Path, words: Words) -> list[str]:
    """Adds the keyed hashes of the words to those that the home keeps; the tracked file's name."""
    key_path = home / erased.KEY
    known = erased.read(home / erased.HASHES)
    if known:
        key = erased.load(home).key
    elif key_path.exists():
        key = key_path.read_bytes()
    else:
        key = secrets.token_bytes(32)
        handle = os.open(key_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    rows = sorted(known | erased.entries(words.text, words.also, key))
    tree.write_file(home / erased.HASHES, "".join(json.dumps({"n": n, "hash": h}) + "\n" for n, h in rows))
    return [erased.HASHES]


def carry_out(*, store: Store, repo: Repo, plan: Plan) -> None:
    """Erases what a plan names. Raises GitError or StorageError; running again goes on where it ended."""
    home, words = repo.home, plan.words
    purge.follow(repo.door, store.follow)
    repo.commit_paths(keep_hashes(home=home, words=words), message=_MESSAGE)
    store.erase(cleaning.row(words, plan.names))
    for path in cleaning.logs(home):
        holds, text = cleaning.log(path, words)
        if holds:
            tree.write_file(path, text)
    if touched := _files(repo, plan):
        repo.commit_paths(touched, message=_MESSAGE)
    purge.rewrite(repo.door, plan.changes)
    purge.follow(repo.door, store.follow)
    purge.collect(repo.door)
    store.shred()


def _files(repo: Repo, plan: Plan) -> list[str]:
    """Cleans the files as they are; the paths that it touched."""
    touched = []
    for path, data in repo.read_files("").items():
        raw = os.fsencode(path)
        to = plan.changes.names.get(raw, raw)
        new = cleaning.content(raw, data, plan.words, plan.names)
        if to == raw and new == data:
            continue
        touched.append(path)
        if to is not None:
            touched.append(os.fsdecode(to))
            tree.write_file(repo.home / os.fsdecode(to), new.decode("utf-8", "surrogateescape"))
        if to != raw:
            (repo.home / path).unlink(missing_ok=True)
    return touched
