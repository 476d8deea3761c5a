"""`memkit consolidate`: stage 2, records to the committed memory."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit.commands import work
from memkit.commands.app import Options

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def consolidate(
    ctx: typer.Context,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="offline, openai or auto, instead of the configured one.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the lines that would come and go; publish nothing.")
    ] = False,
) -> None:
    """Stage 2: make the memory from the records and commit it.

    A memory that breaks a gating lint rule is not published: the last good one stays.
    """
    options: Options = ctx.obj
    with work.worker(options, command="memkit consolidate", engine=engine, dry=dry_run) as worker:
        if dry_run and worker.engine.limits.remote:
            work.preview_memory(worker)
            return
        done = work.write_memory(worker)
        if done is None or not dry_run:
            work.report(worker, done=done)
            return
        for line in done.new:
            typer.echo(f"+ {line}")
        for line in done.changed:
            typer.echo(f"~ {line}")
        for loss in done.removed:
            typer.echo(f"- {loss.line} ({loss.reason or 'no reason given'})")
        typer.echo(
            f"{len(done.new)} new, {len(done.changed)} changed, {len(done.removed)} removed; nothing was published"
        )
