"""The machine that the world attacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.world import World


@pytest.fixture
def world(env: dict[str, str]) -> World:
    return World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))
