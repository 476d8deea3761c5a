"""The files that rules live in: a person's own in the home, a team's in a repository."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memkit import redact, tree
from memkit.documents import rules as document
from memkit.errors import ConfigError
from memkit.model import Rule
from memkit.stages.rules.files import alone, regular, target, write_whole


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
        return replace(self, text=text, rules=_rules(text, self.path))


def personal(home: Path) -> Book:
    """The rules of the home."""
    return read(home / document.FILE, team=False)


def team(root: Path) -> Book:
    """The rules of the repository whose work tree begins at root."""
    return read(root / document.TEAM, team=True)


def read(path: Path, *, team: bool) -> Book:
    """A file of rules; an empty book where there is none. ConfigError names what is wrong in it, and the line."""
    data = regular(path, most=document.MOST)
    try:
        text = (data or b"").decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start})", mend="save it as UTF-8") from error
    return Book(path=path, team=team, text=text, rules=_rules(text, path) if text.strip() else ())


@contextmanager
def held(book: Book) -> Iterator[Book]:
    """A team's book as it is now; no other memkit changes it meanwhile. Raises StorageError, and what `read` does."""
    with alone(book.path.parents[1]):
        yield read(book.path, team=True)


def _rules(text: str, path: Path) -> tuple[Rule, ...]:
    """The rules of a text, masked: a file that was edited by hand may hold anything, and what is read is shown."""
    return tuple(
        replace(
            rule,
            text=redact.mask(rule.text),
            why=redact.mask(rule.why),
            glob=rule.glob and redact.mask(rule.glob),
            project=rule.project and redact.mask(rule.project),
            claim=redact.mask(rule.claim),
        )
        for rule in document.parse(text, path=path)
    )


def save(book: Book) -> None:
    """Writes a book's text whole, or not at all. Raises StorageError; ConfigError for a link out of the repository."""
    if not book.team:
        tree.write_file(book.path, book.text)
        return
    # A repository's file is for everybody who can read the repository.
    path = target(book.path, root=book.path.parents[1])
    write_whole(path, book.text.encode(), mode=0o644)
