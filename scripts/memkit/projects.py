"""What project a directory or a remote belongs to. Injective: two places are one project only when Git says so.

A project's identity is its remote or its Git common directory where one is known, else the directory's path, exactly.
The home directory, `/` and temporary folders are no project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders")
_TEMPORARY_BY = ("TMPDIR", "TEMP", "TMP")  # variables that name another


class Place(NamedTuple):
    """Where a session ran: its directory and the remote that its file names ("" when it names none)."""

    cwd: str
    remote: str = ""


class Project(NamedTuple):
    """A project: its identity, and its root as it is written in documents (`~` for the user's home)."""

    key: str
    name: str

    @property
    def names(self) -> frozenset[str]:
        """What may stand for it in a file: its root as written, and its remote as `host/path`."""
        return frozenset(
            {self.name} | ({self.key.removeprefix("remote:")} if self.key.startswith("remote:") else set())
        )


def normal_remote(url: str) -> str:
    """`host/path` of a remote in any spelling (https, ssh, scp-like, git), without user, port, `.git`; "" for none.

    The host is case-insensitive, the path is not. A local path or file: URL is returned as it is.
    """
    url = url.strip()
    scp = re.fullmatch(r"(?:[^@/\s]+@)?([\w.-]+):(?!//)(?!\d+/)(\S+)", url)
    full = re.fullmatch(r"(?:https?|ssh|git|git\+ssh)://(?:[^@/\s]*@)?([\w.-]+)(?::\d+)?/(\S+)", url)
    found = full or scp
    if not found or len(found[1]) == 1:  # one letter before the colon is a Windows drive
        return url.rstrip("/")
    return f"{found[1].lower()}/{found[2].strip('/').removesuffix('.git')}"


def clean(directory: str) -> str:
    """A directory's path without trailing slashes, `.` and doubled slashes; case and letters stay."""
    if not directory:
        return ""
    windows = re.match(r"[A-Za-z]:[\\/]", directory)
    return directory.rstrip("\\/") if windows else str(PurePosixPath(directory))


@lru_cache(maxsize=4096)
def git_root(directory: str) -> tuple[str, str] | None:
    """(main work tree's root, remote) of the Git repository that the directory lies in; None when it can't be read.

    A linked work tree belongs to the repository of its common directory. Reads files only, so that looking at a
    project never runs Git in it, whose configuration is not ours to trust.
    """
    try:
        start = Path(directory)
        if not start.is_dir():
            return None
        for folder in (start, *start.parents):
            marker = folder / ".git"
            if marker.is_dir():
                return str(folder), _origin(marker)
            if marker.is_file():
                return _linked(folder, marker)
    except OSError:
        return None
    return None


def worktree(directory: str) -> str | None:
    """The root of the work tree that a directory lies in, a linked one too; None outside of any."""
    try:
        for folder in (Path(directory), *Path(directory).parents):
            if (folder / ".git").exists():
                return str(folder)
    except OSError:
        return None
    return None


def _linked(folder: Path, marker: Path) -> tuple[str, str]:
    text = marker.read_text(encoding="utf-8", errors="replace").strip()
    gitdir = Path(folder, text.removeprefix("gitdir:").strip())
    try:
        common = Path(gitdir, (gitdir / "commondir").read_text(encoding="utf-8", errors="replace").strip()).resolve()
    except OSError:
        return str(folder), _origin(gitdir)  # a submodule, or a repository kept elsewhere: a project of its own
    return str(common.parent) if common.name == ".git" else str(common), _origin(common)


def _origin(gitdir: Path) -> str:
    try:
        text = (gitdir / "config").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r'(?ms)^\s*\[remote "origin"\]\s*$(.*?)(?=^\s*\[|\Z)', text)
    url = re.search(r"(?m)^\s*url\s*=\s*(.+?)\s*$", found[1]) if found else None
    return normal_remote(url[1]) if url else ""


