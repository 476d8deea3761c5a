"""The read path: what a new session is told. Loads neither the framework nor anything that only writing needs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from memkit import clock, prompts, tokens, tree
from memkit.commands.home import DATABASE, here, say_off, user_home
from memkit.config import load
from memkit.model import content_hash
from memkit.projects import Place, Projects
from memkit.repo.snapshot import snapshot
from memkit.stages import context as stage
from memkit.store import Reading


def answer(*, home: Path | None, directory: str | None, form: str, whole: bool) -> str:
    """`context`, with a word on stderr when MEMKIT_DISABLE is why nothing is told."""
    if os.environ.get("MEMKIT_DISABLE") and load(home=home, env=os.environ).disabled:
        say_off()
        return ""
    return context(home=home, directory=directory, form=form, whole=whole)


def context(*, home: Path | None, directory: str | None, form: str, whole: bool) -> str:
    """What a new session in the directory (default: here) is told, as text or as a hook's JSON; "" for nothing."""
    config = load(home=home, env=os.environ)
    if config.disabled or not config.memories.use_memories or not (config.home / ".git").exists():
        return ""
    root = tree.TREES[config.version]
    newest = snapshot(config.home, root)
    with Reading.open(config.home / DATABASE, readonly=True) as store:
        count = _counter(store.tokens_of)
        if whole:
            told = stage.whole(
                files=newest.files,
                cut=_cutter(config.summary.max_tokens, count),
                count=count,
            )
        else:
            places = (Place(cwd, remote) for cwd, remote in store.places() if cwd)
            told = stage.context(
                files=newest.files,
                directory=os.path.abspath(directory or here()),  # noqa: PTH100 - a directory need not exist, and links stay as they are named
                projects=Projects.of(places, user_home=user_home()),
                remotes=store.remotes(),
                max_tokens=config.summary.max_tokens,
                count=count,
            )
    if not told.body:
        return ""
    text = prompts.context_frame(
        as_of="" if newest.time is None else clock.iso(newest.time),
        place=str(config.home / root),
        body=told.body,
        tools=config.memories.dedicated_tools,
    )
    if form == "hook":
        return (
            json.dumps(
                {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}, ensure_ascii=False
            )
            + "\n"
        )
    return text


def _counter(counted: Callable[[str], int | None]) -> Callable[[str], int]:
    """Tokens of a text by the counts that publishing made; the safe estimate for a line that it did not see."""

    def count(text: str) -> int:
        return sum(counted(content_hash(line)) or tokens.estimate(line) for line in text.splitlines())

    return count


def _cutter(max_tokens: int, count: Callable[[str], int]) -> Callable[[str], str]:
    """Cuts a text at a line border so that it has at most max_tokens."""

    def cut(text: str) -> str:
        kept: list[str] = []
        used = 0
        for line in text.splitlines(keepends=True):
            used += count(line)
            if used > max_tokens:
                return "".join(kept) + "(the rest is left out for length)\n"
            kept.append(line)
        return text

    return cut
