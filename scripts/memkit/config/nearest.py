"""The known key that an unknown one was probably meant to be. rapidfuzz costs 16 ms, so this is imported on demand."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process


def nearest(name: str, *, known: Iterable[str], at_least: float = 60) -> str | None:
    """The most similar of the known names, by their last words (`max_unused_days`), or None when all are far off."""
    last_words = {candidate: candidate.rpartition(".")[2].lower() for candidate in known}
    best = process.extractOne(
        name.rpartition(".")[2].lower(), last_words, scorer=fuzz.ratio, score_cutoff=at_least, processor=None
    )
    return None if best is None else str(best[2])
