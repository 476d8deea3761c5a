"""`memkit list`: what lies in the committed tree."""

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
def list_files(
    ctx: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="[PATH]", help="A folder of the memory; without one, its tree.", show_default=False)
    ] = "",
    most: Annotated[int, typer.Option("--max", min=1, help="Entries on a page.")] = tools.MOST_ENTRIES,
    cursor: Annotated[str, typer.Option(help="Where the last page ended.", show_default=False)] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the committed memory's files and folders.

    Not what is in the folders: name one to see that. Hidden files and links are left out.
    """
    options: Options = ctx.obj
    home, folder = tools.place(options.home)
    listing = stage.list_files(home=home, folder=folder, path=path, most=most, cursor=cursor)
    if as_json:
        typer.echo(canonical({**asdict(listing), "cursor": listing.cursor or None}))
        return
    for entry in listing.entries:
        typer.echo(f"{entry.path}/" if entry.kind == "folder" else f"{entry.path}  {entry.bytes:,} bytes")
    if not listing.entries:
        typer.echo("nothing is there")
    if listing.cursor:
        typer.echo(f"there is more: --cursor {listing.cursor}", err=True)
