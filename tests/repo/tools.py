"""What the tests of the repository share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from memkit.repo import Repo
from memkit.repo.door import Door

Git = Callable[..., str]


def stage(repo: Repo, files: dict[str, str | None], *, message: str = "memory: staged") -> tuple[str, str]:
    """Commit files (None: deleted) in a staging; the base and the commit."""
    with repo.staging() as staging:
        for path, text in files.items():
            spot = staging.path / path
            if text is None:
                spot.unlink()
            else:
                spot.parent.mkdir(parents=True, exist_ok=True)
                spot.write_text(text)
        return staging.base, staging.commit(message)


def tree(folder: Path) -> dict[str, bytes]:
    """All bytes below a folder."""
    return {str(spot.relative_to(folder)): spot.read_bytes() for spot in sorted(folder.rglob("*")) if spot.is_file()}


class Killer:
    """Kills this process before its n-th step: a rename, a removal, a sync of a file, a Git call that writes."""

    def __init__(self, at: int) -> None:
        self.left = at

    def arm(self) -> None:
        for owner, name in ((Path, "replace"), (Path, "unlink"), (Path, "rmdir"), (os, "fsync"), (Door, "write")):
            setattr(owner, name, self._wrapped(getattr(owner, name)))

    def _wrapped(self, step: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **more: object) -> object:
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1
            return step(*args, **more)

        return run


def killed(work: Callable[[], object], *, at: int) -> bool:
    """Run work in a child that is killed before its step `at`; False when it came to its end before."""
    child = os.fork()
    if child == 0:
        try:
            Killer(at).arm()
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), "the child failed by itself"
    return status != 0
