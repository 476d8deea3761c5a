"""`memkit diff`: one change, in words or raw."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from memkit.commands import reading
from memkit.commands.app import Options
from memkit.commands.history import as_lines, as_value, raw_lines
from memkit.model import canonical
from memkit.repo import Trailer
from memkit.stages import tell

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def diff(
    ctx: typer.Context,
    commit: Annotated[
        str, typer.Argument(metavar="[COMMIT]", help="A commit of the memory (see `memkit history`).")
    ] = "HEAD",
    raw: Annotated[bool, typer.Option("--raw", help="As a unified diff of the files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what one commit changed, and why.

    The claims that came (+), changed (~) and went (-), the sessions and notes behind them, why claims went, and the
    files.
    """
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        found = tell.find_commit(repo=opened.repo, word=commit)
        step = tell.step(repo=opened.repo, commit=found)
        files = tell.raw_diff(repo=opened.repo, commit=found.id) if raw else {}
    if as_json:
        typer.echo(canonical(as_value(step)))
        return
    if raw:
        for line in raw_lines(files):
            typer.echo(line)
        return
    for line in as_lines(step):
        typer.echo(line)
    if found.body and not found.body.startswith("Lines that went"):  # their reasons stand with the lines
        typer.echo(f"\n{found.body.rstrip()}")
    behind = found.named(Trailer.SESSION)
    if behind:
        typer.echo("\nsessions: " + ", ".join(behind))
    typer.echo("\nfiles: " + (", ".join(step.files) or "none"))
