"""Record what a good model says in the dev cases: `python -m tests.data.make_recorded [CASE…]`, by default all.

The offline engine plays the model: recorded/README.md says what that shows and what not. Same bytes every time.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from memkit import redact
from memkit.documents import places
from memkit.engines import pick
from memkit.engines.base import Inputs
from memkit.engines.offline import OfflineEngine
from memkit.model import Drafts, Evidence, StageOne, Version
from tests.support.cases import dev_cases, play, runner

RECORDED = Path(__file__).parent / "recorded"
FOLDER = "{folder}"  # stands for where a session's file lies, which is another place each time


@dataclass
class Recording:
    """stage_one: {session, version, answer}, one for each question; consolidations: {version, changes, answer}."""

    stage_one: list[dict[str, Any]] = field(default_factory=list)
    consolidations: list[dict[str, Any]] = field(default_factory=list)

    def text(self) -> str:
        value = {
            "stage_one": sorted(self.stage_one, key=lambda each: (each["session"], each["version"])),
            "consolidations": self.consolidations,
        }
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        text = re.sub(r"(?<=rollout_path=)[^\s,]*/(?=rollout-)", f"{FOLDER}/", text)
        assert redact.mask(text) == text, "a recording would hold a secret"
        return text


class RecordingEngine(OfflineEngine):
    """The offline engine, every answer of which is taken down in the form that a model gives it in."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        output = super().extract(evidence, version=version)
        answer: dict[str, str | None] = {
            "rollout_summary": redact.mask(output.rollout_summary),
            "rollout_slug": output.rollout_slug or None,
        }
        if version == "v1":
            answer["raw_memory"] = redact.mask(output.raw_memory)
        asked = {"session": evidence.session.id, "version": version, "answer": answer}
        assert all((e["session"], e["version"]) != (asked["session"], version) for e in self._recording.stage_one)
        self._recording.stage_one.append(asked)
        return output

    def consolidate(self, inputs: Inputs) -> Drafts:
        drafts = super().consolidate(inputs)
        changes = [change.path for change in inputs.synced().changes]
        if changes:  # without any, a model is not asked
            answer: dict[str, Any] = {"memory_summary": redact.mask(drafts.documents[places.SUMMARY])}
            if inputs.version == "v1":
                answer["handbook"] = redact.mask(drafts.documents[places.HANDBOOK])
                answer["skills"] = _skills(drafts)
            asked = {"version": inputs.version, "changes": changes, "answer": answer}
            self._recording.consolidations.append(asked)
        return drafts


def _skills(drafts: Drafts) -> list[dict[str, str]]:
    return [
        {"name": path.split("/")[1], "text": text}
        for path, text in sorted(drafts.documents.items())
        if path.startswith("skills/")
    ]


def record(case: Path, folder: Path) -> str:
    """What a model says in one case, as the text of its recording. folder: where the case may be played."""
    recording = Recording()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pick, "OfflineEngine", lambda: RecordingEngine(recording))
        if play(runner(patch, folder), patch, case, "--quiet"):
            raise SystemExit(f"{case.stem} does not hold offline: nothing is recorded")
    return recording.text()


def main(names: Sequence[str]) -> None:
    RECORDED.mkdir(exist_ok=True)
    for case in dev_cases():
        if not names or case.stem in names:
            with TemporaryDirectory() as folder:
                (RECORDED / f"{case.stem}.json").write_text(record(case, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
