"""What remember, correct and forget share: where a note goes, and what is said of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer

from memkit import clock, tree
from memkit.commands import work
from memkit.commands.app import Options
from memkit.commands.reading import DATABASE, user_home
from memkit.config import Config, load
from memkit.errors import UsageError
from memkit.model import Note
from memkit.projects import Place, Projects
from memkit.stages import notes
from memkit.store import Store

Kind = Literal["remember", "correct", "forget"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A request as it was typed. cwd: of --cwd, None when it was not given."""

    kind: Kind
    text: str
    cwd: str | None
    everywhere: bool
    now: bool


def opened(options: Options) -> Config:
    """The configuration of a home that is there; one that is not is made first."""
    config = load(home=options.home, env=os.environ)
    if config.disabled:
        raise UsageError("MEMKIT_DISABLE is set, so nothing is noted", mend="unset it")
    if not (config.home / ".git").exists():
        with work.worker(options, command="memkit init"):
            pass
    return config


def scope_of(asked: Asked, config: Config) -> str | None:
    """The project that a note is for, None for everywhere. UsageError outside any project without --global."""
    if asked.everywhere:
        return None
    if asked.cwd is None and asked.kind == "forget":
        return None
    with Store.open(config.home / DATABASE, readonly=True) as store:
        places = [Place(e.session.cwd, e.session.remote) for e in store.entries() if e.session.cwd]
    found = Projects.of(places, user_home=user_home()).of_directory(str(Path(asked.cwd or ".").absolute()))
    if found is None and asked.kind != "forget":
        raise UsageError(f"{asked.cwd or 'this directory'} is no project", mend="--global, or --cwd DIR of one")
    return found.name if found else None


def note(options: Options, asked: Asked) -> None:
    """Writes the note at once and says what will happen; --now consolidates and says what did."""
    text = " ".join(asked.text.split())
    if not text:
        raise UsageError(f"there is nothing to {asked.kind}", mend=f'memkit {asked.kind} "…"')
    config = opened(options)
    project = scope_of(asked, config)
    written = notes.write(config=config, kind=asked.kind, text=text, project=project, now=clock.now())
    where = f"in {project}" if project else "everywhere"
    typer.echo(f"noted ({asked.kind}, {where}): {written.text}")
    if _absolute(text):
        work.say(options, "what must always hold is better a rule in AGENTS.md: memory may be cut for length")
    if not asked.now:
        typer.echo("the next run or `memkit consolidate` takes it into the memory; see `memkit notes`")
        return
    with work.worker(options, command=f"memkit {asked.kind} --now") as worker:
        done = work.write_memory(worker)
        work.report(worker, done=done)
        _tell(worker.config, written, worker)


def _tell(config: Config, written: Note, worker: work.Worker) -> None:
    listed = notes.listing(repo=worker.repo, store=worker.store, config=config)
    state = next((each.state for each in listed if each.note.id == written.id), "pending")
    typer.echo(
        {
            "applied": "the note is applied",
            "no_match": "nothing in the memory matched",
            "pending": "the note is not applied yet",
        }[state]
    )


def _absolute(text: str) -> bool:
    return any(word in ("NEVER", "ALWAYS") for word in text.split())


def show_matches(config: Config, asked: Asked, project: str | None) -> None:
    """Prints the lines and files that a request to forget names."""
    files = tree.read_tree(config.home / tree.TREES[config.version]).files
    found = notes.matches(files=files, text=asked.text, project=project)
    for place in found:
        typer.echo(f"{place.file}:{place.line}: {place.text}")
    many = f"{len(found)} lines" if len(found) != 1 else "1 line"
    typer.echo(f"{many} will change or go" if found else "nothing in the memory matches")
