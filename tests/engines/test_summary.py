"""The summary within its budget, why lines left it, the same bytes in any order, and what it costs."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import match, tokens
from memkit.documents import summary
from memkit.documents.summary import FILE
from memkit.engines.offline import OfflineEngine
from memkit.model import Claim, Record, Section, Tombstone
from tests.engines.tools import drafts_of, inputs_of, record_of, session
from tests.support import shapes
from tests.support.rollouts import Rollout

NOUNS = ("parser", "cache", "importer", "mailer", "router", "scheduler", "exporter", "indexer", "renderer", "validator")
VERBS = ("Add logging to the", "Fix the memory leak in the", "Rename the options of the", "Write tests for the")


def body(number: int, rule: str = "") -> str:
    title = f"{VERBS[number % 4]} {NOUNS[number % 10]} of module m{number}"
    rows = [f"# {title}", "", f"## Task 1: {title}", "- outcome: success", f'- request: "{title}."']
    rows += [f"- preference (stated): {rule}"] if rule else []
    rows += [f"- verified: `pytest tests/test_m{number}.py -q` — {number} passed in 1.0s"]
    rows += [f"- failed: `make gen-{number}` — error: no tool x{number}; fixed by: `brew install x{number}`"]
    return "\n".join([*rows, f"- changed: src/m{number}.py", f'- reported: "Module m{number} is done."'])


def records(count: int, *, projects: int) -> list[Record]:
    """Made records, the newest last; every fifth states a preference, every third repeats a steer."""
    made = []
    for number in range(count):
        at = 1_790_000_000 + number * 3600
        rule = f'"Always keep the {NOUNS[number % 10]} of m{number} behind a flag."' if number % 5 == 0 else ""
        text = body(number, rule)
        if number % 3 == 0:
            text = text.replace("- verified", '- correction: "Use pnpm, not npm."\n- verified', 1)
        made.append(
            Record(
                session_id=shapes.uuid7(at, f"r{number}"),
                version="v2",
                updated_at=at,
                path=f"/r/{number}.jsonl",
                cwd=f"/home/dev/p{number % projects}",
                rollout_summary=text,
                slug=f"m{number}",
            )
        )
    return made


# --- the budget ------------------------------------------------------------------------------------------------------


def test_preferences_stay_longest_then_recent_work_then_older_work_in_shorter_forms() -> None:
    made = records(300, projects=6)
    text = drafts_of(made).documents[FILE]
    doc = summary.parse(text)
    assert tokens.byte_length(text) < 10_000 and tokens.estimate(text) <= 2_500
    work = doc.of(Section.INDEX)
    recent = [line.thread_id for line in work if line.date]
    older = [line.thread_id for line in work if not line.date]
    newest_first = [r.session_id for r in reversed(made)]
    assert set(recent) == set(newest_first[: len(recent)]) and len(recent) >= 3
    assert older and set(older) == set(newest_first[len(recent) : len(recent) + len(older)])
    small = summary.parse(drafts_of(made, max_bytes=3_000, max_tokens=1_250).documents[FILE])
    share = {s: (len(small.of(s)) / len(doc.of(s))) for s in (Section.PREFERENCES, Section.INDEX)}
    assert share[Section.PREFERENCES] >= share[Section.INDEX] > 0


def test_what_a_smaller_budget_drops_is_named() -> None:
    made = records(60, projects=3)
    before = drafts_of(made).documents[FILE]
    after = drafts_of(made, current=before, max_bytes=3_000, max_tokens=1_250)
    assert after.losses and {loss.reason for loss in after.losses} == {"out of budget"}


def test_a_short_memory_is_filled_nearly_to_its_budget() -> None:
    text = drafts_of(records(300, projects=6)).documents[FILE]
    assert tokens.estimate(text) > 2_300


# --- why lines went --------------------------------------------------------------------------------------------------


def reasons(before: Sequence[Rollout], after: Sequence[Rollout], **more: object) -> dict[str, str]:
    """Reasons by lost line."""
    current = drafts_of([record_of(s) for s in before]).documents[FILE]
    drafts = drafts_of([record_of(s) for s in after], current=current, **more)
    lost = {loss.line: loss.reason for loss in drafts.losses}
    gone = {line.raw for line in summary.scan(current).lines} - {
        line.raw for line in summary.scan(drafts.documents[FILE]).lines
    }
    kept = {(line.scope, line.text, line.thread_id) for line in summary.scan(drafts.documents[FILE]).lines}
    for raw in gone:
        line = next(line for line in summary.scan(current).lines if line.raw == raw)
        assert raw in lost or (line.scope, line.text, line.thread_id) in kept or line.thread_id, raw
    return lost


GERMAN = session("Always write commit messages in German. Fix a.py.", day=1)


def reason_of(words: str, lost: dict[str, str]) -> str:
    [found] = [reason for line, reason in lost.items() if words in line]
    return found


def test_replaced() -> None:
    later = session("Actually, always write commit messages in English, not German any more. Fix b.py.", day=3)
    assert reason_of("in German.", reasons([GERMAN], [GERMAN, later])).startswith('replaced by "Actually, always write')


def test_merged_into_another_wording_and_into_a_wider_scope() -> None:
    again = session("Always write your commit messages in German. Fix b.py.", day=3)
    assert reason_of("in German.", reasons([GERMAN], [GERMAN, again])).startswith("merged into: ")
    other = session("Always write commit messages in German. Fix b.py.", day=3, cwd="/home/dev/api")
    assert reason_of("in German.", reasons([GERMAN], [GERMAN, other])).startswith("merged into: ")


def test_taken_out_by_hand() -> None:
    stone = Tombstone(
        subject=match.subject("Always write commit messages in German."),
        text='"Always write commit messages in German."',
        scope="~/shop",
        created_at=1_800_000_000,
    )
    assert reason_of("in German.", reasons([GERMAN], [GERMAN], tombstones=[stone])) == "taken out by hand"
    hidden = Tombstone(subject="", text="", created_at=1_800_000_000, thread_id=GERMAN.id)
    assert reason_of(GERMAN.id, reasons([GERMAN], [GERMAN], tombstones=[hidden])) == "taken out by hand"


def test_replaced_by_a_line_written_by_hand() -> None:
    claim = Claim(
        section=Section.PREFERENCES,
        text="Write commit messages in German, always.",
        scope="~/shop",
        created_at=1_800_000_000,
    )
    lost = reasons([GERMAN], [GERMAN], claims=[claim])
    assert reason_of("in German.", lost) == f"replaced by a line written by hand: {claim.text}"


def test_no_longer_selected_and_no_longer_supported() -> None:
    lost = reasons([GERMAN], [session("Fix the menu.", day=4)])
    assert reason_of("thread_id", lost) == "its session is no longer selected"
    assert reason_of("in German.", lost) == "no selected session supports it any more"


def test_a_steer_that_fewer_sessions_say() -> None:
    tasks = ("Upgrade vite.", "Add the search plugin.", "Write a changelog entry.")
    three = [session(t, "Use pnpm, not npm.", day=d) for d, t in enumerate(tasks, 1)]
    lost = reasons(three, three[1:])
    assert reason_of("pnpm, not npm", lost) == "fewer than 3 selected sessions of different tasks say it"


def test_a_tip_whose_words_changed_and_one_that_one_session_shows() -> None:
    def checked(day: int, result: str) -> Rollout:
        rollout = Rollout(name=f"c{day}", started=f"2026-11-{day:02d}T09:00:00Z").user(f"Extend page number {day}.")
        return rollout.patch(f"p{day}.py", new="x\n").run("make check", output=f"{result}\n").final("Done.")

    two = [checked(1, "11 passed"), checked(2, "12 passed")]
    assert reason_of("12 passed", reasons(two, [*two, checked(3, "19 passed")])).startswith("replaced by `make check`")
    assert reason_of("12 passed", reasons(two, two[1:])) == "fewer than two selected sessions show it"


# --- the same bytes --------------------------------------------------------------------------------------------------


@cache
def _made() -> tuple[tuple[Record, ...], str]:
    made = tuple(records(40, projects=4))
    return made, drafts_of(made).documents[FILE]


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_sources_does_not_matter(random: object) -> None:
    made, text = _made()
    inputs = inputs_of(made)
    shuffled = list(inputs.sources)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert OfflineEngine().consolidate(replace(inputs, sources=tuple(shuffled))).documents[FILE] == text


def test_sessions_of_one_second_are_told_apart_by_their_ids_only() -> None:
    made = [replace(r, updated_at=1_790_000_000) for r in records(30, projects=3)]
    assert drafts_of(made).documents[FILE] == drafts_of(made[::-1]).documents[FILE]


_SCRIPT = """
import hashlib
from tests.engines.test_summary import records
from tests.engines.tools import drafts_of, record_of
from tests.engines.test_preferences import poisoned
made = [*records(40, projects=4), record_of(poisoned())]
drafts = drafts_of(made, current=drafts_of(made[:30]).documents["memory_summary.md"], max_bytes=6000)
print(hashlib.sha256((made[-1].rollout_summary + repr(drafts)).encode()).hexdigest())
"""


def test_the_hash_seed_does_not_matter(env: dict[str, str]) -> None:
    root = Path(__file__).parents[2]
    said = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={**env, "PYTHONHASHSEED": seed, "PYTHONPATH": os.fspath(root)},
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(said) == 1 and len(said.pop().strip()) == len(hashlib.sha256().hexdigest())


# --- cost ------------------------------------------------------------------------------------------------------------


def test_comparisons_grow_with_the_records_and_not_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    same, conflict = match.same, match.conflict

    def counted_same(a: str, b: str) -> bool:
        nonlocal calls
        calls += 1
        return same(a, b)

    def counted_conflict(a: str, b: str) -> bool:
        nonlocal calls
        calls += 1
        return conflict(a, b)

    monkeypatch.setattr(match, "same", counted_same)
    monkeypatch.setattr(match, "conflict", counted_conflict)
    engine, counts = OfflineEngine(), []
    for count in (100, 1_000):
        calls = 0
        engine.consolidate(inputs_of(records(count, projects=count // 20)))
        counts.append(calls)
    assert 0 < counts[1] <= 10 * counts[0], counts


def test_a_session_that_worked_in_two_projects_tells_each_of_its_own_tasks() -> None:
    both = Rollout(cwd="/home/dev/api/src", name="both").user("Fix the parser.").final("Fixed.")
    both.user("Rename the logo file.", cwd="/home/dev/site/src").final("Renamed.")
    lines = summary.scan(drafts_of([record_of(both)]).documents[FILE]).of(Section.INDEX)
    told = {line.heading: line.text for line in lines}
    assert set(told) == {"~/api/src", "~/site/src"}
    assert "parser" in told["~/api/src"]
    assert "logo" not in told["~/api/src"]
    assert "logo" in told["~/site/src"]
    assert len({line.pointer for line in lines}) == 1
