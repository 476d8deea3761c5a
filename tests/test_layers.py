"""Imports go one way: DESIGN.md's table of modules and its habits, held by reading every import of the package."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "scripts" / "memkit"

# DESIGN.md's table, in its row order; modules of one inner tuple share a row. Changes only together with that table.
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors",), ("model",), ("clock",),
    ("config",), ("resources",), ("tokens",), ("redact",), ("match",), ("locks",), ("projects",), ("rollouts",),
    ("documents",), ("store",), ("repo",), ("clients",),
    ("prompts",), ("tree",), ("lint",),
    ("engines",),
    ("stages",),
    ("commands", "cli", "__main__"),
)  # fmt: skip
ROW = {module: row for row, modules in enumerate(ROWS) for module in modules}

# A library to the only modules that may import it.
OWNERS = {
    "sqlite3": ("store",),
    "git": ("repo",),
    "git_filter_repo": ("repo.rewrite",),
    "jinja2": ("prompts",),
    "openai": ("engines.openai",),
    "ruamel": ("config", "documents"),
    "bpe_openai": ("tokens",),
    "filelock": ("locks",),
    "hyperscan": ("redact",),
    "betterleaks": ("redact",),
    "typer": ("commands", "cli"),
}
# What may be imported inside a function, and where: too heavy for starts that do not need it.
LAZY = {
    "openai": ("engines.openai",),
    "git": ("repo",),
    "jinja2": ("prompts",),
    "rich": ("commands", "cli"),
    "bpe_openai": ("tokens",),
    "ruamel": ("documents.note",),
    "mcp": ("commands",),
    "typer": ("cli",),
    "hyperscan": ("redact",),
    "betterleaks": ("redact",),
    "memkit.config.yaml_file": ("config",),
    "memkit.config.nearest": ("config",),
    "memkit.engines.openai": ("engines.pick",),
    "memkit.commands": ("cli",),
}
BROAD = ("Exception", "BaseException")


@dataclass(frozen=True)
class Import:
    """An import as written, resolved to the dotted name it reads: `memkit.store.ledger`, `ruamel.yaml`."""

    name: str
    line: int
    lazy: bool


def module_name(path: Path, package: Path) -> str:
    """`stages.scan` of stages/scan.py, `store` of store/__init__.py, "" of the package itself."""
    parts = list(path.relative_to(package).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def within(name: str, roots: tuple[str, ...]) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in roots)


def imports(tree: ast.Module, *, module: str, package: Path) -> Iterator[Import]:
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(node)
    }
    is_package = (package / module.replace(".", "/")).is_dir()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, id(node) in lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                above = ["memkit", *[part for part in module.split(".") if part]]
                base = above[: len(above) - node.level + (1 if is_package else 0)]
                source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                file = package.parent / f"{source}.{alias.name}".replace(".", "/")
                deeper = source.startswith("memkit") and (file.with_suffix(".py").is_file() or file.is_dir())
                yield Import(f"{source}.{alias.name}" if deeper else source, node.lineno, id(node) in lazy)


def called(node: ast.Call) -> str:
    """The dotted name that is called, "" where it is no name (ast.unparse does as much, in fifty times the time)."""
    parts, each = list[str](), node.func
    while isinstance(each, ast.Attribute):
        parts.append(each.attr)
        each = each.value
    return ".".join([each.id, *reversed(parts)]) if isinstance(each, ast.Name) else ""


def stage_of(name: str) -> str:
    """The stage that a module belongs to (a stage may be a package), "" for `memkit.stages` itself."""
    return ".".join(name.split(".")[2:3])


def import_problems(found: Import, *, module: str) -> Iterator[str]:
    top = module.partition(".")[0]
    library = found.name.partition(".")[0]
    if library == "memkit" and found.name != "memkit":
        other = found.name.split(".")[1]
        if other not in ROW:
            yield f"imports memkit.{other}, which the table does not have"
        elif other != top and ROW[other] >= ROW[top] and not (ROW[other] == ROW[top] == len(ROWS) - 1):
            yield f"imports {other}, which does not stand above it"
        elif (
            other == top == "stages"
            and "." in module
            and stage_of(found.name) not in ("", stage_of(f"memkit.{module}"))
        ):
            yield f"a stage imports another stage, {found.name}"
    if library in OWNERS and not within(module, OWNERS[library]):
        yield f"imports {library}, which only {' and '.join(OWNERS[library])} may"
    if library in ("rich", "click") and top == "stages":
        yield f"a stage imports {library}"
    if found.lazy:
        allowed = [where for name, where in LAZY.items() if within(found.name, (name,))]
        if not any(within(module, where) for where in allowed):
            yield f"imports {found.name} inside a function"


def other_problems(node: ast.AST, *, module: str) -> Iterator[str]:
    top = module.partition(".")[0]
    if isinstance(node, ast.ExceptHandler) and top != "cli":
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        broad = any(kind is None or ast.unparse(kind) in BROAD for kind in kinds)
        if broad and not any(isinstance(inner, ast.Raise) for line in node.body for inner in ast.walk(line)):
            yield "catches everything and does not raise again"
    if isinstance(node, ast.Call):
        if called(node) in ("importlib.import_module", "import_module", "__import__") and top not in (
            "cli",
            "commands",
        ):
            yield "imports by name"
        if top == "stages" and called(node) in ("print", "sys.stdout.write", "sys.stderr.write"):
            yield "a stage prints"
        suppressed = called(node) in ("contextlib.suppress", "suppress")
        if suppressed and any(ast.unparse(argument) in BROAD for argument in node.args):
            yield "suppresses everything"


def problems(package: Path) -> list[str]:
    """What breaks the table or the habits: `stages/scan.py:12: a stage prints`."""
    found = []
    for path in sorted(package.rglob("*.py")):
        module = module_name(path, package)
        where = path.relative_to(package)
        if module and module.partition(".")[0] not in ROW:
            found.append(f"{where}:0: the table has no such module")
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not module:
            found += [f"{where}:{one.line}: imports {one.name}" for one in imports(tree, module="", package=package)
                      if one.name != "__future__"]  # fmt: skip
            continue
        for one in imports(tree, module=module, package=package):
            found += [f"{where}:{one.line}: {problem}" for problem in import_problems(one, module=module)]
        for node in ast.walk(tree):
            found += [f"{where}:{getattr(node, 'lineno', 0)}: {what}" for what in other_problems(node, module=module)]
    return found


def test_the_package_keeps_to_the_table() -> None:
    found = problems(PACKAGE)
    assert not found, "\n" + "\n".join(found)


def lists_of(path: Path) -> tuple[set[tuple[str, str]], set[tuple[str, str]], set[str]]:
    """Of a package: (module, name) of its imports for mypy, of its call of `lazily`, and the names in `__all__`."""
    for_mypy, lazily, public = set(), set(), set[str]()
    modules = {each.stem for each in path.parent.iterdir()}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                assert isinstance(each, ast.ImportFrom)
                home = str(each.module).rpartition(".")[2]
                for_mypy |= {(home if home in modules else alias.name, alias.name) for alias in each.names}
        elif isinstance(node, ast.Call) and called(node) == "lazily":
            lazily |= {(str(k.arg), name) for k in node.keywords for name in ast.literal_eval(k.value).split()}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            public = set(ast.literal_eval(node.value))
    return for_mypy, lazily, public


LAZY_PACKAGES = [
    path for path in sorted(PACKAGE.rglob("__init__.py")) if "lazily(\n" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", LAZY_PACKAGES, ids=lambda path: path.parent.name)
def test_a_package_that_imports_when_asked_gives_what_mypy_reads(path: Path) -> None:
    for_mypy, lazily, public = lists_of(path)
    assert for_mypy == lazily
    assert {name for _, name in lazily} <= public
    modules = {each.stem for each in path.parent.iterdir()}
    hidden = {name for home, name in lazily if name in modules and name != home}
    assert not hidden, "the module of the same name would stand in its place"
    package = importlib.import_module(f"memkit.{module_name(path, PACKAGE)}")
    assert all(hasattr(package, name) for _, name in lazily)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing


def test_the_table_is_about_modules_that_exist() -> None:
    modules = {module_name(path, PACKAGE).partition(".")[0] for path in PACKAGE.rglob("*.py")} - {""}
    assert {"errors", "model", "clock", "config", "resources", "tokens"} <= modules <= set(ROW)


@pytest.mark.parametrize(
    ("where", "source", "said"),
    [
        ("config.py", "from memkit.store import Store", "imports store, which does not stand above it"),
        ("config.py", "from memkit import store", "imports store, which does not stand above it"),
        ("config.py", "import memkit.store", "imports store, which does not stand above it"),
        ("config.py", "from . import store", "imports store, which does not stand above it"),
        ("config.py", "from .store import Store", "imports store, which does not stand above it"),
        ("stages/scan.py", "from ..cli import main", "imports cli, which does not stand above it"),
        ("stages/__init__.py", "from ..cli import main", "imports cli, which does not stand above it"),
        ("tokens.py", "from memkit import redact", "imports redact, which does not stand above it"),
        ("errors.py", "from memkit.model import Item", "imports model, which does not stand above it"),
        (
            "config.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from memkit.store import Store",
            "imports store, which does not stand above it",
        ),
        ("helpers.py", "x = 1", "the table has no such module"),
        ("stages/scan.py", "from memkit.helpers import x", "imports memkit.helpers, which the table does not have"),
        ("stages/scan.py", "from memkit.stages import extract", "a stage imports another stage, memkit.stages.extract"),
        ("stages/scan.py", "from .extract import run", "a stage imports another stage, memkit.stages.extract"),
        ("stages/scan.py", "import sqlite3", "imports sqlite3, which only store may"),
        ("store/ledger.py", "import git", "imports git, which only repo may"),
        ("lint/rules.py", "from jinja2 import Template", "imports jinja2, which only prompts may"),
        ("engines/pick.py", "import openai", "imports openai, which only engines.openai may"),
        ("tree.py", "from ruamel.yaml import YAML", "imports ruamel, which only config and documents may"),
        ("stages/scan.py", "import typer", "imports typer, which only commands and cli may"),
        ("stages/scan.py", "from rich.progress import track", "a stage imports rich"),
        ("stages/scan.py", "def f():\n    print(1)", "a stage prints"),
        ("stages/scan.py", "import sys\nsys.stdout.write('x')", "a stage prints"),
        ("tree.py", "def f():\n    import json", "imports json inside a function"),
        ("tree.py", "def f():\n    from memkit.prompts import render", "imports memkit.prompts inside a function"),
        ("store.py", "def f():\n    import bpe_openai", "imports bpe_openai inside a function"),
        ("tree.py", "import importlib\nimportlib.import_module('x')", "imports by name"),
        ("tree.py", "try:\n    f()\nexcept:\n    pass", "catches everything and does not raise again"),
        ("tree.py", "try:\n    f()\nexcept Exception:\n    x = 1", "catches everything and does not raise again"),
        (
            "tree.py",
            "try:\n    f()\nexcept (OSError, BaseException):\n    x = 1",
            "catches everything and does not raise",
        ),
        ("tree.py", "import contextlib\nwith contextlib.suppress(Exception):\n    f()", "suppresses everything"),
        ("__init__.py", "from memkit.config import load", "imports memkit.config"),
    ],
)
def test_what_breaks_the_table_is_found(tmp_path: Path, where: str, source: str, said: str) -> None:
    package = tmp_path / "memkit"
    for name in (
        "__init__",
        "store/__init__",
        "cli",
        "redact",
        "prompts",
        "stages/__init__",
        "stages/extract",
        where[:-3],
    ):
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (package / where).write_text(source)
    found = problems(package)
    assert len([problem for problem in found if said in problem and problem.startswith(f"{where}:")]) >= 1, found


@pytest.mark.parametrize(
    ("where", "source"),
    [
        ("store.py", "import sqlite3\nfrom memkit.config import load\nfrom memkit import clock, errors, model"),
        ("store/ledger.py", "from memkit.store.schema import x\nfrom .schema import y\nfrom . import schema"),
        ("stages/scan.py", "from memkit.stages.scan import x\nfrom memkit.store import y"),
        ("repo/door.py", "def f():\n    import git\n    return git"),
        ("config/__init__.py", "def f():\n    from memkit.config import yaml_file\n    return yaml_file"),
        (
            "cli.py",
            "import importlib\nimportlib.import_module('memkit.commands.x')\ntry:\n    f()\nexcept Exception:\n    1",
        ),
        ("commands/run.py", "from memkit.cli import app\nfrom memkit.commands.shared import x\nprint(1)"),
        ("tree.py", "try:\n    f()\nexcept Exception as error:\n    raise OSError() from error"),
        ("tree.py", "try:\n    f()\nexcept OSError:\n    x = 1"),
    ],
)
def test_what_keeps_to_the_table_passes(tmp_path: Path, where: str, source: str) -> None:
    package = tmp_path / "memkit"
    for name in ("__init__.py", "config/yaml_file.py", where):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (package / where).write_text(source)
    assert problems(package) == []
