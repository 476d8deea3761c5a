"""A marked block in a file of shell commands: a start-up file, or a Git hook. Put in, renewed, taken out again."""

from __future__ import annotations

from pathlib import Path

from memkit.clients import files
from memkit.clients.files import Edit
from memkit.errors import ConfigError

BEGIN, END = b"# >>> memkit >>>", b"# <<< memkit <<<"


def block(text: str) -> bytes:
    """The lines between memkit's marks, with the marks."""
    return b"%s\n%s\n%s\n" % (BEGIN, text.encode().strip(b"\n"), END)


def install(path: Path, text: str) -> Edit:
    """The file with the block at its end, or in the place of an earlier one."""
    found = files.find(path)
    if found.data is None:
        return Edit(found=found, after=block(text))
    at = _place(found.data, path)
    if at:
        return Edit(found=found, after=found.data[: at[0]] + block(text) + found.data[at[1] :])
    # The line break before the block ends a last line that had none, and tells an empty file from none.
    return Edit(found=found, after=found.data + b"\n" + block(text))


def uninstall(path: Path) -> Edit:
    """The file without the block; a file that held nothing else goes."""
    found = files.find(path)
    return Edit(found=found, after=None if found.data is None else without(found.data, path=path))


def without(data: bytes, *, path: Path) -> bytes | None:
    """The bytes without the block and the line break that came with it; None when there is nothing else."""
    at = _place(data, path)
    if not at:
        return data
    before, after = data[: at[0]], data[at[1] :]
    if not before and not after:
        return None
    if before == b"\n" or before.endswith(b"\n\n") or (before.endswith(b"\n") and not after):
        before = before[:-1]
    return before + after


def _place(data: bytes, path: Path) -> tuple[int, int] | None:
    """From where to where the block reaches. ConfigError for marks that do not belong together."""
    found, at = list[tuple[int, bytes]](), 0
    lines = data.splitlines(keepends=True)
    ends: list[int] = []
    for number, line in enumerate(lines):
        if line.strip() in (BEGIN, END):
            found.append((at, line.strip()))
            ends.append(at + len(line))
            if len(found) > 2 or line.strip() != (BEGIN, END)[len(found) - 1]:
                raise _broken(path, number + 1)
        at += len(line)
    if not found:
        return None
    if len(found) == 1:
        raise _broken(path, data.count(b"\n", 0, found[0][0]) + 1)
    return found[0][0], ends[1]


def _broken(path: Path, line: int) -> ConfigError:
    what = f"{path}:{line}: the marks of memkit's block ({BEGIN.decode()} … {END.decode()}) do not belong together"
    return ConfigError(f"{what}; the file stays as it was", mend="take the block out by hand, then run this again")
