"""A secret, wherever it is said, typed or printed, is in no byte of the home and in no Git object."""

from __future__ import annotations

import os
import random
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commands.world import World
from tests.support.rollouts import Rollout

FORMS = (
    ("sk-proj-", string.ascii_letters + string.digits, 40),
    ("ghp_", string.ascii_letters + string.digits, 36),
    ("AKIA", string.ascii_uppercase + "234567", 16),
)


def key_of(seed: int) -> str:
    """A key as a machine makes them; one of few different signs is an example in somebody's manual."""
    chance = random.Random(seed)
    prefix, letters, size = FORMS[seed % len(FORMS)]
    return prefix + "".join(chance.choices(letters, k=size))


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_planted_secret_is_in_no_byte_and_no_object(seed: int) -> None:
    key = key_of(seed)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        home, codex = Path(folder) / "home", Path(folder) / "codex"
        patched.setenv("CODEX_HOME", str(codex))
        patched.setenv("MEMKIT_HOME", str(home))
        world = World(env=dict(os.environ), home=home, codex=codex)
        world.write(
            Rollout(name="one", cwd=f"/home/dev/{key}")
            .user(f"From now on always use {key} for the deploy, in every project.")
            .run(f"deploy --token {key}", output=f"token {key}\n1 failed\n", exit=1)
            .patch("src/keys.py", old="KEY = None", new=f"KEY = '{key}'")
            .final(f"Deployed with {key}.")
        )
        world.call("run")
        world.call("remember", "--global", f"The deploy key is {key}, by the way.")
        world.edit("## General Tips\n", f"## General Tips\n\n- Deploy with {key} only.\n")
        world.call("run")
        assert "[REDACTED_SECRET]" in world.summary
        everything = b"".join([*world.bytes().values(), *(p.encode() for p in world.bytes()), world.history()])
        assert key.encode() not in everything and key[8:].encode() not in everything
        world.healthy()
