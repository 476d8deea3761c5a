"""`memkit notes`: every note and what became of it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading
from memkit.commands.app import Options
from memkit.model import canonical
from memkit.stages import notes as stage
from memkit.stages.notes import Listed

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def notes(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the notes and what became of each."""
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        listed = stage.listing(
            repo=opened.repo, store=opened.store, config=opened.config, user_home=reading.user_home()
        )
    if as_json:
        typer.echo(canonical([_json(each) for each in listed]))
        return
    for each in listed:
        where = f"in {each.note.project}" if each.note.project else "everywhere"
        done = f" {each.commit[:10]}" if each.commit else ""
        typer.echo(f"{each.note.id}  {each.state}{done}  {each.note.kind} ({where}): {each.note.text}")
        for text in each.corrects:
            typer.echo(f"    corrects: {text}")
        if each.gone:
            typer.echo(f"    no longer in the memory: {each.gone}")
    if not listed:
        typer.echo("no notes")


def _json(each: Listed) -> dict[str, object]:
    note = each.note
    return {
        "id": note.id,
        "kind": note.kind,
        "text": note.text,
        "project": note.project,
        "created_at": clock.iso(note.created_at),
        "state": each.state,
        "commit": each.commit or None,
        "corrects": list(each.corrects),
        "by_hand": note.by_hand,
        "gone": each.gone or None,
    }
