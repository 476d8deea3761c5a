from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memkit.repo import Repo
from tests.repo.tools import Git


@pytest.fixture(autouse=True)
def users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user / ".config"))
    monkeypatch.setenv("MEMKIT_NOW", "1790000000")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def git(home: Path) -> Git:
    """The user's own Git in the home (or elsewhere): its stdout."""

    def run(*arguments: str, at: Path = home, ok: bool = True) -> str:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "user",
            "GIT_AUTHOR_EMAIL": "user@example.org",
            "GIT_COMMITTER_NAME": "user",
            "GIT_COMMITTER_EMAIL": "user@example.org",
            "GIT_EDITOR": "true",
        }
        done = subprocess.run(["git", *arguments], cwd=at, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not ok, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def repo(home: Path) -> Repo:
    """A home with one commit: memkit.yaml and two documents."""
    repo = Repo.ensure(home)
    (home / "memories_v2").mkdir(mode=0o700)
    (home / "memkit.yaml").write_text("version: v2\n")
    (home / "memories_v2" / "a.md").write_text("alpha\n")
    (home / "memories_v2" / "b.md").write_text("beta\n")
    repo.commit_paths(["memkit.yaml", "memories_v2"], message="memory: start")
    return repo
