"""`memkit context`: what a new session is told."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from memkit.commands import told
from memkit.commands.app import Options

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Form(StrEnum):
    """How the context is printed."""

    TEXT = "text"
    HOOK = "hook"


@app.command()
def context(
    ctx: typer.Context,
    cwd: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="The session's directory; it need not exist (default: here).", show_default=False
        ),
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="The whole summary, as Codex would inject it.")] = False,
    form: Annotated[Form, typer.Option("--format", help="text, or a hook's JSON.")] = Form.TEXT,
) -> None:
    """Print what a new session in a directory is told.

    First the lines that hold everywhere, then those of the directory's project; outside any project the former alone.
    Nothing is printed when there is nothing to say or reading is off.
    """
    options: Options = ctx.obj
    sys.stdout.write(told.answer(home=options.home, directory=cwd, form=form.value, whole=whole))
