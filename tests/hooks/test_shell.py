"""The shell's hook: a block in a start-up file, put in and taken out, and what it does after an agent's session."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memkit import locks
from tests.commands.world import World, bound_by_permissions, working
from tests.hooks.tools import HOOKS, log, processes, settle

BEGIN, END = "# >>> memkit >>>", "# <<< memkit <<<"
SHELLS = [
    pytest.param(name, file, marks=pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed"))
    for name, file in (("bash", ".bashrc"), ("zsh", ".zshrc"))
]
FILES = {
    "none": None,
    "empty": b"",
    "a blank line": b"\n",
    "usual": b"export A=1\n",
    "no last line break": b"export A=1",
    "blank lines at the end": b"export A=1\n\n\n",
    "crlf": b"export A=1\r\n",
    "no UTF-8": b"export A='\xff\xfe'\n",
}


@pytest.fixture(autouse=True)
def _shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")


def start_up(world: World, name: str = ".bashrc") -> Path:
    return Path(world.env["HOME"]) / name


def session(world: World, *words: str, shell: str = "bash", file: str = ".bashrc") -> subprocess.CompletedProcess[str]:
    """A shell that has read its start-up file and calls codex, as a person at the prompt would."""
    line = f'. "{start_up(world, file)}"; {" ".join(words)}'
    plain = ["--norc"] if shell == "bash" else ["-f"]
    return subprocess.run(
        [shell, *plain, "-c", line], env=world.env, capture_output=True, encoding="utf-8", timeout=30, check=False
    )


def program(world: World, name: str, *, status: int = 0) -> None:
    """A command on the PATH that says what it was told and ends with a status."""
    place = Path(world.env["HOME"]) / "bin" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f'#!/bin/sh\necho "{name}:$#:$*"\nexit {status}\n')
    place.chmod(0o755)
    if str(place.parent) not in world.env["PATH"]:
        world.env["PATH"] = f"{place.parent}:{world.env['PATH']}"


# --- the file ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FILES)
def test_installing_and_uninstalling_gives_the_bytes_back(world: World, form: str) -> None:
    path, before = start_up(world), FILES[form]
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o640)
    shown = world.call("hooks", "show", "shell").out
    assert (path.read_bytes() if path.exists() else None) == before
    said = world.call("hooks", "install", "shell").out
    block = [line[1:] for line in shown.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert block[-1] == END and BEGIN in block and "\n".join(f"+{line}" for line in block) in said
    written = path.read_bytes()
    assert written.startswith(before or b"") and written.decode("latin-1").rstrip("\n").endswith("\n".join(block))
    assert "nothing to do" in world.call("hooks", "install", "shell").out and path.read_bytes() == written
    assert "in place" in world.call("hooks", "show", "shell").out
    world.call("hooks", "uninstall", "shell")
    assert (path.read_bytes() if path.exists() else None) == before
    assert before is None or path.stat().st_mode & 0o777 == 0o640
    assert "nothing to do" in world.call("hooks", "uninstall", "shell").out


def test_what_was_written_around_the_block_stays(world: World) -> None:
    path = start_up(world)
    path.write_text("export A=1\n")
    world.call("hooks", "install", "shell")
    path.write_text(f"# first\n{path.read_text()}export B=2\n")
    world.call("hooks", "uninstall", "shell")
    assert path.read_text() == "# first\nexport A=1\nexport B=2\n"


def test_an_old_block_is_renewed_where_it_stands(world: World) -> None:
    path = start_up(world)
    path.write_text(f"export A=1\n\n{BEGIN}\nfunction codex {{ :; }}\n{END}\nexport B=2\n")
    world.call("hooks", "install", "shell")
    text = path.read_text()
    assert text.startswith(f"export A=1\n\n{BEGIN}\n") and text.endswith(f"{END}\nexport B=2\n")
    assert text.count(BEGIN) == 1 and "post-session" in text and "{ :; }" not in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a\n{BEGIN}\nb\n", 2),
        (f"a\n{END}\nb\n", 2),
        (f"{END}\n{BEGIN}\n", 1),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", 3),
    ],
)
@pytest.mark.parametrize("verb", ["install", "uninstall", "show"])
def test_marks_that_do_not_belong_together_are_named_and_left(world: World, text: str, line: int, verb: str) -> None:
    path = start_up(world)
    path.write_text(text)
    done = world.call("hooks", verb, "shell", ok=3)
    assert f"{path}:{line}: " in done.err and "stays as it was" in done.err and done.err.count("\n") == 1
    assert path.read_text() == text


@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("how", ["mode", "folder"])
def test_a_read_only_file_stays_as_it_was(world: World, how: str, verb: str) -> None:
    path = start_up(world)
    path.write_text(f"{BEGIN}\nold\n{END}\n" if verb == "uninstall" else "export A=1\n")
    before = path.read_bytes()
    path.chmod(0o444 if how == "mode" else 0o644)
    path.parent.chmod(0o555 if how == "folder" else 0o755)
    with bound_by_permissions():
        done = world.call("hooks", verb, "shell", ok=3)
    path.parent.chmod(0o755)
    assert "it stays as it was" in done.err and str(path) in done.err and path.read_bytes() == before


def test_a_symbolic_link_is_written_through_and_stays_one(world: World, tmp_path: Path) -> None:
    path, real = start_up(world), tmp_path / "dotfiles" / "bashrc"
    real.parent.mkdir()
    real.write_text("export A=1\n")
    path.symlink_to(real)
    assert f"symbolic link to {real}" in world.call("hooks", "install", "shell").out
    assert path.is_symlink() and BEGIN in real.read_text()
    world.call("hooks", "uninstall", "shell")
    assert path.is_symlink() and real.read_text() == "export A=1\n" and list(real.parent.iterdir()) == [real]
    real.unlink()
    assert f"symbolic link to {real}, which does not exist" in world.call("hooks", "install", "shell", ok=3).err


@pytest.mark.parametrize(
    ("shell", "zdotdir", "name"),
    [("/bin/bash", "", ".bashrc"), ("/usr/bin/zsh", "", ".zshrc"), ("/usr/bin/zsh", "zsh", "zsh/.zshrc")],
)
def test_the_file_is_the_one_that_the_users_shell_reads(
    world: World, monkeypatch: pytest.MonkeyPatch, shell: str, zdotdir: str, name: str
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("SHELL", shell)
    if zdotdir:
        (start_up(world, zdotdir)).mkdir()
        monkeypatch.setenv("ZDOTDIR", str(start_up(world, zdotdir)))
    world.call("hooks", "install", "shell")
    assert BEGIN in start_up(world, name).read_text()
    monkeypatch.setenv("SHELL", "/bin/sh")  # uninstalling looks into every file that may hold the block
    world.call("hooks", "uninstall", "shell")
    assert not start_up(world, name).exists()


def test_another_shell_needs_a_file_that_is_named(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    done = world.call("hooks", "install", "shell", ok=2)
    assert "/usr/bin/fish" in done.err and "--file" in done.err
    world.call("hooks", "install", "shell", "--file", tmp_path / "rc")
    assert BEGIN in (tmp_path / "rc").read_text()
    world.call("hooks", "uninstall", "shell", "--file", tmp_path / "rc")
    assert not (tmp_path / "rc").exists()


def test_commands_are_those_of_the_configuration_and_no_words_of_a_shell(world: World) -> None:
    world.call("init")
    settings = world.home / "memkit.yaml"
    settings.write_text("hooks:\n  commands: [codex, codex-nightly]\n")
    text = world.call("hooks", "show", "shell").out
    assert re.findall(r"\+function (\S+) \{", text) == ["codex", "codex-nightly"]
    settings.write_text("hooks:\n  commands: ['x; rm -rf ~']\n")
    assert "is no command's name" in world.call("hooks", "install", "shell", ok=3).err
    assert not start_up(world).exists()


# --- what it does ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shell", "file"), SHELLS)
def test_after_codex_its_sessions_are_read_and_its_status_is_kept(world: World, shell: str, file: str) -> None:
    world.write(working("alpha"))
    program(world, "codex", status=7)
    world.call("hooks", "install", "shell", "--file", start_up(world, file))
    done = session(world, "codex exec 'two words'; echo \"$?\"", shell=shell, file=file)
    assert (done.stdout, done.stderr) == ("codex:2:exec two words\n7\n", "")
    settle(world)
    assert "alpha" in world.summary and "1 extracted" in log(world)


def test_a_hook_that_comes_while_a_run_works_leaves_it_alone(world: World) -> None:
    world.write(working("alpha"))
    world.call("init")
    program(world, "codex")
    world.call("hooks", "install", "shell")
    with locks.consolidation(world.home, command="a long run"):
        assert session(world, "codex").stdout == "codex:0:\n"
        settle(world)
    assert "another run holds the lock: `a long run`" in log(world) and "alpha" not in world.summary


@pytest.mark.parametrize("how", ["gone", "broken", "slow", "off", "read-only"])
def test_the_hook_is_back_at_once_and_never_fails_its_caller(world: World, tmp_path: Path, how: str) -> None:
    memkit = tmp_path / "memkit"
    body = {"broken": "echo wrong >&2; exit 70", "slow": f"echo $$ > {tmp_path}/pid; exec sleep 1"}.get(how, "")
    memkit.write_text(f"#!/bin/sh\n{body}\n")
    memkit.chmod(0o755 if how != "gone" else 0o600)
    words = str(memkit)
    if how in ("off", "read-only"):
        program(world, "codex")
        world.call("hooks", "install", "shell")
        words = start_up(world).read_text().split("post-session ", 1)[1].split(" </dev/null", 1)[0]
    if how == "off":
        world.env["MEMKIT_DISABLE"] = "1"
    if how == "read-only":
        world.home.write_text("no folder")
    done = subprocess.run(
        ["sh", "-c", f"'{HOOKS / 'post-session'}' {words}"],
        env=world.env,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert how != "slow" or processes(world)  # it was not waited for; how long the hook takes is in `make bench`
    settle(world)
    assert processes(world) == []
    if how == "off":
        assert not world.home.exists()


def test_memkit_on_the_path_is_called_when_no_words_say_how(world: World) -> None:
    program(world, "memkit")
    told = Path(world.env["HOME"]) / "told"
    (Path(world.env["HOME"]) / "bin" / "memkit").write_text(f'#!/bin/sh\necho "$*" > {told}\n')
    subprocess.run([str(HOOKS / "post-session")], env=world.env, stdin=subprocess.DEVNULL, timeout=30, check=True)
    settle(world)
    assert told.read_text() == "run --hook --detach --payload\n"
    assert os.access(HOOKS / "post-session", os.X_OK)
