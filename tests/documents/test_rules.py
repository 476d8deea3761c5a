"""rules.yaml: read with a line for each fault, changed with comments and order kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.documents import rules
from memkit.errors import ConfigError
from memkit.model import Rule

PATH = Path("rules.yaml")
TEXT = """\
# Ours.
rules:
  # From the incident in May.
  - id: use-pnpm
    text: "Use pnpm, not npm."   # said three times
    date: 2026-11-20
  - id: tests
    text: Run the tests.
    why: They are quick.
"""
RULE = Rule(id="new", text="Ask first: always # really", project="~/work/shop", glob="*.go", date="2026-11-25")


def test_a_file_is_read_in_its_order() -> None:
    first, second = rules.parse(TEXT, path=PATH)
    assert (first.id, first.text, first.date) == ("use-pnpm", "Use pnpm, not npm.", "2026-11-20")
    assert (second.id, second.why, second.origin) == ("tests", "They are quick.", "written")


def test_changes_leave_every_other_line_as_it_is() -> None:
    more = rules.added(TEXT, RULE, path=PATH)
    assert more.startswith(TEXT) and rules.parse(more, path=PATH)[-1] == RULE
    other = rules.changed(more, Rule(id="tests", text="Run all tests.", why="They are quick."), path=PATH)
    assert other.splitlines()[: TEXT.count("\n") - 2] == TEXT.splitlines()[:-2]
    assert "text: Run all tests." in other
    less = rules.removed(other, "new", path=PATH)
    assert [rule.id for rule in rules.parse(less, path=PATH)] == ["use-pnpm", "tests"]
    assert "# Ours." in less and "# said three times" in less and "# From the incident in May." in less


def test_line_ends_stay() -> None:
    crlf = TEXT.replace("\n", "\r\n")
    assert rules.added(crlf, RULE, path=PATH).count("\n") == rules.added(crlf, RULE, path=PATH).count("\r\n")


def test_the_first_rule_makes_the_file() -> None:
    made = rules.added("", RULE, path=PATH)
    assert made.startswith("# ") and rules.parse(made, path=PATH) == (RULE,)
    assert rules.parse(rules.removed(made, "new", path=PATH), path=PATH) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: [", "rules.yaml:1: not valid YAML"),
        ("rules: 3", "must be a list of rules"),
        ("rules:\n  - a", "must be a list of rules"),
        ("rule: []", "must have one key, `rules`"),
        ("- a", "must have one key, `rules`"),
        ("rules:\n  - id: a\n", "rules.yaml:2: the rule a has no text"),
        ("rules:\n  - id: A b\n    text: x\n", "rules.yaml:2: id must be"),
        ("rules:\n  - id: a\n    text: x\n  - id: a\n    text: y\n", "rules.yaml:4: there are two rules a"),
        ("rules:\n  - id: a\n    text: x\n    colour: red\n", "rules.yaml:2: unknown key colour"),
        ("rules:\n  - id: a\n    text: [x]\n", "text must be text"),
        ("rules:\n  - id: a\n    text: x\n    origin: dreamt\n", "origin must be written or promoted"),
        ("rules:\n  - id: a\n    text: x\n    sessions: s1\n", "sessions must be a list"),
        ("a: &a [" + "[" * 5_000, "not valid YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        rules.parse(text, path=PATH)
    assert said in str(error.value)


line = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\x85\u2028\u2029\ufeff"), max_size=60)


@given(text=line.filter(lambda t: " ".join(t.split())), why=line, glob=line)
def test_any_words_come_back_as_they_were_put_in(text: str, why: str, glob: str) -> None:
    text, why, glob = (" ".join(each.split()) for each in (text, why, glob))
    rule = Rule(id="a", text=text, why=why, glob=glob or None)
    assert rules.parse(rules.added(TEXT, rule, path=PATH), path=PATH)[-1] == rule


@pytest.mark.parametrize(
    ("text", "taken", "name"),
    [
        ("Use pnpm, not npm.", (), "use-pnpm-not-npm"),
        ("Use pnpm, not npm.", ("use-pnpm-not-npm",), "use-pnpm-not-npm-2"),
        ("Всегда проверяй.", (), "rule"),
        ("Всегда проверяй.", ("rule", "rule-2"), "rule-3"),
    ],
)
def test_a_rule_gets_a_name_of_its_words(text: str, taken: tuple[str, ...], name: str) -> None:
    assert rules.new_id(text, taken) == name
