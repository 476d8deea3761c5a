"""The machine that hooks are installed on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.world import World


@pytest.fixture
def world(env: dict[str, str]) -> World:
    (found := World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))).codex.mkdir()
    return found
