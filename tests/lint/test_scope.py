from __future__ import annotations

import pytest

from tests.lint.trees import body, found, places, tree
from tests.support.trees import RecordFile

FILE = "memory_summary.md"
RULE = "scope-mark-missing"
PREFERENCE = [(FILE, 6)]


def record(*bullets: str, cwd: str = "/home/dev/shop", name: str = "s1") -> RecordFile:
    return RecordFile(body=body(*bullets), cwd=cwd, name=name)


SHOP = record('preference (stated): "Always use pnpm here."')


def test_a_claim_of_one_project_needs_its_mark() -> None:
    findings = found(tree(SHOP, preferences=['"Always use pnpm here." (1 session, last 2026-11-20)']))
    assert places(findings, RULE) == PREFERENCE
    assert "`(in ~/shop) `" in findings[0].message
    assert places(found(tree(SHOP, preferences=['(in ~/shop) "Always use pnpm here."'])), RULE) == []


@pytest.mark.parametrize("label", ["preference (stated)", "correction", "decision"])
def test_each_kind_of_statement_counts(label: str) -> None:
    said = record(f'{label}: "Put helpers into lib, not into utils."')
    assert places(found(tree(said, preferences=['"Put helpers into lib, not into utils."'])), RULE) == PREFERENCE


def test_requests_and_words_of_the_assistant_are_no_statements() -> None:
    said = record('request: "Use pnpm"', 'reported: "Use pnpm"')
    assert places(found(tree(said, preferences=['"Use pnpm"'])), RULE) == []


def test_every_section_of_claims_is_judged() -> None:
    line = '"Always use pnpm here."'
    assert places(found(tree(SHOP, profile=[line])), RULE) == [(FILE, 4)]
    assert places(found(tree(SHOP, tips=[line])), RULE) == [(FILE, 8)]


def test_words_for_every_project_need_no_mark() -> None:
    said = 'preference (stated): "In all my projects, use pnpm."'
    assert places(found(tree(record(said), preferences=['"In all my projects, use pnpm."'])), RULE) == []


def test_who_the_user_is_needs_no_mark() -> None:
    said = 'preference (stated): "I\'m a Go developer."'
    assert places(found(tree(record(said), profile=['"I\'m a Go developer."'])), RULE) == []


def test_general_words_in_a_sentence_beside_it_do_not_widen_a_claim() -> None:
    said = record('correction: "In all my projects, squash commits. Use pnpm for the build scripts."')
    assert places(found(tree(said, preferences=['"Use pnpm for the build scripts."'])), RULE) == PREFERENCE
    assert places(found(tree(said, preferences=['"In all my projects, squash commits."'])), RULE) == []


def test_support_from_two_projects_needs_no_mark() -> None:
    other = record('correction: "Use pnpm here, always."', cwd="/home/dev/geo", name="s2")
    assert places(found(tree(SHOP, other, preferences=['"Always use pnpm here."'])), RULE) == []


def test_a_task_in_another_directory_is_of_that_project() -> None:
    other = record("project: /home/dev/geo", 'correction: "Always use pnpm here."', name="s2")
    assert places(found(tree(SHOP, other, preferences=['"Always use pnpm here."'])), RULE) == []


def test_sessions_that_are_not_in_the_tree_may_be_of_another_project() -> None:
    assert places(found(tree(SHOP, preferences=['"Always use pnpm here." (2 sessions, last 2026-11-20)'])), RULE) == []


def test_a_correction_keeps_the_scope_of_what_it_corrects() -> None:
    general = record(
        'preference (stated): "In all my projects, indent code with tabs."', cwd="/home/dev/geo", name="s2"
    )
    later = record('correction: "Indent code with spaces."')
    assert places(found(tree(general, later, preferences=['"Indent code with spaces."'])), RULE) == []
    assert places(found(tree(later, preferences=['"Indent code with spaces."'])), RULE) == PREFERENCE


def test_a_claim_from_outside_any_project_stays_in_its_record() -> None:
    findings = found(tree(record(*['correction: "Use pnpm"'], cwd="/home/dev"), preferences=['"Use pnpm"']))
    assert places(findings, RULE) == PREFERENCE
    assert "stays in its record" in findings[0].message


@pytest.mark.parametrize("mark", ["ad-hoc note", "by hand"])
def test_lines_that_the_user_wrote_are_exempt(mark: str) -> None:
    lines = [f'"Always use pnpm here." [{mark}]', f"(in ~/shop pnpm [{mark}]"]
    assert places(found(tree(SHOP, preferences=lines)), RULE) == []


@pytest.mark.parametrize(
    "line",
    ["(in ) Use pnpm", "(in) Use pnpm", "(in ~/shop Use pnpm", "(in shop) Use pnpm", "Use pnpm (in ~/shop)",
     "Use (in ~/geo) pnpm"],
)  # fmt: skip
def test_a_mark_that_cannot_be_read_is_found(line: str) -> None:
    known = {"~/geo": {"2026-11-20": [SHOP.index_line("x")]}}
    assert places(found(tree(SHOP, preferences=[line], index=known)), RULE) == PREFERENCE


@pytest.mark.parametrize(
    "line",
    ["(in ~/shop (old)) Use pnpm", "(in /srv/a b) x", r"(in C:\work) x", '"Use pnpm (in ~/shop)"',
     "Keep keys (in ~/.ssh) private", "Inline (in general) is fine", "(in ~/other) not of (in ~/shop)"],
)  # fmt: skip
def test_brackets_that_are_no_broken_mark_are_not(line: str) -> None:
    assert places(found(tree(SHOP, preferences=[line])), RULE) == []


def test_index_lines_carry_no_marks() -> None:
    index = {"~/shop": {"2026-11-20": [SHOP.index_line('"Always use pnpm here."'), "(in x"]}}
    assert places(found(tree(SHOP, index=index)), RULE) == []
