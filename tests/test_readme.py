"""What README promises. Its console examples are run, its tables are compared with the code, its rules are tried.

`MEMKIT_UPDATE=1 make test ARGS=tests/test_readme.py` writes the outputs of the examples anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from memkit import cli, lint, match, redact, tokens
from memkit.commands.app import COMMANDS
from memkit.config.schema import leaves
from memkit.errors import ExitCode
from tests.support.env import call_memkit, command, hermetic
from tests.support.rollouts import Rollout

# As the machine of whoever runs the tests has it: the closed world of conftest drops it before a test starts.
UPDATE = bool(os.environ.get("MEMKIT_UPDATE"))
TOP = Path(__file__).resolve().parents[1]
README = TOP / "README.md"
SAMPLES = TOP / "tests" / "data" / "samples"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
# Ids of commits and sizes follow from every byte of the home: what is shown of them is that they are there.
LOOSE = (re.compile(r"\b[0-9a-f]{10}\b"), re.compile(r"\b[\d,]+(?= of [\d,]+ (?:bytes|tokens))"))


@cache
def text() -> str:
    return README.read_text(encoding="utf-8")


def section(heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text(), re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def table(heading: str) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def bare(cell: str) -> str:
    return cell.strip().strip("`")


# --- examples ---------------------------------------------------------------------------------------------------


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def loosely(shown: str) -> str:
    for pattern in LOOSE:
        shown = pattern.sub("…", shown)
    return shown


def clone(folder: Path) -> Path:
    """A checkout that is installed already: the real files, and this Python's memkit."""
    bin_ = folder / ".venv" / "bin"
    bin_.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "scripts", "templates", "tests"):
        (folder / name).symlink_to(TOP / name)
    for name, line in (("python", [sys.executable]), ("memkit", command())):
        (bin_ / name).write_text(f'#!/bin/sh\nexec {shlex.join(line)} "$@"\n')
        (bin_ / name).chmod(0o755)
    for stamp in (".installed", ".installed-dev"):
        (folder / ".venv" / stamp).write_text(f"{folder}\n")
    (folder / ".gitignore").write_bytes((TOP / ".gitignore").read_bytes())
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def played(lines: list[str], *, folder: Path, env: dict[str, str]) -> list[tuple[str, int]]:
    """(output, exit status) of each line, typed one after the other into one shell."""
    mark = "--- 7c1d"
    script = "".join(f"{line}\nprintf '%s %s\\n' '{mark}' $?\n" for line in lines)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder,
        env=env | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    parts = re.split(rf"^{mark} (\d+)\n", done.stdout, flags=re.MULTILINE)
    return [(out, int(status)) for out, status in zip(parts[::2], parts[1::2], strict=False)]


@pytest.mark.skipif(not tokens.exact(), reason="README shows a machine that has the extra `tokens`")
def test_the_examples_give_what_is_shown(env: dict[str, str]) -> None:
    user = Path(env["HOME"])
    folder = clone(user / "memkit")
    plain = {name: env[name] for name in env if name not in ("MEMKIT_HOME", "CODEX_HOME", "MEMKIT_NOW")}
    blocks = BLOCK.findall(text())
    lines = [line for block in blocks for line in commands(block)]
    results = iter(played(lines, folder=folder, env=plain))
    new = []
    for block in blocks:
        shown = ""
        for line in commands(block):
            output, status = next(results)
            assert status == 0, f"{line}\n{output}"
            shown += f"$ {line}\n{output}".replace(str(user), "/home/you")
        new.append(shown)
    if UPDATE:
        fresh = iter(new)
        README.write_text(BLOCK.sub(lambda _: next(fresh), text()), encoding="utf-8")
        text.cache_clear()
        blocks = BLOCK.findall(text())
    assert [loosely(shown) for shown in new] == [loosely(block) for block in blocks]


