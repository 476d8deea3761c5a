"""`memkit search`: literal search over the committed tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from memkit.commands import tools
from memkit.commands.app import Options
from memkit.errors import UsageError
from memkit.model import canonical
from memkit.stages import search as stage
from memkit.stages.search import Match, Query

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def search(
    ctx: typer.Context,
    texts: Annotated[list[str], typer.Argument(metavar="TEXT...", help="What to look for, as it is written.")],
    one_line: Annotated[bool, typer.Option("--all", help="Lines that hold all the texts, not any of them.")] = False,
    within: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="All the texts within N lines.", show_default=False)
    ] = None,
    case: Annotated[bool, typer.Option("--case", help="Upper and lower case count.")] = False,
    fold: Annotated[
        bool, typer.Option("--fold", help="Spaces and punctuation do not count: pre-commit is pre commit.")
    ] = False,
    path: Annotated[str, typer.Option(help="Only this file or folder of the memory.", show_default=False)] = "",
    context: Annotated[int, typer.Option("--context", "-C", min=0, max=50, help="Lines around each match.")] = 0,
    most: Annotated[int, typer.Option("--max", min=1, help="Matches on a page.")] = tools.MOST_MATCHES,
    cursor: Annotated[str, typer.Option(help="Where the last page ended.", show_default=False)] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Search the committed memory for words as they are written.

    Without more, lines that hold any of the texts, in any case. The summary comes first, then the newest sessions.
    """
    options: Options = ctx.obj
    if one_line and within is not None:
        raise UsageError("--all is for one line, --within for several: not both")
    query = Query(
        texts=tuple(texts),
        within=1 if one_line else within,
        any_case=not case,
        any_punctuation=fold,
        path=path,
        context=context,
        most=most,
        cursor=cursor,
    )
    home, folder = tools.place(options.home)
    found = stage.search(home=home, folder=folder, query=query)
    if as_json:
        typer.echo(canonical({"matches": [asdict(each) for each in found.matches], "cursor": found.cursor or None}))
        return
    for line in _lines(found.matches, gaps=context > 0):
        typer.echo(line)
    if not found.matches:
        typer.echo("nothing matches")
    if found.cursor:
        typer.echo(f"there is more: --cursor {found.cursor}", err=True)


def _lines(matches: Sequence[Match], *, gaps: bool) -> Iterator[str]:
    """As grep prints them: `file:line:text`, with `-` for lines around, each line of a file once."""
    hits = {(each.path, number) for each in matches for number in range(each.line, each.last_line + 1)}
    path, last = "", 0
    for each in matches:
        if gaps and path and (each.path != path or each.start_line > last + 1):
            yield "--"
        last = last if each.path == path else 0
        path = each.path
        for number, text in enumerate(each.content, each.start_line):
            if number > last:
                sign = ":" if (path, number) in hits else "-"
                yield f"{path}{sign}{number}{sign}{tools.visible(text)}"
                last = number
