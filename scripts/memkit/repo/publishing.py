"""Moving main and the home's work tree together: by a note of intent, so that a kill at any point can be put right."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from memkit.errors import GitError, MemkitError
from memkit.model import canonical
from memkit.repo import objects
from memkit.repo.door import Door
from memkit.repo.files import replace, settle, storage, untouched
from memkit.repo.objects import MAIN, Delta
from memkit.repo.values import Moved

INTENT = "state.publish.json"
_SPARE = "state.publish.json.tmp"
_LOCK = "state.publish.lock"


class Intent(NamedTuple):
    """A move of the work tree that was begun: from one commit's files to another's."""

    base: str
    commit: str


def publish(door: Door, commit: str, *, base: str) -> None:
    """See Repo.publish."""
    with alone(door.home):
        tip = objects.tip(door, MAIN)
        if tip != base:
            raise Moved(f"the memory has moved from {base[:12]} to {tip[:12]}", mend="run again")
        if head_text(door) != f"ref: {MAIN}":
            raise GitError("HEAD of the home is not on branch main", mend="`memkit init` repairs it")
        if not objects.is_ancestor(door, older=base, newer=commit):
            raise GitError(f"{commit[:12]} does not come after {base[:12]}", mend="run again")
        deltas = objects.between(door, old=base, new=commit)
        _refuse_odd(deltas)
        for path in deltas:
            if not untouched(door.home, path, deltas=deltas):
                raise Moved(f"{path} was changed by hand meanwhile", mend="run again")
        _move(door, Intent(base, commit), deltas=deltas)


def _refuse_odd(deltas: Mapping[str, Delta]) -> None:
    odd = next((path for path, delta in deltas.items() if delta.new_odd), None)
    if odd is not None:
        raise GitError(f"{odd} is no regular file", mend="symbolic links are not published")


def _move(door: Door, intent: Intent, *, deltas: Mapping[str, Delta]) -> None:
    """Files first, then the branch: until the branch moves, readers see base and everything can be taken back."""
    keep_intent(door.home, intent)
    try:
        left = settle(door.home, deltas)
        if left:
            raise Moved(f"{left[0]} was changed by hand meanwhile", mend="run again")
        advance(door, intent.commit, expected=intent.base)
    except MemkitError as error:
        settle(door.home, _turned(deltas))
        drop_intent(door.home)
        if not isinstance(error, Moved) and objects.tip(door, MAIN) != intent.base:
            raise Moved("another commit was made meanwhile", mend="run again") from error
        raise
    drop_intent(door.home)
    # The memory has moved; what remains is upkeep, which another Git's lock may put off to the next run.
    with suppress(MemkitError):
        sync_index(door)
        door.write("gc", "--auto", "--quiet")


def _turned(deltas: Mapping[str, Delta]) -> dict[str, Delta]:
    return {path: delta.turned for path, delta in deltas.items()}


def finish(door: Door) -> str:
    """Finish or take back what a killed process began; what was done, "" when there was nothing.

    It is finished when every file has one of both versions, else taken back: an edit made meanwhile was made on the
    base, and on top of the new commit it would read as the user undoing that.
    """
    with alone(door.home, wait=False) as free:
        spot = door.home / INTENT
        if not free or not spot.exists():
            return ""
        intent = _read_intent(spot)
        done = _finish(door, intent) if intent else "an unreadable note of a publish was dropped"
        drop_intent(door.home)
        return done


def _finish(door: Door, intent: Intent) -> str:
    base, commit = intent
    if not (objects.tip_or_none(door, base) and objects.tip_or_none(door, commit)):
        return "a note of a publish whose commits are gone was dropped"
    tip = objects.tip(door, MAIN)
    deltas = objects.between(door, old=base, new=commit)
    if tip == commit:
        settle(door.home, deltas)
        sync_index(door)
        return f"finished a publish that was cut off ({commit[:12]})"
    if tip != base:
        settle(door.home, objects.between(door, old=commit, new=tip))
        return f"took back a publish that was cut off ({commit[:12]}): other commits came first"
    turned = _turned(deltas)
    if all(untouched(door.home, path, deltas=deltas) or untouched(door.home, path, deltas=turned) for path in deltas):
        settle(door.home, deltas)
        advance(door, commit, expected=base)
        sync_index(door)
        return f"finished a publish that was cut off ({commit[:12]})"
    settle(door.home, turned)
    return f"took back a publish that was cut off ({commit[:12]}): a file was edited by hand meanwhile"


def advance(door: Door, commit: str, *, expected: str) -> None:
    """Move main to a commit, only when it still stands at `expected` ("": it does not exist yet)."""
    door.write("update-ref", "-m", "memkit", MAIN, commit, expected or "0" * len(commit))


def sync_index(door: Door) -> None:
    """Make the index equal to main; a user's `git add` becomes a plain change of the work tree, nothing is lost."""
    tip = objects.tip(door, MAIN)
    door.write("read-tree", *(("--reset", tip) if tip else ("--empty",)))
    door.write("update-index", "-q", "--refresh", ok=(0, 1))


def head_text(door: Door) -> str:
    """What .git/HEAD says, "" when it is missing or no text."""
    with storage(door.home):
        try:
            return (door.git_dir / "HEAD").read_bytes().decode("ascii").strip()
        except (FileNotFoundError, UnicodeDecodeError):
            return ""


def keep_intent(home: Path, intent: Intent) -> None:
    """Note a move before its first step."""
    text = canonical(intent._asdict()) + "\n"
    with storage(home):
        replace(home / INTENT, text.encode(), spare=home / _SPARE)


def drop_intent(home: Path) -> None:
    """Take the note away after the last step."""
    with storage(home):
        (home / INTENT).unlink(missing_ok=True)


def _read_intent(spot: Path) -> Intent | None:
    with storage(spot.parent):
        data = spot.read_bytes()
    try:
        value = json.loads(data)
        return Intent(str(value["base"]), str(value["commit"]))
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def alone(home: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock on moving the work tree; it dies with the process. Without `wait`, gives False when it is held."""
    with storage(home):
        handle = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield take(handle, wait=wait)
    finally:
        os.close(handle)


def take(handle: int, *, wait: bool) -> bool:
    """Lock an open file for this process alone; False when another has it and we don't wait."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
