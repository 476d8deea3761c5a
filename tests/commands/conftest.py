"""The machine that the commands are run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.world import World


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the module's, for `put_back`."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def world(env: dict[str, str]) -> World:
    return World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))
