"""Values told by the name before them: `NAME_TOKEN=…`, `"password": "…"`, `--api-key …`, "the api key is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.redact.patterns import pattern
from memkit.redact.shape import Family, Form, credible, is_call
from memkit.redact.words import GLUED, KEY_NAMES, NOT_A_VALUE, PASSWORD_NAMES, TOKEN_NAMES

NAMES = {Family.PASSWORD: PASSWORD_NAMES, Family.TOKEN: TOKEN_NAMES, Family.KEY: KEY_NAMES}

_ENV = re.compile(r"[A-Z0-9_]{0,40}")
_WORDS = re.compile(r"[A-Z]{0,40}[a-z0-9]{1,40}|[A-Z]{1,40}")


def _names_a_value(tail: str) -> bool:
    """Whether the rest of the name still names the secret: not `_id`, `_count`, `izer`, `s`."""
    if not tail or not tail.isascii():
        return True
    if tail[0].islower():
        return tail.lower() in GLUED
    return not any(word.lower() in NOT_A_VALUE for word in _WORDS.findall(tail))


def _is_flag(text: str, at: int) -> bool:
    dashes = text.rfind("--", max(0, at - 40), at)
    return dashes >= 0 and not any(c in " \t\n=" for c in text[dashes:at])


def _env_name(text: str, at: int, end: int) -> bool:
    start = at
    floor = max(0, at - 60)
    while start > floor and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return _ENV.fullmatch(text, start, end) is not None


def _extended(text: str, end: int, run: str) -> int:
    """The end of the run that a capped value belongs to: half a secret is a secret."""
    while (further := pattern(run).match(text, end)) and further.end() > end:
        end = further.end()
    return end


def _quoted(text: str, opening: re.Match[str]) -> tuple[int, int]:
    kind = "escaped" if opening["slash"] else "plain"
    value = pattern(kind + opening["quote"]).match(text, opening.end())
    if value is None:
        return opening.end(), opening.end()
    start, end = value.span()
    if text[end : end + 1] not in ("\\", opening["quote"]) and end - start < 512:
        end = start + len(value[0].split()[0]) if value[0].split() and not value[0][0].isspace() else end
    return start, end


def _bare(text: str, start: int, *, run: str) -> tuple[int, int]:
    value = pattern(run).match(text, start)
    if value is None:
        return start, start
    trimmed = value[0].rstrip(".,:;)]}*…")
    return start, start + len(trimmed)


def find_named(text: str, at: int, end: int, family: Family) -> Iterator[tuple[int, int]]:
    """The value after the name whose keyword stands at text[at:end]."""
    name = pattern("name").match(text, end)
    if name is None or not _names_a_value(name["tail"]):
        return
    if family is Family.KEY and text[max(0, at - 7) : at].lower().endswith(("public", "pub", "foreign", "primary")):
        return
    operator = name["op"]
    if operator is None and name["prose"] is None and not _is_flag(text, at):
        return
    span, form = _value(text, name, env=operator == "=" and _env_name(text, at, end + len(name["tail"])))
    start, stop = span
    if start == stop or (operator == ">" and not text.startswith("</", stop)):
        return
    value = text[start:stop]
    if family is Family.PASSWORD and "phrase" in text[at:end].lower() and form is Form.QUOTED and " " in value:
        if _is_passphrase(value):
            yield span
        return
    if form is not Form.QUOTED and text[stop : stop + 1] in ("(", "[") and value.replace(".", "").isidentifier():
        return
    if form is Form.ENV and text[start - 1] in " \t" and is_call(value):
        return
    if credible(value, family=family, form=form):
        if form is not Form.QUOTED and stop - start >= 512:
            stop = _extended(text, stop, "env-run" if form is Form.ENV else "value-run")
        elif form is Form.QUOTED and stop - start >= 512:
            stop = _extended(text, stop, "env-run")
        yield start, stop


def _value(text: str, name: re.Match[str], *, env: bool) -> tuple[tuple[int, int], Form]:
    opening = pattern("open").match(text, name.end())
    if opening is not None:
        return _quoted(text, opening), Form.PROSE if name["prose"] else Form.QUOTED
    if env:
        return _bare(text, name.end(), run="env"), Form.ENV
    return _bare(text, name.end(), run="bare"), Form.PROSE if name["prose"] else Form.BARE


def _is_passphrase(value: str) -> bool:
    words = value.lower().split()
    return len(words) >= 4 and not any(word in ("passphrase", "password", "your", "the", "for", "a") for word in words)


def named_secret(name: str, value: str) -> bool:
    """Whether a mapping's key says that its value is a secret."""
    folded = name.lower()
    for family, keywords in NAMES.items():
        for keyword in keywords:
            at = folded.find(keyword.lower())
            if at < 0 or not _names_a_value(name[at + len(keyword) :]):
                continue
            if credible(value, family=family, form=Form.QUOTED):
                return True
    return False
