"""What users said in the records, sentence by sentence: the raw material of claims. And what their commands showed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memkit import clock, match
from memkit.documents import record
from memkit.documents.record import Body, Task
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import phrases
from memkit.model import Section


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the user. text: as it will stand, quoted; said: the bare words that are compared.

    scope: a project as written, None for everywhere. stated: by general words, else a steer that has to repeat.
    bound: by words such as "in this repo". place: the project in which it was said.
    task: the title of the task in which it was said. at: Unix seconds of the session.
    """

    text: str
    said: str
    scope: str | None
    section: Section
    session: str
    task: str
    at: int
    order: int
    stated: bool
    bound: bool
    place: str | None = None

    @property
    def date(self) -> str:
        return clock.date(self.at)


def bodies(inputs: Inputs) -> list[tuple[Source, Body]]:
    """The records with their texts read, oldest first."""
    ordered = sorted(inputs.sources, key=lambda s: (s.record.updated_at, s.record.session_id))
    return [(source, record.body_of(source.record.rollout_summary)) for source in ordered]


def statements(read: Sequence[tuple[Source, Body]], inputs: Inputs) -> list[Statement]:
    """Every wish in the records, oldest first; none from a session without a project unless its words were general."""
    found = []
    for source, body in read:
        for order, (task, text, said, stated) in enumerate(_sentences(body)):
            project = inputs.project_of(task.project) if task.project else source.project
            judged = match.judge(said)
            section = Section.PROFILE if judged.wish is match.Wish.PROFILE else Section.PREFERENCES
            bound = match.in_project(said)  # "everywhere in this project" is bound to it
            everywhere = not bound and (judged.everywhere or section is Section.PROFILE)
            if project is None and not everywhere:
                continue
            found.append(
                Statement(
                    text=text,
                    said=said,
                    scope=None if everywhere else project,
                    section=section,
                    session=source.record.session_id,
                    task=task.title,
                    at=source.record.updated_at,
                    order=order,
                    stated=stated,
                    bound=bound,
                    place=project,
                )
            )
    return found


def _sentences(body: Body) -> Iterator[tuple[Task, str, str, bool]]:
    """(task, text as it will stand, bare words, stated) of each wish of a record, each sentence once a task."""
    for task in body.tasks:
        seen: set[str] = set()
        for bullet in task.bullets:
            if bullet.label == "preference (stated)":
                # A question and its answer stand together; the words that count are the answer's.
                said = bullet.quotes[-1] if bullet.quotes else bullet.text
                text = bullet.text if len(bullet.quotes) > 1 else f'"{phrases.without(said, "leads")}"'
                if said not in seen and match.subject(said):
                    seen.add(said)
                    yield task, text, said, True
            elif bullet.label in ("request", "correction"):
                for quoted in bullet.quotes[:1]:
                    for sentence in match.sentences(quoted):
                        steer = match.judge(sentence).wish is match.Wish.STEER
                        if steer and sentence not in seen and match.subject(sentence):
                            seen.add(sentence)
                            yield task, f'"{phrases.without(sentence, "leads")}"', sentence, False
