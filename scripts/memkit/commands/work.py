"""The two halves of a run that several commands share, and what they say."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import typer

from memkit import clock, locks, tree
from memkit.commands import log
from memkit.commands.app import Options
from memkit.commands.home import user_home
from memkit.commands.opening import Worker, detail, say, take_edits, warn, worker
from memkit.errors import (
    BudgetError,
    EngineError,
    ExitCode,
    GateError,
    MemkitError,
    ModelError,
    UsageError,
)
from memkit.model import CONSOLIDATION, RunLog, State
from memkit.repo import Moved
from memkit.stages import consolidate, extract, notes, publish, retain, scan, tell

if TYPE_CHECKING:
    from memkit.stages.consolidate import Consolidated
    from memkit.stages.extract import Extracted
    from memkit.stages.scan import Scanned

__all__ = [
    "Request",
    "Worker",
    "bar",
    "exit_code",
    "may_write",
    "preview_memory",
    "read_sessions",
    "report",
    "say",
    "warn",
    "worker",
    "write_memory",
]

_BAR_AFTER = 1.0  # seconds of work before a bar is worth showing


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What an extraction is asked to do. guarded: a rate limit that is nearly used up holds it back.

    current: the id of a session that is in use, "" when none is known.
    """

    paths: tuple[Path, ...] = ()
    again: bool = False
    retry: bool = False
    limit: int | None = None
    guarded: bool = False
    current: str = ""


def read_sessions(worker: Worker, request: Request) -> tuple[Scanned, Extracted]:
    """Scan and extract; prints what could not be read, and the coverage."""
    for path in request.paths:
        if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises for a name that is too long
            raise UsageError(f"{path} does not exist")
    with bar("looking for sessions", worker.options):
        scanned = scan.scan(
            store=worker.store,
            config=worker.config,
            now=worker.now,
            paths=request.paths,
            again=request.again,
            retry=request.retry,
            guarded=request.guarded,
            current=request.current,
            allows=worker.engine.limits.allows,
        )
    for problem in scanned.problems:
        warn(f"{problem.path}: {problem.what}")
    if not scanned.files and not scanned.problems:
        where = ", ".join(map(str, request.paths)) or str(worker.config.codex_home / "sessions")
        say(worker.options, f"no rollout files in {where}")
    if scanned.limit is not None:
        left, until = max(0.0, 100 - scanned.limit.used_percent), clock.iso(scanned.limit.ends)
        say(worker.options, f"{left:g} % of the agent's rate limit is left: no model is asked until {until}")
    detail(worker.options, f"{scanned.files} rollout files seen, {len(scanned.due)} sessions to read")
    if worker.dry:
        _preview(worker, scanned, request)
        return scanned, extract.Extracted()
    if not scanned.due:
        return scanned, extract.Extracted()
    with locks.run_token(worker.config.home) as token, bar("reading sessions", worker.options) as progress:
        extracted = extract.extract(
            store=worker.store,
            config=worker.config,
            engine=worker.engine,
            due=scanned.due,
            paths=scanned.paths,
            owner=token,
            alive=lambda other: locks.alive(worker.config.home, other),
            now=worker.now,
            limit=request.limit,
            forced=request.again or request.retry,
            processes=(os.cpu_count() or 1) if worker.engine.name == "offline" else 1,
            progress=progress,
        )
    if extracted.spent:
        warn(extracted.spent)
    for outcome in extracted.outcomes:
        detail(worker.options, f"session {outcome.session_id}: {outcome.state.value}")
        if outcome.state is State.FAILED:
            warn(f"session {outcome.session_id}: {outcome.detail}")
    return scanned, extracted


def _preview(worker: Worker, scanned: Scanned, request: Request) -> None:
    entries = extract.preview(store=worker.store, due=scanned.due, limit=request.limit)
    for entry in entries:
        typer.echo(f"would read {entry.session.id}  {clock.iso(entry.session.updated_at)}  {entry.session.path}")
    typer.echo(
        f"{len(entries)} session{'s' if len(entries) != 1 else ''} to read with the {worker.engine.name} engine;"
        " nothing was done"
    )
    if worker.engine.limits.remote:
        cost = extract.cost(
            store=worker.store,
            config=worker.config,
            engine=worker.engine,
            due=scanned.due,
            paths=scanned.paths,
            now=worker.now,
            limit=request.limit,
        )
        cap = worker.config.openai.max_tokens_per_run
        typer.echo(
            f"{cost.sessions} of them would be sent: about {cost.tokens:,} tokens of input;"
            f" a run stops at {cap:,} tokens (openai.max_tokens_per_run)"
        )


def may_write(worker: Worker) -> bool:
    """Whether a run consolidates: with learning off only for what was said in notes and by hand. Says so when not."""
    if worker.config.memories.generate_memories or consolidate.words_wait(store=worker.store):
        return True
    say(worker.options, "learning is switched off (memories.generate_memories); the memory stays as it is")
    return False


def write_memory(worker: Worker, *, causes: Sequence[tuple[str, str]] = ()) -> Consolidated | None:
    """Consolidates and publishes; done anew once when somebody edited the memory meanwhile. A dry run only looks.

    causes: trailers for the commit, of what made this consolidation. None, said on stderr, when a model would be asked
    for more than a run may use: the next run goes on.
    """
    before = worker.engine.tokens_used
    try:
        with bar("consolidating", worker.options):
            try:
                return _publish(worker, causes, before, watchful=True)
            except Moved:
                take_edits(worker)
                return _publish(worker, causes, before)
    except BudgetError as error:
        _log_failure(worker, error, before)
        warn(str(error))
        return None
    except (GateError, ModelError) as error:
        # What the model said led nowhere: the next run asks it anew.
        worker.store.drop_answers(about=CONSOLIDATION)
        _log_failure(worker, error, before)
        if isinstance(error, ModelError):
            raise EngineError(f"no consolidation: {error}; the memory stays as it was") from error
        raise
    except MemkitError as error:
        _log_failure(worker, error, before)
        raise


