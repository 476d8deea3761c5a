"""`memkit remember`: a note that the memory is to keep."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit.commands import noting
from memkit.commands.app import Options

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def remember(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="What to remember, in your words.")],
    cwd: Annotated[
        str | None, typer.Option(help="The project's directory; it need not exist (default: here).", show_default=False)
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="For all projects.")] = False,
    now: Annotated[bool, typer.Option("--now", help="Consolidate at once and say what changed.")] = False,
) -> None:
    """Note something for the memory to keep.

    A note counts as your own words, for the project of the directory or for all. It is written at once, also while a
    run works; the next consolidation takes it in, marked as a note.
    """
    options: Options = ctx.obj
    noting.note(options, noting.Asked(kind="remember", text=text, cwd=cwd, everywhere=everywhere, now=now))
