"""`memkit rules`: what always holds, as the user's own files say it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Annotated

import typer

from memkit import clock, tree
from memkit.commands import reading, work
from memkit.commands.app import Options
from memkit.commands.ruling import Ground, ground, shown_place, tell
from memkit.documents import erased
from memkit.documents.agents_md import Saying
from memkit.errors import UsageError
from memkit.model import Rule, canonical
from memkit.stages import explain, notes
from memkit.stages import rules as stage
from memkit.stages.rules import Book

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

_Cwd = Annotated[str | None, typer.Option("--cwd", metavar="DIR", help="The project of DIR.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="As JSON.")]
_Glob = Annotated[
    str | None, typer.Option(metavar="GLOB", help="Only for these files, such as '*.go'.", show_default=False)
]
_Id = Annotated[str, typer.Argument(metavar="ID", help="The rule's id, as `memkit rules list` shows it.")]
_Replace = Annotated[bool, typer.Option("--replace", help="Take out the rules that it contradicts.")]


@app.callback()
def rules() -> None:
    """Keep permanent rules, and put them into AGENTS.md.

    Your own are in rules.yaml of the home, a team's in .memkit/rules.yaml of its repository. `memkit agents write` puts
    them into AGENTS.md. Both files may be edited by hand.
    """


@app.command()
def add(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="The rule, in your words.")],
    cwd: _Cwd = None,
    everywhere: Annotated[bool, typer.Option("--global", help="For every project.")] = False,
    team: Annotated[bool, typer.Option("--team", help="For everybody who works in the repository.")] = False,
    glob: _Glob = None,
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason.", show_default=False)] = "",
    replace_old: _Replace = False,
) -> None:
    """Add a rule, for the project of this directory unless another is named."""
    options: Options = ctx.obj
    if everywhere and (team or cwd is not None):
        raise UsageError("a rule is for a project, for a team's repository, or with --global for all: not two of them")
    place = ground(options, cwd)
    project = None if everywhere or team else _project(place)
    rule = Rule(id="", text=text, project=project, glob=glob, why=why)
    _add(options, place, rule, book=_team(place) if team else place.own, force=replace_old)


def _project(place: Ground) -> str:
    if place.project is None:
        raise UsageError(f"{place.directory} is no project", mend="--global, or --cwd DIR of one")
    return place.project.name


def _team(place: Ground) -> Book:
    if not (place.root / ".git").exists():
        raise UsageError(f"{place.directory} lies in no repository", mend="--cwd DIR of one")
    return place.team


def _add(options: Options, place: Ground, rule: Rule, *, book: Book, force: bool) -> Rule:
    other = place.own if book.team else place.team
    with _held(options, book, what="a rule added") as (now_there, save):
        added = stage.add(
            book=now_there, others=[other], rule=rule, now=clock.now(), gone=erased.load(place.config.home), force=force
        )
        if added.known:
            tell(f"there is this rule already: {added.rule.id}: {added.rule.text}")
            return added.rule
        save(added.book)
    tell(f"rule {added.rule.id} ({shown_place(added.rule, book)}): {added.rule.text}")
    for old in added.replaced:
        tell(f"  taken out: {old.id}: {old.text}")
    work.say(options, "`memkit agents write` puts it into AGENTS.md")
    return added.rule


@contextmanager
def _held(options: Options, book: Book, *, what: str) -> Iterator[tuple[Book, Callable[[Book], None]]]:
    """The book as it is now, which nobody else changes meanwhile, and what saves it; what: for the home's commit."""
    if book.team:
        with stage.held(book) as there:
            yield there, stage.save
        return
    # No model is asked for a rule.
    with work.worker(options, command="memkit rules", engine="offline") as worker:

        def save(changed: Book) -> None:
            stage.save(changed)
            worker.repo.commit_paths([changed.path.name], message=f"memory: {what}\n")

        yield stage.personal(worker.config.home), save


