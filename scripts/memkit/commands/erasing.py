"""`memkit forget --purge`: shows what goes, erases it in home and copies, searches every byte afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from memkit import redact
from memkit.commands import work
from memkit.commands.app import Options
from memkit.commands.home import DATABASE
from memkit.documents.erased import Words
from memkit.errors import GitError
from memkit.repo import Repo
from memkit.stages import forget, notes
from memkit.store import Store

_SHOWN = 40  # lines of what goes


def erase(options: Options, text: str, *, yes: bool) -> None:
    """Erases a text; asks before unless `yes`. Raises GitError when something of it is still found afterwards."""
    words = forget.wanted(text)
    with work.worker(options, command="memkit forget --purge") as worker:
        if redact.mask(text) != text:
            work.say(options, "that looks like a secret: memkit masks secrets, so it should never have been stored")
        plan = forget.plan(store=worker.store, repo=worker.repo, words=words)
        copies = forget.copies(worker.repo.home)
        _show(plan, copies=len(copies))
        if not yes and not typer.confirm("Erase this for good?", err=True):
            typer.echo("nothing was erased")
            return
        forget.carry_out(store=worker.store, repo=worker.repo, plan=plan)
        left = []
        for home in copies:
            repo = Repo.ensure(home)
            with Store.open(home / DATABASE) as store:
                old = forget.plan(store=store, repo=repo, words=words)
                forget.carry_out(store=store, repo=repo, plan=old)
                left += [f"{home.name}: {each}" for each in forget.search(store=store, repo=repo, plan=old)]
        _keep_statements(worker)
        done = work.write_memory(worker)
        worker.store.shred()
        left += forget.search(store=worker.store, repo=worker.repo, plan=plan)
        work.report(worker, done=done)
        _tell(worker, words=words, left=left)
    typer.echo("every byte of the home and every Git object was searched: the words are in none")


def _tell(worker: work.Worker, *, words: Words, left: Sequence[str]) -> None:
    """Says what is out of reach, and where the words still are: then that is an error."""
    paths = [entry.session.path for entry in worker.store.entries()]
    for path in forget.unreachable(paths=paths, words=words):
        work.warn(f"out of reach, not memkit's to change: {path}")
    for each in left:
        work.warn(f"still there: {each}")
    if not left:
        return
    mend = "see what holds them there, and run it again"
    if bound := forget.bound_paths(paths=paths, words=words):
        mend = "move these files elsewhere, `memkit run`, then erase again"
        for path in bound:
            work.warn(f"the memory names this session file, and its path holds the words: {path}")
    raise GitError(f"the words are still in {len(left)} places", mend=mend)


def _show(plan: forget.Plan, *, copies: int) -> None:
    for line in plan.lines[:_SHOWN]:
        typer.echo(line)
    if len(plan.lines) > _SHOWN:
        typer.echo(f"… and {len(plan.lines) - _SHOWN} more lines")
    if plan.empty:
        typer.echo("the words are nowhere in the memory; their keyed hash is kept, so that they stay out")
    else:
        typer.echo(
            f"{len(plan.lines)} lines of the files, {plan.rows} rows of the database, {plan.versions} files and"
            f" {plan.messages} messages of the history, {plan.logs} log files are cleaned"
        )
    if copies:
        typer.echo(f"and {copies} copies that `memkit reset` made")


def _keep_statements(worker: work.Worker) -> None:
    worker.repo.commit_paths(
        notes.export(store=worker.store, home=worker.config.home), message="memory: words erased\n"
    )
