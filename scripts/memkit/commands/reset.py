"""`memkit reset`: a new, empty memory; a copy of the old one is kept beside it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from memkit.commands import work
from memkit.commands.app import Options
from memkit.errors import UsageError
from memkit.stages import notes
from memkit.stages import reset as stage

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def reset(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Start over with an empty memory; a copy is kept.

    Settings and rules stay, and what was forgotten stays forgotten. The next run reads the sessions anew.
    """
    options: Options = ctx.obj
    with work.worker(options, command="memkit reset") as worker:
        home = worker.config.home
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError("reset asks before it does anything, and there is no terminal", mend="--yes")
            typer.confirm(f"Empty the memory in {home} (a copy is kept)?", abort=True, err=True)
        done = stage.reset(store=worker.store, repo=worker.repo, config=worker.config, now=worker.now)
        worker.repo.commit_paths(notes.export(store=worker.store, home=home), message="memory: started over\n")
    typer.echo(f"the memory is empty; a copy of the old one is in {done.copy}")
    if done.tombstones:
        typer.echo("what was forgotten stays forgotten")
