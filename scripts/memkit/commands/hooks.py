"""`memkit hooks`: entries in the files of agents, shells and Git."""

from __future__ import annotations

import difflib
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from memkit import redact
from memkit.commands.app import Options
from memkit.commands.opening import say
from memkit.config import Config, load, origins
from memkit.errors import UsageError, plain
from memkit.model import canonical
from memkit.stages import hooks as stage

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


class Target(StrEnum):
    """Whose files."""

    SHELL = "shell"
    CODEX = "codex"
    CLAUDE = "claude"
    GIT = "git"


_WHOSE = typer.Argument(metavar="TARGET", help="shell, codex, claude or git.")
_FILE = typer.Option("--file", metavar="PATH", help="Another file than the target's own.", show_default=False)


@app.callback()
def hooks() -> None:
    """Let memkit run by itself, before and after sessions.

    codex and claude get entries in their lists of hooks, shell a block in the start-up file of bash or zsh; git is a
    hook in the memory's own repository. Entries and hooks of others stay as they are.
    """


@app.command()
def install(
    ctx: typer.Context,
    target: Annotated[Target, _WHOSE],
    file: Annotated[Path | None, _FILE] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Put memkit's entries in, or renew them. They are shown first; on a terminal it asks."""
    options: Options = ctx.obj
    _carry_out(_plan(options, target, file=file, install=True), options, ask=not yes)


@app.command()
def uninstall(
    ctx: typer.Context,
    target: Annotated[Target, _WHOSE],
    file: Annotated[Path | None, _FILE] = None,
) -> None:
    """Take memkit's entries out; a file that was not changed since gets its old bytes back."""
    options: Options = ctx.obj
    _carry_out(_plan(options, target, file=file, install=False), options, ask=False)


@app.command()
def show(
    ctx: typer.Context,
    target: Annotated[Target, _WHOSE],
    file: Annotated[Path | None, _FILE] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what install would write. Nothing is written."""
    plan = _plan(ctx.obj, target, file=file, install=True)
    if as_json:
        rows = [
            {"target": target.value, "file": str(edit.found.path), "changes": edit.changes, "diff": _diff(edit)}
            for edit in plan.edits
        ]
        typer.echo(canonical(rows))
        return
    for edit in plan.edits:
        typer.echo(_diff(edit) if edit.changes else plain(f"{edit.found.path}: memkit's entries are in place"))


def _plan(options: Options, target: Target, *, file: Path | None, install: bool) -> stage.Plan:
    config = load(home=options.home, env=os.environ)
    call = None
    if install:
        call = stage.Call.here(config.home) if target is Target.GIT else _call(config, options)
    return stage.plan(target.value, config=config, env=os.environ, call=call, file=file.absolute() if file else None)


def _call(config: Config, options: Options) -> stage.Call:
    """As `Call.here`, and with the agent's home where the environment names it: a shell of later may not."""
    call = stage.Call.here(config.home)
    if origins(home=options.home, env=os.environ)["codex_home"] in ("CODEX_HOME", "MEMKIT_CODEX_HOME"):
        return stage.Call(words=("env", f"CODEX_HOME={config.codex_home}", *call.words))
    return call


def _carry_out(plan: stage.Plan, options: Options, *, ask: bool) -> None:
    for edit in plan.edits:
        if edit.changes:
            typer.echo(_diff(edit))
    if not plan.changes:
        typer.echo(f"nothing to do: {', '.join(str(edit.found.path) for edit in plan.edits) or 'no file has a hook'}")
        return
    if ask and sys.stdin.isatty() and not typer.confirm("Write this?", default=True, err=True):
        raise UsageError("nothing was written")
    stage.carry_out(plan)
    for edit in plan.edits:
        where = f", which is a symbolic link to {edit.found.target}" if edit.found.linked else ""
        typer.echo(plain(f"{'removed' if edit.after is None else 'written'}: {edit.found.path}{where}"))
    for note in plan.notes:
        say(options, note)


def _diff(edit: stage.Edit) -> str:
    """What changes in a file, as a diff of the lines that change alone; secrets beside them are masked."""
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (edit.found.data, edit.after))
    lines = difflib.unified_diff(old, new, str(edit.found.path), str(edit.found.path), n=0, lineterm="")
    return "\n".join(plain(line) for line in redact.mask("\n".join(lines)).split("\n"))
