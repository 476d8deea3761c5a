"""Why lines went, as far as the inputs bear it out; what a model claims is no reason (DESIGN.md, promise 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memkit import match, tokens
from memkit.documents import inline, places, record, summary
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import claims
from memkit.engines.offline.losses import OUT_OF_BUDGET, UNSELECTED
from memkit.engines.openai.keeping import missing_lines
from memkit.model import Loss, Section

_NEARLY_FULL = 0.9
_USERS = ("request", "correction", "preference (stated)", "decision", "open")
_FEW_WORDS = 3  # a quote of fewer is a name or a code word


def losses(inputs: Inputs, documents: Mapping[str, str]) -> tuple[Loss, ...]:
    """Each line of the current summary that the new one has no more, with a reason or "" where there is none."""
    return tuple(Loss(line=line.raw, reason=reason) for line, reason in _gone(inputs, documents))


def unaccounted(inputs: Inputs, documents: Mapping[str, str]) -> list[SummaryLine]:
    """The lines that went for no reason."""
    return [line for line, reason in _gone(inputs, documents) if not reason]


def findings(inputs: Inputs, documents: Mapping[str, str]) -> list[str]:
    """What the model has to mend besides lint's findings: lines that went for no reason, quotes that nobody said."""
    lost = [
        f"a line went that nothing took away: put it back as it was: {line.raw}"
        for line in unaccounted(inputs, documents)
    ]
    return [*lost, *misquoted(inputs, documents)]


def _gone(inputs: Inputs, documents: Mapping[str, str]) -> Iterator[tuple[SummaryLine, str]]:
    before, after = inputs.documents.get(places.SUMMARY, ""), documents.get(places.SUMMARY, "")
    new = summary.scan(after).lines
    full = _full(after, inputs)
    for line in missing_lines(before, after):
        yield line, _reason(line, new, inputs, full=full)


def misquoted(inputs: Inputs, documents: Mapping[str, str]) -> list[str]:
    """Quotes in the documents that stand in no input and in no document before: reworded, or made up.

    What stands among the user's profile and preferences must be words of the user.
    """
    everything, users = _said(inputs), _said_by_user(inputs)
    found = [
        f'{path}: nobody said "{quote}": quote the words as an input has them, or leave the quote out'
        for path in (places.SUMMARY, places.HANDBOOK)
        for row in documents.get(path, "").split("\n")
        for quote in inline.quotes(row)
        if not _stands(quote, everything)
    ]
    found += misplaced(inputs, documents)
    return found + [
        f'{places.SUMMARY}:{line.line}: the user did not say "{quote}": it is no preference of theirs'
        for line in summary.scan(documents.get(places.SUMMARY, "")).lines
        if line.section in (Section.PROFILE, Section.PREFERENCES)
        for quote in inline.quotes(line.text)
        if _stands(quote, everything) and not _stands(quote, users)
    ]


def misplaced(inputs: Inputs, documents: Mapping[str, str]) -> list[str]:
    """New lines that are marked as a project's in whose sessions their quotes were not said, nor noted."""
    marked = [line for line in summary.scan(documents.get(places.SUMMARY, "")).lines if line.scope and not line.mark]
    here = {(line.scope, line.text) for line in summary.scan(inputs.documents.get(places.SUMMARY, "")).lines}
    new = [line for line in marked if line.section is not Section.INDEX and (line.scope, line.text) not in here]
    if not new:
        return []
    said = [(text, _projects(source, inputs)) for source in inputs.sources for text in [_joined(_texts(source))]]
    said += [(_plain(each.text), {each.scope}) for each in (*inputs.claims, *inputs.extensions)]
    return [
        f"{places.SUMMARY}:{line.line}: it was not said in {line.scope}: mark the line with the project of its session"
        for line in new
        for quote in inline.quotes(line.text) or ("",)
        if not any(projects & {line.scope, None} and _stands(quote, text) for text, projects in said)
    ]


def _projects(source: Source, inputs: Inputs) -> set[str | None]:
    """The projects that a session's tasks are of; what was said outside of any belongs to none."""
    tasks = record.body_of(source.record.rollout_summary).tasks
    return {source.project, *(inputs.project_of(task.project) for task in tasks if task.project)} - {None}


def _texts(source: Source) -> tuple[str, str]:
    return source.record.rollout_summary, source.record.raw_memory


def _said(inputs: Inputs) -> str:
    records = (text for source in inputs.sources for text in _texts(source))
    return _joined([*records, *_known(inputs)])


def _said_by_user(inputs: Inputs) -> str:
    return _joined([*(text for source in inputs.sources for text in _of_user(source)), *_known(inputs)])


def _known(inputs: Inputs) -> Iterator[str]:
    yield from inputs.documents.values()
    yield from (claim.text for claim in (*inputs.claims, *inputs.extensions))


def _of_user(source: Source) -> Iterator[str]:
    """The bullets of a record that hold the user's words; all of a record that does not tell them apart."""
    for text in _texts(source):
        bullets = [bullet for task in record.body_of(text).tasks for bullet in task.bullets]
        if any(bullet.label in record.LABELS for bullet in bullets):
            yield from (bullet.text for bullet in bullets if bullet.label in _USERS)
        else:
            yield text


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(map(_plain, texts))


def _stands(quote: str, said: str) -> bool:
    pieces = [_plain(piece) for piece in re.split(r"\[?(?:…|\.\.\.)\]?", quote)]
    return all(piece in said for piece in pieces if len(piece.split()) >= _FEW_WORDS)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _full(text: str, inputs: Inputs) -> bool:
    return (
        tokens.byte_length(text) > _NEARLY_FULL * inputs.max_bytes
        or inputs.count(text) > _NEARLY_FULL * inputs.max_tokens
    )


def _reason(line: SummaryLine, new: Sequence[SummaryLine], inputs: Inputs, *, full: bool) -> str:
    reasons = _of_thread(line, inputs) if line.thread_id else _of_words(line, new, inputs)
    return next(reasons, OUT_OF_BUDGET if full and not line.mark else "")


def _of_thread(line: SummaryLine, inputs: Inputs) -> Iterator[str]:
    for stone in inputs.tombstones:
        if stone.thread_id == line.thread_id and not stone.source.startswith("session:"):
            yield claims.why_buried(stone)
    yield from (left.reason for left in inputs.left if left.session_id == line.thread_id)
    if all(source.record.session_id != line.thread_id for source in inputs.sources):
        yield UNSELECTED


def _of_words(line: SummaryLine, new: Sequence[SummaryLine], inputs: Inputs) -> Iterator[str]:
    for stone in inputs.tombstones:
        if not stone.thread_id and match.buries(stone, line.text, scope=line.scope):
            yield claims.why_buried(stone)
    near = [each for each in new if not each.thread_id and each.scope in (None, line.scope)]
    for other in near:
        if match.same(other.text, line.text) or _plain(line.text) in _plain(other.text):
            yield f"merged into: {other.text}"
    for other in near:
        if match.conflict(other.text, line.text):
            yield f"replaced by {other.text}"
    for claim in inputs.claims:
        if claim.scope in (None, line.scope) and match.conflict(claim.text, line.text):
            yield f"replaced by a note: {claim.text}"
    words = line.text.strip('"')
    if not any(words in s.record.rollout_summary or words in s.record.raw_memory for s in inputs.sources):
        yield from (left.reason for left in inputs.left if words in left.text)
