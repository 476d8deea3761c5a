"""`memkit prune`: retention now."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit import clock
from memkit.commands import work
from memkit.commands.app import Options
from memkit.model import Record, canonical
from memkit.stages import retain

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def prune(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Remove the records that nobody uses any more.

    Those that were not used for memories.max_unused_days. They have left the memory already; every run removes up to
    200 of them. Their session logs stay where they are.
    """
    options: Options = ctx.obj
    # A look must not cost a question to a model.
    engine = "offline" if dry_run else None
    with work.worker(options, command="memkit prune", dry=dry_run, engine=engine) as worker:
        work.write_memory(worker)  # says which records are selected now
        gone = retain.retain(store=worker.store, config=worker.config, now=worker.now, everything=True).gone
    if as_json:
        typer.echo(canonical([_value(each) for each in gone]))
        return
    for each in gone:
        typer.echo(f"{each.session_id}  last used {clock.date(_used(each))}  {each.slug or '-'}")
    many = f"{len(gone)} record{'s' if len(gone) != 1 else ''}"
    typer.echo(f"{many} would go" if dry_run else f"{many} removed" if gone else "nothing to remove")


def _used(each: Record) -> float:
    return float(each.updated_at if each.last_usage is None else each.last_usage)


def _value(each: Record) -> dict[str, object]:
    return {
        "id": each.session_id,
        "version": each.version,
        "last_used": clock.iso(_used(each)),
        "usage_count": each.usage_count,
        "slug": each.slug,
    }
