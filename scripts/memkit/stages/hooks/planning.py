"""What is to be written where, for each target; nothing is written before it was planned whole."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from memkit import clients, prompts, resources
from memkit.clients import Edit, Handler, git_hook, hook_lists, start_up
from memkit.config import Config
from memkit.errors import ConfigError, UsageError
from memkit.repo import Repo, looking

Target = Literal["shell", "codex", "claude", "git"]
TARGETS: tuple[Target, ...] = get_args(Target)

_START_SECONDS = 10  # what an agent waits for its memory
_END_SECONDS = 3  # what Codex allows at most
_HOOK = "pre-commit"
_SHELL_FILES = (".bashrc", ".bash_profile", ".zshrc")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """How a hook calls memkit: its words, with absolute paths."""

    words: tuple[str, ...]

    @classmethod
    def here(cls, home: Path) -> Call:
        """This very memkit on a home, whatever the PATH, the folder and the environment of the caller are."""
        return cls(words=(sys.executable, "-P", "-m", "memkit", "--home", str(home)))

    def line(self, script: str) -> str:
        """The command that runs one of the scripts of hooks/."""
        return shlex.join(["sh", str(resources.hook_dir() / script), *self.words])


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What a target's files become. notes: what the user should know, one line each."""

    target: Target
    edits: tuple[Edit, ...]
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return any(edit.changes for edit in self.edits)


def plan(
    target: Target, *, config: Config, env: Mapping[str, str], call: Call | None, file: Path | None = None
) -> Plan:
    """What installing (with a call) or uninstalling (None) a target's hooks writes.

    file: instead of the target's own. ConfigError where a file does not allow it, UsageError where none is known.
    """
    if target == "shell":
        return _shell(config, env=env, call=call, file=file)
    if target == "git":
        return _git(config, call=call)
    path = file or _list(target, config=config, env=env)
    if call is None:
        return Plan(target=target, edits=(hook_lists.uninstall(path),))
    if not path.parent.is_dir():
        variable, name = ("CODEX_HOME", "Codex") if target == "codex" else ("CLAUDE_CONFIG_DIR", "Claude Code")
        mend = f"start {name} once, or set {variable}"
        raise ConfigError(f"there is no folder {path.parent}, where {name} keeps its settings", mend=mend)
    notes = ("Codex asks you to trust the new hooks when it starts next.",) if target == "codex" else ()
    return Plan(target=target, edits=(hook_lists.install(path, _wanted(target, call)),), notes=notes)


def carry_out(plan: Plan) -> None:
    """Writes what was planned."""
    for edit in plan.edits:
        if isinstance(edit, git_hook.Swap):
            git_hook.carry_out(edit)
        else:
            clients.carry_out(edit)


def _list(target: Target, *, config: Config, env: Mapping[str, str]) -> Path:
    """The agent's file with its list of hooks."""
    if target == "codex":
        return config.codex_home / "hooks.json"
    return Path(env.get("CLAUDE_CONFIG_DIR") or _user(env) / ".claude").absolute() / "settings.json"


def _wanted(target: Target, call: Call) -> dict[str, Handler]:
    start = Handler(type="command", command=call.line("session-start"), timeout=_START_SECONDS)
    if target == "claude":
        return {"SessionStart": start}
    return {
        "SessionStart": start,
        "SessionEnd": Handler(type="command", command=call.line("post-session"), timeout=_END_SECONDS),
    }


def _shell(config: Config, *, env: Mapping[str, str], call: Call | None, file: Path | None) -> Plan:
    if call is None:
        there = [file] if file else [path for path in _start_up_files(env) if path.exists()]
        return Plan(target="shell", edits=tuple(start_up.uninstall(path) for path in there))
    for name in config.hooks.commands:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.+-]*", name):
            raise ConfigError(f"{config.path}: hooks.commands: {name!r} is no command's name", mend="change it")
    path = file or _start_up_file(env)
    text = prompts.shell_hook(commands=config.hooks.commands, call=call.line("post-session"))
    shown = ("It works in shells that are started from now on.",)
    return Plan(target="shell", edits=(start_up.install(path, text),), notes=shown)


def _git(config: Config, *, call: Call | None) -> Plan:
    """The hook of the home's repository, where Git looks for it."""
    repo = Repo.at(config.home)
    own = repo.door.git_dir / "hooks"
    if not repo.door.git_dir.is_dir():
        if call is None:
            return Plan(target="git", edits=())
        raise ConfigError(f"there is no memory at {config.home} yet", mend="memkit init")
    said = looking.hooks_elsewhere(repo)
    folder = (repo.home / said).resolve() if said else own
    mine = not said or repo.home in folder.parents
    if call is None:
        folders = dict.fromkeys((own, folder) if mine else (own,))
        return Plan(target="git", edits=tuple(git_hook.uninstall(each / _HOOK) for each in folders))
    if not mine:
        what = f"core.hooksPath is {said}: Git takes the hooks of other repositories from there, too"
        raise ConfigError(what, mend=f"git -C {repo.home} config core.hooksPath .git/hooks, then run this again")
    edit = git_hook.install(folder / _HOOK, (resources.hook_dir() / _HOOK).read_text("utf-8"), call=call.words)
    notes = [f"core.hooksPath is {said}: the hook is there."] if said else []
    if edit.aside:
        notes.append(f"The hook that was there stays, as {_HOOK}{clients.BACKUP}, and runs after memkit's.")
    return Plan(target="git", edits=(edit,), notes=tuple(notes))


def _start_up_file(env: Mapping[str, str]) -> Path:
    """The file that the user's interactive shell reads when it starts."""
    shell = Path(env.get("SHELL", "")).name
    if shell == "zsh":
        return Path(env.get("ZDOTDIR") or _user(env)) / ".zshrc"
    if shell == "bash":
        # A terminal of macOS starts login shells, which do not read .bashrc.
        return _user(env) / (".bash_profile" if sys.platform == "darwin" else ".bashrc")
    what = f"$SHELL is {env.get('SHELL') or 'not set'}; memkit knows the start-up files of bash and zsh"
    raise UsageError(what, mend="name the file of a bash or zsh with --file")


def _start_up_files(env: Mapping[str, str]) -> Iterator[Path]:
    """Every file that may hold memkit's block."""
    places = [_user(env), *([Path(env["ZDOTDIR"])] if env.get("ZDOTDIR") else [])]
    yield from dict.fromkeys(place / name for place in places for name in _SHELL_FILES)


def _user(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())
