"""`memkit init`: the home, its tree, the configuration, the first commit."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from memkit.commands import opening, work
from memkit.commands.app import Options
from memkit.config.codex import codex_memories
from memkit.config.edit import set_values

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
) -> None:
    """Make the home: a private Git repository for the memory.

    It gets an empty memory and memkit.yaml with every setting as a comment. In a home that is there, only what is
    missing is added. The other commands do this when needed.
    """
    options: Options = ctx.obj
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
