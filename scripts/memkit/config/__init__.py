"""memkit.yaml, the environment and options, to one frozen Config.

Precedence: option, environment (`MEMKIT_<KEY>`, `MEMKIT_<GROUP>_<KEY>`), file, default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memkit.config.schema import FILE, GROUPS, Config, Consolidation, Leaf, Memories, OpenAI, SummaryBudget, leaves
from memkit.errors import ConfigError

if TYPE_CHECKING:
    from memkit.config.yaml_file import Found

__all__ = [
    "FILE",
    "Config",
    "Consolidation",
    "Memories",
    "OpenAI",
    "SummaryBudget",
    "home_path",
    "load",
    "origins",
    "read_text",
]

_NONE: Mapping[str, object] = MappingProxyType({})
_OTHER_VARIABLES = ("MEMKIT_HOME", "MEMKIT_NOW", "MEMKIT_DISABLE")


def load(*, home: Path | None = None, env: Mapping[str, str], overrides: Mapping[str, object] = _NONE) -> Config:
    """The configuration of a home.

    home: from `--home`, else MEMKIT_HOME, else ~/.memkit. overrides: values of options by dotted name
    (`memories.max_unused_days`), None where an option was not given. A missing file is fine; ConfigError names file,
    line and key of a value that is not allowed, and what is.
    """
    root = home_path(home, env=env)
    warnings: list[str] = []
    values: dict[str, Any] = {name: leaf.default for name, leaf in leaves().items()}
    values.update(_from_file(root / FILE, warnings=warnings))
    values.update(_from_environment(env, warnings=warnings))
    values.update(_from_options(overrides))
    groups: dict[str, Any] = {
        group: kind(**{name.partition(".")[2]: value for name, value in values.items() if name.startswith(f"{group}.")})
        for group, kind in GROUPS.items()
    }
    plain = {name: value for name, value in values.items() if "." not in name}
    plain["codex_home"] = _path(values["codex_home"] or "~/.codex", env=env, base=root)
    return Config(home=root, disabled=_disabled(env), warnings=tuple(warnings), **plain, **groups)


def origins(*, home: Path | None = None, env: Mapping[str, str]) -> Mapping[str, str]:
    """What set each key, by dotted name: a variable's name, `memkit.yaml` or `default`. Raises as `load` does."""
    in_file = _from_file(home_path(home, env=env) / FILE, warnings=[])
    in_env = _from_environment(env, warnings=[])
    return {
        name: (leaf.environment if env.get(leaf.environment) else "CODEX_HOME")
        if name in in_env
        else FILE
        if name in in_file
        else "default"
        for name, leaf in leaves().items()
    }


def read_text(path: Path) -> str | None:
    """The text of a configuration file, None when there is none; ConfigError when it can't be read."""
    try:
        if path.is_fifo():
            raise ConfigError(f"{path} is a pipe, not a file", mend="put a file in its place, or nothing")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start})", mend="save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}") from error


def home_path(home: Path | None, *, env: Mapping[str, str]) -> Path:
    """Where the home is: `--home`, else MEMKIT_HOME, else ~/.memkit."""
    return _path(str(home or env.get("MEMKIT_HOME") or "~/.memkit"), env=env, base=Path())


def _path(text: str, *, env: Mapping[str, str], base: Path) -> Path:
    if text == "~" or text.startswith("~/"):
        return Path(env.get("HOME") or Path.home(), text[2:]).absolute()
    return (base / text).absolute()


def _from_file(path: Path, *, warnings: list[str]) -> Mapping[str, object]:
    text = read_text(path)
    if text is None or _says_nothing(text):
        return {}
    from memkit.config import yaml_file

    values: dict[str, object] = {}
    for found in yaml_file.read(text, path=path):
        if leaf := leaves().get(found.name):
            values[found.name] = _checked(leaf, found.value, where=f"{path}:{found.line}: {found.name}")
        elif found.name not in GROUPS:
            warnings.append(f"{path}:{found.line}: unknown key {found.name}{_hint(found)}")
        elif not isinstance(found.value, dict):
            raise ConfigError(f"{path}:{found.line}: {found.name} must be a group of keys, one a line, indented")
    return values


def _says_nothing(text: str) -> bool:
    """Whether a file has only comments and empty groups, as `init` writes it: then no YAML parser is loaded."""
    said = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    headers = [line for line in said if line]
    return len(headers) == len(set(headers)) and all(line[-1] == ":" and line[:-1] in GROUPS for line in headers)


def _from_environment(env: Mapping[str, str], *, warnings: list[str]) -> Mapping[str, object]:
    variables = {leaf.environment: leaf for leaf in leaves().values()}
    values: dict[str, object] = {}
    if env.get("CODEX_HOME"):
        values["codex_home"] = _checked(leaves()["codex_home"], env["CODEX_HOME"], where="CODEX_HOME")
    for variable in sorted(name for name in env if name.startswith("MEMKIT_") and env[name]):
        if leaf := variables.get(variable):
            values[leaf.name] = _parsed(leaf, env[variable], where=variable)
        elif variable not in _OTHER_VARIABLES and (meant := _nearest(variable, known=variables, at_least=85)):
            warnings.append(f"unknown variable {variable}; did you mean {meant}?")
    return values


def _from_options(overrides: Mapping[str, object]) -> Mapping[str, object]:
    return {
        name: _checked(leaves()[name], value, where=f"the option for {name}")
        for name, value in overrides.items()
        if value is not None
    }


def _disabled(env: Mapping[str, str]) -> bool:
    text = env.get("MEMKIT_DISABLE")
    return bool(text and _parsed(Leaf(name="disable", default=False), text, where="MEMKIT_DISABLE"))


def _parsed(leaf: Leaf, text: str, *, where: str) -> object:
    try:
        return leaf.parsed(text)
    except ValueError as error:
        raise ConfigError(f"{where} must be {leaf.allowed}{leaf.shown(text)}") from error


def _checked(leaf: Leaf, value: object, *, where: str) -> object:
    try:
        return leaf.checked(value)
    except ValueError as error:
        raise ConfigError(f"{where} must be {leaf.allowed}{leaf.shown(value)}") from error


def _hint(found: Found) -> str:
    meant = _nearest(found.name, known=[*leaves(), *GROUPS], at_least=60)
    return f"; did you mean {meant}?" if meant else ""


def _nearest(name: str, *, known: Iterable[str], at_least: float) -> str | None:
    from memkit.config.nearest import nearest

    return nearest(name, known=known, at_least=at_least)
