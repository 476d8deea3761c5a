"""Processes that the bench starts and times, in an environment where start-up means something."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from memkit import resources
from tests.support.env import command, hermetic

T = TypeVar("T")
_PEAK = """
import resource, sys
from memkit import cli
status = cli.run(sys.argv[1:])
try:
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
except FileNotFoundError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
print(peak + (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10))
sys.exit(status)
"""


class Runs:
    """Runs in one folder; rounds: of each pair. Byte code is written (the environment is a closed one)."""

    def __init__(self, folder: Path, *, rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds
        self._env = hermetic(folder)

    def home(self) -> Path:
        """A new home's place."""
        return Path(mkdtemp(dir=self.folder, prefix="home-")) / "home"

    def timed(self, loop: Callable[[Sequence[T]], None], given: Sequence[T]) -> float:
        """Seconds of a loop in this process."""
        begun = time.perf_counter()
        loop(given)
        return time.perf_counter() - begun

    def python(self, *arguments: str | Path) -> float:
        """Seconds of a Python process, start-up included."""
        return self._run([sys.executable, *map(str, arguments)])

    def program(self, *words: str | Path) -> float:
        """Seconds of any program."""
        return self._run(list(map(str, words)))

    def memkit(self, home: Path, *arguments: str | Path) -> float:
        """Seconds of a memkit command, start-up included."""
        return self._run([*command(), *map(str, arguments)], home=home)

    def post_session(self, home: Path) -> float:
        """Seconds of the shell's hook; what it leaves in the background has ended, too, when this is back."""
        done = self.folder / "done"
        done.unlink(missing_ok=True)
        behind = ["sh", "-c", f'{shlex.quote(sys.executable)} -P -m memkit "$@"; : >{shlex.quote(str(done))}', "memkit"]
        took = self._run(["sh", str(resources.hook_dir() / "post-session"), *behind], home=home)
        while not done.exists():
            time.sleep(0.01)
        return took

    def git_hook(self, home: Path) -> float:
        """Seconds of the Git hook of a home."""
        line = ["env", "-C", str(home), "GIT_INDEX_FILE=.git/index", ".git/hooks/pre-commit"]
        return self._run(line, home=home)

    def consolidate(self, home: Path) -> float:
        """Seconds of a consolidation in a copy of a home that was only extracted."""
        copy = self.home()
        shutil.copytree(home, copy, symlinks=True)
        took = self.memkit(copy, "consolidate")
        shutil.rmtree(copy)
        return took

    def findings(self, home: Path) -> int:
        """What lint finds in a home after its consolidation."""
        self.memkit(home, "consolidate")
        line = [*command(), "lint", "--format", "json"]
        env = {**self._env, "MEMKIT_HOME": str(home)}
        done = subprocess.run(line, env=env, check=False, capture_output=True, encoding="utf-8")
        return len(json.loads(done.stdout))

    def extract(self, folder: Path) -> float:
        """Seconds until the last record of the folder's sessions is stored in a new home."""
        return self.memkit(self.home(), "extract", folder)

    def peak(self, folder: Path) -> int:
        """Bytes of memory that extracting the folder's sessions took at most, with the largest of its processes."""
        line = [sys.executable, "-c", _PEAK, "--home", str(self.home()), "extract", str(folder)]
        done = subprocess.run(line, env=self._env, check=True, capture_output=True, encoding="utf-8")
        return int(done.stdout.split()[-1])

    def _run(self, line: Sequence[str], *, home: Path | None = None) -> float:
        env = self._env if home is None else {**self._env, "MEMKIT_HOME": str(home)}
        begun = time.perf_counter()
        subprocess.run(line, env=env, check=True, capture_output=True)
        return time.perf_counter() - begun
