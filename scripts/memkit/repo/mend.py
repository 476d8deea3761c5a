"""Making a home's repository usable: creating it, and repairing what a kill, a power cut or a user's Git left."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from memkit.errors import GitError, MemkitError, StorageError
from memkit.repo import objects, stale
from memkit.repo.door import Door
from memkit.repo.files import look, replace, settle, status, storage
from memkit.repo.objects import MAIN, Delta
from memkit.repo.publishing import Intent, advance, alone, drop_intent, finish, head_text, keep_intent, sync_index
from memkit.repo.staging import FOLDER, commit_tree, sweep

KEPT = "refs/memkit/kept"
_OID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_BRANCH = re.compile(r"ref: (refs/heads/\S+)")
_EXCLUDE = "/state.*\n/log/\n/staging/\n"
# Bytes go in and come out as they are, whatever a .gitattributes in the home says.
_ATTRIBUTES = "* -text -ident -filter -working-tree-encoding\n"


class Mended(NamedTuple):
    """What had to be repaired, a line each; clean: no file of the work tree differs from HEAD, as far as was seen."""

    repairs: tuple[str, ...]
    clean: bool


def ensure(door: Door) -> Mended:
    """Create or repair the repository of door.home."""
    created = _make_home(door)
    repairs = stale.clear_locks(door)
    repairs += _mend_frame(door)
    _write_info(door)
    repairs += _mend_main(door)
    repairs += _abort_operations(door)
    repairs += [done] if (done := finish(door)) else []
    repairs += _attach(door)
    repaired, clean = _mend_index(door)
    repairs += repaired
    left = sweep(door)
    if left:
        repairs.append(f"removed {left} staging leftover{'s' if left > 1 else ''} of a killed run")
    return Mended((), clean=False) if created else Mended(tuple(repairs), clean=clean and not repairs)


def _make_home(door: Door) -> bool:
    home = door.home
    with storage(home):
        if not home.exists():
            home.mkdir(mode=0o700, parents=True)
            home.chmod(0o700)
        if not home.is_dir():
            raise StorageError(f"{home} is no folder", mend="choose another home with --home or MEMKIT_HOME")
        if (home / FOLDER).is_symlink():
            raise StorageError(f"{home / FOLDER} is a symbolic link", mend="remove it")
        if door.git_dir.is_symlink() or (door.git_dir.exists() and not door.git_dir.is_dir()):
            raise GitError(f"{door.git_dir} is no folder", mend="a home needs a repository of its own; move it away")
        if door.git_dir.is_dir():
            return False
    _init(door)
    return True


def _init(door: Door) -> None:
    door.write("init", "--quiet", "--template=", "--initial-branch=main")


def _mend_frame(door: Door) -> list[str]:
    """Bring .git so far that Git takes it for a repository."""
    repairs = []
    text = head_text(door)
    if not (_OID.fullmatch(text) or _BRANCH.fullmatch(text)):
        _write_head(door, f"ref: {MAIN}")
        repairs.append("HEAD was unreadable and points at main again")
    if not _has_main(door) and door.read("rev-parse", "--git-dir", ok=(0, 128)).code:
        _init(door)
        repairs.append("the repository was incomplete and was initialised again")
    return repairs


def _has_main(door: Door) -> bool:
    """Whether main has a commit that is there: then all else that Git needs is, too."""
    try:
        return bool(objects.tip(door, MAIN))
    except GitError:
        return False


def _write_head(door: Door, text: str) -> None:
    with storage(door.home):
        replace(door.git_dir / "HEAD", f"{text}\n".encode(), spare=door.git_dir / "memkit.tmp")


def _write_info(door: Door) -> None:
    with storage(door.home):
        info = door.git_dir / "info"
        info.mkdir(mode=0o700, exist_ok=True)
        for name, text in (("exclude", _EXCLUDE), ("attributes", _ATTRIBUTES)):
            spot = info / name
            if not spot.is_file() or spot.read_bytes() != text.encode():
                replace(spot, text.encode(), spare=info / "memkit.tmp")


def _mend_main(door: Door) -> list[str]:
    """Give main a whole commit again when it has none: from HEAD, the reflogs, other refs, else dangling commits."""
    if _has_main(door):
        return []
    spot = door.git_dir / MAIN
    broken = spot.is_file() or door.read("rev-parse", "--verify", "-q", MAIN, ok=(0, 1)).code == 0
    found = next((oid for oid in _candidates(door) if _is_whole(door, oid)), "")
    if not broken and not found:
        return []
    if broken:
        with storage(door.home):
            spot.unlink(missing_ok=True)
        door.write("update-ref", "-d", MAIN, ok=(0, 1, 128))
    if not found:
        return ["main pointed at nothing, and no commit was found: it starts anew"]
    advance(door, found, expected="")
    return [f"main had no commit and stands at {found[:12]}, the newest that was found"]


def _candidates(door: Door) -> Iterator[str]:
    if head := objects.tip_or_none(door, "HEAD"):
        yield head
    for name in (MAIN, "HEAD"):
        with storage(door.home):
            log = door.git_dir / "logs" / name
            lines = log.read_bytes().decode("utf-8", "replace").splitlines() if log.is_file() else []
        for line in reversed(lines):
            yield from line.split(" ")[1:2]
    refs = door.read("for-each-ref", "--format=%(objectname)", ok=(0, 1, 128)).text.split()
    yield from _newest_first(door, refs)
    report = door.read("fsck", "--no-reflogs", "--no-progress", ok=tuple(range(256))).out.decode("utf-8", "replace")
    yield from _newest_first(door, re.findall(r"^dangling commit ([0-9a-f]+)$", report, re.MULTILINE))


def _newest_first(door: Door, oids: list[str]) -> list[str]:
    """Those that are commits and what comes before them, children first, else by time."""
    there = [oid for oid in oids if objects.tip_or_none(door, oid)]
    if not there:
        return []
    walked = door.read("rev-list", "--date-order", *there, "--", ok=(0, 128))
    return (door.read("rev-list", "--no-walk=sorted", *there, "--") if walked.code else walked).text.split()


def _is_whole(door: Door, oid: str) -> bool:
    """Whether a commit is there with all its files."""
    if not _OID.fullmatch(oid) or not objects.tip_or_none(door, oid):
        return False
    return door.read("rev-list", "--objects", "--no-walk", "--quiet", oid, ok=(0, 1, 128)).code == 0


def _abort_operations(door: Door) -> list[str]:
    """Leave a merge, rebase or the like that stands half way, keeping the work tree's state under a ref."""
    repairs = []
    for operation, signs in stale.OPERATIONS.items():
        if not any((door.git_dir / sign).exists() for sign in signs):
            continue
        kept = _keep_work_tree(door, operation)
        if door.write(operation, "--abort", ok=(0, 1, 2, 128)).code:
            _drop_operation(door, signs)
        repairs.append(f"a {operation} that stood half way was aborted; its files are kept in {kept}")
    return repairs


