"""What V1's templates write is what documents read, whatever the values are."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import clock, prompts
from memkit.documents import handbook, raw
from memkit.documents.handbook import SECTIONS, Block, HandbookLine, HandbookTask, Reference
from memkit.documents.raw import RawEntry
from memkit.prompts import one_line
from tests.test_round_trip import HOSTILE, LINE, WORD

TIME = st.integers(0, 4_000_000_000).map(clock.iso)
KEYWORD = LINE.filter(lambda text: "," not in text and not text.startswith("- ") and one_line(text.strip()) == text)


@st.composite
def entries(draw: st.DrawFn) -> RawEntry:
    return RawEntry(
        thread_id=draw(WORD).replace("`", "'"),
        updated_at=draw(TIME),
        cwd=draw(LINE),
        rollout_path=draw(LINE),
        rollout_summary_file=draw(WORD),
        text=draw(HOSTILE.map(one_line).filter(lambda text: not text.startswith("## Thread"))),
        line=0,
    )


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    project = draw(WORD)
    references = st.builds(
        Reference,
        pointer=WORD.map(lambda name: f"rollout_summaries/{name}"),
        line=st.just(0),
        thread_id=st.uuids().map(str),
        cwd=st.just("/home/dev/shop"),
        rollout_path=st.just("/x/rollout.jsonl"),
        updated_at=TIME,
    )
    task = st.builds(
        HandbookTask,
        number=st.just(0),
        title=LINE,
        line=st.just(0),
        references=st.lists(references, min_size=1, max_size=2).map(tuple),
        keywords=st.lists(KEYWORD, min_size=1, max_size=3).map(tuple),
    )
    found = draw(st.lists(task, min_size=1, max_size=3))
    lines = draw(st.lists(st.tuples(st.sampled_from(SECTIONS), LINE), max_size=5))
    return Block(
        name=draw(LINE),
        line=0,
        scope=draw(LINE),
        applies_to=f"cwd={project}; reuse_rule=here only",
        tasks=tuple(replace(task, number=number) for number, task in enumerate(found, 1)),
        lines=tuple(HandbookLine(section=s, text=text, line=0) for s, text in sorted(lines, key=_place)),
    )


def _place(pair: tuple[str, str]) -> int:
    return SECTIONS.index(pair[0])


@settings(max_examples=40)
@given(st.lists(entries(), max_size=3))
def test_raw_memories_come_back(written: list[RawEntry]) -> None:
    read = raw.parse(prompts.raw_memories(entries=written)).entries
    assert [replace(entry, line=0) for entry in read] == written


def _plain(block: Block) -> Block:
    tasks = tuple(
        replace(task, line=0, references=tuple(replace(r, line=0) for r in task.references)) for task in block.tasks
    )
    return replace(block, line=0, tasks=tasks, lines=tuple(replace(line, line=0) for line in block.lines))


@settings(max_examples=30)
@given(st.lists(blocks(), max_size=2))
def test_a_handbook_comes_back(written: list[Block]) -> None:
    read = handbook.parse(prompts.handbook(blocks=written)).blocks
    assert [_plain(block) for block in read] == written
