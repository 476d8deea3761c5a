"""Files, folders and names that are not what a sessions folder should hold."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest
import zstandard

from memkit.errors import ExitCode
from tests.commands.world import World
from tests.hostile.files import ID, WISH, meta, put, put_bytes, user


def states(world: World) -> dict[str, tuple[str, str | None]]:
    return {each["id"]: (each["state"], each["reason"]) for each in world.call("sessions", "--json").json}


def test_what_is_no_file_stops_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(world, meta(), user()).parent
    os.mkfifo(folder / "rollout-fifo.jsonl")
    monkeypatch.chdir(folder)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("rollout-socket.jsonl")
    (folder / "rollout-folder.jsonl").mkdir()
    (folder / "rollout-device.jsonl").symlink_to("/dev/zero")
    (folder / "rollout-circle.jsonl").symlink_to("rollout-circle.jsonl")
    (folder / "rollout-gone.jsonl").symlink_to("nowhere")
    for name, place in {"here": ".", "up": "..", "all": "/", "self": "/proc/self"}.items():
        (folder / name).symlink_to(place)
    done = world.call("run")
    assert WISH in world.summary
    for name in ("fifo", "socket", "device", "circle", "gone"):
        assert sum(f"rollout-{name}.jsonl" in each for each in done.err.splitlines()) == 1
    assert len(done.err.splitlines()) < 20


def test_a_folder_on_another_disk_may_be_linked_in(world: World, tmp_path: Path) -> None:
    path = put(world, meta(), user())
    shutil.move(path.parent, tmp_path / "disk")
    path.parent.symlink_to(tmp_path / "disk")
    world.call("run")
    assert WISH in world.summary


@pytest.mark.parametrize("at", [2**34, 2**62, -(2**40)], ids=["far", "beyond", "before"])
def test_a_file_of_any_age_is_known_again(world: World, at: int) -> None:
    shared = Path(tempfile.mkdtemp(dir="/dev/shm"))  # most disks hold no such time
    try:
        path = shared / "rollout-x.jsonl"
        path.write_text("".join(f"{each}\n" for each in (meta(at=None), user(at=None))))
        os.utime(path, (at, at))
        world.call("run", path)
        assert [state for state, _ in states(world).values()] == ["extracted"]
        assert "nothing new" in world.call("run", path).out
    finally:
        shutil.rmtree(shared)


def test_a_compressed_file_that_was_cut_off_is_a_session_that_failed(world: World) -> None:
    whole = zstandard.ZstdCompressor().compress(f"{meta()}\n{user()}\n".encode() * 2000)
    put_bytes(world, whole[: len(whole) // 2], name=f"rollout-2026-11-20T09-00-00-{ID}.jsonl.zst")
    done = world.call("run", ok=ExitCode.PARTIAL)
    assert "cut off" in done.err
    assert states(world) == {ID: ("failed", "unreadable")}
    put_bytes(world, whole, name=f"rollout-2026-11-20T09-00-00-{ID}.jsonl.zst")
    world.call("run")
    assert states(world) == {ID: ("extracted", None)}
    assert WISH in world.summary


def test_a_name_with_line_breaks_and_colours_is_one_plain_line(world: World, tmp_path: Path) -> None:
    path = put_bytes(world, b"no rollout", name="rollout-\n\x1b[31mred\u2028x.jsonl")
    assert path.exists()
    said = [each for each in world.call("run").err.split("\n") if "rollout-" in each]
    assert said == [each for each in said if each.isprintable()]
    assert len(said) == 1
    missing = world.call("run", tmp_path / "a\nb", ok=ExitCode.USAGE).err
    assert missing.count("\n") == 1


@pytest.mark.parametrize("name", ["x" * 300, "/x" * 3000], ids=["name", "path"])
def test_a_path_that_is_too_long_does_not_exist(world: World, name: str) -> None:
    assert "does not exist" in world.call("run", name, ok=ExitCode.USAGE).err
    put(world, meta(), user())
    world.call("run")
    assert world.call("context", "--cwd", name).err == ""


def test_a_file_whose_name_is_a_secret_is_not_committed(world: World) -> None:
    put(world, meta(), user())
    world.call("run")
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5"
    (world.home / "memories_v2" / f"{key}.md").write_text("A thought.\n")
    done = world.call("run")
    assert "not committed" in done.err
    assert key not in done.err.splitlines()[0]
    assert key.encode() not in world.history()


def test_a_directory_with_colours_is_listed_as_plain_text(world: World) -> None:
    put(world, meta(cwd="/home/dev/\x1b[31mshop\u202e\x07"), user())
    world.call("run")
    assert all(each.isprintable() for each in world.call("sessions").out.split("\n"))
