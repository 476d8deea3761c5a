"""`memkit undo`: takes a change back and holds it back."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit.commands import work
from memkit.commands.app import Options
from memkit.commands.opening import take_edits
from memkit.errors import plain
from memkit.repo import Trailer
from memkit.stages import notes
from memkit.stages import undo as stage

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def undo(
    ctx: typer.Context,
    commit: Annotated[
        str | None,
        typer.Argument(
            help="A commit of the memory (see `memkit history`); without one, the newest consolidation.",
            show_default=False,
        ),
    ] = None,
    release: Annotated[bool, typer.Option("--release", help="Let a change that is held back come again.")] = False,
) -> None:
    """Take a change of the memory back, and hold it back.

    Later runs do not make it again. It is a new commit; the history stays. What a note had forgotten does not come back
    by it. Undoing an undo, or --release, lets the change come again.
    """
    options: Options = ctx.obj
    with work.worker(options, command="memkit undo") as worker:
        act = stage.release if release else stage.undo
        done = act(store=worker.store, repo=worker.repo, config=worker.config, word=commit, now=worker.now)
        cause = (Trailer.RELEASE if done.released else Trailer.UNDO, done.commit)
        _commit(worker, done, cause)
        if done.released:
            take_edits(worker)  # notes that were held back are taken again
        result = work.write_memory(worker, causes=[cause])
        if not done.released and stage.keep(
            store=worker.store, repo=worker.repo, config=worker.config, undone=done, now=worker.now
        ):
            _commit(worker, done, cause)
            result = work.write_memory(worker, causes=[cause])
        what = "released" if done.released else "held back"
        many = len(done.sessions)
        typer.echo(
            f"{done.commit[:10]} is {what}: {len(done.held)} line{'s' if len(done.held) != 1 else ''},"
            f" {many} session{'s' if many != 1 else ''}"
        )
        lacking = stage.lacking(repo=worker.repo, config=worker.config, undone=done)
        told = [*done.refused, *((line.text, "nothing says it any more") for line in lacking)]
        for text, why in told:
            typer.echo(f"  not taken back ({why}): {plain(text)}")
        work.report(worker, done=result)


def _commit(worker: work.Worker, done: stage.Undone, cause: tuple[str, str]) -> None:
    word = "release" if done.released else "undo"
    worker.repo.commit_paths(
        notes.export(store=worker.store, home=worker.config.home),
        message=f"memory: {word} {done.commit[:10]}\n\n{': '.join(cause)}\n",
    )
