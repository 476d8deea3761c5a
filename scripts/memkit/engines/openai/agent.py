"""A round by an agent: the model looks at files and changes documents by tools, until it says that it is done."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memkit import prompts
from memkit.engines.openai import tools
from memkit.engines.openai.rounds import Round
from memkit.engines.openai.server import Server, answered
from memkit.engines.openai.wire import Question, Reply, Result, Said, Turn
from memkit.engines.workspace import Workspace
from memkit.errors import ModelError, TooLongError
from memkit.model import CONSOLIDATION

STEPS = 60  # questions of a round
MINUTES = 20
_AT_ONCE = 32  # calls of one answer that are followed
_WARNED = 5  # steps before the end from which on the model is told
_SEEN = "[shown earlier; read it again when you need it]"


@dataclass
class Agent:
    """One conversation. cap: the tokens of the run, of which the model is told."""

    server: Server
    model: str
    max_output: int
    cap: int
    steps: int = STEPS
    seconds: float = MINUTES * 60.0
    tokens_used: int = 0
    _turns: list[Turn] = field(default_factory=list)
    _workspace: Workspace | None = None
    _instructions: str = ""
    _began: float = 0.0

    def begin(self, part: Round, documents: Mapping[str, str]) -> dict[str, str]:
        """The documents as the model left them. Raises ModelError where it comes to no end, and as Server.ask does."""
        inputs = part.inputs
        self._workspace = Workspace(
            version=inputs.version,
            inputs={**part.synced.files, prompts.DIFF: part.diff},
            documents=documents,
            diff=prompts.DIFF,
        )
        self._instructions = prompts.consolidate_instructions(
            version=inputs.version,
            mode="agent",
            max_bytes=inputs.max_bytes,
            max_tokens=inputs.max_tokens,
            steps=self.steps,
            minutes=int(self.seconds // 60),
            tokens=self.cap,
        )
        self._began = time.monotonic()
        self._turns = [Said(role="user", text=part.opening(documents, mode="agent"))]
        return self._until_done(self._workspace)

    def mend(self, findings: Sequence[str], documents: Mapping[str, str]) -> dict[str, str]:
        """The documents after the model was told what is wrong with them."""
        if self._workspace is None:
            raise RuntimeError("there is nothing to mend yet")
        self._workspace.documents = dict(documents)
        self._turns.append(Said(role="user", text=prompts.consolidate_repair(findings=findings)))
        return self._until_done(self._workspace)

    def _until_done(self, workspace: Workspace) -> dict[str, str]:
        while self.steps > 0:
            if time.monotonic() - self._began > self.seconds:
                raise ModelError(f"the model did not finish within {self.seconds / 60:g} minutes")
            self.steps -= 1
            if self._step(workspace):
                return workspace.documents
        raise ModelError("the model did not finish within its steps")

    def _step(self, workspace: Workspace) -> bool:
        """One question; True when the model is done."""
        reply = self._asked()
        self.tokens_used += reply.tokens_used
        if not reply.calls:
            self._turns.append(Said(role="assistant", text=answered(reply)))
            return True
        if reply.text:
            self._turns.append(Said(role="assistant", text=reply.text))
        self._turns += map(tools.short, reply.calls)
        for at, called in enumerate(reply.calls):
            text = tools.call(called, workspace) if at < _AT_ONCE else f"error: {_AT_ONCE} calls at once are the most"
            self._turns.append(Result(id=called.id, text=self._noted(text)))
        return False

    def _asked(self) -> Reply:
        while True:
            try:
                return self.server.ask(
                    Question(
                        model=self.model,
                        instructions=self._instructions,
                        turns=tuple(self._turns),
                        tools=tools.tools(),
                        max_output=self.max_output,
                        about=CONSOLIDATION,
                    )
                )
            except TooLongError:
                if not self._shortened():
                    raise

    def _shortened(self) -> bool:
        """Takes the older half of what tools showed out of the conversation; False when nothing is left to take."""
        shown = [at for at, turn in enumerate(self._turns) if isinstance(turn, Result) and turn.text != _SEEN]
        for at in shown[: (len(shown) + 1) // 2]:
            turn = self._turns[at]
            if isinstance(turn, Result):
                self._turns[at] = replace(turn, text=_SEEN)
        return bool(shown)

    def _noted(self, text: str) -> str:
        return f"{text}\n({self.steps} steps are left: end soon)" if self.steps <= _WARNED else text
