"""Where the values of a JSON text stand, so that one can be put in or taken out while every other byte stays."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple


class Member(NamedTuple):
    """One member of an object or a list. start: of its key, or of itself in a list; value, end: of its value."""

    key: str
    start: int
    value: int
    end: int


def members(text: str, at: int) -> list[Member]:
    """The members of the object or list that opens at an index of a text which is JSON."""
    decoder, keyed = json.JSONDecoder(), text[at] == "{"
    found: list[Member] = []
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        start, key = at, ""
        if keyed:
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        at = json.JSONDecoder().raw_decode(text, at)[1]
        found.append(Member(key, start, value, at))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def value(text: str, at: int) -> Any:
    """The value that begins at an index."""
    return json.JSONDecoder().raw_decode(text, at)[0]


def added(text: str, at: int, new: object, *, key: str = "", depth: int) -> str:
    """The text with a member more at the end of the object or list that opens at `at`, in the text's own layout.

    key: for an object. depth: how deep the new member lies, 1 in the outermost object.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    found = re.search(r"\n([ \t]+)\S", text)
    unit = found[1] if found else "  " if newline in text.strip() or not members(text, 0) else ""
    said = json.dumps(new, ensure_ascii=False, indent=unit or None)
    said = f"{json.dumps(key, ensure_ascii=False)}: {said}" if key else said
    inner = newline + unit * depth if unit else ""
    said = said.replace("\n", inner)
    there = members(text, at)
    if there:
        return f"{text[: there[-1].end]},{inner or ' '}{said}{text[there[-1].end :]}"
    outer = newline + unit * (depth - 1) if unit else ""
    return f"{text[: at + 1]}{inner}{said}{outer}{text[_close(text, at) :]}"


def removed(text: str, at: int, index: int) -> str:
    """The text without one member of the object or list that opens at `at`."""
    there = members(text, at)
    if len(there) == 1:
        return text[: at + 1] + text[_close(text, at) :]
    if index == len(there) - 1:
        return text[: there[index - 1].end] + text[there[index].end :]
    return text[: there[index].start] + text[there[index + 1].start :]


def replaced(text: str, member: Member, new: object) -> str:
    """The text with another value for a member, which keeps to the line's indent."""
    line = text.rfind("\n", 0, member.start) + 1
    indent = re.match(r"[ \t]*", text[line : member.start])
    unit = re.search(r"\n([ \t]+)\S", text)
    said = json.dumps(new, ensure_ascii=False, indent=unit[1] if unit else None)
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[: member.value] + said.replace("\n", newline + (indent[0] if indent else "")) + text[member.end :]


def _close(text: str, at: int) -> int:
    return json.JSONDecoder().raw_decode(text, at)[1] - 1


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at
