"""Changing memkit.yaml in place: only the lines of the changed keys are touched, comments and order stay."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from memkit.config import read_text
from memkit.config.schema import ALIASES, GROUPS, leaves
from memkit.config.yaml_file import compose, entries, read, scalar
from memkit.errors import ConfigError, StorageError

_PLAIN = re.compile(r"[A-Za-z_/~][A-Za-z0-9_./~-]*")
_RESERVED = ("true", "false", "null", "~")


def set_values(path: Path, changes: Mapping[str, object]) -> bool:
    """Writes values by dotted name into a configuration file (made when missing, 0600); whether it changed.

    ConfigError for a value that is not allowed, or a file whose layout can't be changed safely.
    """
    before = read_text(path)
    after = edited(before or "", changes, path=path)
    if after == before:
        return False
    _replace(path, after)
    return True


def edited(text: str, changes: Mapping[str, object], *, path: Path) -> str:
    """The text of a configuration file with values set by dotted name.

    A key that is there gets its new value; one that stands as a comment (`# key: default`) is taken out of it;
    any other is added to its group, which is added at the end when missing.
    """
    for name, value in changes.items():
        leaf = leaves()[name]
        try:
            checked = leaf.checked(value)
        except ValueError as error:
            raise ConfigError(f"{name} must be {leaf.allowed}{leaf.shown(value)}") from error
        wanted = list(checked) if isinstance(checked, tuple) else checked
        before = {found.name: found.value for found in read(text, path=path)}
        if before.get(name) == wanted and type(before.get(name)) is type(wanted):
            continue
        text = _with(text, name=name, rendered=_rendered(wanted), path=path)
        if not _is(text, {**before, name: wanted}, path=path):
            raise ConfigError(f"{path} has a layout that memkit can't change", mend=f"set {name}: {_rendered(wanted)}")
    return text


def _with(text: str, *, name: str, rendered: str, path: Path) -> str:
    root = compose(text, path=path)
    live = {} if root is None else {ALIASES.get(found, found): (key, node) for found, key, node in entries(root)}
    group, _, key = name.rpartition(".")
    if name in live:
        return _replaced(text, *live[name], rendered=rendered)
    if not group:
        return _uncommented(text, key=key, rendered=rendered, start=0, column=0) or _appended(
            text, f"{key}: {rendered}"
        )
    if group not in live:
        return _appended(text, f"{group}:\n  {key}: {rendered}")
    header, node = live[group]
    if isinstance(node, MappingNode) and node.flow_style:
        at = node.start_mark.index + 1
        return f"{text[:at]}{key}: {rendered}{', ' if node.value else ''}{text[at:]}"
    column = node.value[0][0].start_mark.column if isinstance(node, MappingNode) and node.value else 2
    if isinstance(node, ScalarNode):  # an empty group, perhaps spelt `~`
        text = text[: node.start_mark.index] + text[node.end_mark.index :]
    start = _next_line(text, header.end_mark.index)
    return _uncommented(text, key=key, rendered=rendered, start=start, column=column) or (
        _appended(text[:start], f"{' ' * column}{key}: {rendered}") + text[start:]
    )


def _replaced(text: str, key: Node, node: Node, *, rendered: str) -> str:
    last = node
    while isinstance(last, SequenceNode) and not last.flow_style and last.value:
        last = last.value[-1]
    start, end = node.start_mark.index, last.end_mark.index
    if isinstance(node, SequenceNode) and not node.flow_style:  # `key:`, then a line an item: joined to one line
        return f"{text[: key.end_mark.index]}: {rendered}{text[end:]}"
    if isinstance(node, ScalarNode) and scalar(node) is None and start == end:
        colon = text.index(":", key.end_mark.index) + 1
        return f"{text[:colon]} {rendered}{text[colon:]}"
    return text[:start] + rendered + text[end:]


def _uncommented(text: str, *, key: str, rendered: str, start: int, column: int) -> str | None:
    """The text with `# key: default` made into a live line, or None when the group has no such comment."""
    end = len(text)
    if column and (following := re.compile(r"^[^\s#]", re.MULTILINE).search(text, start)):
        end = following.start()
    indent = r"[ \t]+" if column else ""
    default = r"(?:\[[^\]\n]*\]|\"[^\"\n]*\"|[^\s#]*)"
    tail = r"(?P<tail>[ \t]+#[^\r\n]*)?[ \t]*(?=\r?$)"
    comment = re.compile(rf"^{indent}#[ \t]?{re.escape(key)}:[ \t]*{default}{tail}", re.MULTILINE)
    found = comment.search(text, start, end)
    if found is None:
        return None
    return f"{text[: found.start()]}{' ' * column}{key}: {rendered}{found['tail'] or ''}{text[found.end() :]}"


def _appended(text: str, lines: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else newline
    return text + gap + lines.replace("\n", newline) + newline


def _next_line(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1


def _is(text: str, wanted: Mapping[str, object], *, path: Path) -> bool:
    try:
        got = {found.name: found.value for found in read(text, path=path)}
    except ConfigError:
        return False
    return {name: value for name, value in got.items() if name not in GROUPS} == {
        name: value for name, value in wanted.items() if name not in GROUPS
    }


def _rendered(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_rendered(item) for item in value)}]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def _replace(path: Path, text: str) -> None:
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise StorageError(f"{path} can't be written: {error.strerror}") from error
