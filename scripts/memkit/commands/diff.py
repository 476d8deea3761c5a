"""`memkit diff`: one change, in words or raw."""

from __future__ import annotations

import difflib
from contextlib import ExitStack
from typing import Annotated

import typer

from memkit.commands import reading
from memkit.commands.app import Options
from memkit.commands.history import as_lines, as_value
from memkit.model import canonical
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

    Lines that came and went, the reasons why lines went, and the files.
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
        for path, (old, new) in files.items():
            for line in difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", lineterm=""):
                typer.echo(line)
        return
    for line in as_lines(step):
        typer.echo(line)
    if found.body:
        typer.echo(f"\n{found.body.rstrip()}")
    typer.echo("\nfiles: " + (", ".join(step.files) or "none"))