def _drop_operation(door: Door, signs: tuple[str, ...]) -> None:
    """What --abort would do, where it refuses: forget the operation, and put conflicting files back as in HEAD."""
    out = door.read("ls-files", "--unmerged", "-z").out
    paths = {os.fsdecode(entry.partition(b"\t")[2]) for entry in out.split(b"\0")[:-1]}
    committed = objects.files(door, paths, rev=objects.tip(door))
    settle(door.home, {path: Delta(look(door.home, path).content, committed.get(path)) for path in paths})
    for sign in signs:
        spot = door.git_dir / sign
        shutil.rmtree(spot, ignore_errors=True)
        with storage(door.home), suppress(IsADirectoryError):
            spot.unlink(missing_ok=True)


def _keep_work_tree(door: Door, operation: str) -> str:
    """A commit of the work tree as it is, under a ref of its own; the index stays as it is."""
    index = door.git_dir / "memkit.index"
    extra = {"GIT_INDEX_FILE": str(index)}
    try:
        door.write("add", "--all", "--", ".", extra=extra)
        tree = door.write("write-tree", extra=extra).text
    finally:
        index.unlink(missing_ok=True)
    head = objects.tip(door)
    commit = commit_tree(door, tree, message=f"kept: files of a {operation} half way", parents=(head,) if head else ())
    return _keep(door, commit)


def _keep(door: Door, commit: str) -> str:
    ref = f"{KEPT}/{commit[:12]}"
    door.write("update-ref", ref, commit)
    return ref


def _attach(door: Door) -> list[str]:
    """Put HEAD on main. Commits made elsewhere come along when they continue main, else they are kept under a ref."""
    text = head_text(door)
    if text == f"ref: {MAIN}":
        return []
    where = "HEAD was detached" if _OID.fullmatch(text) else f"HEAD was on {text.removeprefix('ref: refs/heads/')}"
    here, main = objects.tip_or_none(door, "HEAD"), objects.tip(door, MAIN)
    if not here or not main or here == main:
        _write_head(door, f"ref: {MAIN}")
        return [f"{where} and is on main again"]
    if objects.is_ancestor(door, older=main, newer=here):
        advance(door, here, expected=main)
        _write_head(door, f"ref: {MAIN}")
        return [f"{where}; main now has its commits"]
    kept = "" if objects.is_ancestor(door, older=here, newer=main) else f"; its commits are kept in {_keep(door, here)}"
    with alone(door.home):
        keep_intent(door.home, Intent(here, main))
        _write_head(door, f"ref: {MAIN}")
        settle(door.home, objects.between(door, old=here, new=main))
        sync_index(door)
        drop_intent(door.home)
    return [f"{where} and is on main again{kept}"]


def _mend_index(door: Door) -> tuple[list[str], bool]:
    """The index only mirrors main; one that is damaged is made anew. Also whether there is nothing to commit."""
    if objects.tip(door, MAIN):
        seen = status(door, ok=(0, 1, 128))
        if seen.code == 0 and not seen.staged:
            return [], not seen.entries
    try:
        sync_index(door)
    except MemkitError:
        with storage(door.home):
            (door.git_dir / "index").unlink(missing_ok=True)
        sync_index(door)
        return ["the index was damaged and was made anew"], False
    return [], False
