"""What `rules` and `agents` share: which repository and project a directory is of, and the books of rules there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from memkit.commands.app import Options
from memkit.commands.home import DATABASE, here, user_home
from memkit.commands.tools import visible
from memkit.config import Config, load
from memkit.errors import UsageError
from memkit.model import Rule
from memkit.projects import Place, Project, Projects, worktree
from memkit.stages import rules
from memkit.stages.rules import Book
from memkit.store import Reading


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """A directory as rules see it. root: its work tree, else itself; project: None outside of any.

    own, team: the books of rules of the home and of the repository.
    """

    config: Config
    directory: Path
    root: Path
    project: Project | None
    own: Book
    team: Book

    def holding(self) -> list[tuple[Book, Rule]]:
        """The rules that hold here, the team's first."""
        names = self.project.names if self.project else frozenset()
        mine = [rule for rule in self.own.rules if rule.project is None or rule.project in names]
        return [*((self.team, rule) for rule in self.team.rules), *((self.own, rule) for rule in mine)]

    def find(self, rule_id: str) -> tuple[Book, Rule]:
        """The rule of that id, a person's own before a team's. UsageError where there is none."""
        for book in (self.own, self.team):
            if (rule := book.rule(rule_id)) is not None:
                return book, rule
        known = [rule.id for book in (self.own, self.team) for rule in book.rules]
        listed = f"there are {', '.join(known[:6])}" if known else "there are none"
        raise UsageError(f"there is no rule {rule_id!r}", mend=f"{listed}; memkit rules list")


def ground(options: Options, directory: str | None) -> Ground:
    """The ground of a directory (default: here), which need not exist."""
    config = load(home=options.home, env=os.environ)
    where = os.path.abspath(directory or here())  # noqa: PTH100 - links stay as they are named
    with Reading.open(config.home / DATABASE, readonly=True) as store:
        places = [Place(cwd, remote) for cwd, remote in store.places() if cwd]
    root = Path(worktree(where) or where)
    return Ground(
        config=config,
        directory=Path(where),
        root=root,
        project=Projects.of(places, user_home=user_home()).of_directory(where),
        own=rules.personal(config.home),
        team=rules.team(root),
    )


def tell(text: str) -> None:
    """Prints lines of files that others may have written: what would steer a terminal becomes an escape."""
    for line in text.split("\n"):
        typer.echo(visible(line))


def shown_place(rule: Rule, book: Book) -> str:
    """Where a rule holds, in words."""
    where = rule.project or ("the repository" if book.team else "everywhere")
    return f"{where}, for {rule.glob}" if rule.glob else where


def written(ground: Ground, *, personal: bool) -> Sequence[Rule]:
    """The rules that belong into the repository's pages.

    A team's rules alone where it has some, so that each of them and CI get the same bytes; else a person's own, but for
    those that hold everywhere and stand in Codex's own page already.
    """
    if ground.team.there and not personal:
        return ground.team.rules
    page = rules.read(ground.config.codex_home / "AGENTS.md") or ""
    elsewhere = "memkit:rules:" in page
    return [r for _, r in ground.holding() if not (elsewhere and r in ground.own.rules and r.project is None)]
