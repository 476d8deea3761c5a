"""What Codex's own configuration says about memories, for `init --from-codex`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from memkit.config import read_text
from memkit.config.schema import ALIASES, leaves
from memkit.errors import ConfigError


def codex_memories(codex_home: Path) -> dict[str, object] | None:
    """The [memories] keys of config.toml by dotted name, as `edit.set_values` takes them; None without the file.

    Keys that memkit does not have are left out. ConfigError when the file or one of the values is malformed.
    """
    path = codex_home / "config.toml"
    text = read_text(path)
    if text is None:
        return None
    try:
        table = tomllib.loads(text).get("memories", {})
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: memories must be a table")
    values: dict[str, object] = {}
    for key, value in table.items():
        name = f"memories.{key}"
        if leaf := leaves().get(ALIASES.get(name, name)):
            try:
                values[leaf.name] = leaf.checked(value)
            except ValueError as error:
                raise ConfigError(f"{path}: {name} must be {leaf.allowed}{leaf.shown(value)}") from error
    return values
