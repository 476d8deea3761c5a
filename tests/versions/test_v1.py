"""V1 as a user has it: the handbook, skills, uncertain contradictions, both versions side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.documents import handbook, raw
from memkit.repo import Repo
from tests.support.env import call_memkit
from tests.support.rollouts import Rollout

Env = dict[str, str]


def _memory(env: Env, name: str, *, tree: str = "memories") -> str:
    return (Path(env["MEMKIT_HOME"]) / tree / name).read_text()


@pytest.fixture
def v1(env: Env) -> Env:
    call_memkit(["init", "--version", "v1"], env=env)
    return env


def _session(day: int, *turns: tuple[str, ...], cwd: str = "/home/dev/shop", name: str = "") -> Rollout:
    rollout = Rollout(cwd=cwd, name=name or f"{cwd}-{day}", started=f"2026-11-{day:02}T09:00:00Z")
    for request, *commands in turns:
        rollout.user(request)
        for command in commands:
            rollout.run(command, output="ok\n")
        rollout.final("Finished.")
    return rollout


def test_the_handbook_has_a_block_a_project_with_the_freshest_first(v1: Env, tmp_path: Path) -> None:
    _session(10, ("Fix the cart total in cart.py.", "pytest tests/test_cart.py")).write(tmp_path)
    _session(12, ("Add a health check to the api.", "pytest tests/test_health.py"), cwd="/home/dev/api").write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    doc = handbook.parse(_memory(v1, "MEMORY.md"))
    assert [block.cwd for block in doc.blocks] == ["/home/dev/api", "/home/dev/shop"]
    task = doc.blocks[1].tasks[0]
    assert task.title == "Fix the cart total in cart.py, success"
    assert {"pytest tests/test_cart.py", "cart.py"} <= set(task.keywords)
    assert (Path(v1["MEMKIT_HOME"]) / "memories" / task.references[0].pointer).is_file()
    assert len(raw.parse(_memory(v1, "raw_memories.md")).entries) == 2
    call_memkit(["lint"], env=v1)


def test_a_contradiction_that_nothing_settles_stays_visible_in_v1_and_the_later_wins_in_v2(
    env: Env, tmp_path: Path
) -> None:
    call_memkit(["init", "--version", "dual"], env=env)
    _session(10, ("Always write commit messages in German.",)).write(tmp_path)
    _session(12, ("Always write commit messages in English.",)).write(tmp_path)
    call_memkit(["run", tmp_path], env=env)
    assert "uncertain: " in _memory(env, "MEMORY.md")
    assert "in German" in _memory(env, "MEMORY.md")
    preferences = _memory(env, "memory_summary.md", tree="memories_v2").partition("## General Tips")[0]
    assert "in English" in preferences
    assert "in German" not in preferences


def test_a_correction_that_says_so_leaves_nothing_uncertain(v1: Env, tmp_path: Path) -> None:
    _session(10, ("Always write commit messages in German.",)).write(tmp_path)
    later = "Actually, from now on write commit messages in English, not German any more."
    _session(12, (later,)).write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    assert "uncertain" not in _memory(v1, "MEMORY.md")


def test_a_sequence_verified_in_three_sessions_becomes_a_skill_and_two_are_none(v1: Env, tmp_path: Path) -> None:
    steps = ("make migrate", "make check")
    for day, request in ((8, "Add the orders table."), (9, "Drop the carts index.")):
        _session(day, (request, *steps)).write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    skills = Path(v1["MEMKIT_HOME"]) / "memories" / "skills"
    assert not skills.exists()
    _session(10, ("Rename the users column.", "make seed", *steps)).write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    (skill,) = skills.glob("*/SKILL.md")
    text = skill.read_text()
    assert text.startswith("---\nname: ")
    assert text.index("1. `make migrate`") < text.index("2. `make check`")
    assert "make seed" not in text
    assert "3 sessions" in text
    call_memkit(["lint"], env=v1)


def test_a_skill_goes_when_its_sessions_are_no_longer_selected(v1: Env, tmp_path: Path) -> None:
    for day in (8, 9, 10):
        _session(day, (f"Add table number {day}.", "make migrate", "make check")).write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    skills = Path(v1["MEMKIT_HOME"]) / "memories" / "skills"
    assert list(skills.glob("*/SKILL.md"))
    later = {**v1, "MEMKIT_NOW": str(int(v1["MEMKIT_NOW"]) + 60 * 86_400)}
    call_memkit(["consolidate"], env=later)
    assert not skills.exists()
    assert not Repo.at(Path(v1["MEMKIT_HOME"])).changed()


def test_context_reads_the_handbook_of_the_project_only(v1: Env, tmp_path: Path) -> None:
    _session(10, ("Fix the cart total.", "pytest tests/test_cart.py")).write(tmp_path)
    _session(12, ("Add a health check.", "pytest tests/test_health.py"), cwd="/home/dev/api").write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    told = call_memkit(["context", "--cwd", "/home/dev/api"], env=v1).stdout
    assert "`pytest tests/test_health.py` worked" in told
    assert "test_cart" not in told


def test_a_version_that_is_added_later_is_made_from_the_same_sessions(env: Env, tmp_path: Path) -> None:
    _session(10, ("Fix the cart total. Always round half up.", "pytest tests/test_cart.py")).write(tmp_path)
    call_memkit(["run", tmp_path], env=env)
    call_memkit(["init", "--version", "dual"], env=env)
    call_memkit(["run", tmp_path], env=env)
    assert "round half up" in _memory(env, "MEMORY.md")
    said = call_memkit(["run", tmp_path], env=env).stdout
    assert said.startswith("nothing new")


def test_an_edit_of_raw_memories_is_put_back_and_said(v1: Env, tmp_path: Path) -> None:
    _session(10, ("Fix the cart total.", "pytest tests/test_cart.py")).write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    path = Path(v1["MEMKIT_HOME"]) / "memories" / "raw_memories.md"
    before = path.read_text()
    path.write_text(before + "\nsomething of mine\n")
    done = call_memkit(["run", tmp_path], env=v1)
    assert path.read_text() == before
    assert "raw_memories.md" in done.stderr


def test_a_lost_database_is_rebuilt_with_raw_memories(v1: Env, tmp_path: Path) -> None:
    _session(10, ("Fix the cart total.", "pytest tests/test_cart.py")).write(tmp_path)
    call_memkit(["run", tmp_path], env=v1)
    home = Path(v1["MEMKIT_HOME"])
    head = Repo.at(home).head()
    for path in home.glob("state.sqlite*"):
        path.unlink()
    call_memkit(["consolidate"], env=v1)
    assert Repo.at(home).head() == head
