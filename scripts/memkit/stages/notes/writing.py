"""Writing notes: at once, into every active tree, whatever else goes on; and reading them again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from memkit import clock, match, prompts, redact, tokens, tree
from memkit.config import Config
from memkit.documents import Malformed, erased, extension, note
from memkit.errors import StorageError, UsageError
from memkit.model import Note

MAX_BYTES = 4_000  # of a request: as much as lint lets a line of a note have
INSTRUCTIONS = extension.instructions(extension.OWN)
_SLUG_CHARS = 40
_MOST = 10_000
Kind = Literal["remember", "correct", "forget"]


def write(
    *,
    config: Config,
    kind: Kind,
    text: str,
    project: str | None,
    now: float,
    by_hand: bool = False,
    section: str = "",
    replaces: str = "",
) -> Note:
    """Writes a note into every active tree, without waiting for a run that works; two of one second both stay, in
    their order. UsageError for a request that says nothing, that is too long, or whose words were erased.

    project: the root as written, None for everywhere. by_hand, section, replaces: see Note. Raises StorageError when
    the home can't be written.
    """
    masked = tidy(text)
    if not by_hand:
        _refuse(kind, masked, config)
        if project and erased.clean(project, erased.load(config.home), prose=False) != project:
            raise UsageError("the name of this project was erased with --purge, and stays out")
    folders = [config.home / tree.TREES[version] / note.FOLDER for version in config.versions]
    stamp = clock.stamp(now)
    created = int(now) + min(len(_of_second(folders[0], stamp)), 999) / 1000
    data = prompts.note(
        kind=kind,
        text=masked,
        project=redact.mask(project) if project else project,
        created=created,
        by_hand=by_hand,
        section=section,
        replaces=redact.mask(replaces),
    )
    for folder in folders:
        tree.create_file(folder.parent / "instructions.md", prompts.notes_instructions())
    stem = f"{stamp}-{_slug(masked) or kind}"
    for number in range(1, _MOST):
        name = stem if number == 1 else f"{stem}-{number}"
        if tree.create_file(folders[0] / f"{name}.md", data):
            for folder in folders[1:]:
                tree.create_file(folder / f"{name}.md", data)
            return note_of(name, note.parse(data))
    raise StorageError(f"{folders[0]} has too many notes of this second")


def tidy(text: str) -> str:
    """A request as it is kept: one line, without secrets and control characters."""
    return redact.mask(prompts.one_line(" ".join(text.split())))


def _refuse(kind: Kind, text: str, config: Config) -> None:
    example = f'memkit {kind} "…"'
    if redact.MASK in text and not re.search(r"\w", text.replace(redact.MASK, "")):
        mend = "memkit forget --purge erases it" if kind == "forget" else "say what it is for, without it"
        raise UsageError(f"there is only a secret to {kind}, and none is kept", mend=mend)
    if not re.search(r"\w", text):
        raise UsageError(f"there is nothing to {kind}", mend=example)
    if kind == "forget" and not match.subject(text):
        raise UsageError("these words are in every other line, so they name none", mend="name more of what is to go")
    if tokens.byte_length(text) > MAX_BYTES:
        raise UsageError(
            f"a note has at most {MAX_BYTES:,} bytes, and this is {tokens.byte_length(text):,}",
            mend="keep it in a file, and note where that lies",
        )
    if erased.clean(text, erased.load(config.home)) != text:
        raise UsageError("these words were erased with --purge, and stay out", mend="say it in other words")


def _of_second(folder: Path, stamp: str) -> list[str]:
    try:
        return [path.name for path in folder.iterdir() if path.name.startswith(stamp) and path.suffix == ".md"]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"{folder} can't be read: {error.strerror}") from error


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace(redact.MASK, "")).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower())
    return "-".join(words)[:_SLUG_CHARS].strip("-")


def read(files: Mapping[str, bytes]) -> list[Note]:
    """The notes of a tree in the order in which they were made; a file that is none is left (lint reports it)."""
    found = []
    for path, data in files.items():
        if path.startswith(f"{note.FOLDER}/") and path.endswith(".md"):
            try:
                doc = note.parse(data.decode("utf-8", "replace"))
            except Malformed:
                continue
            found.append(note_of(path.removeprefix(f"{note.FOLDER}/").removesuffix(".md"), doc))
    return sorted(found, key=lambda n: (n.order, n.id))


def note_of(name: str, doc: note.NoteDoc) -> Note:
    """The note of a file's name and content."""
    return Note(
        id=name,
        kind=doc.kind,
        text=" ".join(doc.text.split()),
        project=doc.project,
        created_at=int(doc.created),
        order=doc.created,
        by_hand=doc.by_hand,
        replaces=doc.replaces,
    )
