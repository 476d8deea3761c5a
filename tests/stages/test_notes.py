"""What a note names, and whether the memory carries it out, asked of texts in memory."""

from __future__ import annotations

import pytest

from memkit import prompts
from memkit.model import Claim, Note, Section, Tombstone
from memkit.stages.notes import matches
from memkit.stages.notes.standing import Memory

AT = 1_795_608_000  # 2026-11-25T12:00:00Z
HEAD = "v1\n\n## User Profile\n\n## User preferences\n\n"
TAIL = "\n## General Tips\n\n## What's in Memory\n"


def record(body: str, *, at: int = AT - 86_400, cwd: str = "/home/dev/shop") -> bytes:
    return prompts.record(
        thread_id="t1", updated_at=at, rollout_path="/r.jsonl", cwd=cwd, git_branch="main", text=body
    ).encode()


def tree(*lines: str, body: str = "", at: int = AT - 86_400) -> dict[str, bytes]:
    files = {"memory_summary.md": (HEAD + "".join(f"{line}\n" for line in lines) + TAIL).encode()}
    return {**files, "rollout_summaries/2026-11-24T09-00-00-aaaa.md": record(body, at=at)} if body else files


def note(kind: str, text: str, *, project: str | None = None) -> Note:
    return Note(id="n1", kind=kind, text=text, project=project, created_at=AT, order=AT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("in dark blue, my diagrams with graphviz", "I always prefer dark blue diagrams drawn with graphviz."),
        ("deploying on Fridays", "Never deploy on a Friday."),
        ("темно-синие диаграммы graphviz", "Я всегда предпочитаю тёмно-синие диаграммы, нарисованные в graphviz."),
        ("запуск тестов через pytest", "Всегда запускай тесты с pytest."),
        ("deutsche Commit-Nachrichten", "Schreibe Commit-Nachrichten immer auf Deutsch."),
        ("das Deployen am Freitag", "Bitte nie freitags deployen."),
        ("日本語のコミットメッセージ", "コミットメッセージは必ず日本語で書いてください。"),
        ("紺色の図", "図は必ず紺色で描いてください。"),
    ],
)
def test_a_request_names_a_line_in_other_words_order_and_forms(request_: str, line: str) -> None:
    other = "Keep the changelog short."
    (found,) = matches(
        files=tree(f'- "{line}" (1 session, last 2026-11-20)', f"- {other}"), text=request_, project=None
    )
    assert (found.file, found.line) == ("memory_summary.md", 7) and line in found.text


@pytest.mark.parametrize(
    ("request_", "line"),
    [("test", "run the attestation"), ("car", "Keep the carousel"), ("use", "Always use uv."), ("a", "a plan")],
)
def test_a_part_of_a_word_or_a_word_of_every_line_names_nothing(request_: str, line: str) -> None:
    assert matches(files=tree(f"- {line}"), text=request_, project=None) == []


def test_a_request_of_a_project_names_lines_of_its_records_and_blocks_only() -> None:
    files = tree(
        "- (in /a) Use tabs for indentation.",
        "- (in /b) Use tabs for indentation.",
        body='# T\n\n## Task 1: x\n- preference (stated): "Use tabs for indentation."\n',
    )
    block = (
        "# Task Group: {0}\nscope: w\napplies_to: cwd={0}; reuse_rule=r\n\n"
        "## User preferences\n\n- Use tabs for indentation.\n"
    )
    files["MEMORY.md"] = (block.format("/a") + "\n" + block.format("/b")).encode()
    found = matches(files=files, text="indentation tabs", project="/a", project_of=lambda cwd: cwd)
    assert [(place.file, place.line) for place in found] == [("memory_summary.md", 7), ("MEMORY.md", 7)]
    found = matches(files=files, text="indentation tabs", project="/home/dev/shop", project_of=lambda cwd: cwd)
    assert [place.file for place in found] == ["rollout_summaries/2026-11-24T09-00-00-aaaa.md"]


TABS = '# T\n\n## Task 1: x\n- preference (stated): "Use tabs for indentation."\n'


@pytest.mark.parametrize(
    ("files", "project", "done"),
    [
        (tree("- Keep it short."), None, True),
        (tree("- Use tabs for indentation. (1 session, last 2026-11-20)"), None, False),
        (tree("- Use tabs for indentation. (2 sessions, last 2026-11-26)"), None, True),  # said again since
        (tree("- Use tabs for indentation. [ad-hoc note]"), None, False),
        (tree(body=TABS), None, False),
        (tree(body=TABS, at=AT + 60), None, True),
        (tree("- Use tabs for indentation. (2 sessions, last 2026-11-25)", body=TABS, at=AT + 60), None, True),
        (tree(body=TABS), "/elsewhere", True),
        (tree(body=TABS), "/home/dev/shop", False),
        (tree("- (in /elsewhere) Use tabs for indentation."), "/home/dev/shop", True),
    ],
)
def test_a_request_to_forget_holds_while_no_file_of_its_time_says_it(
    files: dict[str, bytes], project: str | None, done: bool
) -> None:
    memory = Memory(files, project_of=lambda cwd: cwd)
    assert memory.holds(note("forget", "indentation with tabs", project=project)) is done


def test_a_later_note_that_says_it_again_does_not_undo_the_request_to_forget() -> None:
    claim = Claim(section=Section.PREFERENCES, text="Use tabs for indentation.", created_at=AT, source="note:n2")
    memory = Memory(tree("- Use tabs for indentation. [ad-hoc note]"), [claim])
    assert memory.holds(note("forget", "tabs for indentation"))


def test_a_correction_holds_while_its_words_are_there_and_what_it_corrects_is_not() -> None:
    new, old = "The host is db-9.", "The host is db-1."
    stone = Tombstone(subject="", text=old, created_at=AT, source="correct:n1")
    asked = note("correct", new)
    assert Memory(tree(f"- {new} [ad-hoc note]"), stones=[stone]).holds(asked)
    assert not Memory(tree(f"- {new} [ad-hoc note]", f"- {old}"), stones=[stone]).holds(asked)
    assert not Memory(tree(f"- {old}"), stones=[stone]).holds(asked)
    assert Memory(tree(f"- {new} [ad-hoc note]", f"- (in /other) {old}"), stones=[stone]).holds(asked)
