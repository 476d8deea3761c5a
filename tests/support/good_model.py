"""What a model that does its work would answer: records by session, documents by what is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.support.model_server import Answer, Request, calls, said

SKELETON = "v1\n\n## User Profile\n\n## User preferences\n\n## General Tips\n\n## What's in Memory\n"
Edit = Callable[[str], str]


def summary(*, preferences: str = "", tips: str = "", index: str = "") -> str:
    """A memory_summary.md with these lines."""
    text = SKELETON
    for heading, lines in (("User preferences", preferences), ("General Tips", tips), ("What's in Memory", index)):
        if lines:
            text = text.replace(f"## {heading}\n", f"## {heading}\n\n{lines.rstrip()}\n")
    return text


@dataclass
class GoodModel:
    """Answers both stages. records: rollout summaries by words of the session; edit: from the summary to the new one.

    looked: what the agent's tools gave it.
    """

    records: Mapping[str, str] = field(default_factory=dict)
    edit: Edit = lambda text: text
    looked: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Answer:
        if "rollout_summary" in request.properties:
            return self._record(request)
        if "memory_summary" in request.properties:
            return said({"memory_summary": self.edit(document(request.text))})
        return self._act(request)

    def _record(self, request: Request) -> Answer:
        text = next((record for words, record in self.records.items() if words in request.text), "")
        raw = (
            {"raw_memory": text and f"---\ndescription: x\n---\n\n{text}"} if "raw_memory" in request.properties else {}
        )
        return said({**raw, "rollout_summary": text, "rollout_slug": None})

    def _act(self, request: Request) -> Answer:
        results = request.results
        self.looked = results
        if not results:
            return calls(
                ("read", {"path": "changes.diff", "first": 1, "count": 400}),
                ("read", {"path": "memory_summary.md", "first": 1, "count": 400}),
            )
        if len(results) == 2:
            before = results[1].partition("\n")[2] + "\n" if results[1].startswith("memory_summary.md,") else SKELETON
            return calls(("write", {"path": "memory_summary.md", "text": self.edit(before)}))
        return Answer(text="The documents are up to date.")


def document(text: str, path: str = "memory_summary.md") -> str:
    """A document that a request of the single mode shows; text: the request's body as JSON."""
    shown = re.findall(rf'<document path="{re.escape(path)}">\n(.*?)\n</document>', _words(text), re.DOTALL)
    return f"{shown[-1]}\n" if shown else ""


def _words(text: str) -> str:
    body = json.loads(text)
    turns = body.get("input") or body.get("messages") or []
    return "\n".join(turn["content"] for turn in turns if isinstance(turn.get("content"), str))
