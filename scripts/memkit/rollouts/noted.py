"""What a file tells beside its items: which memory its answers cite, and how much of a rate limit is used."""

from __future__ import annotations

import re
from functools import cache

from memkit.rollouts import frames, lines, shapes

_MOST = 1_000
_OPENING = "<oai-mem-citation>"
_SUFFIX = ".md"


class Citations:
    """What memory a session used: thread ids that its answers cite, files that it opened; each once, up to a bound."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}
        self._files: dict[str, None] = {}

    def ids(self) -> tuple[str, ...]:
        """Those found up to now."""
        return tuple(self._ids)

    def files(self) -> tuple[str, ...]:
        """The names of rollout summaries that commands and calls opened."""
        return tuple(self._files)

    def of_call(self, text: str) -> None:
        """A command line, or a call's arguments. Listing the folder, or searching it as a whole, opens no file of it.

        A summary's name tells by itself what it is, so that it counts wherever the command was run.
        """
        if _SUFFIX in text and len(self._files) < _MOST:
            for part in _parts().split(text):
                if _SUFFIX in part and not _no_reading().match(part):
                    self._files.update(dict.fromkeys(_opened().findall(part)))

    def taken_from(self, text: str) -> str:
        """An answer without its citation blocks, whose ids are kept."""
        if _OPENING not in text:
            return text
        for block in _block().findall(text):
            _, _, rest = block.partition("<rollout_ids>")
            for thread_id in rest.partition("</rollout_ids>")[0].split():
                self._keep(thread_id)
        return _block().sub("", text).strip()

    def of_event(self, citation: object) -> None:
        """The `memory_citation` of an event."""
        for key in ("rollout_ids", "thread_ids") if isinstance(citation, dict) else ():
            ids = citation.get(key) if isinstance(citation, dict) else None
            for each in ids if isinstance(ids, list) else ():
                self._keep(each)

    def _keep(self, thread_id: object) -> None:
        if isinstance(thread_id, str) and thread_id.strip() and len(self._ids) < _MOST:
            self._ids[thread_id.strip()[:200]] = None


@cache
def _opened() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?<=rollout_summaries/)|(?<![\w.+-])(?=\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9A-Za-z]{4}[.-]))"
        r"([\w.+-]{1,200}\.md)(?![\w.-])"
    )


@cache
def _parts() -> re.Pattern[str]:
    return re.compile(r"&&|[;|\n]")


@cache
def _no_reading() -> re.Pattern[str]:
    return re.compile(r"\s*(?:ls|rm|mv|touch|chmod|stat|test|\[|echo|printf|mkdir|find)\s")


@cache
def _block() -> re.Pattern[str]:
    return re.compile(r"<oai-mem-citation>(.*?)(?:</oai-mem-citation>|\Z)", re.S)


def rate(line: lines.Line | None) -> tuple[float, float] | None:
    """The window that is used most, and when it starts anew (0 when not told)."""
    return max(windows(line), key=lambda each: each[0], default=None)


def windows(line: lines.Line | None) -> list[tuple[float, float]]:
    """What a token count tells of each window: percent used, when it starts anew (Unix seconds, 0 when not told)."""
    data = line.payload if line is not None else None
    limits = data.rate_limits if isinstance(data, shapes.TokenCount) else None
    if line is None or limits is None:
        return []
    found = []
    for each in (limits.primary, limits.secondary):
        if each is None or each.used_percent is None:
            continue
        ends = each.resets_at
        if ends is None and each.resets_in_seconds is not None:
            ends = (frames.seconds(line.timestamp) or 0.0) + each.resets_in_seconds
        found.append((each.used_percent, ends or 0.0))
    return found
