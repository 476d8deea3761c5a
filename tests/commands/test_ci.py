"""`memkit init --ci`: files for a project's CI, and what they do there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from memkit.stages import ci
from tests.commands.test_check import TOKEN, git
from tests.commands.world import World

FILES = (".github/workflows/memkit.yml", "memkit.mk")


@pytest.fixture
def project(world: World, tmp_path: Path) -> Path:
    (folder := tmp_path / "project").mkdir()
    git(folder, "init", "-q", env=world.env)
    return folder


def make(world: World, project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    git(project, "add", "-A", env=world.env)
    call = f"MEMKIT={sys.executable} -P -m memkit"
    return subprocess.run(
        ["make", "-s", "-f", "memkit.mk", call, *(words or ("memkit-check",))],
        cwd=project,
        env=world.env,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_files_are_written_once_and_never_over_others(world: World, project: Path) -> None:
    done = world.call("init", "--ci", project)
    assert [line.removeprefix(f"written: {project}/") for line in done.out.splitlines()] == list(FILES)
    assert "what pip is to install memkit from" in done.err and not world.home.exists()
    assert {oct((project / name).stat().st_mode & 0o777) for name in FILES} == {"0o644"}
    assert "nothing to do" in world.call("init", "--ci", project).out
    (project / FILES[1]).write_text("mine\n")
    (project / FILES[0]).unlink()
    done = world.call("init", "--ci", project, ok=1)
    assert "memkit.mk is there and says something else" in done.err and done.err.count("\n") == 2
    assert (project / FILES[1]).read_text() == "mine\n" and (project / FILES[0]).exists()


def test_the_workflow_is_one(world: World, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ci, "source", lambda: 'memkit @ git+https://example.org/"x".git@abc')
    world.call("init", "--ci", project)
    flow = YAML(typ="safe").load((project / FILES[0]).read_text())
    steps = flow["jobs"]["memkit"]["steps"]
    assert flow["permissions"] == {"contents": "read"} and flow["on"] == ["push", "pull_request"]
    assert [step["env"]["MEMKIT"] for step in steps if "env" in step] == [
        'memkit @ git+https://example.org/"x".git@abc'
    ]
    assert steps[-1]["run"] == "make -f memkit.mk memkit-check MEMKIT_FORMAT=github"


def test_make_finds_secrets_memory_and_a_stale_page(world: World, project: Path) -> None:
    world.call("init", "--ci", project)
    (project / "with space.txt").write_text("all is well\n")
    (project / "gone.txt").write_text("soon\n")
    git(project, "add", "-A", env=world.env)
    (project / "gone.txt").unlink()
    done = make(world, project)
    assert done.returncode == 0, done.stdout + done.stderr
    (project / "with space.txt").write_text(f"a\ntoken: {TOKEN}\n")
    (project / "memory_summary.md").write_text("v1\n\n## User preferences\n- be quick\n")
    world.call("rules", "add", "Use tabs.", "--team", "--cwd", project)
    done = make(world, project, "-k", "memkit-check")
    assert done.returncode != 0 and "with space.txt:2: a secret" in done.stdout
    assert "memory_summary.md: a memory summary" in done.stdout and "the block of rules is missing" in done.stderr


def test_a_memory_that_is_kept_on_purpose_is_linted(world: World, project: Path) -> None:
    world.call("init", "--ci", project)
    (project / "kept").mkdir()
    (project / "kept" / "memory_summary.md").write_text("v1\n\n## User preferences\n- be quick\n")
    done = make(world, project, "memkit-memory", "MEMKIT_MEMORY=kept", "MEMKIT_FORMAT=github")
    assert done.returncode != 0 and done.stdout.startswith("::error file=kept/memory_summary.md,line=")


def test_what_can_not_be_is_said_in_a_line(world: World, project: Path) -> None:
    assert "is no folder" in world.call("init", "--ci", project / "none", ok=2).err
    assert "call it twice" in world.call("init", "--ci", project, "--version", "v1", ok=2).err
    (project / ".github").write_text("")
    done = world.call("init", "--ci", project, ok=3)
    assert done.err.count("\n") == 1 and str(project / ".github") in done.err
    assert {path.name for path in project.iterdir()} == {".git", ".github"}
