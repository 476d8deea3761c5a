"""A round by one question, for small models: changes and documents in, whole documents out by a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from memkit import prompts
from memkit.documents import places
from memkit.engines.openai.rounds import Round
from memkit.engines.openai.server import Server, answered, strict
from memkit.engines.openai.wire import Question, Reply, Said, Turn
from memkit.engines.workspace import writable
from memkit.errors import MalformedError
from memkit.model import CONSOLIDATION

_MOST_SKILLS = 20  # of one answer


class _Skill(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    text: str


class _V2(msgspec.Struct, forbid_unknown_fields=True):
    memory_summary: str


class _V1(msgspec.Struct, forbid_unknown_fields=True):
    memory_summary: str
    handbook: str
    skills: list[_Skill]


@dataclass
class Single:
    """One question, and one more where something has to be mended."""

    server: Server
    model: str
    max_output: int
    tokens_used: int = 0
    _turns: list[Turn] = field(default_factory=list)
    _part: Round | None = None

    def begin(self, part: Round, documents: Mapping[str, str]) -> dict[str, str]:
        """The documents as the model gave them. Raises MalformedError, and as Server.ask does."""
        self._part = part
        self._turns = [Said(role="user", text=part.opening(documents, mode="single"))]
        return self._answer(part, documents)

    def mend(self, findings: Sequence[str], documents: Mapping[str, str]) -> dict[str, str]:
        """The documents after the model was told what is wrong with them."""
        if self._part is None:
            raise RuntimeError("there is nothing to mend yet")
        self._turns.append(Said(role="user", text=prompts.consolidate_repair(findings=findings)))
        return self._answer(self._part, documents)

    def _answer(self, part: Round, documents: Mapping[str, str]) -> dict[str, str]:
        question = self._question(part)
        reply = self.server.ask(question)
        self.tokens_used += reply.tokens_used
        self._turns.append(Said(role="assistant", text=reply.text))
        try:
            return _documents(reply, part, documents)
        except MalformedError:
            self.server.forget(question)
            raise

    def _question(self, part: Round) -> Question:
        inputs = part.inputs
        text = {"type": "string", "maxLength": inputs.max_bytes}
        properties: dict[str, object] = {"memory_summary": text}
        if inputs.version == "v1":
            skill = strict(
                {"name": {"type": "string", "maxLength": 64}, "text": {"type": "string", "maxLength": 8_000}}
            )
            properties["handbook"] = {"type": "string", "maxLength": 60_000}
            properties["skills"] = {"type": "array", "items": skill, "maxItems": _MOST_SKILLS}
        return Question(
            model=self.model,
            instructions=prompts.consolidate_instructions(
                version=inputs.version, mode="single", max_bytes=inputs.max_bytes, max_tokens=inputs.max_tokens
            ),
            turns=tuple(self._turns),
            schema=("documents", strict(properties)),
            max_output=self.max_output,
            about=CONSOLIDATION,
        )


def _documents(reply: Reply, part: Round, documents: Mapping[str, str]) -> dict[str, str]:
    """The answer as documents; what was not shown stays."""
    text = answered(reply)
    try:
        if part.inputs.version == "v2":
            summary = msgspec.json.decode(text, type=_V2).memory_summary
            return {**documents, places.SUMMARY: prompts.plain_lines(summary)}
        said = msgspec.json.decode(text, type=_V1)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedError(
            f"the model's answer does not follow the schema: {error}", tokens_used=reply.tokens_used
        ) from error
    named = {f"skills/{skill.name}/SKILL.md": prompts.plain_lines(skill.text) for skill in said.skills}
    for path in named:
        if not writable(path, version="v1"):
            raise MalformedError(f"the model named a skill {path[:80]!r}", tokens_used=reply.tokens_used)
    written = prompts.plain_lines(said.handbook).strip("\n")
    parts = [f"{written}\n" if written.strip() else "", *part.untouched(documents)]
    handbook = "\n".join(each for each in parts if each)
    return {**documents, places.SUMMARY: prompts.plain_lines(said.memory_summary), places.HANDBOOK: handbook, **named}
