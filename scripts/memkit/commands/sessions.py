"""`memkit sessions`: the ledger."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from memkit import clock
from memkit.commands import reading, work
from memkit.commands.app import Options
from memkit.errors import UsageError, plain
from memkit.model import Entry, State, canonical
from memkit.projects import Place, Projects
from memkit.stages import switch, tell

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def sessions(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    state: Annotated[
        State | None,
        typer.Option(
            metavar="STATE",
            help="Only those that are extracted, empty, waiting, skipped or failed.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """List every session ever seen: its state, and why."""
    if ctx.invoked_subcommand is not None:
        return
    options: Options = ctx.obj
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        entries = opened.store.entries()
    places = Projects.of(
        (Place(e.session.cwd, e.session.remote) for e in entries if e.session.cwd), user_home=reading.user_home()
    )
    shown = [e for e in entries if state is None or e.state is state]
    gone = tell.missing(shown)
    if as_json:
        typer.echo(canonical([_json(e, places, gone) for e in shown]))
        return
    for entry in shown:
        typer.echo(plain(_line(entry, places, gone)))
    if not shown:
        typer.echo("no sessions" if state is None else f"no sessions are {state.value}")


@app.command("set")
def set_(
    ctx: typer.Context,
    session: Annotated[str, typer.Argument(metavar="ID", help="The session's id, or the beginning of it.")],
    generate: Annotated[
        bool | None,
        typer.Option(
            "--generate/--no-generate",
            help="Learn from it. Without, its record goes with all that only it supports, and it is read no more.",
            show_default=False,
        ),
    ] = None,
    use: Annotated[
        bool | None,
        typer.Option(
            "--use/--no-use", help="Make memory from its record. Without, the record waits.", show_default=False
        ),
    ] = None,
) -> None:
    """Switch one session off or on. The memory is consolidated at once."""
    if generate is None and use is None:
        raise UsageError("there is nothing to set", mend="--generate, --no-generate, --use or --no-use")
    with work.worker(ctx.obj, command="memkit sessions set") as worker:
        done = switch.switch(store=worker.store, session=session, generate=generate, use=use)
        typer.echo(f"session {done.id}: generate {_word(done.generate)}, use {_word(done.use)}")
        if done.read_again:
            typer.echo("the next run reads it again")
        work.report(worker, done=work.write_memory(worker))


def _word(on: bool) -> str:
    return "on" if on else "off"


def _project(entry: Entry, places: Projects) -> str | None:
    found = places.of_place(Place(entry.session.cwd, entry.session.remote))
    return found.name if found else None


def _json(entry: Entry, places: Projects, gone: set[str]) -> dict[str, object]:
    session = entry.session
    return {
        "id": session.id,
        "path": session.path,
        "cwd": session.cwd,
        "project": _project(entry, places),
        "updated_at": clock.iso(session.updated_at),
        "state": entry.state.value,
        "reason": entry.reason.value if entry.reason else None,
        "detail": entry.detail,
        "until": clock.iso(entry.until) if entry.until is not None else None,
        "bad_lines": entry.bad_lines,
        "unknown_lines": entry.unknown_lines,
        "attempts": entry.attempts,
        "tokens_used": entry.tokens_used,
        "flagged": entry.flagged,
        "generate": entry.generate,
        "use": entry.use,
        "missing": session.id in gone,
    }


def _line(entry: Entry, places: Projects, gone: set[str]) -> str:
    why = tell.REASONS[entry.reason] if entry.reason else ""
    extra = [why, entry.detail, f"until {clock.iso(entry.until)}" if entry.until is not None else ""]
    extra += [
        f"{entry.bad_lines} bad lines" if entry.bad_lines else "",
        f"{entry.unknown_lines} unknown lines" if entry.unknown_lines else "",
    ]
    extra += ["" if entry.use else "not used for the memory", "its file is gone" if entry.session.id in gone else ""]
    extra += ["grew without anything to keep, the earlier record stays" if entry.flagged else ""]
    text = "; ".join(part for part in extra if part)
    when, project = clock.iso(entry.session.updated_at)[:16], _project(entry, places) or "-"
    return "  ".join(part for part in (entry.session.id, when, f"{entry.state.value:<9}", project, text) if part)
