"""The read path: opening a home to read, and `context`. Loads neither the framework nor anything heavy."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from memkit import clock, prompts, tokens, tree
from memkit.config import Config, load
from memkit.errors import ConfigError
from memkit.model import content_hash
from memkit.projects import Place, Projects
from memkit.repo import Repo
from memkit.stages import context as stage
from memkit.store import Store

DATABASE = "state.sqlite"


@dataclass(frozen=True, slots=True)
class Reader:
    """A home that is only read."""

    config: Config
    repo: Repo
    store: Store


def user_home() -> str:
    """The user's home directory, written as `~` in documents."""
    return os.environ.get("HOME") or str(Path.home())


def reader(stack: ExitStack, *, home: Path | None) -> Reader:
    """Opens a home to read. ConfigError when there is none."""
    config = load(home=home, env=os.environ)
    if not (config.home / ".git").exists():
        raise ConfigError(f"there is no memory at {config.home} yet", mend="memkit init, or make memories")
    store = stack.enter_context(Store.open(config.home / DATABASE, readonly=True))
    return Reader(config, Repo.at(config.home), store)


def context(*, home: Path | None, directory: str | None, form: str, whole: bool) -> str:
    """What a new session in the directory (default: here) is told, as text or as a hook's JSON; "" for nothing."""
    config = load(home=home, env=os.environ)
    if config.disabled or not config.memories.use_memories or not (config.home / ".git").exists():
        return ""
    repo = Repo.at(config.home)
    root = tree.TREES[config.version]
    files = {path.removeprefix(f"{root}/"): data for path, data in repo.read_files(root).items()}
    with Store.open(config.home / DATABASE, readonly=True) as store:
        entries, counts = store.entries(), store.line_tokens()
    count = _counter(counts)
    if whole:
        told = stage.whole(
            files=files,
            cut=_cutter(config.summary.max_tokens, count),
            count=count,
        )
    else:
        told = stage.context(
            files=files,
            directory=os.path.abspath(directory or _here()),  # noqa: PTH100 - a directory need not exist, and links stay as they are named
            projects=Projects.of(
                (Place(e.session.cwd, e.session.remote) for e in entries if e.session.cwd), user_home=user_home()
            ),
            remotes={e.session.id: e.session.remote for e in entries if e.session.remote},
            max_tokens=config.summary.max_tokens,
            count=count,
        )
    if not told.body:
        return ""
    text = prompts.context_frame(as_of=_as_of(repo), place=str(config.home / root), body=told.body)
    if form == "hook":
        return (
            json.dumps(
                {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}, ensure_ascii=False
            )
            + "\n"
        )
    return text


def _here() -> str:
    """The directory that the command runs in, also when it has been deleted meanwhile."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return os.environ.get("PWD") or "/"


def _as_of(repo: Repo) -> str:
    newest = repo.history(limit=1)
    return clock.iso(newest[0].time) if newest else ""


def _counter(counts: dict[str, int]) -> Callable[[str], int]:
    """Tokens of a text by the counts that publishing made; the safe estimate for a line that it did not see."""

    def count(text: str) -> int:
        return sum(counts.get(content_hash(line)) or tokens.estimate(line) for line in text.splitlines())

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
