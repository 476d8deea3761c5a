"""`memkit check` and .pre-commit-hooks.yaml: a project's files, looked at before they are committed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hatchling
import pytest

from tests.commands.world import World, working

TOP = Path(__file__).parents[2]
TOKEN = "ghp_" + "k3Jx9QmZ7vT2LbW8sYd4RfN6hCg1PaUe5oXi"


def git(folder: Path, *words: str, env: dict[str, str]) -> str:
    identity = ["-c", "user.name=dev", "-c", "user.email=dev@localhost", "-c", "core.hooksPath=.git/hooks"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_secrets_are_found_with_their_line_and_never_shown(world: World, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("password = input()\n")
    (tmp_path / "bad.py").write_text(f"a = 1\nb = '{TOKEN}'\nc = '{TOKEN}'  # memkit:allow\n")
    (tmp_path / "binary").write_bytes(b"\0" + TOKEN.encode())
    names = [tmp_path / name for name in ("good.py", "bad.py", "binary")]
    done = world.call("check", "secrets", *names, ok=1)
    assert done.out.startswith(f"{tmp_path}/bad.py:2: a secret (") and done.out.count("\n") == 1
    assert TOKEN not in done.out + done.err
    assert world.call("check", "secrets", names[0], names[2]).out == ""
    assert "does not exist" in world.call("check", "secrets", tmp_path / "none", ok=2).err


@pytest.mark.parametrize("form", ["v1", "v2"])
def test_every_file_of_a_memory_is_known_also_renamed(world: World, tmp_path: Path, form: str) -> None:
    world.write(working("alpha"))
    world.call("init", "--version", form)
    world.call("run")
    tree = world.home / ("memories" if form == "v1" else "memories_v2")
    made = [tree / "memory_summary.md", *tree.glob("rollout_summaries/*.md")]
    made += [tree / "MEMORY.md", tree / "raw_memories.md"] if form == "v1" else []
    for number, path in enumerate(made):
        shutil.copy(path, tmp_path / f"{number}.md")
    done = world.call("check", "no-memory", *sorted(tmp_path.glob("*.md")), world.home / "state.sqlite", ok=1)
    assert done.out.count("\n") == len(made) + 1


def test_other_files_are_no_memory(world: World, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# How our memory allocator works\n")
    (tmp_path / "memory_summary.md").write_text("v1 was slow\n")
    (tmp_path / "tombstones.jsonl").write_text("none\n")
    (tmp_path / "link").symlink_to("nowhere")
    assert world.call("check", "no-memory", *tmp_path.iterdir(), TOP / "README.md", TOP / "AGENTS.md").out == ""


@pytest.mark.parametrize("kind", ["repo", "local"])
def test_the_real_pre_commit_runs_the_hooks(world: World, tmp_path: Path, kind: str) -> None:
    """pre-commit installs memkit itself from a clone; build tool and libraries are this machine's: no network."""
    env = world.env | {
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(hatchling.__file__).parents[1]),
    }
    env |= {
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_CACHE_DIR": "1",
        "PIP_NO_COMPILE": "1",
    }
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q", env=env)
    if kind == "repo":
        source, hooks = _source(tmp_path, env), ("memkit-lint", "memkit-secrets", "memkit-no-memory", "memkit-agents")
        listed = "".join(f"\n      - id: {hook}" for hook in hooks)
        text = f"repos:\n  - repo: {source}\n    rev: {git(source, 'rev-parse', 'HEAD', env=env)}\n    hooks:{listed}\n"
    else:
        call = f"{sys.executable} -P -m memkit check"
        text = "repos:\n  - repo: local\n    hooks:"
        for hook in ("secrets", "no-memory"):
            text += f"\n      - {{id: {hook}, name: {hook}, entry: {call} {hook}, language: system}}"
    (project / ".pre-commit-config.yaml").write_text(text + "\n")
    (project / "good.txt").write_text("nothing to see\n")
    git(project, "add", "-A", env=env)
    run = [sys.executable, "-m", "pre_commit", "run"]
    done = subprocess.run(run, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (project / "bad.txt").write_text(f"token = '{TOKEN}'\n")
    (project / "memory_summary.md").write_text("v1\n\n## User preferences\n- be quick\n")
    world.call("rules", "add", "Use tabs.", "--team", "--cwd", project)
    git(project, "add", "-A", env=env)
    done = subprocess.run(run, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "bad.txt:1: a secret" in done.stdout and "a memory summary" in done.stdout
    assert ("memory_summary.md:" in done.stdout and "summary-sections" in done.stdout) is (kind == "repo")
    assert ("AGENTS.md: the block of rules is missing" in done.stdout) is (kind == "repo")


def _source(tmp_path: Path, env: dict[str, str]) -> Path:
    """This repository as it is now, as a clone with one commit."""
    place = tmp_path / "memkit"
    shutil.copytree(TOP / "scripts", place / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("templates", "hooks"):
        shutil.copytree(TOP / name, place / name)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(TOP / name, place / name)
    git(place, "init", "-q", env=env)
    git(place, "add", "-A", env=env)
    git(place, "commit", "-qm", "memkit", env=env)
    assert os.access(place / "hooks" / "post-session", os.X_OK)
    return place
