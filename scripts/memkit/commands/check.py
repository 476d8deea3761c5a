"""`memkit check`: what must not get into a project's repository, for its pre-commit hooks and its CI."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from memkit import lint, redact
from memkit.errors import ExitCode, UsageError, plain

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

ALLOW = "memkit:allow"  # in a line: what looks like a secret there is none
_Files = Annotated[list[Path], typer.Argument(metavar="FILES...", help="Files of a project.", show_default=False)]


@app.callback()
def check() -> None:
    """Check a project's files for secrets and for memory."""


@app.command()
def secrets(files: _Files) -> None:
    """Find secrets, by the rules that keep them out of the memory. Exit status 1 with the lines; no value is shown.

    A line that says `memkit:allow` is let through.
    """
    _tell(files, _secrets)


@app.command("no-memory")
def no_memory(files: _Files) -> None:
    """Find memory that was generated: summaries, records, handbooks, the database. Exit status 1 with the files."""
    _tell(files, _memory)


def _secrets(name: str, data: bytes) -> Iterable[str]:
    if b"\0" in data:
        return  # no text
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    for secret in redact.find(text):
        number = text.count("\n", 0, secret.start)
        if ALLOW not in lines[number]:
            yield f"{name}:{number + 1}: a secret ({secret.rule})"


def _memory(name: str, data: bytes) -> Iterable[str]:
    if kind := lint.memory(name, data):
        yield f"{name}: {kind}; memory belongs into memkit's home, not into a project (`git rm --cached` it)"


def _tell(files: Iterable[Path], look: Callable[[str, bytes], Iterable[str]]) -> None:
    found = False
    for path in files:
        if path.is_symlink() or path.is_dir():
            continue  # Git keeps a link's target, and of a submodule its commit: neither has words
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        for line in look(path.as_posix(), path.read_bytes()):
            typer.echo(plain(line))
            found = True
    raise typer.Exit(ExitCode.FINDINGS if found else ExitCode.OK)
