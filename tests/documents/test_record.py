from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import prompts, tokens
from memkit.documents import Malformed, record

HEADER = (
    "thread_id: 01a2194d-1db1-7401-baa6-e4bd56804014\n"
    "updated_at: 2026-11-26T19:40:36+00:00\n"
    "rollout_path: /home/dev/.codex/sessions/r.jsonl\n"
    "cwd: /home/dev/my shop\n"
)
BODY = """# Retry limit

## Task 1: Raise the retry limit
- outcome: success
- request: "Raise the "retry" limit to 5."
- correction: "No — only for payments."
- preference (stated): "Always run `make test`." and "Never mock time."
- verified: `pytest -q` — 12 passed
- failed: `make lint` — exit 1; fixed by: `ruff format`

## Task 2: Say hello
- outcome: unfinished
- project: ~/other
- failed: `make` — no rule; exit 2"""


def test_a_record_is_read_with_line_numbers() -> None:
    doc = record.parse(f"{HEADER}git_branch: main\n\n{BODY}\n")
    assert (doc.thread_id[:8], doc.cwd, doc.git_branch, doc.body_line) == ("01a2194d", "/home/dev/my shop", "main", 7)
    assert doc.time == 1795722036
    assert (doc.body.shape, doc.body.title, doc.body.text) == ("offline", "Retry limit", BODY)
    first, second = doc.body.tasks
    assert (first.number, first.title, first.line, first.outcome) == (1, "Raise the retry limit", 9, "success")
    assert [bullet.line for bullet in first.bullets] == [10, 11, 12, 13, 14, 15]
    assert (second.outcome, second.project, first.project) == ("unfinished", "~/other", "")


def test_bullets_give_their_quotes_commands_results_and_fixes() -> None:
    first, second = record.body_of(BODY).tasks
    request, correction, preference, verified, failed = first.bullets[1:]
    assert request.quotes == ('Raise the "retry" limit to 5.',)
    assert correction.quotes == ("No — only for payments.",)
    assert preference.quotes == ("Always run `make test`.", "Never mock time.")
    assert verified.verified == ("pytest -q", "12 passed")
    assert failed.failed == ("make lint", "exit 1", "`ruff format`")
    assert second.labelled("failed")[0].failed == ("make", "no rule; exit 2", "")
    assert [bullet.label for bullet in first.labelled("request", "correction")] == ["request", "correction"]


def test_a_header_without_branch_or_directory_is_good() -> None:
    doc = record.parse(HEADER.replace("/home/dev/my shop", "") + f"\n{BODY}\n")
    assert (doc.cwd, doc.git_branch, doc.body_line) == ("", "", 6)


def test_golden_records_are_read_and_kept_as_another_shape(golden: Path) -> None:
    outputs = json.loads((golden / "stage1_outputs.json").read_text())
    files = sorted((golden / "memories_v2" / "rollout_summaries").glob("*.md"))
    assert files
    for file in files:
        doc = record.parse(file.read_bytes().decode())
        assert doc.body.text == outputs[doc.thread_id]["v2"]["rollout_summary"]
        assert doc.body.shape == "other"
        assert doc.body.tasks[0].title.startswith("demo ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        (f"{HEADER}{BODY}\n", 5),
        (f"{HEADER}\n\n{BODY}\n", 6),
        (f"{HEADER}\n{BODY}", 19),
        (f"{HEADER}\n", 6),
        (HEADER, 5),
        (f"{HEADER}\n{BODY}\n".replace("updated_at: 2026-11-26T19:40:36+00:00", "updated_at: yesterday"), 2),
        (f"{HEADER}\n{BODY}\n".replace("updated_at: 2026-11-26T19:40:36+00:00", "updated_at: 2026-11-26"), 2),
        (f"{HEADER}\n{BODY}\n".replace("rollout_path", "path"), 3),
        (f"{HEADER}\n{BODY}\n".replace("thread_id: 01a2194d-1db1-7401-baa6-e4bd56804014", "thread_id:"), 1),
        (f"git_branch: main\n{HEADER}\n{BODY}\n", 1),
        (f"{HEADER}\n{BODY}\n".replace("\n", "\r\n"), 2),
    ],
)
def test_a_header_that_is_off_is_malformed_at_its_line(text: str, line: int) -> None:
    with pytest.raises(Malformed) as caught:
        record.parse(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("body", "strays"),
    [
        ("Just prose.", (1,)),
        ("# T\n\n## Task 2: a\n- outcome: success", (3,)),
        ("# T\n\n## Task 1: a\n- outcome: great", (4,)),
        ("# T\n\n## Task 1: a\n- mood: fine\n  more", (4, 5)),
        ("# T\n- request: early\n## Task 1: a", (2,)),
        ("# T", ()),
        ("## Task 1: a\n- outcome: success", (1,)),
    ],
)
def test_other_bodies_are_kept_as_they_are(body: str, strays: tuple[int, ...]) -> None:
    read = record.body_of(body)
    assert (read.shape, read.strays, read.text) == ("other", strays, body)


def test_the_mark_of_a_cut_is_no_stray_text() -> None:
    whole = "\n".join([BODY, *(f"- reference: number {n}" for n in range(50))])
    read = record.body_of(tokens.cut_lines(whole, max_bytes=700))
    assert read.text.endswith("left out …]")
    assert read.shape == "offline"
    assert len(read.tasks) == 2


_FREE = [label for label in record.LABELS if label != "outcome"]
_WORDS = st.text(alphabet=st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), max_size=40)


@given(title=_WORDS, texts=st.lists(st.tuples(st.sampled_from(_FREE), _WORDS), max_size=5), cwd=_WORDS)
def test_what_the_templates_write_is_read_back(title: str, texts: list[tuple[str, str]], cwd: str) -> None:
    task = prompts.TaskBlock(title=f"t {title}", outcome="partial", bullets=tuple(texts))
    text = prompts.record_body(title=f"t {title}", tasks=[task, task])
    file = prompts.record(
        thread_id="s1", updated_at=1795722036, rollout_path="/r.jsonl", cwd=cwd, git_branch="", text=text
    )
    doc = record.parse(file)
    assert (doc.thread_id, doc.time, doc.cwd) == ("s1", 1795722036, prompts.one_line(cwd))
    assert (doc.body.text, doc.body.shape) == (text, "offline")
    written = sorted((label, prompts.one_line(said)) for label, said in texts if prompts.one_line(said))
    for read in doc.body.tasks:
        assert read.title == prompts.one_line(f"t {title}")
        assert sorted((bullet.label, bullet.text) for bullet in read.bullets if bullet.label != "outcome") == written
        assert read.outcome == "partial"


@given(st.text())
def test_any_text_is_a_record_or_malformed(text: str) -> None:
    try:
        doc = record.parse(text)
    except Malformed as error:
        assert error.line >= 1
    else:
        assert doc.body.text
