"""The loops that are timed inside the bench's own process."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from unittest import mock

from memkit.redact import masking, prefilter
from memkit.redact.prefilter import Hit, Keyword
from memkit.rollouts.decode import Decoder
from memkit.rollouts.lines import Lines


def orjson_lines(files: Sequence[Path]) -> None:
    """What everything is held against: every line of every file through orjson (the extra `bench`)."""
    import orjson

    for path in files:
        with path.open("rb") as file:
            for line in file:
                orjson.loads(line)


def decoded(files: Sequence[Path]) -> None:
    """Every line that is read, as a value; the others skipped and counted."""
    for path in files:
        for _ in Lines([path]):
            pass


def items(files: Sequence[Path]) -> None:
    """The whole of reading: head and tail of the file, lines, who speaks, calls and outputs."""
    for path in files:
        for _ in Decoder(path):
            pass


def masked(texts: Sequence[str]) -> None:
    """The own rules, as masking runs them; the second pass has a prefilter of its own."""
    for text in texts:
        masking._own(text)


def masked_unfiltered(texts: Sequence[str]) -> None:
    """The same rules, each looking for its anchors by itself."""
    with mock.patch.object(prefilter, "hits", _hits):
        masked(texts)


def has_hyperscan() -> bool:
    """Whether the extra `fast` is installed."""
    return prefilter.hyperscan() is not None


def _hits(text: str, keywords: tuple[Keyword, ...]) -> list[Hit]:
    found = [(match.start(), at) for at, anchor in enumerate(_anchors(keywords)) for match in anchor.finditer(text)]
    return sorted(found)


@cache
def _anchors(keywords: tuple[Keyword, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(re.escape(each.text), re.I | re.A if each.anycase else 0) for each in keywords)
