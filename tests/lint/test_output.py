from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memkit.lint import render
from memkit.model import Finding

GATE = Finding(file="a,b:c.md", line=0, rule="secret", message="50% off\nnow", gates=True)
WARN = Finding(file="memory_summary.md", line=7, rule="line-too-long", message="2,100 bytes: too long")


def test_text_has_a_line_a_finding() -> None:
    assert render([WARN]) == "memory_summary.md:7: line-too-long: 2,100 bytes: too long"
    assert render([]) == ""


def test_a_file_name_cannot_move_the_terminal() -> None:
    odd = Finding(file="a\x1b[2J\nb\udc80é.md", line=1, rule="unknown-file", message="x")
    assert render([odd]) == "a\\x1b[2J\\nb\\udc80é.md:1: unknown-file: x"


def test_json_has_the_four_keys() -> None:
    assert json.loads(render([WARN, GATE], "json")) == [
        {"file": "memory_summary.md", "line": 7, "rule": "line-too-long", "message": "2,100 bytes: too long"},
        {"file": "a,b:c.md", "line": 0, "rule": "secret", "message": "50% off\nnow"},
    ]
    assert json.loads(render([], "json")) == []


def test_github_annotations_are_escaped() -> None:
    assert render([GATE, WARN], "github").split("\n") == [
        "::error file=a%2Cb%3Ac.md,line=1,title=secret::50%25 off%0Anow",
        "::warning file=memory_summary.md,line=7,title=line-too-long::2,100 bytes: too long",
    ]


@given(file=st.text(), message=st.text())
def test_any_names_and_words_can_be_printed(file: str, message: str) -> None:
    finding = Finding(file=file, line=1, rule="secret", message=message, gates=True)
    for form in ("text", "github", "json"):
        assert render([finding], form).encode()
    assert "\n" not in render([finding], "github")
