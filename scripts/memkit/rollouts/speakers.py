"""Who speaks in a text that stands where the user's words do, told by the data files beside this module."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memkit.model import Tier

_MOST_BLOCKS = 50
_TIERS = {"harness": Tier.HARNESS, "agent": Tier.OTHER_AGENT, "dropped": None}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A stretch of a user part. tier None: injected instructions, which are no evidence."""

    tier: Tier | None
    text: str


@dataclass(frozen=True, slots=True)
class _Injected:
    start: re.Pattern[str]
    end: re.Pattern[str] | None
    tier: Tier | None


@dataclass(frozen=True, slots=True)
class _Prompt:
    opens: re.Pattern[str] | None
    holds: re.Pattern[str] | None
    sources: frozenset[str]


def classify(text: str) -> tuple[Spoken, ...]:
    """The stretches of one content part, in order, each with who speaks; empty ones are left out.

    An injected block ends at its *last* closing mark, so that nothing inside it can pass for the user's words.
    """
    rest = text.strip()
    if rest[:1] not in _first_characters():
        return (Spoken(Tier.HUMAN, rest),) if rest else ()
    spoken: list[Spoken] = []
    for _ in range(_MOST_BLOCKS):
        block = next((each for each in _injected() if each.start.match(rest)), None)
        if block is None:
            break
        end = _last_end(block.end, text=rest)
        spoken.append(Spoken(block.tier if end is not None or block.tier else Tier.HARNESS, rest[:end]))
        rest = rest[end:].strip() if end is not None else ""
    for start, own in _headers():
        if start.match(rest):
            at = _last_end(own, text=rest)
            spoken.append(Spoken(Tier.HARNESS, _without_own(own, text=rest[:at])))
            rest = rest[at:].strip() if at is not None else ""
    spoken.append(Spoken(Tier.HUMAN, rest))
    return tuple(each for each in spoken if each.text)


def is_machine_prompt(text: str, *, source: str) -> bool:
    """Whether a session's first human text is known to be a program's, for a session of that source."""
    return any(
        source in prompt.sources
        and (prompt.opens is None or prompt.opens.match(text.lstrip()) is not None)
        and (prompt.holds is None or prompt.holds.search(text) is not None)
        for prompt in _prompts()
    )


def _last_end(mark: re.Pattern[str] | None, *, text: str) -> int | None:
    end = None
    for found in mark.finditer(text) if mark is not None else ():
        end = found.end()
    return end


def _without_own(own: re.Pattern[str], *, text: str) -> str:
    return own.sub("", text).strip()


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


@cache
def _first_characters() -> frozenset[str]:
    data = _data("speakers.toml")
    opens = [each["opens"][0] for each in (*data["injected"], *data["header"]) if "opens" in each]
    return frozenset("<" + "".join(opens) + "".join(opens).lower())


@cache
def _injected() -> tuple[_Injected, ...]:
    found = []
    for each in _data("speakers.toml")["injected"]:
        if "tag" in each:
            tag = re.escape(each["tag"])
            start, end = rf"</?{tag}(?=[\s>/])", rf"</{tag}\s*>|\A<{tag}\b[^<>]*/?>\Z"
        else:
            start, end = re.escape(each["opens"]), re.escape(each["ends"]) if "ends" in each else ""
        ended = re.compile(end, re.I) if end else None
        found.append(_Injected(re.compile(start, re.I), ended, _TIERS[each["speaker"]]))
    return tuple(found)


@cache
def _headers() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (re.compile(re.escape(each["opens"])), re.compile(rf"^{re.escape(each['own'])}", re.M))
        for each in _data("speakers.toml")["header"]
    )


@cache
def _prompts() -> tuple[_Prompt, ...]:
    return tuple(
        _Prompt(_pattern(each.get("opens")), _pattern(each.get("holds")), frozenset(each["sources"]))
        for each in _data("machine_prompts.toml")["prompt"]
    )


def _pattern(source: str | None) -> re.Pattern[str] | None:
    return None if source is None else re.compile(source, re.I | re.S | re.M)
