"""What goes over the wire, in neither API's own words: questions with their conversation, replies with their cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import msgspec

from memkit.errors import ModelError
from memkit.model import canonical, content_hash

_T = TypeVar("_T")
_MOST_TOKENS = 1 << 40  # that a server may say one reply has used; more is no number of tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A message of the conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Called:
    """A tool that the model called. arguments: JSON, as it wrote them."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What a called tool gave. id: of the call."""

    id: str
    text: str


Turn = Said | Called | Result


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A function that the model may call. parameters: a JSON Schema for a strict object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One request. schema: the name and JSON Schema that the reply must follow, None where tools or words answer.

    max_output: tokens that the reply may have, hidden reasoning included. about: what it is asked for, not sent.
    """

    model: str
    instructions: str
    turns: tuple[Turn, ...]
    max_output: int
    about: str
    schema: tuple[str, Mapping[str, Any]] | None = None
    tools: tuple[Tool, ...] = ()

    @property
    def key(self) -> str:
        """A hash of all that the reply depends on; the API it is asked through is no part of it."""
        return content_hash(canonical(msgspec.to_builtins(replace(self, about=""))))

    @property
    def text(self) -> str:
        """Everything that is sent, for counting."""
        turns = [t.arguments if isinstance(t, Called) else t.text for t in self.turns]
        fixed = canonical(msgspec.to_builtins((self.schema, self.tools)))
        return "\n".join((self.instructions, *turns, fixed))


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What came back. refusal: the model's own words for not answering. cut: it ended at max_output.

    tokens_used: input and output of this reply, 0 for one that an earlier run had paid for.
    """

    text: str = ""
    calls: tuple[Called, ...] = ()
    refusal: str = ""
    cut: bool = False
    tokens_used: int = 0

    def kept(self) -> str:
        """As JSON, to be kept."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def restored(cls, kept: str) -> Reply:
        """A kept reply; it costs nothing again."""
        return replace(msgspec.json.decode(kept, type=cls), tokens_used=0)


def read(body: bytes, *, kind: type[_T]) -> _T:
    """A server's answer. Raises ModelError for what is no JSON, not UTF-8, nested without end or of another shape."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ModelError(f"the server's answer can't be read: {error}") from error


def spent(usage: msgspec.Raw, *, kind: type[_T]) -> _T | None:
    """What a server says that a reply has used; None where it says nothing that makes sense."""
    try:
        found = msgspec.json.decode(usage or b"null", type=kind | None)
    except (msgspec.DecodeError, RecursionError):
        return None
    numbers = msgspec.to_builtins(found) or {}
    return found if all(0 <= number <= _MOST_TOKENS for number in numbers.values()) else None


def arguments(said: str | Mapping[str, Any] | None) -> str:
    """A call's arguments as the JSON text that they should have come as."""
    return said if isinstance(said, str) else canonical(said or {})
