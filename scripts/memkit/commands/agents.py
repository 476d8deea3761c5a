"""`memkit agents`: the block of rules in AGENTS.md, and what an agent is told in a directory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from memkit.commands import reading, work
from memkit.commands.app import Options
from memkit.commands.ruling import Ground, ground, shown_place, tell, written
from memkit.errors import ConfigError, ExitCode, GateError
from memkit.model import canonical
from memkit.stages import rules as stage
from memkit.stages.rules import Planned, State

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

_Repo = Annotated[
    str | None,
    typer.Option("--repo", metavar="DIR", help="The repository of DIR instead of this one.", show_default=False),
]
_File = Annotated[str, typer.Option("--file", metavar="NAME", help="Another page, such as CLAUDE.md.")]
_Everywhere = Annotated[bool, typer.Option("--global", help="Codex's own page, with the rules that hold everywhere.")]
_Personal = Annotated[bool, typer.Option("--personal", help="Your own rules too where the team has some.")]


@app.callback()
def agents() -> None:
    """Put rules into AGENTS.md; show what agents are told."""


@app.command()
def write(
    ctx: typer.Context,
    repo: _Repo = None,
    file: _File = "AGENTS.md",
    everywhere: _Everywhere = False,
    personal: _Personal = False,
    force: Annotated[bool, typer.Option("--force", help="Also over a block that was changed by hand.")] = False,
) -> None:
    """Write the rules into a marked block of AGENTS.md. Everything outside of the block stays byte for byte.

    Rules of a sub-folder go into that folder's own page. Where the repository has rules of its team, these alone are
    written, so that everybody gets the same page.
    """
    options: Options = ctx.obj
    place = ground(options, repo)
    planned = _plan(place, file, everywhere=everywhere, personal=personal)
    for each in planned:
        if each.state is State.BROKEN:
            raise ConfigError(each.what, mend="put the missing comment back, or take both out, and write again")
        if each.state is State.EDITED and not force:
            tell(each.diff)
            raise GateError(each.what, mend="bring what is new into the rules, then --force")
    done = [each for each in planned if stage.write(each)]
    for each in done:
        many = f"{len(each.rules)} rule{'s' if len(each.rules) != 1 else ''}"
        tell(f"{each.path}: {many}")
    for each in planned:
        if each.state is State.LINKED:
            work.say(options, f"{each.path} is a link to {stage.FILE}, and is left alone")
        for warning in each.warnings:
            work.warn(warning)
    if not everywhere and (left := len(written(place, personal=True)) - len(written(place, personal=personal))):
        many = "1 rule of your own is" if left == 1 else f"{left} rules of your own are"
        work.say(options, f"{many} left out, since the team has rules here: --personal puts them in")
    if not done:
        typer.echo("nothing to write: every page is as the rules say" if planned else "there are no rules for this")


@app.command()
def check(
    ctx: typer.Context,
    repo: _Repo = None,
    file: _File = "AGENTS.md",
    everywhere: _Everywhere = False,
    personal: _Personal = False,
) -> None:
    """Say whether each page is as the rules say. Exit status 1 with the difference when one is not."""
    wrong = False
    for each in _plan(ground(ctx.obj, repo), file, everywhere=everywhere, personal=personal):
        for warning in each.warnings:
            work.warn(warning)
        if each.state in (State.GOOD, State.LINKED):
            continue
        wrong = True
        missing = f"{each.path}: the block of rules is missing" if each.state is State.MISSING else ""
        work.warn(each.what or missing)
        if each.diff:
            tell(each.diff)
    if wrong:
        raise typer.Exit(ExitCode.FINDINGS)
    typer.echo("every page is as the rules say")


def _plan(place: Ground, file: str, *, everywhere: bool, personal: bool) -> list[Planned]:
    if everywhere:
        home = place.config.codex_home
        own = [rule for rule in place.own.rules if rule.project is None]
        planned = stage.plan(home / stage.named(file), own, root=home)
        return [planned] if own or planned.text is not None else []
    return stage.in_repository(place.root, written(place, personal=personal), file=file)


@app.command()
def show(
    ctx: typer.Context,
    directory: Annotated[str | None, typer.Argument(metavar="[DIR]", help="Default: here.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what an agent in a directory is told: rules, then memory, each with its source; conflicts are marked."""
    place = ground(ctx.obj, directory)
    told = _told(place, home=ctx.obj.home)
    if as_json:
        typer.echo(canonical({heading: [asdict(row) for row in rows] for heading, rows in told.items()}))
        return
    for heading, rows in told.items():
        tell(f"{heading}:" if rows else f"{heading}: none")
        for row in rows:
            tell(f"  - {row.text}  [{row.source}]")
            for against in row.conflicts:
                tell(f"    conflict: {against}")


@dataclass(frozen=True, slots=True)
class _Row:
    """Something that an agent is told. conflicts: what else it is told that contradicts it, with its source."""

    text: str
    source: str
    conflicts: tuple[str, ...]


def _told(place: Ground, *, home: Path | None) -> dict[str, list[_Row]]:
    files = [place.config.codex_home / stage.FILE, *stage.chain(place.directory, root=place.root)]
    pages = stage.sayings(path for path in files if path.is_file())
    ruled = [(rule.text, f"rule {rule.id}, {shown_place(rule, book)}") for book, rule in place.holding()]
    said = [(each.text, f"{path}:{each.line}") for path, sayings in pages.items() for each in sayings]
    context = reading.context(home=home, directory=str(place.directory), form="text", whole=False)
    memory = [(line.removeprefix("- "), "memory") for line in context.splitlines() if line.startswith("- ")]
    everything = [*ruled, *said, *memory]

    def rows(texts: list[tuple[str, str]]) -> list[_Row]:
        return [_Row(text, where, tuple(_against(text, where, everything))) for text, where in texts]

    return {"rules": rows(ruled), "pages": rows(said), "memory": rows(memory)}


def _against(text: str, where: str, told: list[tuple[str, str]]) -> Iterator[str]:
    for other, there in told:
        if there != where and stage.opposed(text, other):
            yield f"{other} [{there}]"
