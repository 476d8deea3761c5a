"""What other programs put into the tree: it counts below the user's words, and only while it is young."""

from __future__ import annotations

import pytest

from tests.commands.world import World, working
from tests.support.env import NOW

UV = "From now on always use uv."
DAY = 86_400


def put(world: World, text: str, *, name: str = "calendar", file: str = "2026-11-24T09-00-00-week.md") -> None:
    folder = world.home / "memories_v2/extensions" / name
    (folder / "resources").mkdir(parents=True, exist_ok=True)
    (folder / "instructions.md").write_text("What the calendar says.\n")
    (folder / "resources" / file).write_text(text)


def test_bullets_are_in_the_memory_with_their_source(world: World) -> None:
    world.call("init")
    put(
        world,
        "# Week\n\n- Releases go out on Thursdays.\n- (in /home/dev/shop) The shop is frozen in December.\n\nprose\n",
    )
    world.call("run")
    assert "- Releases go out on Thursdays. [extension calendar]" in world.summary
    assert "- (in /home/dev/shop) The shop is frozen in December. [extension calendar]" in world.summary
    assert "prose" not in world.summary
    assert "[extension calendar]" in world.call("context", "--cwd", "/home/dev/shop").out
    assert world.call("run").out.startswith("nothing new")
    world.healthy()


def test_the_users_words_come_first(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("forget", "deploy on fridays", "--now")
    put(world, "- (in /home/dev/shop) Never use uv.\n- Deploy on Fridays.\n- Always use uv.\n- Standup is at nine.\n")
    world.call("run")
    assert UV in world.summary and "Never use uv" not in world.summary and "Fridays" not in world.summary
    assert world.summary.count("use uv") == 1 and "Standup is at nine. [extension calendar]" in world.summary


def test_what_is_older_than_a_week_goes_with_what_only_it_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.call("init")
    put(world, "- Releases go out on Thursdays.\n")
    put(world, "- Standup is at nine.\n", file="standup.md")
    world.call("run")
    monkeypatch.setenv("MEMKIT_NOW", str(NOW + 7 * DAY))
    world.call("run")
    assert "Thursdays" not in world.summary and "Standup is at nine." in world.summary
    names = [p.name for p in (world.home / "memories_v2/extensions/calendar/resources").iterdir()]
    assert names == ["standup.md"], "a name that tells no time does not age"
    assert "the extension calendar no longer says it" in world.git("log", "-1", "--format=%b")
    world.healthy()


def test_without_instructions_it_is_no_extension_and_odd_files_do_no_harm(world: World) -> None:
    world.call("init")
    put(world, "- Releases go out on Thursdays.\n")
    (world.home / "memories_v2/extensions/calendar/instructions.md").unlink()
    folder = world.home / "memories_v2/extensions/odd/resources"
    folder.mkdir(parents=True)
    (folder.parent / "instructions.md").write_text("odd")
    (folder / "bytes.md").write_bytes(
        b"- \xff\xfe caf\xe9 is open\n- api_key = sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF\n"
    )
    (folder / "link.md").symlink_to("/etc/passwd")
    (folder / "huge.md").write_text("- Line of many.\n" * 100_000)
    world.call("run")
    assert "Thursdays" not in world.summary and "sk-proj" not in world.summary
    assert b"sk-proj-abc" not in world.history()
    assert "Line of many. [extension odd]" in world.summary and "root:" not in world.summary
