"""The own rules: which keywords anchor them, and the spans that each finds at a keyword."""

from __future__ import annotations

import base64
import binascii
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memkit.redact import blocks
from memkit.redact.named import NAMES, find_named
from memkit.redact.patterns import VENDORS, pattern, vendor
from memkit.redact.prefilter import Keyword
from memkit.redact.shape import Family, Form, credible, is_call, placeholder, strong, varied
from memkit.redact.words import ATTRIBUTES

Span = tuple[int, int]
Finder = Callable[[str, int, int], Iterator[Span]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and its keywords. find gets the text and the keyword's span; once: it scans the whole text itself."""

    name: str
    keywords: tuple[Keyword, ...]
    find: Finder
    once: bool = False


def _vendor(name: str) -> Finder:
    def find(text: str, at: int, end: int) -> Iterator[Span]:
        rest = vendor(name).match(text, end)
        if rest is None:
            return
        stop = rest.end()
        kinds = VENDORS[name][2]
        if not varied(text[at:stop] if name == "jwt" else rest[0], classes=kinds) or _is_example(rest[0]):
            return
        while (further := pattern("word-run").match(text, stop)) and further.end() > stop and rest.end() - end >= 256:
            stop = further.end()
        yield at, stop

    return find


def _is_example(rest: str) -> bool:
    return "xxxx" in rest.lower() and len(set(rest)) < 14


def _explicit(value: str) -> bool:
    """Whether it is written as a placeholder; ordinary words count as secrets where only a secret can stand."""
    return placeholder(value) and (not value.isalnum() or (len(value) > 2 and len(set(value)) <= 1))


def _machine_made(value: str) -> bool:
    letters = any(c.isalpha() for c in value)
    digits = sum(c.isdigit() for c in value)
    return (
        strong(value)
        or (letters and digits >= 2)
        or (len(value) >= 16 and value.isalnum() and credible(value, family=Family.TOKEN, form=Form.ENV))
    )


def _token(name: str) -> Finder:
    def find(text: str, at: int, _end: int) -> Iterator[Span]:
        found = pattern(name).match(text, at)
        if found is None or placeholder(found["v"]) or is_call(found["v"]):
            return
        if _machine_made(found["v"]):
            yield found.start("v"), _run(text, found.end("v"), found.end("v") - found.start("v"))

    return find


def _run(text: str, stop: int, length: int) -> int:
    while length >= 256 and (further := pattern("word-run").match(text, stop)) and further.end() > stop:
        stop = further.end()
    return stop


def _basic(text: str, at: int, _end: int) -> Iterator[Span]:
    found = pattern("basic").match(text, at)
    if found is None:
        return
    value = found["v"]
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        plain = b""
    header = text[max(0, at - 40) : at].lower().find("authorization") >= 0
    if (b":" in plain and plain.isascii()) or (header and not placeholder(value) and not value.isalpha()):
        yield found.start("v"), _run(text, found.end("v"), len(value))


def _cookie(text: str, at: int, _end: int) -> Iterator[Span]:
    head = pattern("cookie").match(text, at)
    if head is None:
        return
    where = head.end()
    for _ in range(64):
        pair = pattern("pair").match(text, where)
        if pair is None:
            return
        stop = pair.end("v")
        while len(pair["v"]) >= 512 and (further := pattern("value-run").match(text, stop)) and further.end() > stop:
            stop = further.end()
        value = pair["v"].strip('"')
        if pair["name"].lower() not in ATTRIBUTES and len(value) >= 4 and not placeholder(value):
            yield pair.start("v"), stop
        if not text.startswith(";", stop):
            return
        where = stop + 1


def _url(text: str, at: int, _end: int) -> Iterator[Span]:
    token = pattern("url-token").match(text, at)
    if token is not None and varied(token["v"]) and any(c.isdigit() for c in token["v"]):
        yield token.span("v")
        return
    found = pattern("url").match(text, at)
    if found is None or _explicit(found["v"]):
        return
    port = found["v"].split("?")[0].split("#")[0]
    if port.isdigit() and port != found["v"]:
        return
    rest = pattern("url-rest").match(text, found.end())
    yield found.start("v"), rest.end() - 1 if rest else found.end("v")


def _user(text: str, at: int, _end: int) -> Iterator[Span]:
    found = pattern("user").match(text, at)
    if found is None or _explicit(found["v"]) or (found["v"].isdigit() and found["user"].isdigit()):
        return
    line = max(text.rfind("\n", max(0, at - 600), at) + 1, at - 600, 0)
    if any(text.rfind(program, line, at) >= 0 for program in ("curl", "wget", "http", "xh ")):
        yield found.span("v")


def _value(name: str, *, plain: bool = False) -> Finder:
    def find(text: str, at: int, _end: int) -> Iterator[Span]:
        found = pattern(name).match(text, at)
        if found is None or _explicit(found["v"]):
            return
        if plain or credible(found["v"], family=Family.PASSWORD, form=Form.BARE):
            yield found.start("v"), _run(text, found.end("v"), len(found["v"]))

    return find


def _telegram(text: str, at: int, _end: int) -> Iterator[Span]:
    found = pattern("telegram").match(text, at)
    start = at
    while start > max(0, at - 12) and text[start - 1] in "0123456789":
        start -= 1
    if found is not None and 7 <= at - start <= 11 and varied(found[0]):
        yield start, found.end()


def _azure(text: str, at: int, _end: int) -> Iterator[Span]:
    found = pattern("azure").match(text, at)
    if found is not None and varied(found[0]):
        yield max(0, at - 3), found.end()


def _named(family: Family) -> Finder:
    def find(text: str, at: int, end: int) -> Iterator[Span]:
        return find_named(text, at, end if text[end - 1] != "=" else end - 1, family)

    return find


def _everywhere(name: str) -> Finder:
    def find(text: str, _at: int, _end: int) -> Iterator[Span]:
        return (match.span() for match in pattern(name).finditer(text) if varied(match[0], classes=3))

    return find


def _folded(*texts: str) -> tuple[Keyword, ...]:
    return tuple(Keyword(text, anycase=text.isascii()) for text in texts)


def _exact(*texts: str) -> tuple[Keyword, ...]:
    return tuple(Keyword(text) for text in texts)


@functools.cache
def rules() -> tuple[Rule, ...]:
    """All own rules."""
    return (
        *(Rule(name, _exact(*keywords), _vendor(name)) for name, (keywords, _, _) in VENDORS.items()),
        *(Rule(f"named-{family.value}", _folded(*names), _named(family)) for family, names in NAMES.items()),
        Rule("bearer", _folded("bearer "), _token("bearer")),
        Rule("authorization", _folded("authorization"), _token("authorization")),
        Rule("signature", _folded("signature="), _token("signature")),
        Rule("basic", _folded("basic "), _basic),
        Rule("cookie", _folded("cookie"), _cookie),
        Rule("url", _exact("://", ":\\/\\/"), _url),
        Rule("curl-user", _exact("-u", "--user", "--proxy-user", "-U"), _user),
        Rule("netrc", _folded("machine"), _value("machine", plain=True)),
        Rule("netrc-login", _folded("login"), _value("login")),
        Rule("sshpass", _exact("sshpass"), _value("sshpass", plain=True)),
        Rule("mysql", _exact("mysql"), _value("mysql", plain=True)),
        Rule("docker-login", _exact("docker login"), _value("docker", plain=True)),
        Rule("redis", _exact("redis-cli"), _value("redis", plain=True)),
        Rule("slack-webhook", _exact("hooks.slack.com"), _value("slack-hook", plain=True)),
        Rule("discord-webhook", _exact("webhooks/", "webhooks\\/"), _value("discord-hook", plain=True)),
        Rule("discord-bot", _folded("discord"), _everywhere("discord-bot"), once=True),
        Rule("telegram", _exact(":AA"), _telegram),
        Rule("azure", _exact("8Q~", "7Q~"), _azure),
        Rule("kubeconfig", _exact("client-key-data"), _value("key-data", plain=True)),
        Rule("pem", _exact("-----BEGIN "), lambda text, at, _end: blocks.pem_begin(text, at)),
        Rule("pem-end", _exact("-----END "), lambda text, at, _end: blocks.pem_end(text, at)),
        Rule("kubernetes", _exact("Secret"), lambda text, _at, _end: blocks.kube_secrets(text), once=True),
    )


@functools.cache
def keywords() -> tuple[tuple[Keyword, ...], tuple[tuple[Rule, int], ...]]:
    """Every keyword of the own rules, and for each its rule and its length in characters."""
    pairs = [(keyword, (rule, len(keyword.text))) for rule in rules() for keyword in rule.keywords]
    return tuple(keyword for keyword, _ in pairs), tuple(owner for _, owner in pairs)
