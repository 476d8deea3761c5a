"""Finds templates/ and hooks/: inside the package in a wheel, at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

from memkit.errors import ConfigError

_PACKAGE = Path(__file__).resolve().parent
_MEND = "install memkit again"


def template_dir() -> Path:
    """The folder with the templates."""
    return _folder("templates")


def hook_dir() -> Path:
    """The folder with the hook scripts."""
    return _folder("hooks")


def read(name: str) -> str:
    """The text of a template, by its path below the folder (`v2/context.txt`)."""
    path = template_dir() / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}", mend=_MEND) from error


def _folder(name: str) -> Path:
    for folder in (_PACKAGE / f"_{name}", _PACKAGE.parents[1] / name):
        if folder.is_dir():
            return folder
    raise ConfigError(f"memkit's folder {name}/ is missing", mend=_MEND)
