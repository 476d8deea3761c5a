"""One pass over a rollout file: lines to items."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from memkit.model import Facts, Item, Kind, Session, Tier
from memkit.rollouts import frames, lines, noted, shapes, speakers, tools
from memkit.rollouts.copies import Copies, Given
from memkit.rollouts.heads import environment_cwd, field_of
from memkit.rollouts.replay import Gone, Replay, Rollbacks

_FIRST_HUMAN_BYTES = 2_000
_MOST_OPEN_CALLS = 4_096
_MOST_HELD = 16 << 20  # characters of items that are kept back at a time
_ROLLED_BACK = b"thread_rolled_back"
_NO_INTERRUPTION = frozenset({"review_ended"})


class TooLong(Exception):
    """More was held back than memory should hold, and turns of it are taken back further on."""


class Reading:
    """One pass over a session's files, in their order: lines to items.

    gone: what is known to be taken back. hold: keep items back to the end, so that what is taken back can be left out
    without knowing; where that is too much, the rest of the file is looked through, and TooLong raised if need be.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        fast: bool,
        session: Session | None = None,
        gone: Gone | None = None,
        replay: Replay | None = None,
        hold: bool = False,
    ) -> None:
        self._paths = paths
        self._lines = lines.Lines(paths, fast=fast)
        self._id = session.id if session else ""
        self._cwd = session.cwd if session else ""
        self._gone = gone
        self._replay = replay or Replay(forked=False, started_at=0.0, parent=None)
        self._hold = hold
        self.rollbacks = Rollbacks()
        self._copies = Copies()
        self._out: list[Item] = []
        self._indexes: list[int] = []
        self._held = 0
        self._dropping = False
        self._turn = 0
        self._said_at: object = None
        self._asked: dict[str, dict[str, str]] = {}
        self._tools: dict[str, str] = {}
        self._unphased: tuple[str, object] | None = None
        self._interrupted: set[int] = set()
        self._citations = noted.Citations()
        self._external = False
        self._first_human = ""

    def facts(self, session: Session) -> Facts:
        """Of the whole pass."""
        return Facts(
            session=session if session.cwd else replace(session, cwd=self._cwd),
            bad_lines=self._lines.bad,
            unknown_lines=self._lines.unknown,
            lines=self._lines.count,
            interrupted=frozenset(self._interrupted - {0}),
            external_context=self._external,
            human_turns=self._turn,
            first_human=self._first_human,
            citations=self._citations.ids(),
            reads=self._citations.files(),
            rate=noted.rate(self._lines.rate()),
        )

    def __iter__(self) -> Iterator[Item]:
        out, handlers = self._out, _handlers()
        for line in self._lines:
            self._said_at = line.timestamp
            handlers[type(line.payload)](self, line.payload)
            if self._hold:
                if self._held > _MOST_HELD:
                    self._let_go()
            elif out:
                yield from out
                out.clear()
        self._settle(Tier.FINAL)
        for each in self._copies.rest():
            self._admit(each)
        yield from out

    def _let_go(self) -> None:
        if any(frames.contains(path, _ROLLED_BACK) for path in self._paths):
            raise TooLong
        self._hold = False
        self._indexes.clear()

    # --- lines that are no items

    def _turn_context(self, data: shapes.TurnContext) -> None:
        self._cwd = tools.clean(field_of(data.cwd)) or self._cwd
        self._replay.turn_begins(data.turn_id)

    def _turn_started(self, data: shapes.TurnStarted) -> None:
        self._replay.turn_begins(data.turn_id)

    def _turn_aborted(self, data: shapes.TurnAborted) -> None:
        if data.reason not in _NO_INTERRUPTION and not self._dropping:
            self._interrupted.add(self._turn)

    def _rolled_back(self, data: shapes.RolledBack) -> None:
        self._settle(Tier.FINAL)
        for each in self._copies.rest():
            self._admit(each)
        first = self.rollbacks.take_back(data.num_turns or 0)
        if first is None:
            return
        self._copies.take_back(first)
        if not self._hold:
            return
        kept = bisect_left(self._indexes, first)
        del self._out[kept:], self._indexes[kept:]
        self._turn = self._out[-1].turn if self._out else 0
        self._interrupted = {turn for turn in self._interrupted if turn <= self._turn}
        self._first_human = self._first_human if self._turn else ""

    def _reached_out(self, _: shapes.Nothing) -> None:
        self._external = True

    def _agent_event(self, data: shapes.AgentEvent) -> None:
        self._citations.of_event(data.memory_citation)

    def _nothing(self, _: shapes.Payload) -> None:
        pass

    # --- items

    def _called(self, data: shapes.Call) -> None:
        self._call(tools.call(data), call_id=data.call_id or "", asked=data)

    def _searched(self, data: shapes.WebSearch) -> None:
        self._call(tools.Called(Kind.CALL, "web_search", tools.searched(data), external=True))

    def _ran(self, data: shapes.LocalShell) -> None:
        command = data.action.command if data.action else None
        self._call(tools.ran(command or "", tool="local_shell"), call_id=data.call_id or data.id or "")

    def _agent_said(self, data: shapes.AgentMessage) -> None:
        self._give(Tier.OTHER_AGENT, text=tools.content_text(data.content))

    def _drew(self, data: shapes.ImageCall) -> None:
        self._call(tools.Called(Kind.CALL, "image_generation", data.revised_prompt or ""))

    def _found_tools(self, data: shapes.ToolSearchOutput) -> None:
        self._printed(f"{len(data.tools or [])} tools", call_id=data.call_id or "")

    def _message(self, data: shapes.Message) -> None:
        if data.role == "user":
            self._user(data)
        elif data.role == "assistant":
            text = self._citations.taken_from(tools.clean(tools.content_text(data.content)))
            if data.phase is None:
                self._settle(Tier.COMMENTARY)
                self._unphased = (text, self._said_at)
            else:
                tier = Tier.COMMENTARY if data.phase == "commentary" else Tier.FINAL
                self._give(tier, text=text)

    def _user(self, data: shapes.Message) -> None:
        content = data.content if isinstance(data.content, list) else [shapes.Content(text=data.content)]
        spoken: list[speakers.Spoken] = []
        for part in content:
            text = tools.clean(tools.part_text(part))
            for each in speakers.classify(text):
                if each.tier is Tier.HUMAN and spoken and spoken[-1].tier is Tier.HUMAN:
                    spoken[-1] = speakers.Spoken(Tier.HUMAN, f"{spoken[-1].text}\n{each.text}")
                elif each.tier is not None:
                    spoken.append(each)
        for each in spoken:
            if each.tier is Tier.HARNESS and not self._cwd:
                self._cwd = environment_cwd(each.text)
            if each.tier is not None:
                self._give(each.tier, text=each.text)

    def _call(self, called: tools.Called, *, call_id: str = "", asked: shapes.Call | None = None) -> None:
        self._external = self._external or called.external
        for known in (self._tools, self._asked):
            while len(known) >= _MOST_OPEN_CALLS:
                del known[next(iter(known))]
        if call_id:
            self._tools[call_id] = called.tool
        if asked is not None and called.tool == tools.ASK:
            self._asked[call_id] = tools.questions(asked)
        if called.kind is not Kind.PATCH:
            self._citations.of_call(called.text)
        self._give(Tier.TOOL, kind=called.kind, text=called.text, call_id=call_id, tool=called.tool)

    def _output(self, data: shapes.Output) -> None:
        call_id = data.call_id or ""
        text, code = tools.output(data)
        answered = tools.answers(text, asked=self._asked.pop(call_id)) if call_id in self._asked else None
        if answered is None:
            self._printed(text, call_id=call_id, exit_code=code)
            return
        question, answer = answered
        tool = self._tools.pop(call_id, "")
        self._give(
            Tier.HUMAN, kind=Kind.ANSWER, text=answer, call_id=call_id, tool=tool, question=tools.clean(question)
        )

    def _printed(self, text: str, *, call_id: str, exit_code: int | None = None) -> None:
        tool = self._tools.pop(call_id, "")
        self._give(Tier.TOOL, kind=Kind.OUTPUT, text=text, call_id=call_id, tool=tool, exit_code=exit_code)

    def _settle(self, tier: Tier) -> None:
        """Older clients name no phase: what the assistant said before it went on working was commentary."""
        if self._unphased is not None:
            (text, said_at), self._unphased = self._unphased, None
            now, self._said_at = self._said_at, said_at
            self._give(tier, text=text)
            self._said_at = now

    def _give(
        self,
        tier: Tier,
        *,
        text: str,
        kind: Kind = Kind.MESSAGE,
        call_id: str = "",
        tool: str = "",
        exit_code: int | None = None,
        question: str = "",
    ) -> None:
        if self._unphased is not None:
            self._settle(Tier.COMMENTARY if tier in (Tier.TOOL, Tier.COMMENTARY, Tier.FINAL) else Tier.FINAL)
        text = tools.clean(text)
        if not text and kind is Kind.MESSAGE:
            return
        given = Given(
            tier=tier,
            kind=kind,
            text=text,
            said_at=self._said_at,
            cwd=self._cwd,
            call_id=call_id,
            tool=tool,
            exit_code=exit_code,
            question=question,
        )
        for each in self._copies.passed(given):
            self._admit(each)
        self._dropping = self._dropping or self._copies.running

    def _admit(self, given: Given) -> None:
        """An item that the file has for the first time."""
        tier, kind, text = given["tier"], given["kind"], given["text"]
        human = tier is Tier.HUMAN and kind is Kind.MESSAGE
        index = self.rollbacks.item(human=human)
        self._dropping = (self._replay.open and self._replay.covers(tier, kind=kind, text=text)) or (
            self._gone is not None and self._gone.holds(index)
        )
        if self._dropping:
            return
        if human:
            self._turn += 1
            self._first_human = self._first_human or _head_bytes(text, limit=_FIRST_HUMAN_BYTES)
        if self._hold:
            self._indexes.append(index)
            self._held += len(text)
        self._out.append(
            Item(
                tier=tier,
                kind=kind,
                text=text,
                turn=self._turn,
                time=frames.seconds(given["said_at"]),
                cwd=given["cwd"],
                call_id=given["call_id"],
                tool=given["tool"],
                exit_code=given["exit_code"],
                question=given["question"],
            )
        )


@cache
def _handlers() -> dict[type, Callable[[Reading, Any], None]]:
    """What is done with a payload, by its type."""
    return {
        shapes.Call: Reading._called,
        shapes.Output: Reading._output,
        shapes.Message: Reading._message,
        shapes.WebSearch: Reading._searched,
        shapes.LocalShell: Reading._ran,
        shapes.AgentMessage: Reading._agent_said,
        shapes.ImageCall: Reading._drew,
        shapes.ToolSearchOutput: Reading._found_tools,
        shapes.TurnContext: Reading._turn_context,
        shapes.TurnStarted: Reading._turn_started,
        shapes.TurnAborted: Reading._turn_aborted,
        shapes.RolledBack: Reading._rolled_back,
        shapes.Nothing: Reading._reached_out,
        shapes.AgentEvent: Reading._agent_event,
        shapes.Meta: Reading._nothing,
    }


def _head_bytes(text: str, *, limit: int) -> str:
    return text[:limit].encode()[:limit].decode("utf-8", "ignore")
