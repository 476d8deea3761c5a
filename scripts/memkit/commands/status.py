"""`memkit status`: coverage, last runs, budget, warnings."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading
from memkit.commands.app import Options
from memkit.model import Reason, canonical
from memkit.stages import notes, tell
from memkit.stages.tell import Status
from memkit.store import LastRun

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def status(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show coverage, the last runs, the budget, and warnings.

    Coverage is how many sessions were extracted, and why the others were not.
    """
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        found = tell.status(store=opened.store, repo=opened.repo, config=opened.config, now=clock.now())
        states = Counter(
            each.state for each in notes.listing(repo=opened.repo, store=opened.store, config=opened.config)
        )
        told = reading.context(home=options.home, directory=None, form="text", whole=False)
    if as_json:
        typer.echo(canonical(_json(found, states)))
        return
    now = clock.now()
    typer.echo(found.coverage)
    for reason, number in sorted(found.reasons.items()):
        typer.echo(f"  {number} {tell.REASONS[Reason(reason)]} ({reason})")
    for stage, run in found.runs.items():
        typer.echo(f"last {stage}: {_ran(run, now)}")
    held = found.budget
    typer.echo(
        f"memory: {found.records} records; summary {held.bytes:,} of {held.max_bytes:,} bytes,"
        f" {held.tokens:,} of {held.max_tokens:,} tokens, {len(held.lines)} lines"
    )
    typer.echo(
        f"a new session here is told {len(told.splitlines())} lines (memkit context)"
        if told
        else "a new session here is told nothing"
    )
    if states:
        typer.echo(f"notes: {', '.join(f'{n} {state}' for state, n in sorted(states.items()))}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")


def _json(found: Status, states: Counter[notes.State]) -> dict[str, object]:
    held = found.budget
    return {
        "sessions": dict(found.sessions),
        "reasons": dict(found.reasons),
        "notes": dict(states),
        "summary": {
            "bytes": held.bytes,
            "tokens": held.tokens,
            "max_bytes": held.max_bytes,
            "max_tokens": held.max_tokens,
        },
        "runs": {
            stage: {"last_success": _moment(run.last_success), "last_error": run.last_error}
            for stage, run in found.runs.items()
        },
        "tokens_used": found.tokens_used,
        "warnings": list(found.warnings),
        "records": found.records,
        "head": found.head,
    }


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else clock.iso(seconds)


def _ran(run: LastRun, now: float) -> str:
    good = (
        f"succeeded {clock.iso(run.last_success)} ({_age(now - run.last_success)} ago)"
        if run.last_success is not None
        else "never succeeded"
    )
    failed = run.error_at is not None and (run.last_success is None or run.error_at >= run.last_success)
    return f"{good}; failed {clock.iso(run.error_at or 0)}: {run.last_error}" if failed else good


def _age(seconds: float) -> str:
    minutes = max(0, int(seconds // 60))
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} days"
