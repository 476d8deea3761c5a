"""`memkit extract`: stage 1, sessions to records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memkit.commands import work
from memkit.commands.app import Options

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def extract(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATHS]...",
            help="Rollout files or folders; without any, $CODEX_HOME/sessions.",
            show_default=False,
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--all", help="Read sessions again that have not changed.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Take failed sessions again, whatever their tries.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="At most so many sessions.", show_default=False)
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="offline, openai or auto, instead of the configured one.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be read; keep no record.")] = False,
) -> None:
    """Stage 1: read new sessions and keep a record of each.

    Where there is no record, `memkit sessions` says why. The memory itself does not change until `memkit consolidate`.
    """
    options: Options = ctx.obj
    with work.worker(options, command="memkit extract", engine=engine, dry=dry_run) as worker:
        request = work.Request(paths=tuple(paths or ()), again=again, retry=retry_failed, limit=limit)
        scanned, extracted = work.read_sessions(worker, request)
        if not dry_run:
            work.report(worker, extracted=extracted)
    raise typer.Exit(work.exit_code(scanned, extracted))
