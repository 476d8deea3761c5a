"""Checks of the place: permissions, room, symbolic links, a work tree around the home."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from memkit import tree
from memkit.documents import places
from memkit.stages.doctor.values import Trouble, Visit
from memkit.store import DATABASE

OWN_FILES = ("memkit.yaml", "rules.yaml", places.CLAIMS, places.TOMBSTONES, places.HASHES)
_PRIVATE = (DATABASE, places.HASHES_KEY, "log", "staging")
_ROOM = 100 << 20  # bytes under which a run may fail half way
_FILES = 1_000  # the same for the number of files that the disk can still take


def check(visit: Visit) -> Iterator[Trouble]:
    """Everything about where the home lies and who can use it."""
    yield from _permissions(visit)
    yield from _room(visit)
    yield from _links(visit)
    outer = visit.repo.outer_worktree()
    if outer is not None:
        rule = visit.quoted(f"/{visit.home.resolve().relative_to(outer).as_posix()}/")
        yield Trouble(
            check="inside-worktree",
            what=f"the home lies inside the Git work tree {outer}, whose next commit could take the memory along",
            mend=f"echo {rule} >> {visit.quoted(outer / '.gitignore')}",
        )


def _permissions(visit: Visit) -> Iterator[Trouble]:
    home = visit.home
    status = home.stat()
    if stat.S_IMODE(status.st_mode) & 0o077:
        yield Trouble(
            check="permissions",
            what=f"others can look into the home {home} (mode {stat.S_IMODE(status.st_mode):o})",
            mend=f"chmod 700 {visit.quoted(home)}",
        )
    if status.st_uid != os.geteuid():
        yield Trouble(
            check="permissions",
            what=f"the home {home} belongs to another user",
            mend=f"sudo chown -R {os.geteuid()} {visit.quoted(home)}",
        )
    elif not os.access(home, os.W_OK | os.X_OK):
        yield Trouble(
            check="permissions",
            what=f"nothing can be written in the home {home}",
            mend=f"chmod u+rwx {visit.quoted(home)}",
        )


def _room(visit: Visit) -> Iterator[Trouble]:
    free = shutil.disk_usage(visit.home).free
    if free < _ROOM:
        yield Trouble(
            check="disk",
            what=f"only {free >> 20} MB are free on the disk of {visit.home}",
            mend=f"free some space; df -h {visit.quoted(visit.home)} shows it",
        )
    disk = os.statvfs(visit.home)
    if disk.f_files and disk.f_favail < _FILES:
        yield Trouble(
            check="disk",
            what=f"the disk of {visit.home} can take only {disk.f_favail} more files",
            mend=f"remove some files; df -i {visit.quoted(visit.home)} shows it",
        )


def _links(visit: Visit) -> Iterator[Trouble]:
    """Symbolic links in the home's own places, which memkit never follows."""
    found: list[Path] = [visit.home / name for name in (*OWN_FILES, *_PRIVATE) if (visit.home / name).is_symlink()]
    for folder in tree.TREES.values():
        root = visit.home / folder
        found += [root if link == "." else root / link for link in tree.read_tree(root).symlinks]
    for link in found:
        yield Trouble(
            check="symlink",
            what=f"{link.relative_to(visit.home)} is a symbolic link, which is not followed and not committed",
            mend=f"rm {visit.quoted(link)}",
        )