class Projects:
    """The projects of all sessions known, for asking which one a place or a directory belongs to.

    Build it with `Projects.of`; the answer for a place depends on the set of places, not on their order.
    """

    def __init__(
        self,
        *,
        user_home: str,
        temporary: tuple[str, ...] = (),
        names: Mapping[str, str] = MappingProxyType({}),
        keys: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.user_home = user_home
        self.temporary = temporary
        self._names = names
        self._keys = keys

    @classmethod
    def of(cls, places: Iterable[Place], *, user_home: str) -> Projects:
        """The projects of these places. user_home: the user's home directory, written as `~`."""
        own = (os.path.abspath(each) for name in _TEMPORARY_BY if (each := os.environ.get(name)))  # noqa: PTH100
        empty = cls(user_home=clean(user_home), temporary=tuple(dict.fromkeys([*_TEMPORARY, *own])))
        roots: dict[str, set[str]] = {}
        keys: dict[str, set[str]] = {}
        for place in sorted(set(places), key=lambda p: (p.cwd, p.remote)):
            found = empty._identify(place)
            if found:
                roots.setdefault(found[0], set()).add(found[1])
                keys.setdefault(clean(place.cwd), set()).add(found[0])
        # A root that Git showed beats a directory that a session ran in: the shortest path is the nearest to it.
        names = {key: empty._written(min(paths, key=lambda p: (len(p), p))) for key, paths in roots.items()}
        # A directory with and without a remote (an older session did not name it) is one project with one remote.
        single: dict[str, str] = {}
        for cwd, found_keys in keys.items():
            remotes = sorted(k for k in found_keys if not k.startswith("path:"))
            single[cwd] = (
                remotes[0] if len(remotes) == 1 else f"path:{cwd}" if f"path:{cwd}" in found_keys else min(found_keys)
            )
        return cls(user_home=empty.user_home, temporary=empty.temporary, names=_distinct(names), keys=single)

    def of_place(self, place: Place) -> Project | None:
        """The project of a session's place; None for the home, `/`, temporary folders and no directory."""
        found = self._identify(place)
        if not found:
            return None
        key = (
            found[0]
            if found[0] in self._names and not found[0].startswith("path:")
            else self._keys.get(clean(place.cwd), found[0])
        )
        return Project(key, self._names.get(key, self._written(found[1])))

    def of_directory(self, directory: str) -> Project | None:
        """The project that a new session in the directory works on; None outside any project.

        What Git says of the directory counts first; where nothing can be read there any more, the project whose
        sessions ran in it, or in whose repository's root it lies.
        """
        directory = clean(directory)
        found = self._identify(Place(directory))
        if not found:
            return None
        key, root = found
        if not key.startswith("path:"):
            if key not in self._names and directory in self._keys:
                key = self._keys[directory]
            return Project(key, self._names.get(key, self._written(root)))
        if directory in self._keys:
            key = self._keys[directory]
            return Project(key, self._names[key])
        if git_root(directory) is None and not os.path.isdir(directory):  # noqa: PTH112 - never raises
            for parent in PurePosixPath(directory).parents:
                above = self._keys.get(str(parent))
                if above and not above.startswith("path:"):
                    return Project(above, self._names[above])
        return Project(key, self._written(directory))

    def _identify(self, place: Place) -> tuple[str, str] | None:
        cwd = clean(place.cwd)
        if self.nowhere(cwd):
            return None
        found = git_root(cwd)
        remote = normal_remote(place.remote) if place.remote else ""
        if found and not self.nowhere(clean(found[0])):
            root, origin = clean(found[0]), found[1]
            return (f"remote:{origin or remote}" if origin or remote else f"git:{root}"), root
        return (f"remote:{remote}", cwd) if remote else (f"path:{cwd}", cwd)

    def nowhere(self, directory: str) -> bool:
        """The home directory, `/`, a temporary folder or anything below one, or no absolute path at all."""
        if not directory or not (directory.startswith("/") or re.match(r"[A-Za-z]:[\\/]", directory)):
            return True
        if (
            directory in ("/", self.user_home, "/root", "/home")
            or re.fullmatch(r"(?:/home|/Users|[A-Za-z]:[\\/]Users)[\\/][^\\/]+", directory)
            or re.fullmatch(r"[A-Za-z]:[\\/]?", directory)
        ):
            return True
        below_home = bool(self.user_home) and directory.startswith(self.user_home + "/")
        return not below_home and any(directory == t or directory.startswith(t + "/") for t in self.temporary)

    def _written(self, root: str) -> str:
        if self.user_home and root.startswith(self.user_home + "/"):
            return "~" + root[len(self.user_home) :]
        return root


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Two projects never share a name: where two remotes were used in one directory, the remote is added."""
    taken: dict[str, list[str]] = {}
    for key, name in names.items():
        taken.setdefault(name, []).append(key)
    return {
        key: name
        if len(taken[name]) == 1
        else f"{name} [{key.partition(':')[2]}]"
        if not key.startswith("path:")
        else name
        for key, name in names.items()
    }
