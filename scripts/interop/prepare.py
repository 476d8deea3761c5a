"""Installs the public Codex CLI for `make interop`, in the versions that are tried, and keeps it in a cache.

    python scripts/interop/prepare.py CACHE PYTEST-ARGUMENT…

Then runs pytest with INTEROP_CODEX set to the programs, parted as in PATH. Exit status 0 with a line that says why when
this machine can't have them (no npm, no registry, no build for it), 1 when it should have been able to, else pytest's.
What is in the cache already is used also where the registry can't be reached. npm has the user's own settings and runs
no scripts of packages.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "@openai/codex"
# The last with V1 as its default, and the newest of those that read V2: a range is asked for anew each time.
RELEASES = ("0.160.0", ">=0.170.0 <0.180.0")
_ASK_SECONDS, _INSTALL_SECONDS, _START_SECONDS = 30, 300, 60
_QUIET = ("--no-audit", "--no-fund", "--no-update-notifier", "--fetch-retries=1", "--fetch-timeout=20000")
# What npm says when it is the way to the registry that fails, not what was asked of it.
_UNREACHABLE = (
    "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENETDOWN",
    "ERR_SOCKET_TIMEOUT", "EIDLETIMEOUT", "FETCH_ERROR", "UNABLE_TO_GET_ISSUER_CERT", "SELF_SIGNED_CERT",
    "E401", "E403", "E407", "E429", "E500", "E502", "E503", "E504", "ENOTCACHED",
)  # fmt: skip


class Skipped(Exception):
    """This machine can't have Codex; says why."""


class Failed(Exception):
    """A step that should have worked did not; says which, and its last words."""


def main(arguments: Sequence[str]) -> int:
    cache = Path(arguments[0]).resolve()
    cache.mkdir(parents=True, exist_ok=True)
    programs: list[Path] = []
    try:
        for release in RELEASES:
            try:
                programs.append(prepared(cache, release=release))
            except Skipped as reason:
                print(f"interop: skipped: Codex {release}: {reason}", file=sys.stderr)
    except Failed as error:
        print(f"interop: {error}", file=sys.stderr)
        return 1
    if not programs:
        return 0
    env = {**os.environ, "INTEROP_CODEX": os.pathsep.join(map(str, programs))}
    return subprocess.run([sys.executable, "-m", "pytest", *arguments[1:]], env=env, check=False).returncode


def prepared(cache: Path, *, release: str) -> Path:
    """The program of a release (a version, or a range of which the newest is taken), installed where it is not yet.

    Raises Skipped and Failed.
    """
    if not shutil.which("node") or not shutil.which("npm"):
        raise Skipped("no npm on PATH; on Debian and Ubuntu: apt-get install npm, on macOS: brew install node")
    exact = release[0].isdigit()
    version = release if exact else _newest(cache, release=release)
    home = cache / f"codex-{version}"
    if not _program(home).exists():
        with TemporaryDirectory(dir=cache, prefix="install-") as folder:
            made = Path(folder) / "codex"
            _install(made, version=version)
            shutil.rmtree(home, ignore_errors=True)
            made.replace(home)  # only a whole one is ever found here
        for other in _cached(cache, release=release):
            if not exact and other != home:
                shutil.rmtree(other)  # 430 MB each
    return _program(home)


def _newest(cache: Path, *, release: str) -> str:
    """The newest version in a range; where nobody can be asked, of those in the cache."""
    try:
        found = json.loads(_npm("view", f"{PACKAGE}@{release}", "version", "--json", seconds=_ASK_SECONDS))
    except Skipped:
        if there := _cached(cache, release=release):
            return there[-1].name.removeprefix("codex-")
        raise
    return max([found] if isinstance(found, str) else found, key=_order)


def _cached(cache: Path, *, release: str) -> list[Path]:
    """The folders of versions in a range `>=A <B`, or of that one version; the newest last."""
    if release[0].isdigit():
        return [cache / f"codex-{release}"]
    low, high = (_order(bound.lstrip("<>=")) for bound in release.split())
    there = {_order(each.name.removeprefix("codex-")): each for each in cache.glob("codex-*.*.*")}
    return [there[order] for order in sorted(there) if low <= order < high]


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split("."))


def _program(home: Path) -> Path:
    return home / "node_modules" / ".bin" / "codex"


def _install(folder: Path, *, version: str) -> None:
    print(f"interop: installing Codex {version} from npm, once (430 MB)", file=sys.stderr, flush=True)
    folder.mkdir()
    _npm("install", "--prefix", str(folder), "--ignore-scripts", f"{PACKAGE}@{version}", seconds=_INSTALL_SECONDS)
    try:
        done = _run(
            [str(_program(folder)), "--version"], seconds=_START_SECONDS, env={**os.environ, "HOME": str(folder)}
        )
    except OSError as error:
        raise Failed(f"npm installed no program: {error}") from error
    if "Missing optional dependency" in done.stderr or "Unsupported platform" in done.stderr:
        raise Skipped("it has no build for this machine")
    if version not in done.stdout:
        raise Failed(f"Codex {version} does not start:\n{done.stdout[-1_000:]}{done.stderr[-1_000:]}")


def _npm(*arguments: str, seconds: float) -> str:
    """What npm prints. Raises Skipped when the registry can't be reached or takes too long, else Failed."""
    try:
        done = _run(["npm", *arguments, *_QUIET], seconds=seconds)
    except subprocess.TimeoutExpired as error:
        raise Skipped(f"npm {arguments[0]} took over {seconds:.0f} seconds") from error
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.strip() or done.stdout.strip()
    if code := next((code for code in _UNREACHABLE if code in said), ""):
        raise Skipped(f"npm can't reach its registry ({code})")
    raise Failed(f"could not npm {arguments[0]} {PACKAGE}:\n{said[-2_000:]}")


def _run(line: list[str], *, seconds: float, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        line, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
