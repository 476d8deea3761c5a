"""A session's rows to tasks, by the human turns: a turn that asks for other work opens a task, the rest goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memkit import match
from memkit.engines.offline import phrases
from memkit.engines.offline.programs import Use, use_of
from memkit.model import Evidence, Kind, PartKind, Row, Tier

_SHORT = 4


@dataclass
class Turn:
    """One human message and all that followed it. own: the user's own words; foreign: what they quoted or pasted."""

    number: int
    own: str
    foreign: list[str]
    rows: list[tuple[int, Row]] = field(default_factory=list)
    interrupted: bool = False
    time: float | None = None
    cwd: str = ""

    @property
    def acted(self) -> bool:
        """Did anything happen besides talk?"""
        return any(row.kind in (Kind.COMMAND, Kind.PATCH, Kind.CALL) for _, row in self.rows)

    @property
    def answered(self) -> bool:
        return any(row.label == Tier.FINAL for _, row in self.rows)


@dataclass
class Task:
    """The turns that work on one thing."""

    turns: list[Turn]

    @property
    def changed(self) -> bool:
        """Was anything done besides looking around?"""
        return any(
            row.kind is Kind.PATCH or (row.kind is Kind.COMMAND and use_of(row.text) is not Use.EXPLORE)
            for _, row in self.rows
        )

    @property
    def rows(self) -> list[tuple[int, Row]]:
        return [pair for turn in self.turns for pair in turn.rows]


def turns(evidence: Evidence) -> list[Turn]:
    """The human turns in order; rows before the first one belong to none."""
    found: list[Turn] = []
    for at, row in enumerate(evidence.rows):
        if row.label == Tier.HUMAN and row.kind is Kind.MESSAGE:
            own = _own(row)
            foreign = [p.text for p in row.parts if p.kind is not PartKind.OWN]
            if found and found[-1].number == row.turn and not found[-1].rows:
                found[-1].own = f"{found[-1].own}\n{own}".strip()
                found[-1].foreign += foreign
                continue
            found.append(
                Turn(row.turn, own, foreign, time=row.time, cwd=row.cwd, interrupted=row.turn in evidence.interrupted)
            )
        elif found:
            found[-1].rows.append((at, row))
    return found


def _own(row: Row) -> str:
    """The user's own words; something quoted or pasted among them leaves `[…]`, so that no sentence closes over it."""
    texts = [p.text.strip() if p.kind is PartKind.OWN else "[…]" for p in row.parts]
    while texts and texts[0] in ("", "[…]"):
        texts.pop(0)
    while texts and texts[-1] in ("", "[…]"):
        texts.pop()
    return "\n".join(text for text in texts if text)


def tasks(found: Sequence[Turn]) -> list[Task]:
    """The turns grouped into tasks."""
    grouped: list[Task] = []
    for turn in found:
        if grouped and _goes_on(turn, grouped[-1]):
            grouped[-1].turns.append(turn)
        elif grouped or not match.greets(turn.own) or turn.acted or turn.foreign:
            grouped.append(Task([turn]))
    return grouped


def _goes_on(turn: Turn, task: Task) -> bool:
    text = turn.own
    if not text.strip() or match.approves(text) or match.greets(text):
        return True
    if turn.cwd and task.turns[-1].cwd and turn.cwd != task.turns[-1].cwd:
        return False
    parts = match.sentences(text)
    opening = parts[0] if parts else ""
    asked = [s for s in parts if asks_work(s) and match.judge(s).wish in (match.Wish.ONCE, match.Wish.NONE)]
    if match.corrects(opening) or match.complains(opening) or phrases.opens(opening, "puts_back"):
        # "No, that is wrong. …" goes on, and what it asks for is of the same work; after an answer that nothing was
        # done for yet, it is the work itself.
        return task.changed or not task.turns[-1].answered or all(_leans_on(s) for s in asked)
    if not asked:
        return not (turn.acted and match.asks(text) and match.length(text) > _SHORT)
    return all(_leans_on(s) for s in asked)


def asks_work(sentence: str) -> bool:
    """Asks for work, whatever occasion it names first ("For this PR just delete …")."""
    return match.task_like(sentence) or match.task_like(phrases.without(sentence, "occasion"))


def _leans_on(sentence: str) -> bool:
    """ "Fix it", "try again", "commit and push": means nothing without the task before."""
    return match.wraps_up(sentence) or len(match.stance(sentence).words) < 2


def keeps(found: Sequence[Turn]) -> bool:
    """Does any turn ask for work? Greetings and general questions answered without a tool, file or command do not."""
    return any(_asks_work(turn) for turn in found)


def _asks_work(turn: Turn) -> bool:
    if turn.acted or turn.foreign:
        return True
    if match.greets(turn.own) or match.approves(turn.own):
        return False
    if any(row.kind is Kind.ANSWER for _, row in turn.rows):
        return True
    for sentence in match.sentences(turn.own):
        if match.judge(sentence).wish is not match.Wish.NONE or match.task_like(sentence):
            return True
        if not match.asks(sentence) and not match.greets(sentence) and match.length(sentence) > _SHORT:
            return True
        if _names_file(sentence):
            return True
    return False


def _names_file(sentence: str) -> bool:
    words = (w.strip("`'\"()?,.!:;") for w in sentence.split())
    return any(
        "/" in w[1:]
        or (
            "." in w[1:-1]
            and w.rpartition(".")[2].isalnum()
            and not w.replace(".", "").isdigit()
            and len(w.rpartition(".")[2]) <= 5
            and w.rpartition(".")[0].replace(".", "").replace("_", "").replace("-", "").isalnum()
        )
        for w in words
    )
