"""The files that rules live in: a person's own in the home, a team's in a repository."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from memkit import config, tree
from memkit.documents import rules as document
from memkit.errors import StorageError
from memkit.model import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class Book:
    """A rules.yaml as it was read. text: "" where there is no file. team: it belongs to a repository."""

    path: Path
    team: bool
    text: str
    rules: tuple[Rule, ...]

    @property
    def there(self) -> bool:
        return bool(self.text)

    def rule(self, rule_id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def with_text(self, text: str) -> Book:
        """The book as another text makes it. Raises ConfigError as `read` does."""
        return replace(self, text=text, rules=document.parse(text, path=self.path))


def personal(home: Path) -> Book:
    """The rules of the home."""
    return read(home / document.FILE, team=False)


def team(root: Path) -> Book:
    """The rules of the repository whose work tree begins at root."""
    return read(root / document.TEAM, team=True)


def read(path: Path, *, team: bool) -> Book:
    """A file of rules; an empty book where there is none. ConfigError names what is wrong in it, and the line."""
    text = config.read_text(path) or ""
    return Book(path=path, team=team, text=text, rules=document.parse(text, path=path) if text.strip() else ())


def save(book: Book) -> None:
    """Writes a book's text whole, or not at all. Raises StorageError."""
    try:
        book.path.parent.mkdir(parents=True, exist_ok=True)
        if not book.team:
            tree.write_file(book.path, book.text)
            return
        # A repository's file is for everybody who can read the repository.
        mode = book.path.stat().st_mode & 0o777 if book.path.exists() else 0o666 & ~_umask()
        spare = book.path.with_name(f".{book.path.name}.{os.getpid()}.tmp")
        spare.write_text(book.text, encoding="utf-8", newline="")
        spare.chmod(mode)
        spare.replace(book.path)
    except OSError as error:
        raise StorageError(f"{book.path} can't be written: {error.strerror}", mend="nothing was changed") from error


def _umask() -> int:
    """What the user's programs leave out of new files; memkit's own is stricter."""
    return 0o022
