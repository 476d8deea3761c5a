"""`memkit read`: a file of the committed tree."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from memkit.commands import tools
from memkit.commands.app import Options
from memkit.model import canonical
from memkit.stages import search as stage

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def read(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(help="A file of the memory, as `memkit list` shows it.")],
    line: Annotated[int, typer.Option("--line", min=1, help="The first line to show.")] = 1,
    most: Annotated[
        int | None, typer.Option("--lines", min=1, help="How many lines (default: to the end).", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show a file of the committed memory, or some lines of it."""
    options: Options = ctx.obj
    home, folder = tools.place(options.home)
    page = stage.read(home=home, folder=folder, path=path, line=line, most=most)
    if as_json:
        typer.echo(canonical(asdict(page)))
        return
    for each in page.text.split("\n") if page.lines else ():
        typer.echo(tools.visible(each))
    if page.next is not None:
        typer.echo(f"lines {page.line} to {page.next - 1} of {page.lines}; go on with --line {page.next}", err=True)
