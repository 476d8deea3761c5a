"""What was done in a task: commands that verified it, failures with what helped, changed files, what was reported."""

from __future__ import annotations

from collections.abc import Container, Sequence

from memkit import match
from memkit.engines.offline import titles
from memkit.engines.offline.commands import Patched, Ran, is_test, measures, mends, put_back
from memkit.engines.offline.programs import Use, alike, listed, owners, segments
from memkit.engines.offline.said import Bullets, only_praise
from memkit.engines.offline.segment import Task
from memkit.model import Tier

Rejected = Sequence[tuple[int, frozenset[str]]]

AS_MEANT = "(meant to fail first)"
_VERIFIED, _FAILED, _CHANGED = 6, 4, 12
_REPORTED_BYTES = 300
_FIXED = "; fixed by: "


def verified(runs: Sequence[Ran], undone: Rejected) -> Bullets:
    """Commands whose last run in the task succeeded; checks before other commands, when not all can stay."""
    first: dict[str, Ran] = {}
    last: dict[str, Ran] = {}
    for run in runs:
        if run.exit_code is not None and run.use is not Use.EXPLORE and not listed(run.line, "trivial"):
            first.setdefault(run.line, run)
            last.pop(run.line, None)
            last[run.line] = run
    good = [run for run in last.values() if run.ok and not _undone(run, undone)]
    kept = sorted(good, key=lambda r: (r.use is not Use.VERIFY, -r.at))[:_VERIFIED]
    return [
        ("verified", f"`{run.line}` — {run.result}{_before(first[run.line], run)}")
        for run in sorted(kept, key=lambda r: r.at)
    ]


def _before(first: Ran, last: Ran) -> str:
    """A measurement is worth little without the one before the change."""
    told = first.at != last.at and first.ok and measures(first) and first.result != last.result
    return f" (before: {first.result})" if told else ""


def _undone(run: Ran, undone: Rejected) -> bool:
    words = owners(run.line)
    return any(turn > run.turn and words & against for turn, against in undone)


def failed(runs: Sequence[Ran], edits: Sequence[Patched], undone: Rejected, *, turns: Container[int]) -> Bullets:
    """The failures of some turns, each reason of a command once, with what lay between it and the attempt's success.

    runs, edits: of the whole session, since a later task may mend what an earlier one left.
    """
    found: dict[tuple[str, str], str] = {}
    for i, run in enumerate(runs):
        if run.turn not in turns or not run.bad or run.use is Use.EXPLORE:
            continue
        end = ended(run, runs[i + 1 :])
        parts = _helped(run, end, runs[i + 1 :], edits, undone) if end else []
        error = run.error.replace(_FIXED, "; fixed by ")  # an output that says so must not read as what helped
        meant = f" {AS_MEANT}" if parts and _meant(run, end, runs[:i], edits) else ""
        found.pop((run.line, run.error), None)
        found[run.line, run.error] = f"`{run.line}` — {error}{meant}" + (_FIXED + ", ".join(parts) if parts else "")
    return [("failed", text) for text in list(found.values())[-_FAILED:]]


def ended(run: Ran, later: Sequence[Ran]) -> Ran | None:
    """The later run of the same attempt that no longer fails so: its success, or another error on the way to one."""
    tries = [r for r in later if r.exit_code is not None and r.use is not Use.EXPLORE and alike(run.line, r.line)]
    success = next((r for r in tries if r.ok), None)
    if success is None:
        return None
    for other in tries[: tries.index(success)]:
        if other.error != run.error:
            return other
        if other.line == run.line:
            return None  # it failed again for the same reason: that failure is nearer to what helped
    return success


def _helped(run: Ran, end: Ran, later: Sequence[Ran], edits: Sequence[Patched], undone: Rejected) -> list[str]:
    """What lay between; nothing when nothing recorded did: then what helped is not known."""
    between = [_redone(r, later, undone) for r in later if r.at < end.at and mends(r)]
    changed = list(dict.fromkeys(p for e in edits if run.at < e.at < end.at and e.ok for p in e.paths))
    parts = [f"`{line}`" for line in dict.fromkeys(between)][-3:]
    if changed:
        more = f" and {len(changed) - 4} more" if len(changed) > 4 else ""
        parts.append(f"changes in {', '.join(changed[:4])}{more}")
    if end.line != run.line:
        parts.append(f"`{end.line}`")
    return parts


def _redone(run: Ran, later: Sequence[Ran], undone: Rejected) -> str:
    """The command; one that the user turned away from gives way to the later one that did its work."""
    if not _undone(run, undone):
        return run.line
    mine = {w for part in segments(run.line) for w in part[1:] if not w.startswith("-")}
    rivals = (r for r in later if r.at > run.at and r.ok and mends(r) and not _undone(r, undone))
    return next((r.line for r in rivals if _shares(mine, r.line)), run.line)


def _shares(words: set[str], line: str) -> bool:
    theirs = {w for part in segments(line) for w in part}
    return bool(words & theirs - {"install", "add", "i", "run"})


def _meant(run: Ran, end: Ran | None, earlier: Sequence[Ran], edits: Sequence[Patched]) -> bool:
    """A test that was written before the code: only tests had changed when it failed, and other files mended it."""
    since = max((r.at for r in earlier if alike(r.line, run.line)), default=-1)
    before = [p for e in edits if since < e.at < run.at and e.ok for p in e.paths]
    after = [p for e in edits if end and run.at < e.at < end.at and e.ok for p in e.paths]
    tests = bool(before) and all(map(is_test, before))
    return run.use is Use.VERIFY and tests and any(not is_test(p) for p in after)


def changed(edits: Sequence[Patched]) -> Bullets:
    """Paths of files that differ after the task; those that were changed and put back are said apart."""
    done = [e for e in edits if e.ok]
    back = put_back(done)
    paths = list(dict.fromkeys(p for e in done for p in e.paths if p not in back))
    more = f" and {len(paths) - _CHANGED} more" if len(paths) > _CHANGED else ""
    text = ", ".join(paths[:_CHANGED]) + more
    if back:
        text = (
            f"{text}; put back: {', '.join(sorted(back)[:4])}" if text else f"put back: {', '.join(sorted(back)[:4])}"
        )
    return [("changed", text)] if text else []


def still_failing(runs: Sequence[Ran], *, turns: Container[int]) -> Bullets:
    """The last command of some turns when it failed, did more than look around, and nothing later mended it."""
    mine = [i for i, run in enumerate(runs) if run.turn in turns]
    last = runs[mine[-1]] if mine else None
    if last and last.bad and last.use is not Use.EXPLORE and not ended(last, runs[mine[-1] + 1 :]):
        return [("open", f"`{last.line}` ended with exit {last.exit_code}")]
    return []


def reported(task: Task) -> Bullets:
    """The last message of the assistant, but for its answer to mere thanks."""
    turns = [t for t in task.turns if t.acted or not only_praise(match.sentences(t.own) or [""])] or task.turns
    said = [row.text for t in turns for _, row in t.rows if row.label == Tier.FINAL and row.text.strip()]
    return [("reported", titles.quote(said[-1], max_bytes=_REPORTED_BYTES))] if said else []
