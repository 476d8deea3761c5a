"""rules.yaml: read with a line for each fault, changed with comments and order kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
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
BILLION = "rules:\n  - id: a\n    text: x\n    why:\n      - &a0 [x]\n" + "".join(
    f"      - &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
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


# Layouts that an owner may like: what stands before, between and behind the rules, and how an entry is written.
AROUND = ["", "\n", "  # about it\n", "# far left\n\n"]
ENTRIES = [
    "  - id: ID\n    text: Use tabs.   # often said\n",
    "  -   id: ID\n      text: >-\n        Use\n\n        # tabs.\n      date: 2026-11-20\n",
    "  - text: 'It''s tabs.'\n    # inside\n    glob: '*.py'   # these\n    id: ID\n",
    '  - id: ID\n    why: |\n      Because.\n    text: "Use \\\n      tabs."\n    sessions:\n      - s1\n',
    "  - {id: ID, text: Use tabs., why: so}\n",
]


@settings(max_examples=30)
@given(
    parts=st.lists(st.tuples(st.sampled_from(AROUND), st.sampled_from(ENTRIES)), min_size=1, max_size=4),
    tail=st.sampled_from([*AROUND, "...\n"]),
    head=st.sampled_from(["rules:\n", "\ufeff# Ours.\nrules:   # all\n", "%YAML 1.1\n---\nrules:\n"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    at=st.integers(0, 3),
)
def test_a_change_touches_its_own_lines_only(
    parts: list[tuple[str, str]], tail: str, head: str, newline: str, at: int
) -> None:
    at %= len(parts)
    rows = [entry.replace("ID", f"r{n}") for n, (_, entry) in enumerate(parts)]
    pieces = [piece for (around, _), row in zip(parts, rows, strict=True) for piece in (around, row)]

    def page(pieces: list[str], *, behind: str = tail) -> str:
        return (head + "".join(pieces) + behind).replace("\n", newline)

    text = page(pieces)
    before = rules.parse(text, path=PATH)
    assert rules.removed(text, f"r{at}", path=PATH) == page([*pieces[: 2 * at + 1], *pieces[2 * at + 2 :]])
    new = replace(before[at], text="Say: “so” # or [not]")
    changed = rules.changed(text, new, path=PATH)
    assert rules.parse(changed, path=PATH) == (*before[:at], new, *before[at + 1 :])
    assert changed.startswith(page(pieces[: 2 * at + 1], behind="")) and changed.endswith(
        page(pieces[2 * at + 2 :]).removeprefix(head.replace("\n", newline))
    )
    assert all(note in changed for note in ("# often said", "# inside", "# these") if note in text)
    more = rules.added(text, RULE, path=PATH)
    assert rules.parse(more, path=PATH) == (*before, RULE)
    assert more.startswith(page(pieces, behind="")) and more.endswith(tail.replace("\n", newline))
    assert ("\r\n" in text) is ("\n" not in more.replace("\r\n", ""))
    assert rules.removed(more, RULE.id, path=PATH) == text


def test_a_value_that_is_emptied_takes_its_line_along() -> None:
    less = rules.changed(TEXT, Rule(id="tests", text="Run the tests."), path=PATH)
    assert less == TEXT.removesuffix("    why: They are quick.\n")
    noted = TEXT.removesuffix("\n") + "   # so far\n"
    less = rules.changed(noted, Rule(id="tests", text="Run the tests."), path=PATH)
    assert less == noted.replace("They are quick.", "''")


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
        ("rules:\n  - id: a\n    text: !!bool x\n", "rules.yaml:3: a rule has no YAML tag"),
        ("rules:\n  - &a\n    id: a\n    text: x\n    sessions: [*a]\n", "sessions must be a list"),
        (BILLION, "why must be text"),
        ("a: &a [" + "[" * 1_000, "not valid YAML"),
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
