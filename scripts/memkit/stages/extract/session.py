"""One session's bytes to its stage-1 outputs: it needs neither store nor home, so that any process can do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memkit import redact, tokens
from memkit.engines.base import Engine
from memkit.errors import RolloutError
from memkit.model import Evidence, Facts, Session, StageOne, Version
from memkit.rollouts import decode, eligible, evidence
from memkit.rollouts.eligible import Verdict

EVIDENCE_TOKENS = 150_000
_TAKEN = Verdict()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A session to read. path: its file now; parent: the file of the session that it was forked from, where known."""

    session: Session
    path: Path
    parent: Path | None
    versions: Sequence[Version]
    disable_on_external_context: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """What reading came to: an output per version in their order, all text masked; none when verdict refuses it.

    problem: why the file can't be read, masked; facts is None then.
    """

    facts: Facts | None = None
    verdict: Verdict = _TAKEN
    outputs: tuple[StageOne, ...] = ()
    problem: str = ""


def read(reading: Reading, *, engine: Engine) -> Read:
    """Decodes, selects, masks, and asks the engine. Raises what the engine raises."""
    path = reading.path
    decoder = decode.Decoder(path, session=replace(reading.session, path=str(path)), parent=reading.parent)
    try:
        seen = evidence.collect(
            decoder, facts=lambda: decoder.facts, budget_tokens=EVIDENCE_TOKENS, mask=redact.mask, count=tokens.estimate
        )
    except RolloutError as error:
        return Read(problem=redact.mask(str(error)))
    facts = decoder.facts
    verdict = eligible.judge_facts(facts, disable_on_external_context=reading.disable_on_external_context)
    outputs = () if verdict.state else tuple(_masked(engine, seen, version) for version in reading.versions)
    return Read(facts=facts, verdict=verdict, outputs=outputs)


def _masked(engine: Engine, seen: Evidence, version: Version) -> StageOne:
    return redact.mask_fields(engine.extract(seen, version=version))
