"""Items of a session as decoded, and the evidence that an engine gets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memkit.model.sessions import Session


class Tier(StrEnum):
    """Who a row of evidence comes from; the values are the labels that evidence is printed with."""

    HUMAN = "human user"
    FINAL = "assistant final"
    OTHER_AGENT = "other agent"
    COMMENTARY = "assistant commentary"
    HARNESS = "harness context"
    TOOL = "tool"


class Kind(StrEnum):
    """What an item is."""

    MESSAGE = "message"
    ANSWER = "answer"  # the user's answer to request_user_input
    COMMAND = "command"  # a shell command that was run
    PATCH = "patch"  # apply_patch input
    CALL = "call"  # any other tool call
    OUTPUT = "output"  # what a call printed


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing that was said or done, as decoded and not yet masked.

    text: the message; the command line; the patch; a call's arguments; an output without its wrapping.
    turn: how many human messages came before or are this one (0: before the first).
    time: Unix seconds, None in formats that have no times. cwd: the directory of its turn, "" when unknown.
    tool: the tool's name (`mcp:<server>/<name>` for MCP, `web_search`); call_id joins a call and its output.
    exit_code: of an output, None where the wrapping has none. question: of an answer.
    """

    tier: Tier
    kind: Kind
    text: str
    turn: int
    time: float | None = None
    cwd: str = ""
    call_id: str = ""
    tool: str = ""
    exit_code: int | None = None
    question: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What a whole file showed besides its items; known when it has been read to its end.

    interrupted: the turns that were aborted. rate: (used_percent, resets_at) of the newest token_count.
    citations: thread ids that its messages cite as used memory. reads: names of rollout summaries in its commands.
    first_human: its first human text, cut to 2,000 bytes.
    """

    session: Session
    bad_lines: int = 0
    unknown_lines: int = 0
    lines: int = 0
    interrupted: frozenset[int] = frozenset()
    external_context: bool = False
    human_turns: int = 0
    first_human: str = ""
    citations: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    rate: tuple[float, float] | None = None


class PartKind(StrEnum):
    """Whose words a stretch of a human message is."""

    OWN = "own"
    QUOTE = "quote"
    PASTE = "paste"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a human message: the user's own sentences, or something that they quoted, pasted or fenced."""

    kind: PartKind
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A masked, cut row of evidence. `text` is what is printed; `parts` is set for human rows.

    call_id is a number of the session's calls here, not the id that the file names.

    A gap is a row with label `omitted`, no tier, and `omitted` saying how many rows it stands for.
    """

    label: str
    text: str
    kind: Kind = Kind.MESSAGE
    turn: int = 0
    time: float | None = None
    cwd: str = ""
    call_id: str = ""
    tool: str = ""
    exit_code: int | None = None
    question: str = ""
    parts: tuple[Part, ...] = ()
    omitted: int = 0


OMITTED = "omitted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What an engine may know of a session: its rows in source order, all text masked."""

    session: Session
    rows: tuple[Row, ...]
    interrupted: frozenset[int] = frozenset()
    omitted: int = 0
    tokens: int = 0  # as counted for the budget
