"""What is sent to a model of each golden session, against what Codex 0.160 sent of the same ones."""

from __future__ import annotations

import json
import lzma
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memkit import redact
from memkit.model import Tier
from memkit.rollouts.decode import Decoder
from tests.support.env import call_memkit, hermetic
from tests.support.model_server import Answer, ModelServer, Request, said

GOLDEN = Path(__file__).parents[1] / "golden" / "codex-0.160"
LONG = 10_000  # bytes of Codex's rows from which on a session counts as a long one


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """One session: bytes of its rows as they were sent, of the header before them, and of Codex's rows.

    people: how often a person spoke in it; lost: how many of these rows were not sent, or not whole.
    """

    session: str
    rows: int
    header: int
    codex: int
    people: int
    lost: int

    @property
    def long(self) -> bool:
        return self.codex > LONG


def sent(folder: Path) -> list[Sent]:
    """Extracts the golden sessions with the engine `openai`, as a user would, by a server that keeps what it is asked.

    folder: an empty one, for the sessions and for memkit's home.
    """
    sessions = unpacked(folder / "sessions")
    messages: dict[str, str] = {}

    def answer(request: Request) -> Answer:
        (message,) = request.messages
        messages[message.partition("\n")[0].removeprefix("session: ")] = message
        return said({"rollout_summary": "", "rollout_slug": None})

    with ModelServer(always=answer) as server:
        call_memkit(["extract", sessions], env={**hermetic(folder), **server.environment})
    return [_measured(path, messages) for path in sorted(sessions.rglob("*.jsonl"))]


def unpacked(sessions: Path) -> Path:
    """The golden inputs, the long ones unpacked, copied to `sessions`."""
    shutil.copytree(GOLDEN / "sessions", sessions)
    for packed in sorted(sessions.rglob("*.xz")):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    return sessions


def _measured(path: Path, messages: Mapping[str, str]) -> Sent:
    session = path.stem[-36:]
    header, _, rows = messages[session].partition("\n\n")
    codex = json.loads((GOLDEN / "evidence" / "sizes.json").read_text(encoding="utf-8"))[session]["v2_bytes"]
    spoken = list(_spoken(path))
    missing = [text for text in spoken if _words(text) not in _words(rows)]
    shown = len(re.findall(r"^\[human user\] ", rows, re.M))
    return Sent(
        session=session,
        rows=len(rows.encode()),
        header=len(header.encode()),
        codex=codex,
        people=len(spoken),
        lost=max(len(missing), len(spoken) - shown),
    )


def _spoken(path: Path) -> Iterator[str]:
    """What people said in a session, secrets masked."""
    for item in Decoder(path):
        if item.tier is Tier.HUMAN:
            yield redact.mask(item.text)


def _words(text: str) -> str:
    """The text without the marks around what was pasted or quoted, and without breaks."""
    return " ".join(re.sub(r"⟦/?(?:paste|quote|code)⟧", " ", text).split())
