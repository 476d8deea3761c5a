"""`memkit run`: extract, consolidate, lint in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memkit.commands import log, work
from memkit.commands.app import Options
from memkit.commands.opening import disabled
from memkit.errors import EngineError, ExitCode, GateError

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
) -> None:
    """Read new sessions into the memory, lint it and commit it.

    Without PATHS, the sessions of $CODEX_HOME are read by the rules of age, idle time and source. With PATHS (exported
    files or folders) those three are off. Running it again with nothing new changes nothing.
    """
    options: Options = ctx.obj
    if disabled(options):
        return
    with work.worker(options, command="memkit run", engine=engine) as worker:
        limit = worker.config.memories.max_rollouts_per_startup if hook else None
        guarded = hook and worker.engine.name != "offline"
        request = work.Request(paths=tuple(paths or ()), limit=limit, guarded=guarded)
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
