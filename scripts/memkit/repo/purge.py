"""Erasing from the home's history: every commit rewritten by git-filter-repo, then all that is unreachable removed."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memkit.errors import GitError
from memkit.repo.asking import Object
from memkit.repo.door import UMASK, Door, environment
from memkit.repo.files import storage
from memkit.repo.publishing import sync_index
from memkit.repo.staging import sweep

_LEFTOVERS = ("ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "AUTO_MERGE", "memkit.index")


class Changes(NamedTuple):
    """What a rewriting does: new content by blob id, new path (None for none) by path, new message by message."""

    blobs: dict[str, bytes]
    names: dict[bytes, bytes | None]
    messages: dict[bytes, bytes]

    def __repr__(self) -> str:
        return "Changes(…)"  # messages hold erased words


def objects(door: Door) -> Iterator[Object]:
    """Every object that Git has, loose or packed, reachable or not, decompressed."""
    out = door.read("cat-file", "--batch-all-objects", "--unordered", "--batch").out
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        oid, kind, size = out[at:end].decode().split(" ")
        start = end + 1
        yield Object(oid, kind, out[start : start + int(size)])
        at = start + int(size) + 1


def paths(door: Door) -> dict[str, set[bytes]]:
    """Blob id to every path that it stands at in a commit of any ref."""
    found: dict[str, set[bytes]] = {}
    plain = ("--root", "-m", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--format=")
    # ":100644 100644 <old> <new> M", then the path: each blob is new in some commit, from one of its parents at least
    rows = iter(door.read("log", "--all", *plain).out.lstrip(b"\0").split(b"\0"))
    for about in rows:
        if about.lstrip(b"\n").startswith(b":"):
            found.setdefault(about.split(b" ")[3].decode(), set()).add(next(rows))
    found.pop("0" * 40, None)
    return found


def rewrite(door: Door, changes: Changes) -> None:
    """Rewrites every ref; a kill leaves the old history whole. Raises GitError."""
    if not any(changes):
        return
    shutil.rmtree(door.git_dir / "filter-repo", ignore_errors=True)
    feed = {
        "blobs": {oid: _text(data) for oid, data in changes.blobs.items()},
        "names": {_text(old): None if new is None else _text(new) for old, new in changes.names.items()},
        "messages": {_text(old): _text(new) for old, new in changes.messages.items()},
    }
    done = subprocess.run(
        [sys.executable, "-m", "memkit.repo.rewrite"],
        input=json.dumps(feed).encode(),
        capture_output=True,
        env=environment(),
        cwd=door.home,
        umask=UMASK,
        check=False,
    )
    if done.returncode:
        # its own words could show what is erased
        raise GitError("the history could not be rewritten; it is as it was", mend="run the same command again")
    sync_index(door)


def follow(door: Door, change: Callable[[dict[str, str]], None]) -> None:
    """Gives the ids of the last rewriting, old to new, to what keeps ids; done again after a kill, then forgotten."""
    spot = door.git_dir / "filter-repo" / "commit-map"
    with storage(door.home):
        lines = spot.read_text().splitlines() if spot.is_file() else []
    rows = [line.split() for line in lines]
    change({row[0]: row[1] for row in rows if len(row) == 2 and len(row[0]) >= 40 and row[0] != row[1]})
    shutil.rmtree(door.git_dir / "filter-repo", ignore_errors=True)


def collect(door: Door) -> None:
    """Removes what no ref reaches: reflogs, staging of dead runs, left-over files, unreachable objects."""
    sweep(door)
    with storage(door.home):
        for name in _LEFTOVERS:
            (door.git_dir / name).unlink(missing_ok=True)
    door.write("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    door.write("gc", "--quiet", "--prune=now")


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
