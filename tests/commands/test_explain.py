"""What stands behind a claim, as a user asks for it."""

from __future__ import annotations

from memkit.errors import ExitCode
from tests.commands.world import World, valid, working

UV = "From now on always use uv."


def test_a_claim_is_traced_to_its_session_with_date_quote_and_file(world: World) -> None:
    session = working("alpha", wish=UV)
    world.write(session)
    world.call("run")
    out = world.call("explain", "always using uv").out
    assert UV in out and "scope: /home/dev/shop" in out
    assert f"2026-11-20  session {session.id}, preference (stated): {UV}" in out
    (path,) = world.sessions.rglob("*.jsonl")
    line = next(n for n, row in enumerate(path.read_text().splitlines(), 1) if UV in row)
    assert f"{path}:{line}\n" in out
    found = world.call("explain", "always use uv", "--json").json
    valid(found, schema="explain")
    (said,) = found["lines"]
    assert said["sources"][0]["session"] == session.id and said["scope"] == "/home/dev/shop"
    assert (said["sources"][0]["line"], said["sessions"], said["last"]) == (line, 1, "2026-11-20")


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


def test_words_beyond_ascii_and_over_several_lines_are_found_in_the_file(world: World) -> None:
    wish = 'Ab jetzt immer "uv" für Prüfungen\nverwenden, nie pip.'
    world.write(working("alpha", wish=wish))
    world.call("run")
    (path,) = world.sessions.rglob("*.jsonl")
    sources = [
        each
        for line in world.call("explain", "uv für Prüfungen verwenden", "--json").json["lines"]
        for each in line["sources"]
    ]
    assert sources and all("Pr" in path.read_text().splitlines()[each["line"] - 1] for each in sources)


def test_a_session_file_that_is_gone_is_said_to_be(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    (path,) = world.sessions.rglob("*.jsonl")
    path.unlink()
    assert f"{path} (this file is gone; the record stays)" in world.call("explain", "always use uv").out


def test_work_is_explained_with_its_project(world: World) -> None:
    world.write(working("alpha"))
    world.call("run")
    found = world.call("explain", "retry limit of alpha", "--json").json
    (line,) = found["lines"]
    assert (line["section"], line["scope"]) == ("What's in Memory", "/home/dev/shop")


def test_what_went_for_another_reason_names_the_commit_and_it(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("sessions", "set", working("alpha").id, "--no-generate")
    world.call("consolidate")
    assert UV not in world.summary
    found = world.call("explain", "always use uv", "--json").json
    valid(found, schema="explain")
    (left,) = found["left"]
    assert UV in left["text"] and left["reason"] and found["gone"] == [] == found["lines"]
    assert (
        f"gone since 2026-11-25: {left['reason']} (memkit diff {left['commit'][:10]})"
        in world.call("explain", "always use uv").out
    )


def test_what_was_taken_out_by_hand_or_by_undo_says_so(world: World) -> None:
    world.write(working("alpha", wish=UV))
    world.call("run")
    world.call("undo")
    assert "gone since 2026-11-25: taken back by undo of " in world.call("explain", "always use uv").out
    world.call("undo", "--release")
    assert "gone since" not in world.call("explain", "always use uv").out
    line = next(line for line in world.summary.splitlines() if UV in line)
    world.edit(f"{line}\n", "")
    world.call("run")
    assert "gone since 2026-11-25: taken out by hand" in world.call("explain", "always use uv").out
