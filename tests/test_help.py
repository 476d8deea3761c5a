"""`--help` of memkit and of each command, held by snapshots: `MEMKIT_UPDATE=1 make test ARGS=tests/test_help.py` writes
them anew, to be read and committed with the change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memkit.commands.app import COMMANDS
from tests.support.env import call_memkit, run_memkit

# As the machine of whoever runs the tests has it: the closed world of conftest drops it before a test starts.
UPDATE = bool(os.environ.get("MEMKIT_UPDATE"))
SNAPSHOTS = Path(__file__).parent / "snapshots"
MOST = 80


def shown(words: list[str], env: dict[str, str]) -> str:
    return call_memkit([*words, "--help"], env=env | {"COLUMNS": str(MOST)}).stdout


@pytest.mark.parametrize("name", ["memkit", *COMMANDS])
def test_help_is_as_it_was_agreed(name: str, env: dict[str, str]) -> None:
    text = shown([] if name == "memkit" else [name], env)
    path = SNAPSHOTS / f"help-{name}.txt"
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert not [line for line in text.splitlines() if len(line) > MOST]


def test_no_line_of_the_overview_is_cut_off(env: dict[str, str]) -> None:
    lines = shown([], env).partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)
    assert not [line for line in lines if "..." in line or not line.endswith(".")]


def test_without_words_the_overview_is_shown(env: dict[str, str]) -> None:
    narrow = env | {"COLUMNS": str(MOST)}
    assert run_memkit([], env=narrow).stdout == run_memkit(["--help"], env=narrow).stdout == shown([], env)


def test_every_snapshot_belongs_to_a_command() -> None:
    assert {path.name for path in SNAPSHOTS.iterdir()} == {f"help-{name}.txt" for name in ("memkit", *COMMANDS)}
