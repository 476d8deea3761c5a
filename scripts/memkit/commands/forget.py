"""`memkit forget`: a note that takes something out of the memory, and keeps it out."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from memkit.commands import noting, work
from memkit.commands.app import Options
from memkit.commands.erasing import erase
from memkit.errors import UsageError
from memkit.stages import forget as stage
from memkit.stages import notes

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def forget(
    ctx: typer.Context,
    text: Annotated[str | None, typer.Argument(help="What to forget, in any words.", show_default=False)] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Forget a session instead: its record, and what only it supports.", show_default=False),
    ] = None,
    purge: Annotated[
        str | None,
        typer.Option(
            help="Erase these words now: from memory, database, log and history. They stay out for good.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --purge: don't ask.")] = False,
    cwd: Annotated[
        str | None, typer.Option(help="Only in the project of this directory; it need not exist.", show_default=False)
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="In every scope (the default).")] = False,
    now: Annotated[bool, typer.Option("--now", help="Consolidate at once and say what changed.")] = False,
) -> None:
    """Take something out of the memory, and keep it out.

    Shows the lines that it names, in other words or order too. The next consolidation takes them out of every file;
    they come back only when you say them again later. The database keeps the words, unless --purge erases them.
    """
    options: Options = ctx.obj
    if sum(each is not None for each in (text, session, purge)) != 1:
        raise UsageError("say what to forget, or name a --session, or what to --purge", mend='memkit forget "…"')
    if purge is not None:
        if cwd is not None or everywhere:
            raise UsageError("--purge erases everywhere; it takes neither --cwd nor --global")
        if not yes and not sys.stdin.isatty():
            raise UsageError("--purge asks first, and there is no terminal; nothing was erased", mend="--yes")
        erase(options, purge, yes=yes)
        return
    if session is not None:
        with work.worker(options, command="memkit forget") as worker:
            if not stage.forget_session(store=worker.store, session_id=session, now=worker.now):
                raise UsageError(f"there is no session {session}", mend="memkit sessions")
            written = notes.export(store=worker.store, home=worker.config.home)
            worker.repo.commit_paths(written, message="memory: a session forgotten\n")
            done = work.write_memory(worker)
            work.report(worker, done=done)
        return
    noting.note(options, noting.Asked(kind="forget", text=text or "", cwd=cwd, everywhere=everywhere, now=now))