@app.command("list")
def list_(ctx: typer.Context, cwd: _Cwd = None, as_json: _Json = False) -> None:
    """List all rules: your own, and those of the repository here."""
    place = ground(ctx.obj, cwd)
    held = [rule for _, rule in place.holding()]
    rows = [(book, rule) for book in (place.team, place.own) for rule in book.rules]
    if as_json:
        typer.echo(canonical([_value(rule, book, holds=rule in held) for book, rule in rows]))
        return
    for book, rule in rows:
        tell(f"{rule.id}  ({shown_place(rule, book)}) {rule.text}")
    if not rows:
        typer.echo("no rules")


@app.command()
def show(ctx: typer.Context, rule_id: _Id, cwd: _Cwd = None, as_json: _Json = False) -> None:
    """Show a rule with all that is known of it."""
    place = ground(ctx.obj, cwd)
    book, rule = place.find(rule_id)
    if as_json:
        typer.echo(canonical(_value(rule, book, holds=rule in [each for _, each in place.holding()])))
        return
    tell(f"{rule.id}: {rule.text}")
    rows = (
        ("holds", shown_place(rule, book)),
        ("why", rule.why),
        ("origin", f"{rule.origin} {rule.date}".strip()),
        ("claim", rule.claim),
        ("sessions", ", ".join(rule.sessions)),
        ("file", str(book.path)),
    )
    for name, value in rows:
        if value:
            tell(f"  {name}: {value}")


@app.command()
def edit(
    ctx: typer.Context,
    rule_id: _Id,
    text: Annotated[str | None, typer.Option(help="Its new words.", show_default=False)] = None,
    glob: Annotated[str | None, typer.Option(metavar="GLOB", help="Its files; '' for all.", show_default=False)] = None,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="Its reason.", show_default=False)] = None,
    cwd: _Cwd = None,
) -> None:
    """Change a rule. All else in its file, comments too, stays as it is."""
    options: Options = ctx.obj
    place = ground(options, cwd)
    book, rule = place.find(rule_id)
    new = replace(
        rule,
        text=rule.text if text is None else text,
        glob=rule.glob if glob is None else glob or None,
        why=rule.why if why is None else why,
    )
    if new == rule:
        raise UsageError("there is nothing to change", mend=f"--text, --glob or --why, or edit {book.path}")
    other = place.own if book.team else place.team
    with _held(options, book, what="a rule changed") as (there, save):
        _same(there, rule)
        save(stage.edit(book=there, others=[other], rule=new, gone=erased.load(place.config.home)))
    tell(f"rule {new.id} ({shown_place(new, book)}): {new.text}")


@app.command()
def remove(ctx: typer.Context, rule_id: _Id, cwd: _Cwd = None) -> None:
    """Remove a rule. A preference that it was made from may stand in the memory again."""
    options: Options = ctx.obj
    place = ground(options, cwd)
    book, rule = place.find(rule_id)
    with _held(options, book, what="a rule removed") as (there, save):
        _same(there, rule)
        save(stage.remove(book=there, rule_id=rule_id))
    tell(f"removed {rule.id}: {rule.text}")
    if rule.origin == "promoted":
        with work.worker(options, command="memkit rules remove") as worker:
            work.report(worker, done=work.write_memory(worker))


def _same(book: Book, rule: Rule) -> None:
    """UsageError when somebody changed the rule since it was looked up."""
    if book.rule(rule.id) != rule:
        raise UsageError(f"the rule {rule.id} was changed meanwhile", mend=f"memkit rules show {rule.id}")


