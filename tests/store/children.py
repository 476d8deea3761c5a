"""Other processes for the tests of the store and the locks: they say `ready`, wait, and can be killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

NOBODY = 65_534
# Everything is imported before the rights go: the checkout may be readable for root only.
_UNPRIVILEGED = f"""
import os, sys
from pathlib import Path
from memkit import errors, locks, model
from memkit.store import Store
if os.geteuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
"""


@contextmanager
def child(code: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """A Python process that has printed `ready`; its stdin closes and it is waited for at the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", dedent(code), *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        if first != "ready\n":
            raise AssertionError(f"{first}{process.communicate()[1]}")
        yield process
    finally:
        if process.poll() is None:
            process.communicate()
        else:
            for pipe in (process.stdin, process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()


def run(code: str, *args: object) -> str:
    """What a Python process prints that ends by itself, with success."""
    done = subprocess.run([sys.executable, "-c", dedent(code), *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_without_rights(code: str, *args: object) -> str:
    """`run` as a user whom file modes hold; for root they mean nothing."""
    return run(_UNPRIVILEGED + dedent(code), *args)


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder that a user without rights reaches (pytest's own are closed to others)."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def make_readonly(folder: Path) -> None:
    """Give the folder and its files to the user without rights, and take the right to write the folder."""
    for path in (folder, *folder.iterdir()):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
    folder.chmod(0o555)
