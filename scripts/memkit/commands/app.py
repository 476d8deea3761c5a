"""The Typer app: global options, and commands that are imported when they are called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from memkit import __version__
from memkit.errors import ExitCode, plain

# name: its module in memkit.commands
COMMANDS = {
    "init": "init",
    "run": "run",
    "extract": "extract",
    "consolidate": "consolidate",
    "summary": "summary",
    "context": "context",
    "status": "status",
    "sessions": "sessions",
    "history": "history",
    "diff": "diff",
    "lint": "lint",
    "check": "check",
    "remember": "remember",
    "correct": "correct",
    "forget": "forget",
    "notes": "notes",
    "rules": "rules",
    "agents": "agents",
    "undo": "undo",
    "explain": "explain",
    "prune": "prune",
    "reset": "reset",
    "doctor": "doctor",
    "hooks": "hooks",
    "list": "list",
    "read": "read",
    "search": "search",
    "mcp": "mcp",
}


@dataclass(frozen=True, slots=True)
class Options:
    """The global options."""

    home: Path | None
    quiet: bool
    verbose: bool


class Commands(TyperGroup):
    """Imports a command's module when it is asked for: starting costs what is used."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str):  # type: ignore[no-untyped-def,override]  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"memkit.commands.{COMMANDS[cmd_name]}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memkit {__version__}")
        raise typer.Exit


@app.callback()
def _globals(
    ctx: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Where the memory lives (default: $MEMKIT_HOME, else ~/.memkit).", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say what is done, on stderr.")] = False,
    version: Annotated[  # noqa: ARG001 - its callback prints it
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Turn a coding agent's session logs into a small, versioned memory that the next session starts from."""
    ctx.obj = Options(home, quiet, verbose)


def _globals_first(arguments: Sequence[str]) -> list[str]:
    """The words with the global options before the command, wherever they were said; what follows `--` stays."""
    words, moved, rest = list(arguments), list[str](), list[str]()
    while words:
        word = words.pop(0)
        if word == "--":
            rest += [word, *words]
            break
        if word == "--home" and words:
            moved += [word, words.pop(0)]
        elif word.startswith("--home=") or word in ("--quiet", "-q", "--verbose", "-v"):
            moved.append(word)
        else:
            rest.append(word)
    return [*moved, *rest]


def call(arguments: Sequence[str]) -> int:
    """Runs the command line; the exit status. A wrong call prints one line and gives 2."""
    command = typer.main.get_command(app)
    try:
        status = command.main(_globals_first(arguments) or ["--help"], prog_name="memkit", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as stop:
        # What the framework makes of a reader that went away; no command ends like this.
        raise BrokenPipeError from stop
    except TyperException as error:
        context = getattr(error, "ctx", None)
        where = f" (see `{context.command_path} --help`)" if context else ""
        said = error.format_message() if context else str(getattr(error, "message", error))
        print(f"memkit: {plain(said)}{where}", file=sys.stderr)
        return ExitCode.USAGE
    if status == ExitCode.INTERRUPTED:
        raise KeyboardInterrupt  # what the framework made this number of
    return int(status) if isinstance(status, int) else ExitCode.OK
