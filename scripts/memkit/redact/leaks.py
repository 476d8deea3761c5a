"""The second pass: the provider rules of betterleaks, where it is installed. It matches offline, never validates."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from memkit.redact import prefilter
from memkit.redact.prefilter import Keyword
from memkit.redact.shape import is_uuid

SHORTEST = 16
# The scanner's time grows faster than its text on hostile ones, so it sees windows; no provider's key is as long as
# their overlap.
WINDOW = 65_536
OVERLAP = 4_096
IDENTIFIERS = (
    "-client-id", "-tenant-id", "-account-id", "-application-id", "-user-api-id", "-account-name", "-cloud-name",
    "-username", "-domain", "-host", "-pub-key", "-public-key", "-project-url", "-instance-url", "-rest-url",
    "-jfrog-url", "-server-host", "-token-name", "-auth-id", "-access-id", "polymarket-address", "planetscale-id",
)  # fmt: skip

KNOWN = "2.0.0-rc.4"  # the release whose keywords lie in data/; another's text is all scanned
UNLIKE = frozenset("\u212a\u0130")  # Go's lower case of these is ASCII, hyperscan's is not

WIDER = frozenset({"curl-auth-user", "curl-auth-header", "slack-webhook-url", "mongodb-connection-string"})


@functools.cache
def betterleaks() -> Any:
    """The library, None where it is not installed: there is no wheel for every platform, the own rules stand alone."""
    try:
        import betterleaks as library
    except ImportError:
        return None
    return library


@functools.cache
def _scanner() -> Callable[[str], list[Any]] | None:
    library = betterleaks()
    if library is None:
        return None
    rules = str(Path(__file__).parent / "data" / "betterleaks.toml")
    quick: Callable[[str], list[Any]] = functools.partial(library.scan_string, config_path=rules)
    for scan in (quick, library.scan_string):  # another release may refuse the rules: then all of its own
        try:
            scan("probe")
        except (OSError, library.BetterleaksError):
            continue
        return scan
    return None


@functools.cache
def keywords() -> tuple[Keyword, ...]:
    """What every finding of the KNOWN release stands beside; () where another one is installed."""
    if getattr(betterleaks(), "__upstream_version__", "") != KNOWN:
        return ()
    lines = (Path(__file__).parent / "data" / "betterleaks-keywords.txt").read_text(encoding="ascii").splitlines()
    # Its one rule asks for capitals; in small letters it stands in every path below `tests`.
    return (Keyword("STS."), *(Keyword(line, anycase=True) for line in lines if not line.startswith("#")))


def unlike(text: str) -> bool:
    """Whether the scanner may read a keyword where there is none: by its lower case, or a NUL as a space."""
    return "\0" in text or not (text.isascii() or UNLIKE.isdisjoint(text))


def _possible(text: str) -> bool:
    """Whether the scanner can find anything: it asks for keywords itself, but only once its library is loaded."""
    known = keywords()
    if not known or unlike(text):
        return True
    return prefilter.any_hit(text, known) is not False  # None: looking one by one takes as long as the scanner


def _provider(rule: str) -> bool:
    name = rule.split(".")[0]
    return name not in WIDER and not name.startswith("generic-") and not name.endswith(IDENTIFIERS)


def _prepared(text: str) -> str:
    """The same text, character for character, without what stops the scanner: NUL, lone surrogates, allow marks."""
    safe = text.encode("utf-8", "replace").decode().replace("\0", " ")
    return safe.replace("leaks:allow", "leaks allow")


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, rule) of each provider secret. A failure of the scanner is raised: unscanned text may not pass."""
    if len(text) < SHORTEST or betterleaks() is None:
        return
    safe = _prepared(text)
    if not _possible(safe):
        return
    scan = _scanner()
    if scan is None:
        return
    for begin in range(0, max(1, len(safe) - OVERLAP), WINDOW - OVERLAP):
        for start, end, rule in _window(safe[begin : begin + WINDOW], scan):
            yield begin + start, begin + end, rule


def _window(safe: str, scan: Callable[[str], list[Any]]) -> Iterator[tuple[int, int, str]]:
    found = scan(safe)
    if not found:
        return
    starts = [0, *accumulate(len(line) + 1 for line in safe.split("\n"))]
    seen: dict[tuple[str, int], int] = {}
    for finding in found:
        value, rule = finding.secret, finding.rule_id
        if not value or not _provider(rule):
            continue
        if is_uuid(value) and not _named(finding.match.full, value):
            continue
        line = min(max(finding.location.start_line, 1), len(starts)) - 1
        at = safe.find(value, seen.get((value, line), starts[line]))
        if at < 0:
            at = safe.find(value)
        if at >= 0:
            seen[(value, bisect_right(starts, at) - 1)] = at + len(value)
            yield at, at + len(value), rule


def _named(full: str, value: str) -> bool:
    """Whether the match names a credential: a UUID alone is an id."""
    name = full.replace(value, "").lower()
    return any(word in name for word in ("key", "token", "secret", "password"))
