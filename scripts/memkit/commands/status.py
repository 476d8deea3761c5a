"""`memkit status`: coverage, failures, last runs, budget, switches, what a session here reads, warnings."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading
from memkit.commands.app import Options
from memkit.config import Config, origins
from memkit.model import Reason, canonical
from memkit.stages import notes, tell
from memkit.stages.tell import Failures, Status
from memkit.store import LastRun

app = typer.Typer(add_completion=False, rich_markup_mode=None)

# Shown always; what a model's server is called with never is, since an address may hold a password.
_SWITCHES = ("version", "engine", "memories.generate_memories", "memories.use_memories")
_SHOWN = ("version", "dual_write", "engine", "sources", "memories.", "summary.")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Switch:
    """A key, its value and what set it."""

    name: str
    value: object
    origin: str


@app.command()
def status(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show coverage, the last runs, the budget, and warnings.

    Coverage is how many sessions were extracted, and why the others were not. Switches are shown with what set them: a
    variable of the environment, memkit.yaml, or the default.
    """
    options: Options = ctx.obj
    now = clock.now()
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        config = opened.config
        found = tell.status(store=opened.store, repo=opened.repo, config=config, now=now)
        listed = notes.listing(repo=opened.repo, store=opened.store, config=config, user_home=reading.user_home())
        states = Counter(each.state for each in listed)
        told = reading.context(home=options.home, directory=None, form="text", whole=False)
    switches = _switches(config, origins(home=options.home, env=os.environ))
    if as_json:
        typer.echo(canonical(_json(found, states, told=told, switches=switches, now=now)))
        return
    for line in (*_of_sessions(found, now), *_of_memory(found), _here(told, found, config)):
        typer.echo(line)
    if states:
        typer.echo(f"notes: {', '.join(f'{n} {state}' for state, n in sorted(states.items()))}")
    typer.echo(f"switches: {', '.join(f'{s.name} {_shown(s.value)} ({s.origin})' for s in switches)}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")


def _of_sessions(found: Status, now: float) -> list[str]:
    lines = [found.coverage]
    failed = {each.reason.value: each for each in found.failures}
    for reason, number in sorted(found.reasons.items()):
        more = f"; {_failed(failed[reason], now)}" if reason in failed else ""
        lines.append(f"  {number} {tell.REASONS[Reason(reason)]} ({reason}){more}")
    lines += [f"last {stage}: {_ran(run, now)}" for stage, run in found.runs.items()]
    return lines + ([f"tokens used by all runs: {found.tokens_used:,}"] if found.tokens_used else [])


def _failed(each: Failures, now: float) -> str:
    again = each.sessions - each.final
    when = f"again from {clock.iso(each.next_try)[:16]}" if each.next_try and each.next_try > now else "again next run"
    parts = [f"{again} tried {when}" if again else "", f"{each.final} final" if each.final else ""]
    return ", ".join(part for part in parts if part)


def _of_memory(found: Status) -> list[str]:
    held = found.budget
    lines = [
        f"memory: {found.records} records; summary {held.bytes:,} of {held.max_bytes:,} bytes,"
        f" {held.tokens:,} of {held.max_tokens:,} tokens, {len(held.lines)} lines",
        f"budget: bytes {tell.gauge(held.bytes, held.max_bytes)}, tokens {tell.gauge(held.tokens, held.max_tokens)}",
    ]
    if len(found.trend) > 1:
        sizes = [each.bytes for each in found.trend]
        lines.append(
            f"size after the last {len(sizes)} changes: {', '.join(f'{n:,}' for n in sizes)} bytes"
            f" ({sizes[-1] - sizes[0]:+,})"
        )
    return lines


def _here(told: str, found: Status, config: Config) -> str:
    if told:
        return f"a new session here is told {len(told.splitlines())} lines (memkit context)"
    why = (
        "MEMKIT_DISABLE is set"
        if config.disabled
        else "memories.use_memories is false"
        if not config.memories.use_memories
        else "the summary is empty"
        if not found.budget.lines
        else "the memory knows nothing of this directory, and nothing that holds everywhere"
    )
    return f"a new session here is told nothing: {why}"


def _switches(config: Config, origin: Mapping[str, str]) -> list[_Switch]:
    """Those that decide what happens, and all that somebody set."""
    found = [
        _Switch(name=name, value=_value(config, name), origin=by)
        for name, by in origin.items()
        if name in _SWITCHES or (by != "default" and name.startswith(_SHOWN))
    ]
    return [*found, _Switch(name="disabled", value=True, origin="MEMKIT_DISABLE")] if config.disabled else found


def _value(config: Config, name: str) -> object:
    value: object = config
    for part in name.split("."):
        value = getattr(value, part)
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "/".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json(
    found: Status, states: Counter[notes.State], *, told: str, switches: list[_Switch], now: float
) -> dict[str, object]:
    held = found.budget
    return {
        "sessions": dict(found.sessions),
        "reasons": dict(found.reasons),
        "failures": [
            {
                "reason": each.reason.value,
                "sessions": each.sessions,
                "final": each.final,
                "next_try": _moment(each.next_try),
            }
            for each in found.failures
        ],
        "empty_streak": found.empty_streak,
        "notes": dict(states),
        "summary": {
            "bytes": held.bytes,
            "tokens": held.tokens,
            "max_bytes": held.max_bytes,
            "max_tokens": held.max_tokens,
        },
        "trend": [{"commit": each.commit, "time": clock.iso(each.time), "bytes": each.bytes} for each in found.trend],
        "runs": {
            stage: {
                "last_success": _moment(run.last_success),
                "last_error": run.last_error,
                "tokens_used": run.tokens_used,
            }
            for stage, run in found.runs.items()
        },
        "ages": {
            stage: None if run.last_success is None else max(0, int(now - run.last_success))
            for stage, run in found.runs.items()
        },
        "switches": {each.name: {"value": each.value, "origin": each.origin} for each in switches},
        "here": {"lines": len(told.splitlines()), "bytes": len(told.encode()), "tokens": tell.tokens_of(told)},
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
    good += f", {run.tokens_used:,} tokens" if run.tokens_used else ""
    failed = run.error_at is not None and (run.last_success is None or run.error_at >= run.last_success)
    return f"{good}; failed {clock.iso(run.error_at or 0)}: {run.last_error}" if failed else good


def _age(seconds: float) -> str:
    minutes = max(0, int(seconds // 60))
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} days"
