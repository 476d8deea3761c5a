"""Doctor: what is wrong with a home, each finding with the command that mends it. Never changes a byte of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from memkit import locks
from memkit.config import Config, home_path, load
from memkit.errors import ConfigError, MemkitError
from memkit.repo import Repo, looking
from memkit.stages.doctor import contents, database, place, repository
from memkit.stages.doctor.values import Trouble, Visit

__all__ = ["Trouble", "doctor"]

_LONG = 3_600  # seconds after which a run that works is worth a look
Check = Callable[[Visit], Iterable[Trouble]]


def doctor(*, home: Path | None, env: Mapping[str, str], now: float, user_home: str) -> tuple[Trouble, ...]:
    """Everything that is found wrong, in the order in which it is best mended; empty for a home in good order.

    home: as given by an option. env: the environment that configures memkit. A check that can't be made is a finding.
    """
    config, found = _configured(home, env)
    words = "memkit" if config.home == home_path(None, env=env) else f"memkit --home {shlex.quote(str(config.home))}"
    if not config.home.is_dir():
        what = f"{config.home} is no folder" if config.home.exists() else f"there is no memory at {config.home} yet"
        return (*found, Trouble(check="home", what=what, mend=f"{words} init"))
    running = locks.holding(config.home)
    visit = Visit(
        config=config,
        repo=Repo.at(config.home),
        now=now,
        user_home=user_home,
        memkit=words,
        busy=running is not None and running.alive,
    )
    found += _asked("home", place.check, visit)
    found += _runs(running, visit)
    found += _asked("git", repository.check, visit)
    if not _asked("git", _is_repository, visit):
        found += _asked("memory", contents.check, visit)
        found += _asked("database", database.check, visit)
    return tuple(found)


def _configured(home: Path | None, env: Mapping[str, str]) -> tuple[Config, list[Trouble]]:
    try:
        config = load(home=home, env=env)
    except ConfigError as error:
        root = home_path(home, env=env)
        mend = error.mend or (f"edit {root / 'memkit.yaml'}" if str(root) in error.what else "change or unset it")
        codex = Path(env.get("CODEX_HOME") or Path(env.get("HOME") or Path.home(), ".codex")).absolute()
        return Config(home=root, codex_home=codex), [Trouble(check="configuration", what=error.what, mend=mend)]
    found = [
        Trouble(
            check="unknown-key",
            what=warning,
            mend=f"edit {config.path}" if warning.startswith(str(config.path)) else "unset it",
        )
        for warning in config.warnings
    ]
    if config.disabled:
        found.append(
            Trouble(
                check="disabled",
                what="MEMKIT_DISABLE is set: nothing is read or learned, and nothing will be injected",
                mend="unset MEMKIT_DISABLE",
            )
        )
    return config, found


def _asked(check: str, ask: Check, visit: Visit) -> list[Trouble]:
    """What a group of checks found, up to where it could look."""
    found: list[Trouble] = []
    try:
        found.extend(ask(visit))
    except MemkitError as error:
        found.append(Trouble(check=check, what=error.what, mend=error.mend or f"{visit.memkit} init"))
    except OSError as error:
        what = f"{error.filename or visit.home} can't be looked at: {error.strerror or error}"
        found.append(Trouble(check="permissions", what=what, mend=f"chmod -R u+rwX {visit.quoted(visit.home)}"))
    return found


def _is_repository(visit: Visit) -> Iterable[Trouble]:
    if said := looking.no_repository(visit.repo):
        yield Trouble(check="no-repository", what=said, mend="")


def _runs(running: locks.Holding | None, visit: Visit) -> list[Trouble]:
    """A run that hangs, or one that was killed."""
    if running is None:
        return []
    who = f"`{' '.join(running.command.split())[:100]}`, process {running.pid}"
    if not running.alive:
        what = f"{who} was killed while it worked; the next run finishes or takes back what it began"
        return [Trouble(check="stale-lock", what=what, mend=f"{visit.memkit} run")]
    hours = (visit.now - running.since) / _LONG
    if hours < 1:
        return []
    what = f"{who} has held the lock for {hours:.0f} h; nothing else can run"
    return [Trouble(check="long-run", what=what, mend=f"kill {running.pid}")]
