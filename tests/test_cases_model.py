"""The dev cases with the model engine: a server says what was recorded (tests/data/recorded), and all checks hold."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memkit import prompts
from tests.data.make_recorded import FOLDER, RECORDED, record
from tests.support.cases import dev_cases, play, runner
from tests.support.model_server import Answer, ModelServer, Request, said


@dataclass
class Recorded:
    """A recording that answers questions; each of its answers has to be asked for, once."""

    stage_one: dict[tuple[str, str], dict[str, Any]]
    consolidations: list[dict[str, Any]]
    last: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, case: Path) -> Recorded:
        value = json.loads((RECORDED / f"{case.stem}.json").read_text(encoding="utf-8"))
        outputs = {(each["session"], each["version"]): each["answer"] for each in value["stage_one"]}
        return cls(outputs, value["consolidations"])

    def answer(self, request: Request) -> Answer:
        return self._documents(request) if "memory_summary" in request.properties else self._stage_one(request)

    def _stage_one(self, request: Request) -> Answer:
        (message,) = request.messages
        found = re.match(r"session: (\S+)\n", message)
        assert found is not None, message[:200]
        key = found[1], "v1" if "raw_memory" in request.properties else "v2"
        self.asked.append(key)
        return said(self.stage_one[key])

    def _documents(self, request: Request) -> Answer:
        assert len(request.messages) == 1, f"a good model's documents had to be mended: {request.messages[-1]}"
        expected = self.consolidations.pop(0)
        assert set(request.properties) == set(expected["answer"])
        changes = re.findall(r"^(?:---|\+\+\+) (\S+)$", request.messages[0], re.M)
        assert set(changes) - {"/dev/null"} == set(expected["changes"])
        folder = re.search(r"^\+rollout_path: (\S+)/rollout-", request.messages[0], re.M)
        self.last = json.dumps(expected["answer"], ensure_ascii=False)
        return Answer(text=self.last.replace(FOLDER, folder[1] if folder else FOLDER))

    def published(self) -> dict[str, str]:
        """The documents as they were said last, by name, and the records of the sessions that are still selected."""
        documents = {"memory_summary.md": _rows(prompts.memory_summary())}
        if self.last:
            answer = json.loads(self.last)
            named = {"memory_summary": "memory_summary.md", "handbook": "MEMORY.md"}
            documents = {name: _rows(answer[key]) for key, name in named.items() if key in answer}
        index = documents["memory_summary.md"]
        records = {id_: _rows(answer["rollout_summary"]) for (id_, _), answer in self.stage_one.items() if id_ in index}
        return {**documents, **records}

    def finish(self) -> None:
        """Fails where a question was not asked, or was asked twice."""
        assert not self.consolidations, f"not asked for: {[each['changes'] for each in self.consolidations]}"
        assert sorted(self.asked) == sorted(self.stage_one)


@pytest.mark.parametrize("case", dev_cases(), ids=lambda path: path.stem)
def test_memory_says_what_the_case_asks_for_with_a_model(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = Recorded.of(case)
    with ModelServer(always=recorded.answer) as server:
        env = {**server.environment, "MEMKIT_CONSOLIDATION_MODE": "single"}
        status = play(runner(monkeypatch, tmp_path, env), monkeypatch, case, "--keep", str(tmp_path / "kept"))
    told = capsys.readouterr().out
    assert status == 0 and "1 of 1 cases" in told, told
    recorded.finish()
    if "note:" not in case.read_text(encoding="utf-8"):
        (home,) = (tmp_path / "kept").glob("*/home")
        assert _published(home) == recorded.published(), "memkit changed what a good model said"


def _published(home: Path) -> dict[str, str]:
    """The documents in a home's trees by name, rows alone; a record by its thread id, without its header."""
    found: dict[str, str] = {}
    for tree in (home / "memories", home / "memories_v2"):
        for name in ("memory_summary.md", "MEMORY.md"):
            if (tree / name).is_file():
                found[name] = _rows((tree / name).read_text(encoding="utf-8"))
        for path in tree.glob("rollout_summaries/*.md"):
            head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
            found[head.split()[1]] = _rows(body)
    return found


def _rows(text: str) -> str:
    return re.sub(r"(?<=rollout_path=)[^\s,]*/(?=rollout-)", f"{FOLDER}/", text).rstrip("\n")


def test_the_model_of_the_recordings_is_the_offline_engine_as_it_is_today(tmp_path: Path) -> None:
    case = next(each for each in dev_cases() if each.stem == "project_scope")
    assert record(case, tmp_path) == (RECORDED / f"{case.stem}.json").read_text(encoding="utf-8")
