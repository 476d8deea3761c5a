"""`memkit init`: the home, its tree, the configuration, the first commit."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from memkit import prompts
from memkit.commands import opening, work
from memkit.commands.app import Options
from memkit.config.codex import codex_memories
from memkit.config.edit import set_values
from memkit.errors import ExitCode, UsageError, plain
from memkit.stages import ci

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Wanted(StrEnum):
    """The forms of a home."""

    V1 = "v1"
    V2 = "v2"
    DUAL = "dual"


_FORMS: dict[Wanted, dict[str, object]] = {
    Wanted.V1: {"version": "v1", "dual_write": False},
    Wanted.V2: {"version": "v2", "dual_write": False},
    Wanted.DUAL: {"version": "v2", "dual_write": True},
}


@app.command()
def init(
    ctx: typer.Context,
    version: Annotated[
        Wanted | None,
        typer.Option(help="The form of memory: v1, v2, or dual (v2 is read, both are kept).", show_default=False),
    ] = None,
    from_codex: Annotated[
        bool, typer.Option("--from-codex", help="Take over the [memories] settings of Codex's config.toml.")
    ] = False,
    project: Annotated[
        Path | None,
        typer.Option("--ci", metavar="DIR", help="Write files for the CI of a project, and do nothing else."),
    ] = None,
) -> None:
    """Make the home: a private Git repository for the memory.

    It gets an empty memory, memkit.yaml with every setting as a comment, and a Git hook that lints what you commit by
    hand. In a home that is there, only what is missing is added. The other commands do this when needed.

    --ci writes a GitHub workflow and memkit.mk, for `include` in a Makefile. Files that are there stay as they are.
    """
    options: Options = ctx.obj
    if project is not None:
        if version or from_codex:
            raise UsageError("--ci is for a project, --version and --from-codex are for the home: call it twice")
        _ci(project, options)
        return
    form = _FORMS[version] if version else {}
    with work.worker(options, command="memkit init", form=form) as worker:
        config = worker.config
        if form and set_values(config.path, form):
            worker.repo.commit_paths([config.path.name], message=f"memory: version {version}\n", by_hand=True)
        if from_codex:
            found = codex_memories(config.codex_home)
            if found is None:
                work.warn(f"there is no config.toml in {config.codex_home}; nothing was taken over")
            elif set_values(config.path, found):
                worker.repo.commit_paths([config.path.name], message="memory: settings from Codex\n", by_hand=True)
                typer.echo(f"taken over from Codex: {', '.join(sorted(found))}")
        opening.put_hook(config, options)
        typer.echo(f"the memory's home is {config.home}")


def _ci(directory: Path, options: Options) -> None:
    source = ci.source()
    put = ci.put(directory=directory.absolute(), files=prompts.ci_files(source=source))
    for path in put.written:
        typer.echo(f"written: {plain(str(path))}")
    for path in put.other:
        work.warn(f"{path} is there and says something else: it is left alone")
    if source == ci.UNKNOWN and any(path.suffix == ".yml" for path in put.written):
        work.say(options, "say in the workflow what pip is to install memkit from (MEMKIT)")
    if not put.written and not put.other:
        typer.echo("nothing to do: both files are there")
    if put.other:
        raise typer.Exit(ExitCode.FINDINGS)
