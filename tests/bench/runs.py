"""Processes that the bench starts and times, in an environment where start-up means something."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from tests.support.env import command, hermetic

T = TypeVar("T")
_PEAK = """
import sys
from memkit import cli
status = cli.run(sys.argv[1:])
try:
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
except FileNotFoundError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak)
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

    def extract(self, folder: Path) -> float:
        """Seconds until the last record of the folder's sessions is stored in a new home."""
        return self.memkit(self.home(), "extract", folder)

    def peak(self, folder: Path) -> int:
        """Bytes of memory that extracting the folder's sessions took at most."""
        line = [sys.executable, "-c", _PEAK, "--home", str(self.home()), "extract", str(folder)]
        done = subprocess.run(line, env=self._env, check=True, capture_output=True, encoding="utf-8")
        return int(done.stdout.split()[-1])

    def _run(self, line: Sequence[str], *, home: Path | None = None) -> float:
        env = self._env if home is None else {**self._env, "MEMKIT_HOME": str(home)}
        begun = time.perf_counter()
        subprocess.run(line, env=env, check=True, capture_output=True)
        return time.perf_counter() - begun
