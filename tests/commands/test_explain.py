"""What stands behind a claim, as a user asks for it."""

from __future__ import annotations

from memkit.errors import ExitCode
from tests.commands.world import World, working

UV = "From now on always use uv."


def test_a_claim_is_traced_to_its_session_with_date_quote_and_file(world: World) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    out = world.call("explain", "always using uv").out
    assert UV in out and "scope: /home/dev/shop" in out
    assert f"2026-11-20  session {session.id}, preference (stated): {UV}" in out
    (path,) = world.sessions.rglob("*.jsonl")
    assert str(path) in out
    (line,) = world.call("explain", "always use uv", "--json").json["lines"]
    assert line["sources"][0]["session"] == session.id and line["scope"] == "/home/dev/shop"


def test_what_was_forgotten_names_the_note(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("forget", "always use uv", "--now")
    out = world.call("explain", "always use uv").out
    assert "gone since 2026-11-25: forgotten by the note 2026-11-25T" in out
    assert world.call("explain", "always use uv", "--json").json["lines"] == []


def test_a_note_and_a_record_are_told_apart(world: World) -> None:
    world.write(working("alpha"))
    world.call("run")
    world.call("remember", "--global", "Release notes are written by hand.", "--now")
    assert "said by the note 2026-11-25T" in world.call("explain", "release notes by hand").out
    out = world.call("explain", "raise the retry limit of alpha").out
    assert "Raise the retry limit of alpha" in out
    assert world.call("explain", "nobody ever said this").out == "nothing in the memory matches\n"
    assert world.call("explain", " ", ok=ExitCode.USAGE).err.startswith("memkit: there is nothing to explain")
