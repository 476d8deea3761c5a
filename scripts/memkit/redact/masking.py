"""Finding secrets and masking them, in texts and in values that hold texts."""

from __future__ import annotations

import dataclasses
import functools
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, TypeVar

from memkit.redact import leaks, prefilter
from memkit.redact.named import named_secret
from memkit.redact.rules import keywords
from memkit.redact.shape import MASK

T = TypeVar("T")

COVER = ";"  # ends a value for every rule of the second pass


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Secret:
    """A secret's place: text[start:end] is its value alone, without name, quotes, scheme or host."""

    start: int
    end: int
    rule: str


def find(text: str) -> list[Secret]:
    """The secrets of a text, sorted, not overlapping, in character offsets; what is masked already is none."""
    if not _possible(text):
        return []
    masks = _masks(text)
    own = _joined([part for secret in _own(text) for part in _without(secret, masks)])
    second = [Secret(*span) for span in leaks.spans(_covered(text, own).replace(MASK, COVER * len(MASK)))]
    return _joined([*own, *(part for secret in second for part in _without(secret, masks))])


def _possible(text: str) -> bool:
    """Whether any rule of either pass may find something: most rows of a session hold not one of their keywords."""
    known = _keywords()
    if not known or leaks.unlike(text):
        return True
    return prefilter.any_hit(text, known) is not False


@functools.cache
def _keywords() -> tuple[prefilter.Keyword, ...]:
    """Those of both passes; () where it is not known what the second one looks for."""
    second = leaks.keywords()
    return (*keywords()[0], *second) if second else ()


def mask(text: str) -> str:
    """The text with each secret replaced by MASK; all else stays, byte for byte. Masking again changes nothing."""
    while secrets := find(text):
        pieces, done = [], 0
        for secret in secrets:
            pieces += [text[done : secret.start], MASK]
            done = secret.end
        text = "".join((*pieces, text[done:]))
    return text


def mask_value(value: Any) -> Any:
    """A copy of a JSON-like value or record with every string masked, keys of mappings too.

    str, mappings, lists, tuples, sets, dataclasses, None, numbers and booleans; a key such as `password` makes its
    value a secret. Raises TypeError on any other type: what can't be looked into may not pass.
    """
    if isinstance(value, str):
        masked = mask(value)
        return value if masked == value else masked
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return _mask_mapping(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(mask_value(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return mask_fields(value)
    raise TypeError(f"can't mask a {type(value).__name__}")


def mask_fields(record: T) -> T:
    """The same dataclass with every string of every field masked, nested records too."""
    if not dataclasses.is_dataclass(record) or isinstance(record, type):
        raise TypeError(f"{type(record).__name__} is no record")
    changed = {}
    for field in dataclasses.fields(record):
        old = getattr(record, field.name)
        new = mask_value(old)
        if new != old:
            changed[field.name] = new
    return dataclasses.replace(record, **changed) if changed else record


def _mask_mapping(value: Mapping[Any, Any]) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key, item in value.items():
        name = mask_value(key)
        while name in result:
            name = f"{name}~"
        secret = isinstance(key, str) and isinstance(item, str) and named_secret(key, item)
        result[name] = MASK if secret else mask_value(item)
    return result


def _own(text: str) -> list[Secret]:
    names, owners = keywords()
    masks = _masks(text)
    found: list[Secret] = []
    taken: dict[str, Secret] = {}
    for at, number in prefilter.hits(text, names):
        rule, length = owners[number]
        last = taken.get(rule.name)
        if last is not None and (rule.once or last.start <= at < last.end):
            continue  # a rule reads a run that it took only once: that keeps repeated keywords linear
        if _inside(at, masks):
            continue
        spans = [Secret(start, end, rule.name) for start, end in rule.find(text, at, at + length) if start < end]
        found += spans
        if spans or rule.once:
            taken[rule.name] = _widened(last, spans[-1] if spans else Secret(at, at, rule.name))
    return found


def _covered(text: str, secrets: list[Secret]) -> str:
    """The text with COVER for each secret, character for character: the second pass is slow on what it finds."""
    pieces, done = [], 0
    for secret in secrets:
        pieces += [text[done : secret.start], COVER * (secret.end - secret.start)]
        done = secret.end
    return "".join((*pieces, text[done:]))


def _widened(last: Secret | None, new: Secret) -> Secret:
    """What a rule has read up to now: the run that it last took, as far as the spans of it hang together."""
    if last is None or new.start > last.end:
        return new
    return Secret(min(last.start, new.start), max(last.end, new.end), new.rule)


def _masks(text: str) -> list[tuple[int, int]]:
    """Where MASK stands already, ascending."""
    places = []
    at = text.find(MASK)
    while at >= 0:
        places.append((at, at + len(MASK)))
        at = text.find(MASK, at + len(MASK))
    return places


def _inside(at: int, masks: list[tuple[int, int]]) -> bool:
    index = bisect_right(masks, (at, len(MASK) + at)) - 1
    return index >= 0 and at < masks[index][1]


def _without(secret: Secret, masks: list[tuple[int, int]]) -> list[Secret]:
    """What is left of a span outside masks."""
    parts, start = [], secret.start
    for index in range(max(0, bisect_right(masks, (start, start)) - 1), len(masks)):
        mask_start, mask_end = masks[index]
        if mask_start >= secret.end:
            break
        if mask_end <= start:
            continue
        if mask_start > start:
            parts.append(Secret(start, mask_start, secret.rule))
        start = mask_end
    if start < secret.end:
        parts.append(Secret(start, secret.end, secret.rule))
    return parts


def _joined(secrets: list[Secret]) -> list[Secret]:
    result: list[Secret] = []
    for secret in sorted(secrets):
        if result and secret.start <= result[-1].end:
            last = result[-1]
            result[-1] = Secret(last.start, max(last.end, secret.end), last.rule)
        else:
            result.append(secret)
    return result
