"""Stage 1 without a model: evidence to a record, by what was typed, run and returned.

Outcomes come from exit codes, interruptions and the user's last word; what the assistant claims is kept as its claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memkit import match, prompts, tokens
from memkit.engines.base import RECORD_BYTES
from memkit.engines.offline import titles
from memkit.engines.offline.commands import Patched, Ran, Use, alike, patched, ran
from memkit.engines.offline.segment import Task, Turn, keeps, tasks, turns
from memkit.engines.offline.shorten import shorten
from memkit.model import Evidence, Kind, StageOne, Tier
from memkit.prompts import TaskBlock

_MOST = {"verified": 6, "failed": 4, "changed": 12, "reference": 6, "request": 4}
_REPORTED_BYTES = 300
_FULL = 3  # content words from which a correction stands by itself
Bullets = list[tuple[str, str]]


def extract(evidence: Evidence) -> StageOne:
    """The record of a session, or an empty output when there is nothing to keep."""
    found = turns(evidence)
    if not keeps(found):
        return StageOne(rollout_summary="")
    runs, patches = ran(evidence.rows), patched(evidence.rows)
    grouped = tasks(found)
    blocks = [
        _block(task, _next(grouped, i), runs=runs, patches=patches, cwd=evidence.session.cwd)
        for i, task in enumerate(grouped)
    ]
    if not blocks:
        return StageOne(rollout_summary="")
    names = list(dict.fromkeys(block.title for block in blocks))
    whole = names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"
    text = shorten(blocks, render=lambda kept: prompts.record_body(title=whole, tasks=kept), max_bytes=RECORD_BYTES)
    return StageOne(rollout_summary=text, rollout_slug=titles.slug(names[0]))


def _next(grouped: Sequence[Task], at: int) -> Turn | None:
    return grouped[at + 1].turns[0] if at + 1 < len(grouped) else None


def _block(task: Task, after: Turn | None, *, runs: Sequence[Ran], patches: Sequence[Patched], cwd: str) -> TaskBlock:
    numbers = {turn.number for turn in task.turns}
    mine = [r for r in runs if r.turn in numbers]
    edits = [p for p in patches if p.turn in numbers]
    outcome = _outcome(task, after, mine, edits)
    where = next((t.cwd for t in reversed(task.turns) if t.cwd), "")
    bullets: Bullets = [("project", where)] if where and cwd and where != cwd else []
    bullets += (
        _said(task) + _answers(task) + _verified(mine) + _failed(mine, edits) + _changed(edits) + _references(task)
    )
    bullets += _open(task, outcome, mine) + _reported(task)
    return TaskBlock(title=titles.title(task), outcome=outcome, bullets=tuple(bullets))


# --- what the user said --------------------------------------------------------------------------------------------


def _said(task: Task) -> Bullets:
    found: Bullets = []
    requests = 0
    for i, turn in enumerate(task.turns):
        sentences = match.sentences(turn.own)
        corrections, rest = _corrections(sentences, first=i == 0)
        asking = (
            rest
            if i == 0
            else [s for s in rest if match.judge(s).wish is not match.Wish.STANDING and not _only_praise([s])]
        )
        if asking and requests < _MOST["request"]:
            found.append(
                ("request", titles.quote(turn.own if i == 0 and not corrections else " ".join(asking)) + _foreign(turn))
            )
            requests += 1
        elif i == 0 and turn.foreign:
            found.append(("request", f"(no own words){_foreign(turn)}"))
        found += [("correction", titles.quote(s)) for s in corrections]
        for s in sentences:
            judged = match.judge(s)
            if judged.wish in (match.Wish.STANDING, match.Wish.PROFILE):
                found.append(("preference (stated)", titles.quote(judged.text)))
            elif match.decides(s) and not any(s in c for c in corrections):
                found.append(("decision", titles.quote(s)))
    return list(dict.fromkeys(found))


def _corrections(sentences: Sequence[str], *, first: bool) -> tuple[list[str], list[str]]:
    """(corrections, the other sentences). One that says too little by itself ("Stop.") takes the next along."""
    corrections: list[str] = []
    rest: list[str] = []
    joins = False
    for sentence in sentences:
        if joins and not match.greets(sentence) and match.judge(sentence).wish is not match.Wish.STANDING:
            corrections[-1] = f"{corrections[-1]} {sentence}"
            joins = len(match.stance(corrections[-1]).words) < _FULL
        elif _is_correction(sentence, first=first):
            corrections.append(sentence)
            joins = len(match.stance(sentence).words) < _FULL
        else:
            joins = False
            if not match.approves(sentence) and not match.greets(sentence):
                rest.append(sentence)
    return corrections, rest


def _is_correction(sentence: str, *, first: bool) -> bool:
    judged = match.judge(sentence)
    if judged.wish is match.Wish.STANDING or match.approves(sentence) or match.greets(sentence):
        return False
    if first:
        return judged.wish is match.Wish.STEER and match.corrects(sentence)
    return match.corrects(sentence) or judged.wish is match.Wish.STEER or match.complains(sentence)


def _only_praise(sentences: Sequence[str]) -> bool:
    return all(match.praises(s) and not match.task_like(s) for s in sentences)


def _foreign(turn: Turn) -> str:
    """Says that something was pasted, without making it the user's words."""
    line = next(
        (" ".join(row.split()) for text in turn.foreign for row in text.splitlines() if any(c.isalnum() for c in row)),
        "",
    )
    return f" [with pasted text, which begins: {tokens.cut(line, max_bytes=120)}]" if line else ""


