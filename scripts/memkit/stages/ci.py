"""Files for a project's CI, put where there are none yet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from memkit.errors import StorageError, UsageError

UNKNOWN = "memkit @ git+https://example.org/memkit.git@main"  # where nothing tells where memkit comes from


@dataclass(frozen=True, kw_only=True, slots=True)
class Put:
    """What became of the files. written: those that were not there; other: those that were, and say something else."""

    written: tuple[Path, ...]
    other: tuple[Path, ...]


def put(*, directory: Path, files: Mapping[str, str]) -> Put:
    """Writes files, by their paths in a directory, that are not there; what is there is never touched.

    Raises UsageError without the directory, StorageError where it can't be written.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory} is no folder", mend="name the top of a project's repository")
    written, other = list[Path](), list[Path]()
    for name, text in files.items():
        path = directory / name
        try:
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            path.chmod(0o644)  # a project's files are for all who work on it
            written.append(path)
        except FileExistsError:
            if not path.is_file() or path.read_bytes() != text.encode():
                other.append(path)
        except OSError as error:
            raise StorageError(f"{path} can't be written: {error.strerror}") from error
    return Put(written=tuple(written), other=tuple(other))


def source() -> str:
    """What pip can install this memkit from, as a requirement; UNKNOWN for one from a folder of this machine."""
    try:
        said = json.loads(metadata.distribution("memkit").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return UNKNOWN
    version = said.get("vcs_info")
    return f"memkit @ {version['vcs']}+{said['url']}@{version['commit_id']}" if version else UNKNOWN
