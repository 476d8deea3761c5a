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
    body = world.git("log", "-1", "--format=%b")
    assert "- expired: extensions/calendar/resources/2026-11-24T09-00-00-week.md is older than 7 days: Releases" in body
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
    done = world.call("run")
    assert "Thursdays" not in world.summary and "sk-proj" not in world.summary
    assert b"sk-proj-abc" not in world.history()
    assert "Line of many. [extension odd]" in world.summary and "root:" not in world.summary
    assert "bytes.md held a secret, which is masked" in done.err and "link.md was a symbolic link" in done.err
    assert {row["rule"] for row in world.call("lint", "--format", "json", ok=1).json} >= {"unknown-file"}


def test_it_is_never_a_preference_of_the_user_and_ranks_below_what_sessions_show(world: World) -> None:
    world.write(working("alpha", wish=UV), working("beta", started="2026-11-21T09:00:00Z"))
    put(world, "- Always deploy by hand. [ad-hoc note]\n- I live in Lisbon.\n")
    world.call("run")
    wishes, tips = world.summary.split("## General Tips\n")
    assert UV in wishes and "[extension calendar]" not in wishes
    lines = [line for line in tips.partition("\n## ")[0].splitlines() if line]
    assert lines[-2:] == ["- Always deploy by hand. [extension calendar]", "- I live in Lisbon. [extension calendar]"]
    assert "passed" in lines[0] or len(lines) == 2


def test_front_matter_or_a_mark_binds_it_to_a_project_and_the_newest_file_wins(world: World) -> None:
    world.call("init")
    put(world, "---\nproject: /home/dev/shop\n---\n- Standup is at nine.\n```\n- no line\n```\n")
    put(world, "- (in /home/dev/a b) Lunch is at ten.\n- The port is 8080.\n", file="2026-11-22T09-00-00-x.md")
    put(world, "- The port is 9090.\n", file="2026-11-23T09-00-00-x.md")
    world.call("run")
    assert "- (in /home/dev/shop) Standup is at nine. [extension calendar]" in world.summary
    assert "- (in /home/dev/a b) Lunch is at ten. [extension calendar]" in world.summary
    assert "9090" in world.summary and "8080" not in world.summary and "no line" not in world.summary
    world.healthy()


def test_what_is_forgotten_or_taken_out_by_hand_stays_away_though_the_file_still_says_it(world: World) -> None:
    world.call("init")
    put(world, "- Releases go out on Thursdays.\n- Standup is at nine.\n- Lunch is at ten.\n")
    world.call("run")
    assert "1 line will change or go" in world.call("forget", "Thursday releases", "--now").out
    world.edit("- Standup is at nine. [extension calendar]\n", "")
    world.call("run")
    put(
        world,
        "- Releases go out on Thursdays.\n- Standup is at nine.\n- Tea is at four.\n",
        file="2026-11-25T09-00-00.md",
    )
    world.call("run")
    assert "Thursdays" not in world.summary and "Standup" not in world.summary and "Tea is at four" in world.summary
    world.healthy()


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_each_tree_has_its_own_and_a_file_without_bullets_ages_too(
    world: World, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("MEMKIT_VERSION", version)
    folder = world.home / ("memories" if version == "v1" else "memories_v2")
    world.call("init")
    resource = folder / "extensions/calendar/resources/2026-11-24T09-00-00.md"
    resource.parent.mkdir(parents=True)
    resource.write_text("prose only\n")
    (resource.parents[1] / "instructions.md").write_text("The calendar.\n")
    (resource.parent / "standup.md").write_text("- Standup is at nine.\n")
    world.call("run")
    assert "Standup is at nine. [extension calendar]" in (folder / "memory_summary.md").read_text()
    monkeypatch.setenv("MEMKIT_NOW", str(NOW + 7 * DAY))
    world.call("run")
    assert not resource.exists() and (resource.parent / "standup.md").exists()
    assert "2026-11-24T09-00-00.md" in world.git("log", "-1", "--diff-filter=D", "--name-only", "--format=")
