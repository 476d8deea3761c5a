"""Changing rules.yaml where it is changed, and nowhere else: comments, quotes and line ends are its owner's.

Works on lists in block style, one rule an entry; other layouts give None, and are written anew by `rules`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A rule's lines in a text: from `start` to `end`, as offsets; `dash`: the column of its dash.

    Comments of the dash's column or left of it, before and behind, are no part of it.
    """

    start: int
    end: int
    dash: int
    node: MappingNode


def entries(text: str) -> list[Entry] | None:
    """The rules of a text in their order; None where they are no list in block style, or there are none."""
    root = YAML(typ="rt").compose(text)
    pairs = root.value if isinstance(root, MappingNode) and not root.flow_style else []
    listed = next((value for _, value in pairs if isinstance(value, SequenceNode) and not value.flow_style), None)
    if listed is None or len(pairs) != 1:
        return None
    starts = [_line_start(text, node.start_mark.index) for node in listed.value]
    found = []
    for node, start, limit in zip(listed.value, starts, [*starts[1:], len(text)], strict=True):
        lead = text[start : node.start_mark.index]
        if not isinstance(node, MappingNode) or lead.strip() != "-" or start == limit:
            return None
        dash = lead.index("-")
        found.append(Entry(start=start, end=_content_end(text[start:limit], dash) + start, dash=dash, node=node))
    return found


def without(text: str, at: int) -> str | None:
    """The text without an entry."""
    found = entries(text)
    return text[: found[at].start] + text[found[at].end :] if found else None


def with_more(text: str, values: Mapping[str, object]) -> str | None:
    """The text with an entry behind the last one."""
    found = entries(text)
    if not found:
        return None
    last, end = found[-1], _newline(text)
    inside = " " * (last.node.start_mark.column - last.dash - 1)
    rows = [f"{key}: {_scalar(value)}" for key, value in values.items()]
    lead = [f"-{inside}", *([" " * (len(inside) + 1)] * (len(rows) - 1))]
    new = "".join(f"{' ' * last.dash}{head}{row}{end}" for head, row in zip(lead, rows, strict=True))
    gap = "" if text[: last.end].endswith("\n") else end
    return text[: last.end] + gap + new + text[last.end :]


def with_values(text: str, at: int, values: Mapping[str, str]) -> str | None:
    """The text with other values in an entry; an empty one takes its key out."""
    found = entries(text)
    if not found:
        return None
    cuts = list(_cuts(text, found[at], values))
    for start, end, new in sorted(cuts, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _cuts(text: str, entry: Entry, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """(start, end, new) of what is put in the place of what."""
    there = {key.value: (key, value) for key, value in entry.node.value}
    more = []
    for key, value in values.items():
        if key not in there:
            more.append(f"{key}: {_scalar(value)}" if value else "")
            continue
        start, end = _value(text, *there[key], entry)
        whole = _line_start(text, there[key][0].start_mark.index)
        rest = text.find("\n", end) + 1 or len(text)
        alone = text[whole : there[key][0].start_mark.index].strip() == "" == text[end:rest].strip()
        if not value and alone:
            yield whole, rest, ""
        else:
            space = "" if text[start - 1 : start] in (" ", "\t") else " "
            yield (
                start,
                end,
                space + (json.dumps(value, ensure_ascii=False) if entry.node.flow_style else _scalar(value)),
            )
    rows, newline = [row for row in more if row], _newline(text)
    if rows:
        lead = " " * entry.node.start_mark.column
        gap = "" if text[: entry.end].endswith("\n") else newline
        yield entry.end, entry.end, gap + "".join(f"{lead}{row}{newline}" for row in rows)


def _value(text: str, key: Node, value: Node, entry: Entry) -> tuple[int, int]:
    start, end = value.start_mark.index, value.end_mark.index
    if not isinstance(value, ScalarNode) or value.style not in ("|", ">"):
        return start, end
    # A block of lines ends where its comments or the next key begin.
    lines = text[start : min(end, entry.end)]
    return start, start + len(lines[: _content_end(lines, key.start_mark.column)].rstrip("\r\n"))


def _content_end(lines: str, column: int) -> int:
    """Where the last line ends that is neither empty nor a comment or document mark at most at the column."""
    end = at = 0
    for line in lines.splitlines(keepends=True) if "\n" in lines else [lines]:
        at += len(line)
        bare = line.lstrip(" ")
        outside = bare.startswith(("#", "...", "---")) and len(line) - len(bare) <= column
        if bare.strip() and not (outside and end):
            end = at
    return end


def _scalar(value: object) -> str:
    """A value as YAML has it on one line."""
    if isinstance(value, list):
        return "[" + ", ".join(json.dumps(str(each), ensure_ascii=False) for each in value) + "]"
    out = io.StringIO()
    yaml: Any = YAML(typ="rt")
    yaml.width = 1 << 20
    yaml.dump({"k": value}, out)
    text = out.getvalue().removeprefix("k: ").removesuffix("\n")
    return json.dumps(value, ensure_ascii=False) if "\n" in text else text


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