def test_each_make_target_that_is_named_exists() -> None:
    named = set(re.findall(r"`make ([a-z][a-z-]*)", text())) | set(re.findall(r"^\$? ?make ([a-z-]+)", text(), re.M))
    phony = re.search(r"^\.PHONY: (.*)$", (TOP / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert {"memories", "test", "clean"} <= named <= set(phony[1].split())


def test_each_file_that_is_named_exists() -> None:
    named = set(re.findall(r"`((?:scripts|templates|tests|hooks|\.ci)/[^`\s…*]*)`", text()))
    assert len(named) > 15
    assert not [name for name in named if not (TOP / name).exists()]


# --- tables -----------------------------------------------------------------------------------------------------


def test_the_languages_are_those_that_there_are() -> None:
    words = TOP / "scripts" / "memkit" / "match" / "words"
    there = {path.stem for path in words.glob("*.toml")} - {"values"}
    said = README.read_text(encoding="utf-8").partition("- **Words.**")[2].partition("Sentences in a")[0]
    assert set(re.findall(r"`([a-z]{2})`", said)) == there
    assert there == {path.stem for path in (TOP / "tests" / "data" / "languages").glob("*.toml")}


def test_the_commands_are_those_that_there_are() -> None:
    rows = table("Commands")
    assert [bare(row[0]).split()[1] for row in rows] == list(COMMANDS)
    for name, does, _ in rows:
        options = set(re.findall(r"`(--[a-z-]+)`", does))
        assert all(
            option in (TOP / f"tests/snapshots/help-{bare(name).split()[1]}.txt").read_text() for option in options
        )


def test_the_settings_are_those_that_there_are() -> None:
    def shown(default: object) -> str:
        if isinstance(default, bool):
            return f"`{str(default).lower()}`"
        words = ", ".join(default) if isinstance(default, tuple) else str(default)
        return f"`{words}`" if words else "empty"

    rows = [(bare(name), default, bare(variable)) for name, default, variable, _ in table("Configuration")]
    assert rows == [(leaf.name, shown(leaf.default), leaf.environment) for leaf in leaves().values()]


def test_the_exit_codes_are_those_that_there_are() -> None:
    assert [(int(code), name) for code, name, _ in table("Exit codes")] == [(int(c), c.name) for c in ExitCode]


def test_the_lint_rules_are_those_that_there_are() -> None:
    rows = [(bare(name), gates) for name, gates, _ in table("Lint rules")]
    assert sorted(rows) == sorted((rule, "yes" if rule in lint.GATING else "no") for rule in lint.RULES)


def test_every_template_is_named_with_tests_that_there_are() -> None:
    rows = table("Templates")
    ours = {path.relative_to(TOP).as_posix() for path in (TOP / "templates").rglob("*") if path.is_file()}
    assert sorted(bare(row[0]) for row in rows) == sorted(ours)
    assert all("tests/" in row[2] for row in rows)


def test_the_layers_name_every_module_once() -> None:
    from tests.test_layers import ROW

    named = [name for _, modules in table("Development") for name in re.findall(r"`([a-z_]+)`", modules)]
    there = {path.stem for path in (TOP / "scripts" / "memkit").glob("[a-z]*") if path.suffix in ("", ".py")}
    assert sorted(named) == sorted(there)
    assert [ROW[name] for name in named] == sorted(ROW[name] for name in named)


@pytest.mark.parametrize("row", table("How the engine decides"), ids=lambda row: row[0])
def test_a_sentence_is_judged_as_shown(row: list[str]) -> None:
    said, kind, so = row
    judged = match.judge(said)
    assert judged.wish.value == kind
    assert judged.everywhere is ("everywhere" in so or kind == "profile")


@pytest.mark.parametrize("row", table("Secrets"), ids=lambda row: row[0])
def test_a_text_is_masked_or_not_as_shown(row: list[str]) -> None:
    said, masked = row
    assert (redact.MASK in redact.mask(said)) is (masked == "yes")


# --- the home ---------------------------------------------------------------------------------------------------


class Home:
    """The home of one user."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = {name: env[name] for name in env if name not in ("MEMKIT_HOME", "CODEX_HOME")}
        self.user = Path(env["HOME"])
        self.path = self.user / ".memkit"

    @property
    def summary(self) -> Path:
        return self.path / "memories_v2" / "memory_summary.md"

    def run(self, *words: str | Path, ok: tuple[int, ...] = (0,), **env: str) -> str:
        return call_memkit(words, env=self.env | env, cwd=self.user, ok=ok).stdout

    def tracked(self) -> set[str]:
        done = subprocess.run(["git", "-C", str(self.path), "ls-files"], capture_output=True, text=True, check=True)
        return set(done.stdout.splitlines())


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """After the samples were read: to look at, and to copy."""
    home = Home(hermetic(tmp_path_factory.mktemp("read")))
    home.run("run", SAMPLES)
    return home


@pytest.fixture
def home(read: Home, env: dict[str, str]) -> Home:
    """A copy of that, to do with as one likes."""
    copy = Home(env)
    shutil.copytree(read.path, copy.path)
    return copy


def digests(folder: Path) -> Iterator[tuple[str, str, int]]:
    for path in sorted(folder.iterdir()):
        yield path.name, hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns


WISH = '- "In all my projects: ask me before you add a dependency." (1 session, last 2026-11-13)\n'


def test_things_lie_where_it_is_said(home: Home) -> None:
    home.run("run", SAMPLES, MEMKIT_DUAL_WRITE="true")
    home.summary.write_text(home.summary.read_text().replace(WISH, "- Speak British English.\n"))
    home.run("rules", "add", "Ask before you push.", "--global")
    home.run("run")
    rows = {bare(path): git for path, _, git in table("Where things lie")}
    tracked = home.tracked()
    for name, git in rows.items():
        assert (home.path / name).exists(), name
        assert any(path.startswith(name) for path in tracked) is (git == "yes"), name
    assert not [path for path in tracked if path != ".gitignore" and not path.startswith(tuple(rows))]


def test_only_the_user_can_read_the_home_and_nothing_else_is_written(env: dict[str, str]) -> None:
    home, before = Home(env), list(digests(SAMPLES))
    home.run("run", SAMPLES)
    assert [path.name for path in home.user.iterdir()] == [".memkit"]
    assert stat.S_IMODE(home.path.stat().st_mode) == 0o700
    kept = [path for path in home.path.rglob("*") if ".git" not in path.parts]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_dir()} == {0o700}
    assert list(digests(SAMPLES)) == before
    done = subprocess.run(["git", "-C", str(home.path), "remote"], capture_output=True, text=True, check=True)
    assert done.stdout == ""


_WORDS = dict.fromkeys(("remember", "correct", "forget"), ("--global", "Something about ravens.")) | {
    "explain": ("ravens",),
    "reset": ("--yes",),
    "read": ("memory_summary.md",),
    "rules": ("list",),
    "check": ("secrets", str(TOP / "LICENSE")),
    "agents": ("show",),
    "hooks": ("show", "shell", "--file", "/nonexistent/rc"),
    "search": ("ravens",),
    "mcp": ("--help",),  # stdin is no wire here; test_mcp.py has it in this process
}


def test_no_command_opens_a_connection(tmp_path: Path) -> None:
    # In this process: the fixture no_network fails whatever asks for a name or a host.
    for words in (["run", str(SAMPLES)], *([name, *_WORDS.get(name, ())] for name in COMMANDS if name != "run")):
        assert cli.run(["--home", str(tmp_path / "home"), *words]) == 0


def test_a_second_run_does_nothing_and_the_same_sessions_give_the_same_bytes(home: Home, tmp_path: Path) -> None:
    log = home.run("history", "--json")
    assert home.run("run", SAMPLES).startswith("nothing new\n")
    assert home.run("history", "--json") == log
    home.run("--home", tmp_path / "other", "run", SAMPLES)
    assert (tmp_path / "other" / "memories_v2" / "memory_summary.md").read_bytes() == home.summary.read_bytes()


def test_a_lost_database_is_made_anew(home: Home) -> None:
    before = home.summary.read_bytes()
    (home.path / "state.sqlite").unlink()
    home.run("run")
    assert home.summary.read_bytes() == before
    assert " 7 records" in home.run("status")


# --- by day -----------------------------------------------------------------------------------------------------


def test_an_edit_by_hand_is_committed_as_the_users_and_holds(home: Home, tmp_path: Path) -> None:
    def wishes() -> str:
        return home.summary.read_text().partition("## General Tips")[0]

    def session(name: str, *, started: str, said: str) -> Path:
        new = Rollout(cwd="/home/sam/work/orders-api", name=name, started=started).user(f"Bump the version. {said}")
        return new.run("make bump").final("Done.").write(tmp_path / name)

    home.summary.write_text(home.summary.read_text().replace(WISH, "- Speak British English.\n"))
    home.run("run", session("one", started="2026-11-25T09:00:00Z", said="From now on use uv in this repo."))
    assert "edited by hand" in home.run("history")
    assert "- Speak British English. [ad-hoc note]\n" in wishes() and "use uv" in wishes()
    assert "add a dependency" not in wishes()
    again = session("two", started="2026-11-26T09:00:00Z", said=WISH.split('"')[1])
    home.run("run", again, MEMKIT_NOW="1795780800")
    assert "add a dependency" in wishes()


@pytest.mark.parametrize("accident", ["emptied", "deleted"])
def test_an_accident_is_put_back(home: Home, accident: str) -> None:
    before = home.summary.read_bytes()
    home.summary.write_text("") if accident == "emptied" else home.summary.unlink()
    home.run("run")
    assert home.summary.read_bytes() == before


def test_an_edited_rollout_summary_stays_and_a_typed_secret_is_masked(home: Home) -> None:
    record = next((home.path / "memories_v2" / "rollout_summaries").glob("2026-11-17*"))
    record.write_text(record.read_text() + "- open: ask Mira; DB_PASSWORD=hunter2hunter2\n")
    home.run("run")
    home.run("consolidate")
    assert "- open: ask Mira; DB_PASSWORD=[REDACTED_SECRET]\n" in record.read_text()


def test_switching_off_tells_or_learns_nothing_and_deletes_nothing(home: Home, tmp_path: Path) -> None:
    before, settings = home.summary.read_bytes(), home.path / "memkit.yaml"
    assert home.run("context") != ""
    assert home.run("context", MEMKIT_DISABLE="1") == ""
    assert home.run("run", SAMPLES, MEMKIT_DISABLE="1") == ""
    home.run("remember", "--global", "x", MEMKIT_DISABLE="1", ok=(2,))
    settings.write_text("memories:\n  use_memories: false\n")
    assert home.run("context") == ""
    settings.write_text("memories:\n  generate_memories: false\n")
    new = (
        Rollout(cwd="/home/sam/work/orders-api").user("From now on use uv in this repo.").run("uv sync").final("Done.")
    )
    assert "learning is switched off" in home.run("run", new.write(tmp_path / "new"))
    assert home.run("context") != ""
    assert home.summary.read_bytes() == before


def test_a_wrong_value_is_an_error_and_an_unknown_key_a_warning(home: Home) -> None:
    settings = home.path / "memkit.yaml"
    settings.write_text("memories:\n  max_unused_days: soon\n")
    done = call_memkit(["status"], env=home.env, ok=(3,))
    assert f"{settings}:2: memories.max_unused_days must be" in done.stderr
    settings.write_text("memories:\n  max_unusd_days: 3\n")
    assert "did you mean memories.max_unused_days?" in call_memkit(["run"], env=home.env).stderr
