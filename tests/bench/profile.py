"""`make profile`: where the time of `memkit extract` goes, function by function, on a part of the bench's corpus."""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from memkit import cli
from tests.bench import corpus
from tests.support.env import hermetic


def main() -> None:
    """Prints the functions that took most, by themselves and with what they call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--size", type=int, default=60, help="megabytes of sessions")
    parser.add_argument("--lines", type=int, default=30, help="functions to show of each kind")
    given = parser.parse_args()
    made = corpus.corpus(given.cache, sessions=12, size=given.size << 20)
    with TemporaryDirectory(dir=given.cache) as folder:
        os.environ.clear()
        os.environ.update(hermetic(Path(folder)))
        profile = cProfile.Profile()
        status = profile.runcall(cli.run, ["extract", str(made.folder)])
    for order in ("tottime", "cumulative"):
        pstats.Stats(profile).strip_dirs().sort_stats(order).print_stats(given.lines)
    sys.exit(status)


if __name__ == "__main__":
    main()
