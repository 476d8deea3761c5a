"""Opening a home to work in it, under its lock: made and mended where needed, with hand edits taken in."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import typer

from memkit import clock, locks
from memkit.commands.app import Options
from memkit.commands.home import DATABASE
from memkit.config import Config, load
from memkit.config.schema import leaves
from memkit.documents import places
from memkit.engines.base import Engine
from memkit.engines.pick import pick
from memkit.errors import ConfigError, StorageError, UsageError, plain
from memkit.repo import Repo
from memkit.stages import consolidate, hooks, init, notes, rules
from memkit.store import Store

# What a dry run leaves behind when it copies the home: what dies with a process, and what only is looked at by people.
_NOT_COPIED = ("log", "staging", "*.lock", "state.holder.json")


_AS_SET: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True)
class Worker:
    """A home that is worked in, under its lock. dry: the home is a copy that is thrown away."""

    config: Config
    options: Options
    repo: Repo
    store: Store
    engine: Engine
    now: float
    dry: bool = False


def say(options: Options, text: str) -> None:
    """A line for the person, on stderr; --quiet leaves it out."""
    if not options.quiet:
        typer.echo(plain(text), err=True)


def detail(options: Options, text: str) -> None:
    """A line for --verbose, on stderr."""
    if options.verbose:
        typer.echo(plain(text), err=True)


def warn(text: str) -> None:
    """A warning, on stderr, also with --quiet."""
    typer.echo(f"memkit: {plain(text)}", err=True)


@contextmanager
def worker(
    options: Options,
    *,
    command: str,
    engine: str | None = None,
    dry: bool = False,
    form: Mapping[str, object] = _AS_SET,
) -> Iterator[Worker]:
    """Opens the home under its lock. Raises BusyError.

    dry: everything is done in a copy of the home that is thrown away; of the home itself only the lock is touched.
    form: settings (version, dual_write) that the caller is about to write into the home's configuration.
    """
    now = clock.now()
    config = _config(options, engine=engine, form=form)
    chosen = pick(config, env=os.environ)
    for warning in config.warnings:
        warn(warning)
    detail(options, f"home {config.home}; {chosen.why}")
    with ExitStack() as stack:
        if not dry:
            make(config.home)
        if config.home.exists():
            stack.enter_context(locks.consolidation(config.home, command=command))
        if dry:
            config = config._replace(home=_copied(config.home, stack))
        stack.enter_context(Repo.at(config.home).keeping())
        repo = Repo.ensure(config.home)
        made = init.init(repo=repo, versions=config.versions)
        _announce(made, options, dry=dry)
        if made.new and not dry:
            put_hook(config, options)
        store = stack.enter_context(Store.open(config.home / DATABASE))
        model = chosen.make(store)
        stack.callback(model.close)
        work = Worker(config, options, repo, store, model, now, dry)
        _restore(work)
        take_edits(work)
        yield work


def take_edits(work: Worker) -> None:
    """Takes in what was edited by hand, and says so."""
    edits = notes.take_hand_edits(store=work.store, repo=work.repo, config=work.config, now=work.now)
    taken = notes.take_notes(store=work.store, repo=work.repo, config=work.config)
    if taken.ids:
        written = notes.export(store=work.store, home=work.config.home)
        work.repo.commit_paths(written, message=notes.message(taken))
    _release(work)
    for line in edits.warnings:
        warn(line)
    if edits.added or edits.removed:
        say(
            work.options,
            f"taken in from your own edits: {len(edits.added)} lines kept, {len(edits.removed)} taken out",
        )


def _release(work: Worker) -> None:
    """A preference whose rule was removed may be remembered again."""
    ruled = any(stone.source.startswith(places.RULE) for stone in work.store.tombstones())
    if not ruled and not os.path.lexists(work.config.home / places.RULES):
        return  # most homes: then nothing of rules is loaded
    try:
        gone = rules.released(work.store.tombstones(), home=work.config.home)
    except ConfigError as error:
        warn(str(error))  # what a file of rules says is no reason not to learn
        return
    if gone:
        work.store.unbury(gone)
        written = notes.export(store=work.store, home=work.config.home)
        work.repo.commit_paths(written, message="memory: a rule is no more\n")


def disabled(options: Options) -> bool:
    """Is memkit switched off by MEMKIT_DISABLE? Says so: a hook's run then has nothing to do, and that is no error."""
    off = load(home=options.home, env=os.environ).disabled
    if off:
        warn("MEMKIT_DISABLE is set: nothing is read or written")
    return off


def _config(options: Options, *, engine: str | None, form: Mapping[str, object]) -> Config:
    known = leaves()["engine"].choices
    if engine is not None and engine not in known:
        raise UsageError(f"there is no engine {engine!r}", mend=f"--engine is {', '.join(known[:-1])} or {known[-1]}")
    config = load(home=options.home, env=os.environ, overrides={"engine": engine, **form})
    if config.disabled:
        raise UsageError("MEMKIT_DISABLE is set, so nothing is read or written", mend="unset it")
    return config


def make(home: Path) -> None:
    """Makes the folder of a home. StorageError when it can't be made."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        what = "it is a file" if home.exists() else error.strerror
        raise StorageError(f"the home {home} can't be made: {what}", mend="choose another with --home") from error


def _copied(home: Path, stack: ExitStack) -> Path:
    copy = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memkit-"))) / "home"
    if home.exists():
        shutil.copytree(home, copy, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    copy.mkdir(mode=0o700, exist_ok=True)
    return copy


def _announce(made: init.Made, options: Options, *, dry: bool) -> None:
    for repair in made.repairs:
        warn(repair)
    if dry:
        return
    if made.outer:
        warn(f"the home {made.home} lies inside the Git work tree {made.outer}; keep it out of that repository")
    if made.new:
        say(options, f"made a new home at {made.home}")


def put_hook(config: Config, options: Options) -> None:
    """Puts the Git hook in. Where that can't be, it is said, and is no reason not to work."""
    try:
        plan = hooks.plan("git", config=config, env=os.environ, call=hooks.Call.here(config.home))
        hooks.carry_out(plan)
    except (ConfigError, StorageError) as error:
        say(options, f"no Git hook checks your own commits in the home: {error}")


def _restore(work: Worker) -> None:
    """A new database is filled from what is committed: losing it loses no memory."""
    if work.store.meta("restored"):
        return
    notes.seed(store=work.store, home=work.config.home, files=work.repo.read_files([notes.CLAIMS, notes.TOMBSTONES]))
    if done := consolidate.restore(store=work.store, repo=work.repo):
        warn(f"the database was new: {done} records were taken from the committed memory")
