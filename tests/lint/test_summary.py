from __future__ import annotations

import pytest

from memkit import tokens
from memkit.lint import lint_tree
from tests.lint.trees import body, found, found_in, places, tree
from tests.support import trees
from tests.support.trees import RecordFile

FILE = "memory_summary.md"
SHOP = RecordFile(body=body('request: "Raise the retry limit."'))


def rules(text: str) -> set[str]:
    return {finding.rule for finding in found_in(FILE, text)}


def test_the_first_line_must_be_the_version() -> None:
    good = trees.summary()
    assert "summary-first-line" in rules("\n" + good)
    assert "summary-first-line" in rules(good.replace("v1", "v1 "))
    assert rules(good) == set()


def test_the_four_sections_stand_once_and_in_order() -> None:
    good = trees.summary()
    assert rules(good.replace("## General Tips", "## Tips")) == {"summary-sections"}
    assert rules(good + "\n## User Profile\n") == {"summary-sections"}
    assert rules(good.replace("## General Tips", "## General Tips  ")) == set()


def test_bytes_must_stay_under_the_limit() -> None:
    line = "ä" * 100 + "\n"
    text = trees.summary()
    text += line * ((9_999 - len(text.encode())) // len(line.encode()))
    text += "x" * (9_999 - len(text.encode()))
    files = {FILE: text.encode()}
    assert len(files[FILE]) == 9_999
    assert places(lint_tree(files, max_bytes=10_000, max_tokens=10_000), "summary-bytes") == []
    assert places(lint_tree(files, max_bytes=9_999, max_tokens=10_000), "summary-bytes") == [(FILE, 0)]


def test_tokens_may_reach_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "count", lambda text: text.count("word"))
    files = tree(profile=[" ".join(["word"] * 40)])
    assert places(lint_tree(files, max_bytes=10_000, max_tokens=40), "summary-tokens") == []
    assert places(lint_tree(files, max_bytes=10_000, max_tokens=39), "summary-tokens") == [(FILE, 0)]


def test_a_text_with_fewer_bytes_than_tokens_allowed_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "count", lambda _: pytest.fail("counted"))
    assert found(tree()) == ()


def test_a_pointer_must_name_a_file_of_the_tree() -> None:
    index = {"~/shop": {"2026-11-20": [SHOP.index_line("x")]}}
    assert places(found(tree(index=index)), "pointer-missing") == [(FILE, 14)]
    assert places(found(tree(SHOP, index=index)), "pointer-missing") == []


def test_paths_in_running_text_are_pointers_but_not_in_quotes_code_or_other_folders() -> None:
    said = [
        "see rollout_summaries/gone.md",
        '"never touch rollout_summaries/gone.md"',
        "`cat rollout_summaries/gone.md` works",
        "see /srv/rollout_summaries/gone.md",
        "see rollout_summaries/ for more",
    ]
    assert places(found(tree(tips=said)), "pointer-missing") == [(FILE, 8)]


def test_an_index_line_has_the_thread_of_its_file() -> None:
    good = SHOP.index_line("x")
    other = good.replace(SHOP.id, "01a2194d-1db1-7401-baa6-e4bd56804014")
    assert places(found(tree(SHOP, index={"~/a": {"2026-11-20": [other]}})), "thread-id-mismatch") == [(FILE, 14)]
    assert places(found(tree(SHOP, index={"~/a": {"2026-11-20": [good]}})), "thread-id-mismatch") == []


def test_a_file_name_belongs_to_the_thread_beside_it() -> None:
    line = SHOP.index_line("x").replace(SHOP.id, "01a2194d-1db1-7401-baa6-e4bd56804014")
    text = trees.summary(index={"~/a": {"2026-11-20": [line]}})
    assert places(found_in(FILE, text), "thread-id-mismatch") == [(FILE, 14)]
    odd = trees.summary(index={"~/a": {"2026-11-20": ["rollout_summaries/odd.md — x; thread_id=1"]}})
    assert places(found_in(FILE, odd), "thread-id-mismatch") == []


@pytest.mark.parametrize(
    "said",
    [
        "The migration is done",
        "All tests passing.",
        "CI passes on main",
        "The release is ready; ship on Monday",
        "The rewrite is in progress",
        "Deployed to staging",
        "The flaky test is fixed (for good)",
    ],
)
def test_a_status_without_a_date_is_found(said: str) -> None:
    assert places(found(tree(tips=[said])), "status-undated") == [(FILE, 8)]
    assert places(found(tree(index={"~/a": {"2026-11-20": [said]}})), "status-undated") == [(FILE, 14)]


@pytest.mark.parametrize(
    "said",
    [
        "The migration is done as of 2026-11-20",
        '"The migration is done"',
        "`make done` says so",
        "Run the tests until they are passing",
        "When the work is finished, say so",
        "Never call it done before the tests ran",
        "Keep the working directory clean",
        "Use fixed-width columns and production-ready names",
        "Read done.py first",
        "Answer in complete sentences",
        "The migration is done [by hand]",
        "The migration is done [ad-hoc note]",
        "Abandoned, unfixed, alreadyness",
    ],
)
def test_what_only_looks_like_a_status_is_not(said: str) -> None:
    assert places(found(tree(tips=[said])), "status-undated") == []


def test_lines_that_say_the_same_in_a_section_are_found() -> None:
    files = tree(preferences=["Use pnpm.", "use  PNPM", "(in ~/a) Use pnpm.", '"Commit after each step."'])
    assert places(found(files), "duplicate-line") == [(FILE, 7)]


def test_near_duplicates_are_found_and_contraries_are_not() -> None:
    near = ['"Always run the unit tests before a commit."', '"Before a commit, always run the unit tests."']
    assert places(found(tree(preferences=near)), "duplicate-line") == [(FILE, 7)]
    contrary = ['"Always use tabs for indentation."', '"Always use spaces for indentation."']
    assert places(found(tree(preferences=contrary)), "duplicate-line") == []


def test_one_line_in_two_sections_and_two_sessions_of_one_title_are_no_duplicates() -> None:
    again = RecordFile(body=SHOP.body, name="again", started="2026-11-21T09:00:00Z")
    files = tree(
        SHOP,
        again,
        profile=["Works on macOS"],
        tips=["Works on macOS"],
        index={"~/a": {"2026-11-21": [SHOP.index_line('"Fix it"'), again.index_line('"Fix it"')]}},
    )
    assert places(found(files), "duplicate-line") == []


def test_a_file_that_the_index_names_twice_is_found() -> None:
    index = {"~/a": {"2026-11-21": [SHOP.index_line("x")], "2026-11-20": [SHOP.index_line("y")]}}
    assert places(found(tree(SHOP, index=index)), "duplicate-line") == [(FILE, 17)]


def test_long_lines_are_measured_in_bytes() -> None:
    assert places(found(tree(tips=["ä" * 999])), "line-too-long") == []
    assert places(found(tree(tips=["ä" * 1_000])), "line-too-long") == [(FILE, 8)]