def _log_failure(worker: Worker, error: MemkitError, before: int) -> None:
    used = worker.engine.tokens_used - before
    worker.store.log_run(
        RunLog(stage="consolidate", started_at=worker.now, ended_at=worker.now, error=str(error), tokens_used=used)
    )


def _publish(worker: Worker, causes: Sequence[tuple[str, str]], before: int, *, watchful: bool = False) -> Consolidated:
    """watchful: raises Moved also when notes or edits came meanwhile that the commit knows nothing of."""
    found = consolidate.gather(
        store=worker.store, repo=worker.repo, config=worker.config, engine=worker.engine.name, now=worker.now
    )
    if same := consolidate.nothing_new(
        found, store=worker.store, repo=worker.repo, config=worker.config, engine=worker.engine.name
    ):
        return same
    there = worker.repo.changed() if watchful else ()
    root = worker.config.home / tree.TREES[worker.config.version]
    waiting = notes.pending(repo=worker.repo, files=tree.read_tree(root).files)
    done = consolidate.consolidate(
        store=worker.store,
        repo=worker.repo,
        config=worker.config,
        engine=worker.engine,
        now=worker.now,
        user_home=user_home(),
        applied=lambda before, after: notes.applied(waiting, before, after, store=worker.store, user_home=user_home()),
        causes=causes,
        found=found,
    )
    if done.commit and watchful and worker.repo.changed() != there:
        raise Moved("the memory was added to meanwhile")
    if done.commit and not worker.dry:
        publish.publish(
            store=worker.store,
            repo=worker.repo,
            commit=done.commit,
            base=done.base,
            version=worker.config.version,
            now=worker.now,
            tokens_used=worker.engine.tokens_used - before,
        )
        worker.store.drop_answers(about=CONSOLIDATION)
        consolidate.remember(store=worker.store, repo=worker.repo, config=worker.config, inputs=done.inputs)
    return done


def preview_memory(worker: Worker) -> None:
    """Says what a consolidation by a model would send; asks nothing."""
    tokens = consolidate.cost(
        store=worker.store,
        repo=worker.repo,
        config=worker.config,
        engine=worker.engine,
        now=worker.now,
        user_home=user_home(),
    )
    cap = worker.config.openai.max_tokens_per_run
    typer.echo(
        f"about {tokens:,} tokens of changes would be sent; a run stops at {cap:,} tokens (openai.max_tokens_per_run);"
        " nothing was done"
    )


def retain_records(worker: Worker) -> None:
    """The retention of a run: a batch of what the consolidation no longer selects and nobody used.

    While nothing is learned no use is seen, and so nothing goes.
    """
    if not worker.config.memories.generate_memories:
        return
    gone = retain.retain(store=worker.store, config=worker.config, now=worker.now).gone
    if gone:
        detail(worker.options, f"{len(gone)} unused records left the store")


def report(worker: Worker, *, extracted: Extracted | None = None, done: Consolidated | None = None) -> None:
    """Says what a run came to: where the memory is, what it says, the coverage."""
    config, options = worker.config, worker.options
    if done is not None and done.commit:
        typer.echo(
            f"memory: {len(done.new)} new, {len(done.changed)} changed, {len(done.removed)} removed"
            f" ({done.engine}), commit {done.commit[:10]}"
        )
        for loss in done.removed[:10]:
            typer.echo(f"  gone ({loss.reason or 'no reason given'}): {loss.line.removeprefix('- ')}")
    elif done is not None:
        typer.echo("nothing new")
    coverage = tell.coverage(worker.store.tallies(), now=worker.now)
    typer.echo(coverage)
    if extracted and extracted.left:
        typer.echo(f"{extracted.left} more wait for the next run (count limit)")
    if done is not None and not options.quiet:
        held = tell.budget(repo=worker.repo, config=config, counts=worker.store.line_tokens())
        path = config.home / tree.TREES[config.version] / tree.SUMMARY
        typer.echo(f"the memory is in {path} ({held.bytes:,} of {held.max_bytes:,} bytes, {len(held.lines)} lines)")
        for line in _gist(held):
            typer.echo(f"  {line}")
    if done is not None:
        log.write(config.home, f"run: {coverage}; commit {done.commit or 'none'}")


def _gist(held: tell.Budget, *, most: int = 6) -> list[str]:
    """A few lines of what the memory says: wishes before work."""
    lines = [str(line) for line in held.lines]
    shown = [line if len(line) <= 160 else line[:159] + "…" for line in lines[:most]]
    return [*shown, f"… and {len(lines) - most} more lines in that file"] if len(lines) > most else shown


def exit_code(scanned: Scanned, extracted: Extracted) -> ExitCode:
    """6 when some sessions failed, those included whose file can't be opened."""
    return ExitCode.PARTIAL if scanned.unreadable or extracted.count(State.FAILED) else ExitCode.OK


@contextmanager
def bar(label: str, options: Options) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal for work that lasts over a second; elsewhere nothing."""
    if options.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(stderr=True), transient=True)
    task = progress.add_task(label, total=None)
    # By a timer, not by the work's own steps: a single long step is when one wonders most.
    timer = Timer(_BAR_AFTER, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: progress.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        if progress.live.is_started:
            progress.stop()