def _answers(task: Task) -> Bullets:
    found: Bullets = []
    for _, row in task.rows:
        if row.kind is not Kind.ANSWER:
            continue
        own = " ".join(p.text for p in row.parts) or row.text
        pair = (
            f"{titles.quote(row.question, max_bytes=300)} — {titles.quote(own, max_bytes=300)}"
            if row.question
            else titles.quote(own)
        )
        standing = any(match.judge(s).wish is match.Wish.STANDING for s in match.sentences(own))
        found.append(("preference (stated)" if standing else "decision", pair))
    return found


def _open(task: Task, outcome: str, runs: Sequence[Ran]) -> Bullets:
    found: Bullets = []
    last = task.turns[-1]
    if last.interrupted:
        found.append(
            ("open", f"interrupted by the user while at {titles.quote(last.own or titles.title(task), max_bytes=200)}")
        )
    for turn in task.turns[1:] or task.turns:
        found += [
            ("open", titles.quote(s))
            for s in match.sentences(turn.own)
            if match.leaves_open(s) and match.judge(s).wish is not match.Wish.STANDING
        ]
    failing = runs[-1] if runs and runs[-1].bad and runs[-1].use is not Use.EXPLORE else None
    if failing and outcome != "success":
        found.append(("open", f"`{failing.line}` ended with exit {failing.exit_code}"))
    return list(dict.fromkeys(found))[:4]


def _references(task: Task) -> Bullets:
    found: list[str] = []
    for turn in task.turns:
        found += [u.rstrip(".,;:!?)]}>'\"") for u in re.findall(r"https?://[^\s<>\"'`]+", turn.own)]
        found += re.findall(r"(?<![\w/-])(?:[A-Z][A-Z0-9]{1,9}-\d+|(?:GH-|#)\d+)(?![\w-])", turn.own)
    return [("reference", text) for text in dict.fromkeys(found)][: _MOST["reference"]]


# --- what was done ---------------------------------------------------------------------------------------------------


def _verified(runs: Sequence[Ran]) -> Bullets:
    """Commands whose last run in the task succeeded; checks before other commands, when not all can stay."""
    last: dict[str, Ran] = {}
    for run in runs:
        if run.ended and run.exit_code is not None and run.use is not Use.EXPLORE:
            last.pop(run.line, None)
            last[run.line] = run
    good = [run for run in last.values() if run.ok]
    first = sorted(good, key=lambda r: (r.use is not Use.VERIFY, -r.at))[: _MOST["verified"]]
    return [("verified", f"`{run.line}` — {run.result}") for run in sorted(first, key=lambda r: r.at)]


