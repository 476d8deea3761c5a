"""Every test runs in a closed environment: a fresh home, a fixed clock, Git without anyone's settings, no network."""

from __future__ import annotations

import lzma
import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from tests.support.env import hermetic, is_local, is_local_host, leaks

_GOLDEN = Path(__file__).parent / "golden" / "codex-0.160"


def pytest_configure(config: pytest.Config) -> None:
    if room := _in_memory():
        tempfile.tempdir = room
    config.addinivalue_line(
        "markers", "later_step(step): behaviour that a later step builds; deselected, and counted as such"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    later = [item for item in items if item.get_closest_marker("later_step")]
    if later:
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if item not in later]


def _in_memory() -> str:
    """A folder in memory where there is one with room: Git's many small files cost half as much there."""
    place = Path("/dev/shm")
    if os.environ.get("TMPDIR") or not os.access(place, os.W_OK):
        return ""
    there = os.statvfs(place)
    fits = there.f_bavail * there.f_frsize > 2_000_000_000 and not there.f_flag & os.ST_NOEXEC
    return str(place) if fits else ""


@pytest.fixture
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment for `run_memkit`, the same that in-process code sees; its folders lie outside tmp_path."""
    return hermetic(tmp_path_factory.mktemp("world"))


@pytest.fixture(autouse=True)
def closed_world(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in leaks(os.environ):
        monkeypatch.delenv(name)
    for name, value in env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only loopback and Unix sockets: a connection or a name look-up beyond them fails the test that tries it."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse(where: object) -> None:
        raise AssertionError(f"a test tried to reach {where!r}")

    def guarded_connect(self: socket.socket, address: object) -> None:
        if not is_local(address):
            refuse(address)
        connect(self, address)  # type: ignore[arg-type]

    def guarded_connect_ex(self: socket.socket, address: object) -> int:
        if not is_local(address):
            refuse(address)
        return connect_ex(self, address)  # type: ignore[arg-type]

    def guarded_getaddrinfo(host: object, *args: object, **more: object) -> object:
        if not is_local_host(host):
            refuse(host)
        return getaddrinfo(host, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_getaddrinfo)


@pytest.fixture
def golden() -> Path:
    """The files that Codex 0.160 made: memories, memories_v2, evidence, stage1_outputs.json (read only)."""
    return _GOLDEN


@pytest.fixture(scope="session")
def golden_sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden inputs as a `sessions` folder, the two long ones unpacked; shared by all tests, so read only."""
    sessions = tmp_path_factory.mktemp("golden") / "sessions"
    shutil.copytree(_GOLDEN / "sessions", sessions)
    for packed in sorted(sessions.rglob("*.xz")):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    return sessions
