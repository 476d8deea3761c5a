"""Values that no client should write, in every field of a line."""

from __future__ import annotations

import pytest

from tests.commands.world import World
from tests.hostile.files import WISH, line, meta, put, user

ODD_TIMES = [
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59",
    "1969-12-31T23:59:59Z",
    1e300,
    10**400,
]


@pytest.mark.parametrize("at", ODD_TIMES, ids=lambda at: repr(at)[:30])
def test_a_time_that_no_calendar_has_costs_no_session(world: World, at: object) -> None:
    path = put(world, meta(at=at), user(at=at))
    world.call("run", path)
    assert WISH in world.summary
    assert [each["state"] for each in world.call("sessions", "--json").json] == ["extracted"]
    for command in ("sessions", "status", "history"):
        assert world.call(command).err == ""
    assert world.call("lint").out == ""


def test_a_session_from_the_last_day_of_the_calendar_waits(world: World) -> None:
    put(world, meta(), user(at="9999-12-31T23:59:59Z"))
    world.call("run")
    assert [each["reason"] for each in world.call("sessions", "--json").json] == ["too_fresh"]
    assert "waiting" in world.call("status").out


def test_one_session_of_two_projects_is_no_duplicate(world: World) -> None:
    put(
        world,
        meta(),
        user("Raise the retry limit to five."),
        line("turn_context", {"cwd": "/home/dev/other", "turn_id": "2"}),
        user("Rename the report module to reports."),
    )
    world.call("run")
    assert world.summary.count("thread_id=") == 2
    assert world.call("lint").out == ""
