"""What a model sees of a tree: its inputs as texts, and how they differ from the baseline, a change per session."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping

from memkit import prompts
from memkit.documents import Malformed, places, raw
from memkit.engines.base import Change, Synced

_CONTEXT = 3  # lines around a change


def synced(before: Mapping[str, bytes], after: Mapping[str, bytes], *, withheld: Collection[str]) -> Synced:
    """before, after: the tree's files at the baseline and now. withheld: ids of sessions of which nothing is shown."""
    old, new = _inputs(before, withheld=withheld), _inputs(after, withheld=withheld)
    return Synced(files=new, changes=tuple(_changes(old, new)))


def _inputs(files: Mapping[str, bytes], *, withheld: Collection[str]) -> dict[str, str]:
    found = {}
    for path in sorted(files):
        text = files[path].decode("utf-8", "replace")
        if path == places.RAW:
            found[path] = _raw_without(text, withheld) if withheld else text
        elif path.startswith((f"{places.RECORDS}/", "extensions/")) and _thread(text) not in withheld:
            found[path] = text
    return found


def _thread(text: str) -> str:
    """The session of a rollout summary, "" for another file."""
    head, _, id_ = text.partition("\n")[0].partition(":")
    return id_.strip() if head == "thread_id" else ""


def _raw_without(text: str, withheld: Collection[str]) -> str:
    try:
        entries = raw.parse(text).entries
    except Malformed:
        return ""  # what can't be told apart is not shown at all
    return prompts.raw_memories(entries=[each for each in entries if each.thread_id not in withheld])


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    raws = (_raw_parts(old.get(places.RAW, "")), _raw_parts(new.get(places.RAW, "")))
    for path in sorted({*old, *new} - {places.RAW}):
        was, now = old.get(path, ""), new.get(path, "")
        diff = _diff(path, was, now)
        thread = _thread(now) or _thread(was)
        if path.startswith(f"{places.RECORDS}/"):
            diff += _diff(f"{places.RAW} (thread {thread})", raws[0].get(thread, ""), raws[1].get(thread, ""))
        if diff:
            yield Change(path=path, diff=diff)


def _raw_parts(text: str) -> dict[str, str]:
    try:
        return {each.thread_id: each.text for each in raw.parse(text).entries} if text else {}
    except Malformed:
        return {}


def _diff(path: str, was: str, now: str) -> str:
    if was == now:
        return ""
    lines = difflib.unified_diff(
        was.splitlines(),
        now.splitlines(),
        path if was else "/dev/null",
        path if now else "/dev/null",
        n=_CONTEXT,
        lineterm="",
    )
    return "\n".join(lines) + "\n"


__all__ = ["synced"]
