"""`memkit explain`: the sessions, dates and quotes behind a claim."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading
from memkit.commands.app import Options
from memkit.errors import UsageError
from memkit.model import Claim, Tombstone, canonical
from memkit.stages import explain as stage

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def explain(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="A claim, in any words.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show where a claim comes from.

    Its scope, and each session with date, quote and file. For something forgotten, the note or edit that took it out.
    """
    options: Options = ctx.obj
    if not text.strip():
        raise UsageError("there is nothing to explain", mend='memkit explain "…"')
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        found = stage.explain(store=opened.store, repo=opened.repo, config=opened.config, text=text)
    if as_json:
        typer.echo(canonical(_value(found)))
        return
    for each in found.lines:
        typer.echo(str(each.line).removeprefix("- "))
        typer.echo(f"  scope: {_scope(each) or 'everywhere'}")
        for note in each.notes:
            typer.echo(f"  {clock.date(note.created_at)}  {_origin(note)}")
        for source in each.sources:
            typer.echo(_line(source))
    for stone in found.gone:
        typer.echo(f"{stone.text}\n  gone since {clock.date(stone.created_at)}: {_origin(stone)}")
    for left in found.left:
        typer.echo(f"{left.text}\n  gone since {clock.date(left.at)}: {left.reason} (memkit diff {left.commit[:10]})")
    if found.records:
        typer.echo("in records only:")
        for source in found.records:
            typer.echo(_line(source))
    if not (found.lines or found.gone or found.left or found.records):
        typer.echo("nothing in the memory matches")


def _line(source: stage.Source) -> str:
    when = clock.date(source.at)
    place = f"{source.path}:{source.line}" if source.line else source.path
    gone = "" if source.there else " (this file is gone; the record stays)"
    return f"  {when}  session {source.session}, {source.label}: {source.quote}\n              {place}{gone}"


def _scope(each: stage.Explained) -> str | None:
    """A line of the index stands under its project."""
    return each.line.scope or (each.line.heading or None)


def _origin(each: Claim | Tombstone) -> str:
    kind, _, rest = each.source.partition(":")
    if kind == "undo":
        return f"taken back by undo of {rest[:10]}"
    gone = isinstance(each, Tombstone)
    words = {"note": "forgotten by" if gone else "said by", "correct": "corrected by"}
    return f"{words[kind]} the note {rest}" if kind in words else "taken out by hand" if gone else "written by hand"


def _value(found: stage.Explanation) -> dict[str, object]:
    return {
        "lines": [
            {
                "text": each.line.text,
                "section": each.line.section.value,
                "scope": _scope(each),
                "sessions": each.line.sessions,
                "last": each.line.last or None,
                "sources": [_source(s) for s in each.sources],
                "notes": [{"source": n.source, "created_at": clock.iso(n.created_at)} for n in each.notes],
            }
            for each in found.lines
        ],
        "gone": [
            {"text": s.text, "scope": s.scope, "source": s.source, "created_at": clock.iso(s.created_at)}
            for s in found.gone
        ],
        "left": [{"text": e.text, "reason": e.reason, "commit": e.commit, "at": clock.iso(e.at)} for e in found.left],
        "records": [_source(s) for s in found.records],
    }


def _source(source: stage.Source) -> dict[str, object]:
    return {
        "session": source.session,
        "at": clock.iso(source.at),
        "label": source.label,
        "quote": source.quote,
        "path": source.path,
        "line": source.line or None,
        "there": source.there,
        "file": source.file,
    }
