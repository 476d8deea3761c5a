"""`memkit doctor`: what is wrong, and the command that mends it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memkit import clock
from memkit.commands.app import Options
from memkit.commands.home import user_home
from memkit.config import home_path
from memkit.errors import ExitCode, plain
from memkit.model import canonical
from memkit.stages import doctor as stage

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def doctor(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what is wrong, and the command that mends it.

    It looks at settings, hooks, files, Git and the database, and changes nothing. The exit status is 1 when
    something was found.
    """
    options: Options = ctx.obj
    found = stage.doctor(home=options.home, env=os.environ, now=clock.now(), user_home=user_home())
    if as_json:
        typer.echo(canonical([{"check": each.check, "what": each.what, "mend": each.mend} for each in found]))
    else:
        for each in found:
            typer.echo(plain(f"{each.check}: {each.what}"))
            typer.echo(plain(f"  mend: {each.mend}"))
        if not found:
            typer.echo(f"nothing is wrong with the memory at {home_path(options.home, env=os.environ)}")
    if found:
        raise typer.Exit(ExitCode.FINDINGS)
