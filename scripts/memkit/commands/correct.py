"""`memkit correct`: a note that replaces what it corrects."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit.commands import noting
from memkit.commands.app import Options

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def correct(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="What to correct, in your words.")],
    cwd: Annotated[
        str | None, typer.Option(help="The project's directory; it need not exist (default: here).", show_default=False)
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="For all projects.")] = False,
    now: Annotated[bool, typer.Option("--now", help="Consolidate at once and say what changed.")] = False,
) -> None:
    """Note a correction of something in the memory.

    It replaces the line that it contradicts and keeps that line's scope; where there is none, it is remembered.
    """
    options: Options = ctx.obj
    noting.note(options, noting.Asked(kind="correct", text=text, cwd=cwd, everywhere=everywhere, now=now))
