"""The Git hook of the memory's repository: what it keeps out, in all the ways to commit; and the hooks of others."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.world import SUMMARY, World, working

TOKEN = "ghp_" + "k3Jx9QmZ7vT2LbW8sYd4RfN6hCg1PaUe5oXi"
KEPT = "pre-commit.before-memkit"
WISH = "Always run the linter before you stop."
FOREIGN = {
    "sh": '#!/bin/sh\necho "$0 $#" >"$TOLD"\nexit 3\n',
    "env sh": '#!/usr/bin/env sh\necho "$0 $#" >"$TOLD"\nexit 3\n',
    "python": f'#!{sys.executable}\nimport os\nopen(os.environ["TOLD"], "w").write("x pre-commit 0")\nos._exit(3)\n',
}


@pytest.fixture
def filled(world: World) -> World:
    """A home with a session's memory."""
    world.write(working("alpha", wish=WISH))
    world.call("run")
    return world


def hook(world: World) -> Path:
    return world.home / ".git" / "hooks" / "pre-commit"


def add(world: World, line: str, *, below: Path | None = None) -> None:
    path = (below or world.home) / SUMMARY
    path.write_text(path.read_text().replace("## General Tips\n", f"## General Tips\n\n{line}\n", 1))


def commit(world: World, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """`git commit` as a person does it."""
    named = {"GIT_AUTHOR_NAME": "me", "GIT_AUTHOR_EMAIL": "me@localhost"}
    named |= {"GIT_COMMITTER_NAME": "me", "GIT_COMMITTER_EMAIL": "me@localhost"}
    git = shutil.which("git", path=world.env["PATH"]) or "git"
    return subprocess.run(
        [git, "commit", "-q", "-m", "mine", *words],
        cwd=cwd or world.home,
        env={**world.env, **named, **env},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def state(*folders: Path) -> dict[str, str]:
    """Every file of folders, but Git's objects: mode, time, and content or target."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if "objects" in path.parts or path.is_dir():
                continue
            seen = path.lstat()
            what = f"-> {path.readlink()}" if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path)] = f"{stat.filemode(seen.st_mode)} {seen.st_mtime_ns} {what}"
    return found


# --- what it keeps out --------------------------------------------------------------------------------------------


def test_a_new_home_has_the_hook_and_installing_again_changes_nothing(world: World) -> None:
    world.call("init")
    text = hook(world).read_text()
    assert (
        text.splitlines()[1].startswith("# memkit:hook ")
        and f"{sys.executable} -P -m memkit --home {world.home}" in text
    )
    assert os.access(hook(world), os.X_OK) and len(text.splitlines()) <= 20
    before = state(world.home / ".git")
    assert "nothing to do" in world.call("hooks", "install", "git").out
    world.call("init")
    assert state(world.home / ".git" / "hooks") == {k: v for k, v in before.items() if "/hooks/" in k}
    world.call("hooks", "uninstall", "git")
    assert not hook(world).exists()
    world.call("hooks", "install", "git")
    assert hook(world).read_text() == text


@pytest.mark.parametrize("way", ["staged", "all", "file", "below", "linked", "bare PATH", "elsewhere"])
def test_a_line_that_breaks_the_rules_is_kept_out_and_named(filled: World, tmp_path: Path, way: str) -> None:
    top = filled.home
    if way == "linked":
        top = tmp_path / "linked"
        filled.git("worktree", "add", "-q", str(top))
    head = filled.git("rev-parse", "HEAD")
    number = (top / SUMMARY).read_text().splitlines().index("## General Tips") + 3
    add(filled, f"- The token is {TOKEN}.", below=top)
    if way == "staged":
        filled.git("add", "-A")
    words = {"staged": [], "file": [SUMMARY], "below": ["memory_summary.md"]}.get(way, ["-a"])
    env = {"PATH": "/nonexistent"} if way == "bare PATH" else {}
    cwd = top / "memories_v2" if way == "below" else top
    if way == "elsewhere":
        cwd, env = tmp_path, {"GIT_DIR": str(top / ".git"), "GIT_WORK_TREE": str(top)}
    done = commit(filled, *words, cwd=cwd, **env)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[0].startswith(f"{SUMMARY}:{number}: secret: ")
    assert "memkit: one of these keeps the commit out" in done.stderr and TOKEN not in done.stderr
    assert filled.git("rev-parse", "HEAD") == head
    assert commit(filled, "--no-verify", *words, cwd=cwd, **env).returncode == 0


def test_what_is_staged_counts_and_not_what_lies_there(filled: World) -> None:
    add(filled, "- Deploys are on Tuesdays.")
    filled.git("add", "-A")
    add(filled, f"- The token is {TOKEN}.")
    done = commit(filled)
    assert (done.returncode, done.stderr) == (0, "")
    filled.git("add", "-A")
    (filled.home / SUMMARY).write_text(filled.git("show", f"HEAD:{SUMMARY}"))
    assert commit(filled).returncode == 1


def test_a_record_that_is_pointed_to_may_not_go(filled: World) -> None:
    [record] = filled.records
    filled.git("rm", "-q", str(record))
    done = commit(filled)
    assert done.returncode == 1 and f"pointer-missing: there is no rollout_summaries/{record.name}" in done.stderr


def test_the_whole_document_is_judged_and_old_lines_are_not_judged_again(filled: World) -> None:
    add(filled, "- The build is red at the moment.")  # undated: a finding that keeps nothing out
    add(filled, f"- {WISH}")
    assert "scope-mark-missing" in commit(filled, "-a").stderr
    assert commit(filled, "-a", "--no-verify").returncode == 0
    add(filled, "- Deploys are on Tuesdays.")
    done = commit(filled, "-a")
    assert (done.returncode, done.stderr) == (0, "")
    add(filled, "- " + "long words of no use " * 90)
    add(filled, "- " + "more words of little use " * 500)
    done = commit(filled, "-a")
    assert done.returncode == 1 and "summary-bytes" in done.stderr and "line-too-long" in done.stderr


def test_other_files_are_looked_through_for_secrets(filled: World) -> None:
    (filled.home / "notes.txt").write_text(f"a\nb {TOKEN}\n")
    (filled.home / "link").symlink_to("notes.txt")
    filled.git("add", "-A", "-f")
    done = commit(filled)
    assert done.returncode == 1 and done.stderr.startswith("notes.txt:2: secret: ")


def test_without_a_hook_s_call_the_home_s_own_stage_is_looked_at(filled: World) -> None:
    add(filled, f"- The token is {TOKEN}.")
    assert filled.call("lint", "--staged").err == ""
    filled.git("add", "-A")
    assert ": secret: " in filled.call("lint", "--staged", ok=1).err
    assert ": secret: " in filled.call("--home", filled.home, "lint", "--staged", ok=1).err
    assert "neither paths" in filled.call("lint", "--staged", filled.home, ok=2).err


def test_a_hook_that_came_into_another_repository_does_nothing_there(filled: World, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "other"], env=filled.env, check=True)
    shutil.copytree(hook(filled).parent, tmp_path / "other/.git/hooks", dirs_exist_ok=True)
    (tmp_path / "other" / "a").write_text(TOKEN)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path / "other", env=filled.env, check=True)
    done = commit(filled, cwd=tmp_path / "other")
    assert done.returncode == 0 and f"this is not the repository of {filled.home}" in done.stderr


def test_a_home_that_was_moved_is_linted_again_once_its_hook_is_put_in_anew(filled: World, tmp_path: Path) -> None:
    moved = filled.home.rename(tmp_path / "moved")
    add(filled, f"- The token is {TOKEN}.", below=moved)
    assert "nothing is linted" in commit(filled, "-a", cwd=moved).stderr
    filled.call("--home", moved, "hooks", "install", "git")
    add(filled, f"- One more token is {TOKEN}.", below=moved)
    assert commit(filled, "-a", cwd=moved).returncode == 1


def test_a_memkit_that_is_gone_is_said_and_keeps_nothing_out(filled: World) -> None:
    hook(filled).write_text(hook(filled).read_text().replace(sys.executable, "/nonexistent/python"))
    add(filled, "- Deploys are on Tuesdays.")
    done = commit(filled, "-a")
    assert done.returncode == 0 and "memkit: /nonexistent/python is gone, so nothing is linted" in done.stderr


# --- hooks of others ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*FOREIGN, "link"])
def test_a_foreign_hook_still_runs_and_comes_back_as_it_was(filled: World, tmp_path: Path, kind: str) -> None:
    filled.call("hooks", "uninstall", "git")
    path = hook(filled)
    real = tmp_path / "real" if kind == "link" else path
    real.write_text(FOREIGN.get(kind, FOREIGN["sh"]))
    real.chmod(0o555)
    if kind == "link":
        path.symlink_to(real)
    before = state(path.parent, tmp_path / "home" / ".git")
    told = filled.call("hooks", "install", "git")
    assert f"stays, as {KEPT}" in told.err
    add(filled, "- Deploys are on Tuesdays.")
    done = commit(filled, "-a", TOLD=str(tmp_path / "told"))
    name, arguments = (tmp_path / "told").read_text().rsplit(maxsplit=1)
    assert (done.returncode, arguments) == (1, "0")  # Git ends with 1, whatever a hook ends with
    assert Path(name).name in ("pre-commit", "x pre-commit")
    (tmp_path / "told").unlink()
    add(filled, f"- The token is {TOKEN}.")
    assert ": secret: " in commit(filled, "-a", TOLD=str(tmp_path / "told")).stderr
    assert not (tmp_path / "told").exists()
    assert "nothing to do" in filled.call("hooks", "install", "git").out
    filled.call("hooks", "uninstall", "git")
    after = state(path.parent, tmp_path / "home" / ".git")
    assert {k: v for k, v in after.items() if not k.endswith("/index")} == {
        k: v for k, v in before.items() if not k.endswith("/index")
    }


def test_a_foreign_hook_that_is_off_stays_off(filled: World, tmp_path: Path) -> None:
    filled.call("hooks", "uninstall", "git")
    hook(filled).write_text(FOREIGN["sh"])
    hook(filled).chmod(0o600)
    filled.call("hooks", "install", "git")
    add(filled, "- Deploys are on Tuesdays.")
    assert commit(filled, "-a", TOLD=str(tmp_path / "told")).returncode == 0
    assert not (tmp_path / "told").exists()


def test_memkit_s_own_commits_fire_no_hook(filled: World, tmp_path: Path) -> None:
    hook(filled).write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\nexit 1\n")
    (hook(filled).parent / "post-commit").write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
    (hook(filled).parent / "post-commit").chmod(0o755)
    filled.call("remember", "--global", "--now", "Deploys are on Tuesdays.")
    assert "Deploys are on Tuesdays." in filled.summary and not (tmp_path / "fired").exists()


def test_a_hook_that_took_memkit_s_place_is_left_alone(filled: World) -> None:
    hook(filled).write_text(FOREIGN["sh"])
    (hook(filled).parent / KEPT).write_text(FOREIGN["env sh"])
    before = state(hook(filled).parent)
    assert "nothing to do" in filled.call("hooks", "uninstall", "git").out
    done = filled.call("hooks", "install", "git", ok=3)
    assert f"{KEPT} holds the hook that was there before" in done.err and state(hook(filled).parent) == before


def test_an_installation_that_was_killed_is_ended_by_the_next(filled: World) -> None:
    filled.call("hooks", "uninstall", "git")
    hook(filled).write_text(FOREIGN["sh"])
    os.link(hook(filled), hook(filled).parent / KEPT)  # killed behind this
    filled.call("hooks", "install", "git")
    assert (hook(filled).parent / KEPT).read_text() == FOREIGN["sh"] and "memkit:hook" in hook(filled).read_text()


@pytest.mark.parametrize("kind", ["folder", "pipe", "no folder", "read-only"])
def test_what_can_not_be_changed_is_said_and_left_alone(filled: World, kind: str) -> None:
    filled.call("hooks", "uninstall", "git")
    path = hook(filled)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "no folder":
        path.parent.rmdir()
        path.parent.write_text("")
    else:
        path.parent.chmod(0o500)
    done = filled.unprivileged("hooks", "install", "git", ok=3)
    assert str(path) in done.err and done.err.count("\n") == 1
    assert kind != "read-only" or not list(path.parent.iterdir())


# --- core.hooksPath ---------------------------------------------------------------------------------------------------


def test_a_folder_of_the_home_that_git_takes_hooks_from_is_respected(filled: World) -> None:
    filled.call("hooks", "uninstall", "git")
    filled.git("config", "core.hooksPath", ".hooks")
    done = filled.call("hooks", "install", "git")
    assert "core.hooksPath is .hooks" in done.err and (filled.home / ".hooks" / "pre-commit").exists()
    add(filled, f"- The token is {TOKEN}.")
    assert commit(filled, "-a").returncode == 1
    filled.call("hooks", "uninstall", "git")
    assert not list((filled.home / ".hooks").iterdir())


def test_a_folder_that_other_repositories_use_too_is_left_alone(world: World, tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path}/hooks\n")
    world.env["GIT_CONFIG_GLOBAL"] = os.environ["GIT_CONFIG_GLOBAL"] = str(tmp_path / "gitconfig")
    made = world.call("init")
    assert "no Git hook checks your own commits" in made.err and f"core.hooksPath is {tmp_path}/hooks" in made.err
    done = world.call("hooks", "install", "git", ok=3)
    assert "other repositories" in done.err and "config core.hooksPath .git/hooks" in done.err
    assert not list((tmp_path / "hooks").iterdir())
    world.git("config", "core.hooksPath", ".git/hooks")
    world.call("hooks", "install", "git")
    assert hook(world).exists()


# --- the managers of hooks that people have ---------------------------------------------------------------------------


def husky(world: World) -> None:
    """As husky 9 leaves a repository: wrappers that look for a script by their own name, one folder up."""
    folder = world.home / ".husky" / "_"
    folder.mkdir(parents=True)
    (folder / "h").write_text('n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\nsh -e "$s" "$@"\nexit $?\n')
    (folder / "pre-commit").write_text('#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    (folder / "pre-commit").chmod(0o755)
    (world.home / ".husky" / "pre-commit").write_text('echo ran >"$TOLD"\n')
    world.git("config", "core.hooksPath", ".husky/_")


def lefthook(world: World) -> None:
    """As lefthook leaves one: a script in .git/hooks that finds its program and names the hook."""
    program = Path(world.env["HOME"]) / "lefthook"
    program.write_text('#!/bin/sh\n[ "$1 $2" = "run pre-commit" ] && echo ran >"$TOLD"\n')
    program.chmod(0o755)
    hook(world).write_text(
        f'#!/bin/sh\ncall_lefthook()\n{{\n  "{program}" "$@"\n}}\n\ncall_lefthook run "pre-commit" "$@"\n'
    )
    hook(world).chmod(0o755)


def pre_commit(world: World) -> None:
    """As the real pre-commit leaves one."""
    (world.home / ".pre-commit-config.yaml").write_text(
        "repos:\n- repo: local\n  hooks:\n  - {id: x, name: x, language: system, always_run: true,\n"
        "     pass_filenames: false, entry: sh -c 'echo ran >\"$TOLD\"'}\n"
    )
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=world.home, env=world.env, capture_output=True, check=True
    )
    world.git("add", ".pre-commit-config.yaml")


@pytest.mark.parametrize("manager", [husky, lefthook, pre_commit])
def test_all_hooks_come_and_go_beside_a_manager_of_hooks(
    filled: World, tmp_path: Path, manager: Callable[[World], None]
) -> None:
    filled.call("hooks", "uninstall", "git")
    manager(filled)
    user = Path(filled.env["HOME"])
    (user / ".bashrc").write_text("alias l=ls\n")
    (user / ".claude").mkdir()
    (user / ".claude" / "settings.json").write_text('{"model": "x"}')
    (filled.codex / "hooks.json").write_text('{"hooks": {"Stop": []}}\n')
    folders = (user, filled.codex, filled.home / ".git" / "hooks", filled.home / ".husky")
    before, config = state(*folders), (filled.home / ".git" / "config").read_bytes()
    os.environ["SHELL"] = "/bin/bash"
    targets = ("shell", "codex", "claude", "git")
    for target in targets:
        filled.call("hooks", "install", target)
    assert len({*state(*folders).items()} - {*before.items()}) >= 4
    add(filled, "- Deploys are on Tuesdays.")
    done = commit(filled, "-a", TOLD=str(tmp_path / "told"))
    assert done.returncode == 0 and (tmp_path / "told").read_text() == "ran\n", done.stderr
    add(filled, f"- The token is {TOKEN}.")
    assert ": secret: " in commit(filled, "-a").stderr
    for target in reversed(targets):
        filled.call("hooks", "uninstall", target)
    mine = {name: what.split() for name, what in state(*folders).items()}
    was = {name: what.split() for name, what in before.items()}
    for each in (mine, was):  # a file that is written whole has another time
        for name, what in each.items():
            each[name] = what if "/hooks/" in name or ".husky" in name else [what[0], what[2]]
    assert mine == was and (filled.home / ".git" / "config").read_bytes() == config
