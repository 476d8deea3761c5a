"""`memkit summary`: memory_summary.md and its budget."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from typing import Annotated

import typer

from memkit.commands import reading
from memkit.commands.app import Options
from memkit.model import canonical
from memkit.stages import tell

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def summary(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show the committed memory_summary.md and its budget."""
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        held = tell.budget(repo=opened.repo, config=opened.config)
    if as_json:
        keys = ("bytes", "tokens", "max_bytes", "max_tokens", "exact", "text")
        values = {key: getattr(held, key) for key in keys}
        typer.echo(canonical({**values, "sections": [asdict(part) for part in held.parts]}))
        return
    typer.echo(held.text, nl=False)
    typer.echo()
    how = "o200k" if held.exact else "estimated: bytes / 2.4"
    typer.echo(f"{held.bytes:,} of {held.max_bytes:,} bytes, {held.tokens:,} of {held.max_tokens:,} tokens ({how})")
    for part in held.parts:
        typer.echo(
            f"  {part.section}: {part.lines} lines, {part.bytes:,} bytes ({100 * part.bytes // max(held.bytes, 1)} %)"
        )
