"""How a line looks: a sentence, something that a program printed, or the announcement of a paste."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

_MOST_ANNOUNCING = 300
_FEW = 3  # words of an announcement that needs no lead word
_LOOKED_AT = 400  # characters of a line
TALL = 12  # lines of a paragraph that looks like no prose, though no line gives it away
_COLONS = (":", "\N{FULLWIDTH COLON}")


def continues_list(lines: Sequence[str], *, at: int) -> bool:
    before = next((lines[i] for i in range(at - 1, -1, -1) if lines[i].strip()), "")
    return bool(re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s", before))


def looks_made(line: str) -> bool:
    """Whether a program printed a line, by its beginning."""
    return _machine().match(line[:_LOOKED_AT]) is not None


def is_strong(line: str) -> bool:
    """Whether a line by itself is enough to know a paste by."""
    return _strong().match(line[:_LOOKED_AT]) is not None


def is_prose(line: str) -> bool:
    """Whether a line reads like a sentence: words, few signs, no program's look."""
    words = line.split()
    if len(words) < 3 or line.startswith((" ", "\t")):
        return False
    plain = sum(char.isalpha() or char.isspace() for char in line)
    return plain >= 0.8 * len(line) and not looks_made(line)


def announces(line: str) -> str:
    said = line.strip().lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if not said.endswith(_COLONS) or len(said) > _MOST_ANNOUNCING:
        return ""
    words = _announcers()
    if words["says"].search(said):
        return "prose"
    if words["mine"].search(said):
        return ""
    short = len(said.split()) <= _FEW
    if words["machine"].search(said) and (short or words["lead"].search(said)):
        return "machine"
    return "prose" if words["prose"].search(said) and words["lead"].search(said) else ""


@cache
def fence() -> re.Pattern[str]:
    return re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")


@cache
def _announcers() -> dict[str, re.Pattern[str]]:
    data = tomllib.loads((Path(__file__).parent / "data" / "pastes.toml").read_text(encoding="utf-8"))
    ends = {"says": f"[{''.join(_COLONS)}]\\Z"}
    return {
        kind: re.compile(rf"\b(?:{_any(words[kind] for words in data.values())})\b{ends.get(kind, '')}")
        for kind in ("lead", "mine", "machine", "prose", "says")
    }


def _any(lists: Iterable[Sequence[str]]) -> str:
    return "|".join(re.escape(word) for words in lists for word in words)


@cache
def _strong() -> re.Pattern[str]:
    """A line that by itself is enough to know a paste by."""
    return re.compile(
        r"""\s*(?:
        Traceback\ \(most\ recent | diff\ --git\ | @@\ -\d+ | \*\*\*\ (?:Begin|End)\ Patch
        | goroutine\ \d+\ \[ | panic:\ | Exception\ in\ thread | npm\ ERR! | error\[E\d+\]
        | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d[.,\]\ ] | \w{3}\ [\ \d]\d\ \d\d:\d\d:\d\d\ 
        | [\[{]"[^"]{1,200}":? | -----BEGIN\ | =+\ FAILURES\ =+ | thread\ '[^']*'\ panicked
        )""",
        re.X,
    )


@cache
def _machine() -> re.Pattern[str]:
    return re.compile(
        _strong().pattern
        + r"""|\s*(?:
        at\ \S+\ ?\( | at\ \S+:\d+ | File\ "[^"]+",\ line\ \d+
        | (?:\w+\.){0,8}\w{0,80}(?:Error|Exception|Warning):\ 
        | \[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)[\]:|]\ ?\S
        | \[(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\]
        | (?:error|warning|note|fatal|info):\ | E\ {2,} | FAILED\ \S+:: | PASSED\ \S+::
        | \S+:\d+:(?:\d+:)?\ | [$%]\ \S | \#\ \w+@ | [+-]{3}\ \S | [+-](?:\ {2,}|\t) | \^+\s*$ | -->\ | \d+\ \|
        | [{}\[\]()]+[,;]?\s*$ | "[^"]{1,100}":\ ? | </?\w[^>]{0,300}>\s*$ | \w{1,40}=\S+\s*$
        | drwx | -rw | caused\ by:\ \S+(?:Error|Exception) | (?:\w+[/\\]){2,}\S+\s*$ | 0x[0-9a-f]{4,}
        | [0-9a-f]{7,40}\ \S
        )""",
        re.X | re.I,
    )
