"""The model's server: either API of the `openai` package, its errors as memkit's, the tokens metered.

The one choke point of what leaves the machine: every text is masked here once more, whoever made it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import openai

from memkit import redact, tokens
from memkit.engines.base import Answers
from memkit.engines.openai import chat, responses
from memkit.engines.openai.client import client
from memkit.engines.openai.failures import translated
from memkit.engines.openai.meter import Meter
from memkit.engines.openai.wire import Called, Question, Reply, Result, Said, Turn
from memkit.errors import MalformedError, TooLongError

Api = Literal["auto", "responses", "chat"]
_SHORT = 2_000  # tokens of a reply that are enough for a record
_NAME = 64  # characters of a tool's name, as the APIs allow
_TRIES = 3  # of a request that met 429, 5xx or a broken connection; the client waits as Retry-After says


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How the server is reached. base_url: with the API's version; timeout: seconds for one request.

    here: it is on this machine, and no proxy may come to see what it is asked.
    """

    base_url: str
    api_key: str = field(repr=False)
    api: Api
    key_name: str
    effort: str = ""
    timeout: float = 600.0
    here: bool = False


class Server:
    """Asks questions, from any thread. answers: where replies are kept until something is made of them."""

    def __init__(self, settings: Settings, *, meter: Meter, answers: Answers) -> None:
        self._settings = settings
        self._meter = meter
        self._answers = answers
        # Which API the server speaks, once that is known; the first question finds it out, the others wait for it.
        self._api: Api = settings.api
        self._finding = threading.Lock()
        self._client = client(settings, tries=_TRIES)

    def close(self) -> None:
        """Ends what is open."""
        self._client.close()

    def models(self) -> list[str]:
        """The names of the server's models. Raises as `ask` does."""
        with translated(self._settings, model=""):
            return [each.id for each in self._client.models.list()]

    def ask(self, question: Question) -> Reply:
        """The reply to a question, masked; a kept one where an earlier run was killed after it.

        Raises EngineError, BudgetError, ModelError or TooLongError.
        """
        try:
            return self._once(_masked(question))
        except TooLongError:
            if question.max_output <= _SHORT:
                raise
        # Some servers count the room for the reply in: less of it may be all that is needed.
        return self._once(_masked(replace(question, max_output=_SHORT)))

    def _once(self, question: Question) -> Reply:
        if (kept := self._answers.answer(question.key)) is not None:
            return Reply.restored(kept)
        reply = self._asked(question)
        self._answers.keep_answer(question.key, reply.kept(), about=question.about)
        return reply

    def forget(self, question: Question) -> None:
        """Drops a kept reply: something was made of it, or it was of no use."""
        for each in (question, replace(question, max_output=_SHORT)):
            self._answers.drop_answer(_masked(each).key)

    def _asked(self, question: Question) -> Reply:
        if (known := self._known()) is not None:
            return self._through(known, question)
        with self._finding:
            if (known := self._known()) is not None:
                return self._through(known, question)
            self._api, reply = self._found_out(question)
            return reply

    def _known(self) -> Literal["responses", "chat"] | None:
        return None if self._api == "auto" else self._api

    def _found_out(self, question: Question) -> tuple[Api, Reply]:
        """The API that the server speaks, and the reply. One that takes a schema and ignores it does not speak it."""
        try:
            with translated(self._settings, model=question.model, probing=True):
                reply = self._metered("responses", question)
        except openai.APIStatusError:  # it is not this API that it speaks, or not all of it
            return "chat", self._through("chat", question)
        if question.schema is None or reply.refusal or reply.cut or responses.follows(reply, question.schema[1]):
            return "responses", reply
        try:
            with translated(self._settings, model=question.model, probing=True):
                other = self._metered("chat", question)
        except openai.APIStatusError:
            return "responses", reply
        return "chat", replace(other, tokens_used=reply.tokens_used + other.tokens_used)

    def _through(self, api: Literal["responses", "chat"], question: Question) -> Reply:
        with translated(self._settings, model=question.model):
            return self._metered(api, question)

    def _metered(self, api: Literal["responses", "chat"], question: Question) -> Reply:
        """One request, clean, with what it cost; none is made that could pass the cap."""
        most = tokens.estimate(question.text) + question.max_output
        self._meter.reserve(most)
        used = 0
        try:
            asked = chat.ask if api == "chat" else responses.ask
            reply = _clean(asked(self._client, question, effort=self._settings.effort))
            used = reply.tokens_used or tokens.count(question.text) + tokens.count(reply.text)
            return replace(reply, tokens_used=used)
        finally:
            self._meter.settle(most, used=used)


def answered(reply: Reply) -> str:
    """The text of a reply. Raises MalformedError for a refusal, a reply that was cut, and one without text."""
    if reply.refusal:
        raise MalformedError(f"the model refused: {reply.refusal[:200]}", tokens_used=reply.tokens_used)
    if reply.cut:
        raise MalformedError("the model's answer was cut at its limit", tokens_used=reply.tokens_used)
    if not reply.text.strip():
        raise MalformedError("the model answered nothing", tokens_used=reply.tokens_used)
    return reply.text


@lru_cache(maxsize=1_024)
def _mask(text: str) -> str:
    """A conversation is sent again with each of its turns; masking it once is enough."""
    return redact.mask(text)


def _masked(question: Question) -> Question:
    return replace(
        question,
        instructions=_mask(question.instructions),
        turns=tuple(_masked_turn(turn) for turn in question.turns),
    )


def _masked_turn(turn: Turn) -> Turn:
    if isinstance(turn, Called):
        return replace(turn, arguments=_mask(turn.arguments))
    if isinstance(turn, Said):
        return replace(turn, text=_mask(turn.text))
    return Result(id=turn.id, text=_mask(turn.text))


def _clean(reply: Reply) -> Reply:
    return replace(
        reply,
        text=redact.mask(reply.text),
        refusal=redact.mask(reply.refusal),
        calls=tuple(
            replace(call, name=redact.mask(call.name)[:_NAME], arguments=redact.mask(call.arguments))
            for call in reply.calls
        ),
    )


def strict(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
