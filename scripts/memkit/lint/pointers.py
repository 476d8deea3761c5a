"""pointer-missing and thread-id-mismatch, for whatever document names a rollout summary."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.documents import Malformed, names
from memkit.lint.rules import finding
from memkit.lint.world import World
from memkit.model import Finding


def check(file: str, line: int, *, pointer: str, thread_id: str, world: World) -> Iterator[Finding]:
    """Judges one pointer, `rollout_summaries/<file>`; thread_id: the id that stands beside it, "" when none does."""
    if world.whole and pointer not in world.names:
        message = f"there is no {pointer} in the tree: drop the line, or bring the file back"
        yield finding(file, line, rule="pointer-missing", message=message)
        return
    record = world.records.get(pointer)
    if record and thread_id and record.thread_id != thread_id:
        message = f"{pointer} is of thread {record.thread_id}, not {thread_id}"
        yield finding(file, line, rule="thread-id-mismatch", message=message)
    elif thread_id and not belongs(pointer, thread_id):
        message = f"the name of {pointer} is not that of thread {thread_id}, which has `{names.short_hash(thread_id)}`"
        yield finding(file, line, rule="thread-id-mismatch", message=message)


def belongs(pointer: str, thread_id: str) -> bool:
    """Whether a rollout summary's name has the four characters of a thread; a name of another form tells nothing."""
    try:
        name = names.parse(pointer.rpartition("/")[2])
    except Malformed:
        return True
    return name.short == names.short_hash(thread_id)
