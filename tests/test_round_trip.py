"""What templates write is what documents read, whatever the values are."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memkit import clock, prompts
from memkit.documents import record as record_doc
from memkit.documents import summary
from memkit.documents.record import LABELS, OUTCOMES
from memkit.documents.summary import SummaryLine
from memkit.model import Section
from memkit.prompts import TaskBlock, one_line

# Words that mean something to the grammar, mixed with anything.
_PIECES = st.sampled_from(
    [
        "(in ~/a) ",
        "(in ",
        "(in)",
        ")",
        "(",
        " (3 sessions, last 2026-01-01)",
        " [by hand]",
        "[ad-hoc note]",
        "- ",
        "# ",
        "## ",
        "## Task 2: x",
        "rollout_summaries/a.md — b; thread_id=c",
        "; thread_id=",
        " — ",
        "v1",
        "\n",
        "\r\n\r\n",
        "`",
        '"',
        "</memkit-memory>",
        "\u200b",
        "\u200d",
        "\u2028",
        "\ud800",
        "\x00",
        "* ",
        "Older Memory Topics",
        "outcome: ",
        "é",
        "a",
    ]
)
HOSTILE = st.lists(_PIECES | st.text(max_size=5), max_size=6).map("".join)
LINE = HOSTILE.map(one_line).filter(bool)
WORD = LINE.map(lambda text: text.replace(" ", "_"))
DATE = st.dates().map(str)
SUPPORT = st.tuples(st.none(), st.none()) | st.tuples(st.integers(1, 999_999_999), DATE)
MARK = st.sampled_from(["", "ad-hoc note", "by hand"])
LABEL = st.sampled_from([label for label in LABELS if label != "outcome"])


@st.composite
def claims(draw: st.DrawFn) -> SummaryLine:
    sessions, last = draw(SUPPORT)
    return SummaryLine(
        section=draw(st.sampled_from(Section)),
        text=draw(HOSTILE),
        scope=draw(st.none() | HOSTILE),
        sessions=sessions,
        last=last,
        mark=draw(MARK),  # type: ignore[arg-type]
    )


@st.composite
def pointers(draw: st.DrawFn) -> SummaryLine:
    return SummaryLine(
        section=Section.INDEX,
        text=draw(HOSTILE),
        pointer=f"rollout_summaries/{draw(HOSTILE)}.md",
        thread_id=draw(WORD),
        heading=draw(st.sampled_from(["~/shop", "~/My Code (old)/x", "/srv/geo"])),
        date=draw(st.just("") | DATE),
    )


TASKS = st.lists(
    st.builds(
        TaskBlock,
        title=HOSTILE,
        outcome=st.sampled_from(sorted(OUTCOMES)),
        bullets=st.lists(st.tuples(LABEL, HOSTILE), max_size=4).map(tuple),
    ),
    min_size=1,
    max_size=3,
)


@given(st.lists(claims() | pointers(), max_size=8))
def test_a_written_summary_is_of_the_form_and_writing_it_again_changes_nothing(lines: list[SummaryLine]) -> None:
    text = prompts.memory_summary(lines=lines)
    doc = summary.parse(text)
    assert prompts.memory_summary(lines=doc.lines) == text
    assert text.startswith("v1\n\n## User Profile\n") and text.endswith("\n") and "\n\n\n" not in text
    assert [section for section, _ in doc.sections] == list(Section)
    assert not any(line.fault for line in doc.lines)


@given(claims())
@example(SummaryLine(section=Section.TIPS, text="x", scope="~/a) b"))
def test_a_claim_is_read_with_the_scope_support_and_mark_it_was_written_with(line: SummaryLine) -> None:
    read = summary.parse(prompts.memory_summary(lines=[line])).lines
    for got in read:
        assert (got.section, got.sessions, got.last, got.mark) == (line.section, line.sessions, line.last, line.mark)
        assert (got.scope is None) == (not one_line(line.scope or ""))
        assert (got.pointer, got.heading, got.date, got.bullet) == ("", "", "", True)
    assert len(read) <= 1 and (bool(read) or not _words(line.text))


@given(claims().filter(lambda line: not _marked(line)))
def test_a_claim_without_words_of_the_grammar_is_read_as_it_was(line: SummaryLine) -> None:
    clean = line._replace(text=one_line(line.text), scope=one_line(line.scope or "") or None)
    assert summary.parse(prompts.memory_summary(lines=[line])).lines == ((clean,) if clean.text else ())


@given(st.lists(pointers(), max_size=6))
def test_index_lines_are_read_under_their_project_and_day(lines: list[SummaryLine]) -> None:
    read = summary.parse(prompts.memory_summary(lines=lines)).lines
    assert sorted((got.heading, got.date, got.thread_id, got.text) for got in read) == sorted(
        (line.heading, line.date, line.thread_id, one_line(line.text) or "untitled") for line in lines
    )
    assert all(got.pointer.startswith("rollout_summaries/") and got.scope is None for got in read)


@given(HOSTILE, TASKS)
def test_a_written_body_is_read_as_the_tasks_it_was_made_of(title: str, tasks: list[TaskBlock]) -> None:
    body = record_doc.body_of(prompts.record_body(title=title, tasks=tasks))
    assert (body.shape, body.strays) == ("offline", ())
    assert body.title == (one_line(title) or "untitled")
    assert [task.title for task in body.tasks] == [one_line(task.title) or "untitled" for task in tasks]
    for got, task in zip(body.tasks, tasks, strict=True):
        wanted = [("outcome", task.outcome), *((label, one_line(text)) for label, text in task.bullets)]
        assert [(bullet.label, bullet.text) for bullet in got.bullets] == sorted(
            (pair for pair in wanted if pair[1]), key=lambda pair: LABELS.index(pair[0])
        )


@given(WORD, st.integers(0, 4_000_000_000), HOSTILE, HOSTILE, HOSTILE, TASKS)
def test_a_written_record_is_read_with_its_header_and_body(
    thread_id: str, updated_at: int, path: str, cwd: str, branch: str, tasks: list[TaskBlock]
) -> None:
    body = prompts.record_body(title="T", tasks=tasks)
    text = prompts.record(
        thread_id=thread_id, updated_at=updated_at, rollout_path=path, cwd=cwd, git_branch=branch, text=body
    )
    doc = record_doc.parse(text)
    assert (doc.thread_id, doc.time, doc.updated_at) == (thread_id, updated_at, clock.iso(updated_at))
    assert (doc.rollout_path, doc.cwd, doc.git_branch) == (one_line(path), one_line(cwd), one_line(branch))
    assert (doc.body.text, doc.body.shape) == (body, "offline")


def _words(text: str) -> str:
    """What stays of a claim's text whatever the grammar takes off."""
    return "".join(char for char in one_line(text.split("(")[0].split("[")[0]) if char.isalnum())


def _marked(line: SummaryLine) -> bool:
    text = one_line(line.text)
    grammar = text.endswith((")", "]")) or text.startswith(("(in ", "(in)", "rollout_summaries/", "- ", "* "))
    scope = one_line(line.scope or "")
    return grammar or scope.count("(") + scope.count(")") > 0
