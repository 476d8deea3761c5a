"""Sessions to records and records to a summary, through real files and the real reader, without store and Git."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from memkit import lint, redact, tokens, tree
from memkit.documents import record, summary
from memkit.documents.record import Body
from memkit.documents.summary import SummaryDoc
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import OfflineEngine
from memkit.model import Claim, Drafts, Evidence, Record, Section, Tombstone
from memkit.projects import Place, Projects
from memkit.rollouts.decode import Decoder
from memkit.rollouts.evidence import collect
from tests.support.rollouts import Rollout

ENGINE = OfflineEngine()
HOME = "/home/dev"


def evidence_of(session: Rollout, *, parent: Rollout | None = None) -> Evidence:
    """What the engine sees of a session."""
    with tempfile.TemporaryDirectory() as folder:
        path = session.write(Path(folder))
        decoder = Decoder(path, parent=parent.write(Path(folder) / "parent") if parent else None)
        return collect(
            decoder, facts=lambda: decoder.facts, budget_tokens=150_000, mask=redact.mask, count=tokens.estimate
        )


def record_of(session: Rollout, *, parent: Rollout | None = None) -> Record:
    """A session's record; its text is "" when there is nothing to keep."""
    evidence = evidence_of(session, parent=parent)
    output = ENGINE.extract(evidence, version="v2")
    seen = evidence.session
    return Record(
        session_id=seen.id,
        version="v2",
        updated_at=int(session.last),
        path=f"/rollouts/{seen.id}.jsonl",
        cwd=seen.cwd,
        remote=seen.remote,
        rollout_summary=output.rollout_summary,
        slug=output.rollout_slug,
    )


def body_of(session: Rollout) -> Body:
    """A session's record as it is read again; it must be of the engine's own shape."""
    text = record_of(session).rollout_summary
    body = record.body_of(text)
    assert body.shape == "offline", f"lines {body.strays} of\n{text}"
    assert tokens.byte_length(text) <= 9_000
    return body


def said(body: Body, *labels: str) -> list[str]:
    """The texts of a record's bullets with these labels."""
    return [bullet.text for task in body.tasks for bullet in task.labelled(*labels)]


def inputs_of(
    records: Sequence[Record],
    *,
    current: str = "",
    claims: Sequence[Claim] = (),
    tombstones: Sequence[Tombstone] = (),
    max_bytes: int = 10_000,
    max_tokens: int = 2_500,
    count: Callable[[str], int] = tokens.estimate,
) -> Inputs:
    """What the stage would hand over of these records."""
    kept = sorted((r for r in records if r.rollout_summary), key=lambda r: r.session_id)
    names = tree.record_names(kept)
    places = Projects.of((Place(r.cwd, r.remote) for r in kept if r.cwd), user_home=HOME)

    def project(place: Place) -> str | None:
        found = places.of_place(place)
        return found.name if found else None

    def project_of(directory: str) -> str | None:
        found = places.of_directory(directory)
        return found.name if found else None

    return Inputs(
        version="v2",
        sources=tuple(
            Source(record=r, file=f"rollout_summaries/{names[r.session_id]}", project=project(Place(r.cwd, r.remote)))
            for r in kept
        ),
        documents={summary.FILE: current},
        max_bytes=max_bytes,
        max_tokens=max_tokens,
        count=count,
        project_of=project_of,
        claims=tuple(claims),
        tombstones=tuple(tombstones),
    )


def drafts_of(records: Sequence[Record], **more: object) -> Drafts:
    """A consolidation, whose tree must be clean to lint's gate."""
    inputs = inputs_of(records, **more)  # type: ignore[arg-type]
    drafts = ENGINE.consolidate(inputs)
    files = {path: text.encode() for path, text in drafts.documents.items()}
    files |= {path: text.encode() for path, text in tree.record_files([s.record for s in inputs.sources]).items()}
    findings = lint.lint_tree(files, max_bytes=inputs.max_bytes, max_tokens=inputs.max_tokens, symlinks=(), home=HOME)
    assert not [f for f in findings if f.gates], findings
    return drafts


def text_of(*sessions: Rollout, **more: object) -> str:
    """The summary that sessions give."""
    return drafts_of([record_of(s) for s in sessions], **more).documents[summary.FILE]


def doc_of(*sessions: Rollout, **more: object) -> SummaryDoc:
    """The same, read."""
    return summary.parse(text_of(*sessions, **more))


def preferences(*sessions: Rollout, **more: object) -> list[tuple[str | None, str]]:
    """(scope, words) of each preference that sessions give, in order."""
    return [(line.scope, line.text.strip('"')) for line in doc_of(*sessions, **more).of(Section.PREFERENCES)]


def session(words: str, *more: str, day: int = 1, cwd: str = "/home/dev/shop", name: str = "s") -> Rollout:
    """A session of November in which a user says these things, each answered with a change."""
    rollout = Rollout(cwd=cwd, name=f"{name}-{day}", started=f"2026-11-{day:02d}T09:00:00Z")
    for turn in (words, *more):
        rollout.user(turn).patch(f"src/{name}{day}.py", new="x = 1\n").final("Done.")
    return rollout
