"""`memkit history`: what each commit changed, in words."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading
from memkit.commands.app import Options
from memkit.model import canonical
from memkit.stages import tell
from memkit.stages.tell import Step

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def history(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many commits, the newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what each consolidation and edit by hand changed."""
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        steps = tell.history(repo=opened.repo, limit=limit)
    if as_json:
        typer.echo(canonical([as_value(s) for s in steps]))
        return
    for step in steps:
        for line in as_lines(step, most=8):
            typer.echo(line)


def as_value(step: Step) -> dict[str, object]:
    """A commit as JSON."""
    commit = step.commit
    return {
        "commit": commit.id,
        "time": clock.iso(commit.time),
        "author": commit.author,
        "subject": commit.subject,
        "body": commit.body,
        "sessions": [value for key, value in commit.trailers if key == "Memkit-Session"],
        "added": list(step.added),
        "removed": list(step.removed),
        "files": list(step.files),
    }


def as_lines(step: Step, *, most: int | None = None) -> list[str]:
    """A commit in words."""
    commit = step.commit
    lines = [f"{commit.id[:10]}  {clock.iso(commit.time)[:16]}  {commit.subject}"]
    changes = [f"  + {line.removeprefix('- ')}" for line in step.added] + [
        f"  - {line.removeprefix('- ')}" for line in step.removed
    ]
    lines += changes[:most]
    if most is not None and len(changes) > most:
        lines.append(f"  … and {len(changes) - most} more: memkit diff {commit.id[:10]}")
    return lines
