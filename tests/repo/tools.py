"""What the tests of the repository share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memkit.repo import Repo

Git = Callable[..., str]


def stage(repo: Repo, files: dict[str, str | None], *, message: str = "memory: staged") -> tuple[str, str]:
    """Commit files (None: deleted) in a staging; the base and the commit."""
    with repo.staging() as staging:
        for path, text in files.items():
            spot = staging.path / path
            if text is None:
                spot.unlink()
            else:
                spot.parent.mkdir(parents=True, exist_ok=True)
                spot.write_text(text)
        return staging.base, staging.commit(message)


def tree(folder: Path) -> dict[str, bytes]:
    """All bytes below a folder."""
    return {str(spot.relative_to(folder)): spot.read_bytes() for spot in sorted(folder.rglob("*")) if spot.is_file()}