@app.command()
def suggest(ctx: typer.Context, cwd: _Cwd = None, as_json: _Json = False) -> None:
    """Show what of the memory could be a rule, and where it and AGENTS.md disagree.

    Preferences that are stated as absolute or that three sessions support; lines of AGENTS.md that contradict the
    memory, or say the same in other words. Nothing is changed: `memkit rules promote ID` makes one a rule.
    """
    place, text = _read(ctx.obj, cwd)
    pages = stage.sayings(stage.chain(place.directory, root=place.root))
    found = stage.suggest(text=text, project=_name(place), held=[place.own, place.team], pages=pages)
    if as_json:
        typer.echo(canonical([_suggested(each) for each in found]))
        return
    for each in found:
        tell(f"{each.id}  {str(each.line).removeprefix('- ')}")
        if each.why:
            tell(f"    could be a rule: {each.why}")
        for path, saying in each.conflicts:
            tell(f"    {path}:{saying.line} says otherwise: {saying.text}")
        for path, saying in each.says:
            tell(f"    {path}:{saying.line} says so already: {saying.text}")
    if not found:
        typer.echo("nothing to suggest")


@app.command()
def promote(
    ctx: typer.Context,
    asked: Annotated[str, typer.Argument(metavar="TEXT|ID", help="A preference, by its words or its id.")],
    cwd: _Cwd = None,
    team: Annotated[bool, typer.Option("--team", help="For everybody who works in the repository.")] = False,
    glob: _Glob = None,
    replace_old: _Replace = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Make a remembered preference a rule. It is shown first, and then leaves the memory."""
    options: Options = ctx.obj
    place, text = _read(options, cwd)
    line = stage.wanted(text, asked=asked, project=_name(place))
    book = _team(place) if team else place.own
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        known = explain.explain(store=opened.store, repo=opened.repo, config=opened.config, text=stage.bare(line))
    sources = [source for each in known.lines if each.line == line for source in each.sources]
    rule = stage.rule_of(line, sessions=[source.session for source in sources], glob=glob)
    rule = replace(rule, project=None) if team else rule
    tell(f"a rule ({shown_place(rule, book)}): {rule.text}")
    for source in sources:
        tell(f"  session {source.session}: {source.quote}")
    if not yes and not sys.stdin.isatty():
        raise UsageError("a rule needs your word, and there is no terminal to ask; nothing was changed", mend="--yes")
    if not yes and not typer.confirm(f"Put it into {book.path}, and out of the memory?", err=True):
        typer.echo("nothing was changed")
        return
    made = _add(options, place, rule, book=book, force=replace_old)
    with work.worker(options, command="memkit rules promote") as worker:
        worker.store.bury([stage.stone_of(made, line, now=worker.now, book=book)])
        worker.repo.commit_paths(
            notes.export(store=worker.store, home=worker.config.home), message="memory: a preference became a rule\n"
        )
        work.report(worker, done=work.write_memory(worker))


def _read(options: Options, cwd: str | None) -> tuple[Ground, str]:
    """The ground, and the committed summary."""
    place = ground(options, cwd)
    with ExitStack() as stack:
        opened = reading.reader(stack, home=options.home)
        path = f"{tree.TREES[opened.config.version]}/{tree.SUMMARY}"
        data = opened.repo.read_files([path]).get(path, b"")
    return place, data.decode("utf-8", "replace")


def _name(place: Ground) -> str | None:
    return place.project.name if place.project else None


def _value(rule: Rule, book: Book, *, holds: bool) -> dict[str, object]:
    return {
        "id": rule.id,
        "text": rule.text,
        "project": rule.project,
        "glob": rule.glob,
        "team": book.team,
        "origin": rule.origin,
        "date": rule.date,
        "why": rule.why,
        "claim": rule.claim,
        "sessions": list(rule.sessions),
        "file": str(book.path),
        "holds_here": holds,
    }


def _suggested(each: stage.Suggestion) -> dict[str, object]:
    def rows(found: tuple[tuple[str, Saying], ...]) -> list[dict[str, object]]:
        return [{"file": path, "line": saying.line, "text": saying.text} for path, saying in found]

    return {
        "id": each.id,
        "text": stage.bare(each.line),
        "project": each.line.scope,
        "sessions": each.line.sessions,
        "why": each.why,
        "conflicts": rows(each.conflicts),
        "says": rows(each.says),
    }