def _failed(runs: Sequence[Ran], edits: Sequence[Patched]) -> Bullets:
    found: dict[str, str] = {}
    for i, run in enumerate(runs):
        if not run.bad or run.use is Use.EXPLORE:
            continue
        fix = _fix(run, runs[i + 1 :], edits)
        found.pop(run.line, None) if fix else None
        found[run.line] = f"`{run.line}` — {run.error}" + (f"; fixed by: {fix}" if fix else "")
    return [("failed", text) for text in list(found.values())[-_MOST["failed"] :]]


def _fix(failed: Ran, later: Sequence[Ran], edits: Sequence[Patched]) -> str:
    """What lay between a failure and the first success of the same attempt; "" when it never succeeded."""
    success = next((r for r in later if r.ok and r.exit_code == 0 and alike(failed.line, r.line)), None)
    if success is None:
        return ""
    if any(r.bad and r.line == failed.line for r in later if r.at < success.at):
        return ""  # a later failure of the same command is nearer to what mended it
    between = [r.line for r in later if r.at < success.at and r.ok and r.exit_code == 0 and r.use is Use.CHANGE]
    changed = list(dict.fromkeys(p for e in edits if failed.at < e.at < success.at and e.ok for p in e.paths))
    parts = [f"`{line}`" for line in dict.fromkeys(between)][-3:]
    if changed:
        parts.append(
            f"changes in {', '.join(changed[:4])}" + (f" and {len(changed) - 4} more" if len(changed) > 4 else "")
        )
    if success.line != failed.line:
        parts.append(f"`{success.line}`")
    return ", ".join(parts)  # nothing recorded lies in between: what helped is not known


def _changed(edits: Sequence[Patched]) -> Bullets:
    paths = list(dict.fromkeys(p for e in edits if e.ok for p in e.paths))
    if not paths:
        return []
    more = f" and {len(paths) - _MOST['changed']} more" if len(paths) > _MOST["changed"] else ""
    return [("changed", ", ".join(paths[: _MOST["changed"]]) + more)]


def _reported(task: Task) -> Bullets:
    """The last message of the assistant, but for its answer to mere thanks."""
    turns = [t for t in task.turns if t.acted or not _only_praise(match.sentences(t.own) or [""])] or task.turns
    said = [row.text for t in turns for _, row in t.rows if row.label == Tier.FINAL and row.text.strip()]
    return [("reported", titles.quote(said[-1], max_bytes=_REPORTED_BYTES))] if said else []


# --- how it ended ----------------------------------------------------------------------------------------------------


def _outcome(task: Task, after: Turn | None, runs: Sequence[Ran], edits: Sequence[Patched]) -> str:
    acting = [r for r in runs if r.use is not Use.EXPLORE and r.exit_code is not None]
    checks = [r for r in acting if r.use is Use.VERIFY] or acting
    good = bool(edits and any(e.ok for e in edits)) or any(r.ok for r in acting)
    if task.turns[-1].interrupted:
        return "unfinished"
    words = [t.own for t in task.turns[1:] if t.own.strip()]
    if after is not None:
        words.append((match.sentences(after.own) or [""])[0])
    last_word = words[-1] if words else ""
    answered = task.turns[-1].answered or task.turns[-1].acted
    if match.complains(last_word) and not (
        len(task.turns) > 1 and task.turns[-1].own == last_word and task.turns[-1].acted
    ):
        return "partial" if good else "failed"
    if match.praises(last_word):
        return "success"
    if checks and checks[-1].bad:
        return "partial" if good else "failed"
    if checks or any(e.ok for e in edits):
        return "success" if all(e.ok for e in edits[-1:]) else "partial"
    return "partial" if answered else "unfinished"
