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
from memkit.commands.home import DATABASE, here, user_home
from memkit.config import Config, load
from memkit.errors import UsageError
from memkit.model import Note
from memkit.stages import notes
from memkit.stages.consolidate import Consolidated
from memkit.stages.notes import Listed
from memkit.store import Store

Kind = Literal["remember", "correct", "forget"]
_SHOWN = 20  # lines that a consolidation changed


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A request as it was typed. cwd: of --cwd, None when it was not given."""

    kind: Kind
    text: str
    cwd: str | None
    everywhere: bool
    now: bool


def opened(options: Options, asked: Asked) -> Config:
    """The configuration of a home that is there; one that is not is made first. UsageError for a call that is off."""
    if not asked.text.strip():
        raise UsageError(f"there is nothing to {asked.kind}", mend=f'memkit {asked.kind} "…"')
    if asked.everywhere and asked.cwd is not None:
        raise UsageError("a note is for the project of --cwd or, with --global, for all: not both")
    config = load(home=options.home, env=os.environ)
    if config.disabled:
        raise UsageError("MEMKIT_DISABLE is set, so nothing is noted", mend="unset it")
    if not (config.home / ".git").exists() or not (config.home / DATABASE).exists():
        with work.worker(options, command=f"memkit {asked.kind}"):
            pass
    return config


def scope_of(asked: Asked, config: Config) -> str | None:
    """The project that a note is for, None for everywhere. UsageError outside any project without --global."""
    if asked.everywhere or (asked.cwd is None and asked.kind == "forget"):
        return None
    directory = str(Path(asked.cwd).absolute()) if asked.cwd else here()
    found = projects(config)(directory)
    if found is None:
        where = asked.cwd or "this directory"
        mend = "without --cwd it is forgotten everywhere" if asked.kind == "forget" else "--global, or --cwd DIR of one"
        raise UsageError(f"{where} is no project", mend=mend)
    return found


def projects(config: Config) -> notes.ProjectOf:
    """A directory's project as written, None for one of none. StorageError when the database can't be read."""
    with Store.open(config.home / DATABASE, readonly=True) as store:
        return notes.projects(store, user_home=user_home())


def note(options: Options, asked: Asked) -> None:
    """Writes the note at once and says what will happen; --now consolidates and says what did."""
    config = opened(options, asked)
    project = scope_of(asked, config)
    if asked.kind == "forget":
        _show_matches(config, asked, project)
    written = notes.write(config=config, kind=asked.kind, text=asked.text, project=project, now=clock.now())
    where = f"in {project}" if project else "everywhere"
    typer.echo(f"noted ({asked.kind}, {where}): {written.text}")
    if _absolute(written.text) and asked.kind != "forget":
        work.say(
            options,
            "what must always or never be done is safer as a permanent rule in AGENTS.md:"
            " memory may be shortened, a rule is read whole by every session",
        )
    if not asked.now:
        typer.echo("the next run or `memkit consolidate` takes it into the memory; see `memkit notes`")
        return
    with work.worker(options, command=f"memkit {asked.kind} --now") as worker:
        done = work.write_memory(worker)
        work.report(worker, done=done)
        if done is not None:
            _tell(written, done, worker)


def _absolute(text: str) -> bool:
    return any(word.strip(".,;:!?()\"'") in ("NEVER", "ALWAYS") for word in text.split())


def _tell(written: Note, done: Consolidated, worker: work.Worker) -> None:
    """What the consolidation really changed, and what became of the note."""
    rows = [f"  + {line.removeprefix('- ')}" for line in done.new]
    rows += [f"  ~ {line.removeprefix('- ')}" for line in done.changed]
    for row in rows[:_SHOWN]:
        typer.echo(row)
    if len(rows) > _SHOWN:
        typer.echo(f"  … and {len(rows) - _SHOWN} more (memkit diff)")
    listed = notes.listing(repo=worker.repo, store=worker.store, config=worker.config, user_home=user_home())
    mine = next((each for each in listed if each.note.id == written.id), None)
    typer.echo(outcome(mine, changed=bool(done.commit)) if mine else "the note's file is gone again")


def outcome(each: Listed, *, changed: bool) -> str:
    """One line on what became of a note that a consolidation has just seen."""
    if each.state == "applied":
        corrected = f"; it replaces: {'; '.join(each.corrects)}" if each.corrects else ""
        none = "; nothing in the memory was corrected by it" if each.note.kind == "correct" and not corrected else ""
        if not changed:
            return f"the memory said so already, and nothing changed{none}"
        return f"the note is applied (commit {each.commit[:10]}){corrected}{none}"
    if each.state == "no_match":
        return "nothing in the memory matched, and nothing changed" if not each.gone else f"not kept: {each.gone}"
    if each.note.kind == "forget":
        return "the note is not applied: the memory still says it"
    return "the note is not applied: its words are not in the memory (there may be no room; see `memkit summary`)"


def _show_matches(config: Config, asked: Asked, project: str | None) -> None:
    """Prints the lines and files that a request to forget names."""
    files = tree.read_tree(config.home / tree.TREES[config.version]).files
    found = notes.matches(files=files, text=asked.text, project=project, project_of=projects(config))
    for place in found:
        typer.echo(f"{place.file}:{place.line}: {place.text}")
    many = f"{len(found)} lines" if len(found) != 1 else "1 line"
    typer.echo(f"{many} will change or go" if found else "nothing in the memory matches")
