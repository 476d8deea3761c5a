"""These tests need the real Codex: `make interop` installs it and names it; without it they are not collected."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.world import World
from tests.interop.codex import NEWS, Codex, behind, programs, version, wall
from tests.support.model_server import ModelServer

collect_ignore_glob = [] if programs() else ["test_*.py"]


@pytest.fixture(params=programs(), ids=version)
def codex(request: pytest.FixtureRequest, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Codex]:
    """Codex on a fresh machine, its model without a script. What seeks the network is refused and fails the test."""
    node = shutil.which("node")
    assert node
    with wall() as (proxy, asked), ModelServer() as server:
        del env["MEMKIT_NOW"]  # Codex has the real time
        env |= behind(proxy) | {"PATH": f"{env['PATH']}:{Path(node).parent}"}
        monkeypatch.delenv("MEMKIT_NOW")
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        world = World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))
        found = Codex(request.param, world, server)
        found.configure()
        subprocess.run(["git", "init", "-q", str(found.project)], env=env, check=True)
        yield found
        assert not set(asked) - {NEWS}, asked


@pytest.fixture
def samples() -> str:
    return str(Path(__file__).parents[1] / "data" / "samples")
