"""With Codex's own stage-1 outputs, memkit's trees are Codex's trees, byte by byte (paths of the files aside)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memkit import clock, locks
from memkit.config import load
from memkit.repo import Repo
from memkit.stages import consolidate, extract, init, publish, scan
from memkit.store import Store
from tests.support.env import call_memkit
from tests.support.good_model import SKELETON
from tests.support.model_server import Answer, ModelServer, Request, said
from tests.versions.scripted import ScriptedEngine

_CODEX_HOME = "/home/dev/.codex"


def _run(tmp_path: Path, golden: Path, golden_sessions: Path, *, version: str, dual: bool) -> Path:
    home = tmp_path / "home"
    config = load(home=home, env={}, overrides={"version": version, "dual_write": dual})
    engine = ScriptedEngine(json.loads((golden / "stage1_outputs.json").read_text()))
    engine.left = {key for key in engine.left if key[1] in config.versions}
    repo = Repo.ensure(home)
    init.init(repo=repo, versions=config.versions)
    with Store.open(home / "state.sqlite") as store, locks.run_token(home) as token:
        now = clock.now()
        scanned = scan.scan(store=store, config=config, now=now, paths=[golden_sessions])
        done = extract.extract(
            store=store,
            config=config,
            engine=engine,
            due=scanned.due,
            paths=scanned.paths,
            owner=token,
            alive=lambda _: True,
            now=now,
        )
        assert len(done.outcomes) == 12
        assert not engine.left
        made = consolidate.consolidate(
            store=store, repo=repo, config=config, engine=engine, now=now, user_home="/home/nobody"
        )
        publish.publish(
            store=store,
            repo=repo,
            commit=made.commit,
            base=made.base,
            version=config.version,
            now=now,
        )
    return home


def _files(root: Path, *, sessions: str) -> dict[str, str]:
    """Texts by path, with the folder that the sessions were read from written as Codex's home."""
    found = {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*.md"))}
    return {name: text.replace(sessions, f"{_CODEX_HOME}/sessions") for name, text in found.items()}


@pytest.mark.parametrize(
    ("version", "dual", "trees"),
    [
        ("v2", False, {"memories_v2"}),
        ("v1", False, {"memories"}),
        ("v2", True, {"memories", "memories_v2"}),
        ("v1", True, {"memories", "memories_v2"}),
    ],
)
def test_the_trees_are_those_of_codex(
    tmp_path: Path, golden: Path, golden_sessions: Path, version: str, dual: bool, trees: set[str]
) -> None:
    home = _run(tmp_path, golden, golden_sessions, version=version, dual=dual)
    assert {p.name for p in home.glob("memories*")} == trees
    for name in trees:
        ours = _files(home / name, sessions=str(golden_sessions))
        codex = _files(golden / name, sessions="\0")
        assert {path: ours.get(path) for path in codex} == codex
        assert set(ours) - set(codex) <= {"memory_summary.md", "MEMORY.md"}


@pytest.mark.parametrize(("version", "dual"), [("v2", False), ("v1", False), ("v2", True)])
def test_a_server_with_the_outputs_of_codex_gives_the_trees_of_codex(
    env: dict[str, str], golden: Path, golden_sessions: Path, version: str, dual: bool
) -> None:
    outputs = json.loads((golden / "stage1_outputs.json").read_text())

    def answer(request: Request) -> Answer:
        if "rollout_summary" in request.properties:
            session = re.search(r"session: ([0-9a-f-]{36})", request.text)
            assert session is not None
            return said(outputs[session[1]]["v1" if "raw_memory" in request.properties else "v2"])
        more = {"handbook": "", "skills": []} if "handbook" in request.properties else {}
        return said({"memory_summary": SKELETON, **more})

    with ModelServer(always=answer) as server:
        settings = {
            "MEMKIT_VERSION": version,
            "MEMKIT_DUAL_WRITE": str(dual).lower(),
            "MEMKIT_CONSOLIDATION_MODE": "single",
        }
        there = {**env, **server.environment, **settings}
        call_memkit(["extract", "--engine", "openai", golden_sessions], env=there)
        call_memkit(["consolidate"], env=there)
    for name in {"v2": ["memories_v2"], "v1": ["memories"]}[version] + (["memories"] if dual else []):
        ours = _files(Path(env["MEMKIT_HOME"]) / name, sessions=str(golden_sessions))
        codex = _files(golden / name, sessions="\0")
        assert {path: ours.get(path) for path in codex} == codex


def test_both_trees_come_in_one_commit(tmp_path: Path, golden: Path, golden_sessions: Path) -> None:
    home = _run(tmp_path, golden, golden_sessions, version="v2", dual=True)
    newest = Repo.at(home).history(limit=1)[0]
    touched = {path.partition("/")[0] for path in Repo.at(home).show_files(newest.id)}
    assert touched == {"memories", "memories_v2"}
    assert newest.subject == "memory: 0 new, 0 changed, 0 removed (scripted)"
