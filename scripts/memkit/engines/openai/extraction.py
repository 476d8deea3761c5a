"""Stage 1 by a model: a session's evidence to its stage-1 output, by a strict schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from memkit import prompts, tokens
from memkit.engines.base import RECORD_BYTES
from memkit.engines.openai.server import Server, answered, strict
from memkit.engines.openai.spoken import attributed
from memkit.engines.openai.wire import Question, Reply, Said
from memkit.errors import MalformedError
from memkit.model import Evidence, StageOne, Version, about_session
from memkit.rollouts import evidence as rows

_SLUG_CHARS = 80
_RAW_BYTES = 30_000  # of a raw memory, which Codex does not bound


class _V2(msgspec.Struct, forbid_unknown_fields=True):
    rollout_summary: str
    rollout_slug: str | None


class _V1(msgspec.Struct, forbid_unknown_fields=True):
    raw_memory: str
    rollout_summary: str
    rollout_slug: str | None


def ask(server: Server, evidence: Evidence, *, version: Version, model: str, max_output: int) -> StageOne:
    """The model's output for one session. Raises what Server.ask raises, and MalformedError."""
    question = Question(
        model=model,
        instructions=prompts.extract_instructions(version=version, max_bytes=RECORD_BYTES),
        turns=(Said(role="user", text=_sent(evidence)),),
        schema=("stage_one", _schema(version)),
        max_output=max_output,
        about=about_session(evidence.session.id, version=version),
    )
    reply = server.ask(question)
    try:
        return attributed(_output(reply, version=version), evidence)
    except MalformedError:
        server.forget(question)
        raise


def _sent(evidence: Evidence) -> str:
    return prompts.evidence_text(session=evidence.session, rows=rows.render(evidence))


def prompt_tokens(evidence: Evidence, *, version: Version) -> int:
    """What the question for a session has as input."""
    return tokens.count(prompts.extract_instructions(version=version, max_bytes=RECORD_BYTES) + _sent(evidence))


def _schema(version: Version) -> Mapping[str, Any]:
    summary = {"type": "string", "maxLength": RECORD_BYTES}
    slug = {"type": ["string", "null"], "maxLength": _SLUG_CHARS}
    if version == "v2":
        return strict({"rollout_summary": summary, "rollout_slug": slug})
    raw = {"type": "string", "maxLength": _RAW_BYTES}
    return strict({"raw_memory": raw, "rollout_summary": summary, "rollout_slug": slug})


def _output(reply: Reply, *, version: Version) -> StageOne:
    text = answered(reply)
    try:
        if version == "v2":
            v2 = msgspec.json.decode(text, type=_V2)
            return _stage_one(v2.rollout_summary, v2.rollout_slug, "", reply)
        v1 = msgspec.json.decode(text, type=_V1)
    except (msgspec.DecodeError, RecursionError) as error:  # also what does not fit the schema
        raise MalformedError(
            f"the model's answer does not follow the schema: {error}", tokens_used=reply.tokens_used
        ) from error
    if bool(v1.rollout_summary.strip()) != bool(v1.raw_memory.strip()):
        empty = "raw_memory" if v1.rollout_summary.strip() else "rollout_summary"
        raise MalformedError(f"the model left {empty} empty, and the other not", tokens_used=reply.tokens_used)
    return _stage_one(v1.rollout_summary, v1.rollout_slug, v1.raw_memory, reply)


def _stage_one(summary: str, slug: str | None, raw: str, reply: Reply) -> StageOne:
    return StageOne(
        rollout_summary=tokens.cut_lines(prompts.plain_lines(summary), max_bytes=RECORD_BYTES),
        rollout_slug=(slug or "").strip()[:_SLUG_CHARS],
        raw_memory=tokens.cut_lines(prompts.plain_lines(raw), max_bytes=_RAW_BYTES),
        tokens_used=reply.tokens_used,
    )
