"""Stage 2 by a model: the changes in rounds, each held to what must stand, mended once where the gate finds fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from memkit.documents import places
from memkit.engines.base import Inputs
from memkit.engines.openai.accounts import findings, losses, misquoted, unaccounted
from memkit.engines.openai.agent import Agent
from memkit.engines.openai.keeping import Keeper
from memkit.engines.openai.rounds import Round, rounds
from memkit.engines.openai.server import Server
from memkit.engines.openai.single import Single
from memkit.engines.openai.withheld import Withheld
from memkit.errors import GateError, TooLongError
from memkit.model import Drafts

_SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """How stage 2 is asked. mode: an agent with tools, or one question; cap: the tokens of a run."""

    model: str
    mode: Literal["agent", "single"]
    max_output: int
    cap: int


def consolidate(server: Server, inputs: Inputs, *, way: Way) -> Drafts:
    """The drafts. Without a change among the inputs, and with documents that are valid, no question is asked.

    Raises what Server.ask raises, and GateError when the documents are still wrong after the model mended them.
    """
    held = Withheld.of(inputs)
    mine = held.sendable(inputs)
    keeper = Keeper.of(mine)
    documents = {path: text for path, text in mine.documents.items() if _is_draft(path)}
    synced = inputs.synced()
    used = 0
    parts = rounds(mine, synced)
    if not parts and mine.check(keeper.kept(documents, new=())):
        parts = [Round(number=1, total=1, changes=(), inputs=mine, synced=synced, first=False)]
    while parts:
        part = parts.pop(0)
        try:
            documents, cost = _round(server, part, documents, keeper=keeper, way=way)
        except TooLongError:
            halves = part.halves()
            if halves is None:
                raise
            parts[:0] = halves
            continue
        used += cost
    documents = held.put_back(keeper.kept(documents, new=()))
    removed = tuple(path for path in inputs.documents if _is_draft(path) and path not in documents)
    return Drafts(documents=documents, removed=removed, losses=losses(inputs, documents), tokens_used=used)


def _is_draft(path: str) -> bool:
    return path in (places.SUMMARY, places.HANDBOOK) or path.startswith("skills/")


def _round(
    server: Server, part: Round, documents: Mapping[str, str], *, keeper: Keeper, way: Way
) -> tuple[dict[str, str], int]:
    """(documents after a round, tokens used)."""
    inputs = replace(part.inputs, documents={**part.inputs.documents, **documents})
    talk: Agent | Single = (
        Agent(server=server, model=way.model, max_output=way.max_output, cap=way.cap)
        if way.mode == "agent"
        else Single(server=server, model=way.model, max_output=way.max_output)
    )
    made = keeper.kept(talk.begin(part, documents), new=part.threads)
    wrong = [*inputs.check(made), *findings(inputs, made)]
    if wrong:
        made = keeper.kept(talk.mend(wrong, made), new=part.threads)
        made = keeper.put_back(made, unaccounted(inputs, made))
        _refuse([*inputs.check(made), *misquoted(inputs, made)])
    return made, talk.tokens_used


def _refuse(wrong: list[str]) -> None:
    if wrong:
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise GateError(
            f"the model's consolidation was refused: {'; '.join(wrong[:_SHOWN])}{more}",
            mend="the memory stays as it was; the next run asks again",
        )
