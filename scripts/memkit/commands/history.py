"""`memkit history`: what each commit changed, in words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading
from memkit.commands.app import Options
from memkit.errors import UsageError
from memkit.model import Section, canonical
from memkit.repo import Trailer
from memkit.stages import tell
from memkit.stages.tell import Change, Step, Written

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SIGNS = {"added": "+", "changed": "~", "removed": "-"}


@app.command()
def history(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many commits, the newest first.")] = 20,
    raw: Annotated[bool, typer.Option("--raw", help="As unified diffs of the files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what each consolidation and edit by hand changed.

    The claims that came (+), changed (~) and went (-), the sessions and notes behind them, and why claims went.
    """
    if raw and as_json:
        raise UsageError("--raw and --json exclude each other", mend="memkit history --json")
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        steps = tell.history(repo=opened.repo, limit=limit)
        if raw:
            for step in steps:
                typer.echo(title(step))
                for line in raw_lines(tell.raw_diff(repo=opened.repo, commit=step.commit.id)):
                    typer.echo(line)
            return
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
        "sessions": list(commit.named(Trailer.SESSION)),
        "notes": list(commit.named(Trailer.NOTE)),
        "added": [change.line for change in step.of("added")],
        "removed": [change.line for change in step.of("removed")],
        "changed": [{"before": change.before, "after": change.line} for change in step.of("changed")],
        "changes": [_change_value(change) for change in step.changes],
        "written": [{"id": w.id, "kind": w.kind, "text": w.text, "scope": w.scope} for w in step.written],
        "files": list(step.files),
    }


def _change_value(change: Change) -> dict[str, object]:
    return {
        "kind": change.kind,
        "section": change.section.value,
        "scope": change.scope,
        "line": change.line,
        "before": change.before,
        "sessions": list(change.sessions),
        "notes": list(change.notes),
        "reason": change.reason,
    }


def title(step: Step) -> str:
    """A commit's first line."""
    return f"{step.commit.id[:10]}  {clock.iso(step.commit.time)[:16]}  {step.commit.subject}"


def as_lines(step: Step, *, most: int | None = None) -> list[str]:
    """A commit in words; most: of its changes."""
    told = [[_written(each)] for each in step.written] + [list(_told(each)) for each in step.changes]
    lines = [title(step)] + [line for change in told[:most] for line in change]
    if most is not None and len(told) > most:
        lines.append(f"  … and {len(told) - most} more: memkit diff {step.commit.id[:10]}")
    return lines


def _written(each: Written) -> str:
    return f"  note {each.id}: {each.kind} ({f'in {each.scope}' if each.scope else 'everywhere'}) {each.text}"


def _told(change: Change) -> Iterator[str]:
    yield f"  {_SIGNS[change.kind]} {change.line.removeprefix('- ')}"
    if change.before:
        yield f"      was: {change.before.removeprefix('- ')}"
    said = change.section is not Section.INDEX and change.kind != "removed"  # an index line names its session itself
    causes = [f"session {id_}" for id_ in change.sessions if said] + [f"note {id_}" for id_ in change.notes]
    parts = [part for part in (change.reason, ", ".join(causes)) if part]
    if parts:
        yield f"      {': '.join(parts)}"


def raw_lines(files: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Unified diffs, file by file."""
    for path, (old, new) in files.items():
        yield from difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", lineterm="")
