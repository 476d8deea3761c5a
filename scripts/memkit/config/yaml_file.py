"""memkit.yaml as values with their lines. ruamel.yaml costs 21 ms: imported only when there is something to parse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from memkit.config.schema import ALIASES, GROUPS
from memkit.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Found:
    """A key as the file has it: its dotted name, its value (None when left empty) and its line, from 1."""

    name: str
    value: object
    line: int


def compose(text: str, *, path: Path) -> MappingNode | None:
    """The nodes of a document with their places, None when it says nothing; ConfigError when it is no mapping."""
    try:
        root = YAML(typ="rt", pure=True).compose(text)
    except MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{path}{line}: not valid YAML: {_one_line(error.problem or error.context)}") from error
    except YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {_one_line(error)}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid YAML: nested too deeply") from error
    if root is None or (isinstance(root, ScalarNode) and scalar(root) is None):
        return None
    if not isinstance(root, MappingNode):
        raise ConfigError(f"{path}:{root.start_mark.line + 1}: must be a list of `key: value` lines")
    return root


def read(text: str, *, path: Path) -> list[Found]:
    """Every key of the file by its dotted name, unknown ones too, aliases resolved; ConfigError for one given twice."""
    root = compose(text, path=path)
    found: dict[str, Found] = {}
    for name, key, node in () if root is None else entries(root):
        name = ALIASES.get(name, name)
        line = key.start_mark.line + 1
        if name in found:
            raise ConfigError(f"{path}:{line}: {name} is given twice, first in line {found[name].line}")
        found[name] = Found(name, value(node), line)
    return [one for one in found.values() if one.value is not None]


def entries(root: MappingNode) -> Iterator[tuple[str, Node, Node]]:
    """(dotted name, key node, value node) of every key; a group comes before its keys, with them as its value."""
    for key, node in root.value:
        name = _name(key)
        yield name, key, node
        if name in GROUPS and isinstance(node, MappingNode):
            for inner, leaf in node.value:
                yield f"{name}.{_name(inner)}", inner, leaf


def value(node: Node) -> object:
    """A node as bool, int, float, str or None, a list of those, or an empty dict for any mapping."""
    if isinstance(node, SequenceNode):
        return [value(item) if isinstance(item, ScalarNode) else {} for item in node.value]
    return scalar(node) if isinstance(node, ScalarNode) else {}


def scalar(node: ScalarNode) -> bool | int | float | str | None:
    """A scalar by the tag that YAML 1.2 gives it; text where the tag does not fit."""
    text, kind = str(node.value), str(node.tag).rpartition(":")[2]
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        if kind == "int":
            return int(text, 10 if text.lstrip("+-").isdigit() else 0)
        if kind == "float":
            return float(text)
    except ValueError:
        return text
    return text


def _name(key: Node) -> str:
    return str(key.value) if isinstance(key, ScalarNode) else "a key that is no word"


def _one_line(problem: object) -> str:
    return " ".join(str(problem).split())
