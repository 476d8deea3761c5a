"""`memkit lint`: budget, structure, pointers, scope marks, secrets."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from memkit import lint as rules
from memkit import tree
from memkit.commands import reading
from memkit.commands import staged as hook
from memkit.commands.app import Options
from memkit.commands.home import say_off
from memkit.config import load
from memkit.errors import ConfigError, ExitCode, UsageError
from memkit.model import Finding

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Form(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


@app.command()
def lint(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATHS]...", help="Files or trees; without any, the memory of the home.", show_default=False
        ),
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="What the next commit in the home would hold, as the Git hook does.")
    ] = False,
    form: Annotated[Form, typer.Option("--format", help="text, json, or github annotations.")] = Form.TEXT,
) -> None:
    """Check the memory: budget, structure, pointers, secrets.

    Exit status 1 when there are findings. The same rules decide whether a consolidation is published.
    """
    options: Options = ctx.obj
    if staged:
        if paths or form is not Form.TEXT:
            raise UsageError("--staged takes neither paths nor a format")
        raise typer.Exit(hook.answer(home=options.home))
    config = load(home=options.home, env=os.environ)
    if config.disabled:
        say_off()
    most, tokens = config.summary.max_bytes, config.summary.max_tokens
    root = config.home / tree.TREES[config.version]
    if not paths and not root.is_dir():
        raise ConfigError(f"there is no memory at {config.home} yet", mend="memkit init, or make memories")
    found: list[Finding] = []
    for path in paths or [root]:
        if path.is_dir():
            read = tree.read_tree(path)
            inside = rules.lint_tree(
                read.files, symlinks=read.symlinks, home=reading.user_home(), max_bytes=most, max_tokens=tokens
            )
            named = paths and form is Form.GITHUB  # annotations stand at paths from the top of a project
            found += [replace(each, file=str(path / each.file)) for each in inside] if named else inside
        elif path.exists():
            found += rules.lint_file(
                str(path), path.read_bytes(), home=reading.user_home(), max_bytes=most, max_tokens=tokens
            )
        else:
            raise UsageError(f"{path} does not exist")
    text = rules.render(found, format=form.value)
    typer.echo(text, nl=not text.endswith("\n") and bool(text))
    if not found and form is Form.TEXT and not options.quiet:
        typer.echo("no findings", err=True)
    raise typer.Exit(ExitCode.FINDINGS if found else ExitCode.OK)
