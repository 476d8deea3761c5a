"""`memkit run`: extract, consolidate, lint in one process."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import background, log, work
from memkit.commands import payload as payloads
from memkit.commands.app import Options
from memkit.commands.home import DATABASE
from memkit.commands.opening import disabled, make
from memkit.config import home_path, load
from memkit.errors import EngineError, ExitCode, GateError
from memkit.store import Store

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def run(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATHS]...",
            help="Rollout files or folders; without any, $CODEX_HOME/sessions.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="offline, openai or auto, instead of the configured one.", show_default=False
        ),
    ] = None,
    hook: Annotated[
        bool,
        typer.Option(
            "--hook", help="Take at most memories.max_rollouts_per_startup sessions; ask no model near its rate limit."
        ),
    ] = False,
    detach: Annotated[
        bool,
        typer.Option(
            "--detach", help="Return at once; the run goes on in the background and speaks into the home's log."
        ),
    ] = False,
    payload: Annotated[
        bool,
        typer.Option(
            "--payload",
            help="A hook's JSON is on stdin: a session that it says has ended need not rest, one that began is left.",
        ),
    ] = False,
) -> None:
    """Read new sessions into the memory, lint it and commit it.

    Without PATHS, the sessions of $CODEX_HOME are read by the rules of age, idle time and source. With PATHS (exported
    files or folders) those three are off. Running it again with nothing new changes nothing.
    """
    options: Options = ctx.obj
    if disabled(options):
        return
    if detach:
        options, paths = _fixed(options), [path.absolute() for path in paths or ()]
        if not background.detach(options.home or Path()):
            return
    current = _told(options) if payload else ""
    with work.worker(options, command="memkit run", engine=engine) as worker:
        limit = worker.config.memories.max_rollouts_per_startup if hook else None
        guarded = hook and worker.engine.name != "offline"
        request = work.Request(paths=tuple(paths or ()), limit=limit, guarded=guarded, current=current)
        scanned, extracted = work.read_sessions(worker, request)
        if scanned.limit is not None or not work.may_write(worker):  # a consolidation would ask the model too
            work.report(worker)
            raise typer.Exit(work.exit_code(scanned, extracted))
        try:
            done = work.write_memory(worker)
            work.retain_records(worker)
        except (GateError, EngineError) as error:
            work.report(worker, extracted=extracted)
            log.write(worker.config.home, f"run: {error}")
            work.warn(str(error))
            raise typer.Exit(ExitCode.worst(work.exit_code(scanned, extracted), error.code)) from error
        work.report(worker, extracted=extracted, done=done)
        for finding in done.findings if done else ():
            work.say(options, f"{finding.file}:{finding.line}: {finding.rule}: {finding.message}")
    raise typer.Exit(work.exit_code(scanned, extracted))


def _fixed(options: Options) -> Options:
    """The options with the home's full path, which holds wherever the process goes on."""
    return replace(options, home=home_path(options.home, env=os.environ))


def _told(options: Options) -> str:
    """Takes a hook's JSON from stdin; the id of the session that is in use, "" when none is named.

    The end of a session is taken down before the lock is asked for: another run may hold it, and the next one knows.
    """
    said = payloads.read()
    if said.wrong:
        work.warn(f"{said.wrong}; the usual rules hold")
    if said.ended:
        config, now = load(home=options.home, env=os.environ), clock.now()
        make(config.home)
        with Store.open(config.home / DATABASE) as store:
            store.report_end(said.ended, at=now, kept=now - config.memories.max_rollout_age_days * clock.DAY)
    return said.began
