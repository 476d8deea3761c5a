"""What of the home is memkit's own and tracked: the files that seed a new database, and what edits of them come to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from memkit import tree
from memkit.documents import places
from memkit.model import canonical
from memkit.repo import Change
from memkit.store import Store

CLAIMS, TOMBSTONES = places.CLAIMS, places.TOMBSTONES
_OWN_FILES = ("memkit.yaml", "rules.yaml", ".gitignore")


@dataclass(frozen=True, kw_only=True, slots=True)
class HandEdits:
    """What was found: the commit ("" when nothing was edited), lines kept and taken out (a changed line is both), the
    notes that they became, how many records were edited, and one line for each thing that was put back or masked."""

    commit: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    records: int = 0
    warnings: tuple[str, ...] = ()


def export(*, store: Store, home: Path) -> list[str]:
    """Writes claims by hand and tombstones to their tracked files, to seed a new database from; the files' names."""
    written = []
    for name, rows in ((CLAIMS, store.hand_claims()), (TOMBSTONES, store.tombstones())):
        path = home / name
        text = "".join(canonical(asdict(row)) + "\n" for row in rows)
        if text or path.exists():
            tree.write_file(path, text)
            written.append(name)
    return written


def is_ours(change: Change) -> bool:
    """Whether a change is of a file that memkit keeps."""
    return change.path.partition("/")[0] in tree.TREES.values() or change.path in (
        *_OWN_FILES,
        CLAIMS,
        TOMBSTONES,
        places.HASHES,
    )
