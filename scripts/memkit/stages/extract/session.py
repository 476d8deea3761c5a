"""One session's bytes to its stage-1 outputs: it needs neither store nor home, so that any process can do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memkit import redact
from memkit.documents import erased
from memkit.engines.base import Engine
from memkit.errors import ModelError, RolloutError, TooLongError
from memkit.model import Evidence, Facts, Session, StageOne, Version
from memkit.rollouts import decode, eligible, evidence
from memkit.rollouts.eligible import Verdict

_TAKEN = Verdict()
_LEAST_TOKENS = 300  # of evidence: a model that has no room for it can't tell a session


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A session to read. path: its file now; parent: the file of the session that it was forked from, where known.

    erased: hashes of words that were erased for good.
    """

    session: Session
    path: Path
    parent: Path | None
    versions: Sequence[Version]
    disable_on_external_context: bool
    erased: erased.Hashes = field(default_factory=erased.Hashes)


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """What reading came to: an output per version in their order, all text masked; none when verdict refuses it.

    problem: why the file can't be read, masked; facts is None then. failure: why the engine gave nothing.
    """

    facts: Facts | None = None
    verdict: Verdict = _TAKEN
    outputs: tuple[StageOne, ...] = ()
    problem: str = ""
    failure: ModelError | None = None


def read(reading: Reading, *, engine: Engine) -> Read:
    """Decodes, selects, masks, and asks the engine. Raises what the engine raises.

    Where a question is too long for the engine, the evidence is selected again at half its size, until it fits.
    """
    try:
        seen, facts = _evidence(reading, engine=engine, budget=engine.limits.evidence_tokens)
    except RolloutError as error:
        return Read(problem=redact.mask(str(error)))
    verdict = eligible.judge_facts(facts, disable_on_external_context=reading.disable_on_external_context)
    if verdict.state:
        return Read(facts=facts, verdict=verdict)
    try:
        outputs = tuple(_asked(reading, seen, engine=engine, version=version) for version in reading.versions)
    except ModelError as error:
        return Read(facts=facts, failure=error)
    return Read(facts=facts, outputs=outputs)


def look(reading: Reading, *, engine: Engine) -> Evidence | None:
    """The evidence that `read` would ask about; None for a session that can't be read or may not be kept."""
    try:
        seen, facts = _evidence(reading, engine=engine, budget=engine.limits.evidence_tokens)
    except RolloutError:
        return None
    verdict = eligible.judge_facts(facts, disable_on_external_context=reading.disable_on_external_context)
    return None if verdict.state else seen


def _evidence(reading: Reading, *, engine: Engine, budget: int) -> tuple[Evidence, Facts]:
    path = reading.path
    decoder = decode.Decoder(path, session=replace(reading.session, path=str(path)), parent=reading.parent)

    def mask(text: str) -> str:
        masked = redact.mask(text)
        # What was erased does not even reach a server; the offline engine's records are cleaned when they are stored.
        return erased.clean(masked, reading.erased) if reading.erased.known and engine.limits.remote else masked

    seen = evidence.collect(
        decoder, facts=lambda: decoder.facts, budget_tokens=budget, mask=mask, count=engine.limits.count
    )
    return seen, decoder.facts


def _asked(reading: Reading, seen: Evidence, *, engine: Engine, version: Version) -> StageOne:
    spent = 0
    while True:
        try:
            output = redact.mask_fields(engine.extract(seen, version=version))
        except TooLongError as error:
            half = seen.tokens // 2
            if half < _LEAST_TOKENS:
                raise
            spent += error.tokens_used
            seen, _ = _evidence(reading, engine=engine, budget=half)
        else:
            return replace(output, tokens_used=output.tokens_used + spent)
