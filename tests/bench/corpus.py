"""The bench's rollouts: made up, deterministic, in the mix of ROLLOUTS.md.

About 85 % of the bytes stand in lines that are not read: encrypted reasoning, events that repeat what response items
say, whole histories in `compacted` lines, snapshots of the world. A corpus is made once and kept below `.cache/bench`.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memkit.repo import Repo
from tests.support import shapes
from tests.support.env import NOW
from tests.support.lines import SessionFile
from tests.support.shapes import Payload

_RECIPE = "6"  # changes with what is written, so that an older corpus is made anew
_TEXT = (
    "the retry of an order fails when its cart has no shipping address so we check it before the request is sent"
    " and keep the old price until the payment service answers with a code that tells whether the card was refused"
    " or only the network was slow then the queue gives the job back to a worker which reads the newest row"
)
_WORDS = _TEXT.split()
_ASKS = (
    "Fix the flaky retry in the order worker.",
    "Always run the linter before you commit, in every repository.",
    "Rename the price helper and update its callers.",
    "Add a test for an empty cart.",
    "No, keep the old endpoint for now.",
    "Use pnpm here, not npm.",
    "Why does the build take so long?",
    "Write a migration that drops the unused column.",
)
ONCE = "the ledger of the harbour office"
_FILES = [f"src/{part}/{name}.py" for part in ("orders", "cart", "ledger") for name in ("api", "rows", "jobs", "tests")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """A folder of rollouts: its files in order, and their bytes in all."""

    folder: Path
    files: tuple[Path, ...]
    size: int

    def remove(self) -> None:
        """Takes it off the disk."""
        shutil.rmtree(self.folder)
        self.folder.with_suffix(".made").unlink()


def corpus(cache: Path, *, sessions: int, size: int) -> Made:
    """Rollouts of about `size` bytes in all, made unless they are there."""

    def fill(folder: Path) -> None:
        for at in range(sessions):
            _session(at, size=size // sessions).write(folder)

    return _kept(cache / f"{sessions}-sessions-{size >> 20}-mb", fill=fill)


def long_session(cache: Path, *, size: int) -> Made:
    """One session of about `size` bytes: turns of a common kind, over and over."""

    def fill(folder: Path) -> None:
        folder.mkdir(parents=True)
        session = _session(0, size=min(size, 24 << 20))
        head, _, body = session.data().partition(b"\n")
        with (folder / session.file_name).open("wb") as file:
            file.write(head + b"\n")
            times = 0
            while file.tell() < size:  # other words each time: a history that is repeated would be left out
                file.write(body.replace(b'"input_text","text":"', b'"input_text","text":"%d ' % (times := times + 1)))

    return _kept(cache / f"one-session-{size >> 20}-mb", fill=fill)


def compacted_session(cache: Path, *, lines: int) -> Made:
    """One session with so many `compacted` lines of 1 MB."""

    def fill(folder: Path) -> None:
        folder.mkdir(parents=True)
        first = _Session(0).meta().turn()
        line = SessionFile(id=first.id, started=first.last, key_order="usual")
        line.line("compacted", {"message": "", "replacement_history": _history(random.Random(5), size=1 << 20)})
        with (folder / first.file_name).open("wb") as file:
            file.write(first.data())
            for _ in range(lines):
                file.write(line.data())

    return _kept(cache / f"{lines}-compacted", fill=fill)


def small_sessions(cache: Path, *, sessions: int, projects: int = 7) -> Made:
    """So many short sessions, of two turns each."""

    def fill(folder: Path) -> None:
        for at in range(sessions):
            _Session(at, projects=projects).meta().turn().turn().write(folder)

    return _kept(cache / f"{sessions}-small-{projects}", fill=fill)


def hand_edit(home: Path) -> None:
    """A line more in the summary of a home, as a person adds it."""
    path = home / "memories_v2" / "memory_summary.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("## General Tips\n", "## General Tips\n\n- Ask Ana about the ledger.\n", 1), "utf-8")


def texts(size: int) -> tuple[str, ...]:
    """About `size` characters of what agents read and print, without secrets, as rows of a session come."""
    chance = random.Random(11)
    made: list[str] = []
    while size > 0:
        made.append(_printed(chance) if chance.random() < 0.7 else _prose(chance, words=60))
        size -= len(made[-1])
    return tuple(made)


def memory(home: Path, *, files: int) -> Path:
    """A home with a committed tree of so many rollout summaries of 2 KB; the tree's folder. One of them says ONCE."""
    made = random.Random(files)
    folder = home / "memories_v2" / "rollout_summaries"
    repo = Repo.ensure(home)
    folder.mkdir(parents=True)
    for at in range(files):
        lines = [f"- verified: `{' '.join(made.choices(_WORDS, k=12))}` \u2014 passed" for _ in range(24)]
        said = f"- open: {ONCE}" if at == files // 2 else ""
        name = f"2026-{at % 12 + 1:02}-{at % 28 + 1:02}T09-00-00-{at:04}-retry.md"
        (folder / name).write_text("\n".join([f"# Session {at}", *lines, said]) + "\n", encoding="utf-8")
    repo.commit_paths(["memories_v2"], message="memory: made up")
    return folder.parent


def _kept(folder: Path, *, fill: Callable[[Path], None]) -> Made:
    """The folder's rollouts; a folder that was left half made is made anew."""
    stamp = folder.with_suffix(".made")
    if not stamp.is_file() or stamp.read_text() != _RECIPE:
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        fill(folder)
        stamp.write_text(_RECIPE)
    files = tuple(sorted(folder.rglob("*.jsonl")))
    return Made(folder=folder, files=files, size=sum(path.stat().st_size for path in files))


def _session(at: int, *, size: int) -> _Session:
    session = _Session(at).meta()
    while session.size < size:
        session.turn()
    return session


class _Session(SessionFile):
    """A session that grows by turns; `size` is its bytes up to now."""

    def __init__(self, at: int, *, projects: int = 7) -> None:
        started = float(NOW - 5 * 86_400 + at * 600)
        super().__init__(id=shapes.uuid7(started, f"bench {at}"), started=started, key_order="usual")
        self.chance = random.Random(at)
        self.cwd = f"/home/dev/project-{at % projects}"
        self._counted = self._size = 0
        self._compacted_at = 1_600_000

    @property
    def size(self) -> int:
        self._size += sum(len(line) + 1 for line in self._lines[self._counted :])
        self._counted = len(self._lines)
        return self._size

    def meta(self) -> _Session:
        return self.line(
            "session_meta",
            {
                "id": self.id,
                "timestamp": shapes.moment(self.started),
                "cwd": self.cwd,
                "originator": "codex-tui",
                "cli_version": "0.171.0",
                "source": "cli",
                "model_provider": "openai",
                "base_instructions": {"text": _prose(self.chance, words=3_500)},
                "git": {"commit_hash": self._key("commit", 40), "branch": "main", "repository_url": ""},
            },
        )

    def turn(self) -> _Session:
        chance, turn = self.chance, shapes.uuid7(self.last, self._key("turn"))
        ask = chance.choice(_ASKS) if chance.random() < 0.8 else _prose(chance, words=40)
        self.event("task_started", turn_id=turn, model_context_window=258_400)
        policy = {"approval_policy": "never", "sandbox_policy": {"type": "danger-full-access"}, "summary": "none"}
        extra = {"user_instructions": _prose(chance, words=60), "model": "gpt-5.6-terra", "effort": "medium"}
        self.line("turn_context", {"turn_id": turn, "cwd": self.cwd, **policy, **extra})
        self.item(shapes.user_text(ask, turn_id=turn)).event("user_message", message=ask, images=[])
        for _ in range(chance.randint(3, 9)):
            self._step(turn)
        final = _prose(chance, words=50)
        self.item(shapes.message("assistant", final, phase="final_answer")).event("agent_message", message=final)
        self.event("item_completed", turn_id=turn, item={"type": "AgentMessage", "text": final})
        if chance.random() < 0.3:
            self.line("world_state", {"files": _listing(chance, rows=150)})
        self.event("task_complete", turn_id=turn, last_agent_message=final)
        if self.size > self._compacted_at:
            history = _history(chance, size=chance.randint(200, 1_000) << 10)
            self.line("compacted", {"message": "", "replacement_history": history})
            self._compacted_at = self.size + (1_600 << 10)
        return self

    def _step(self, turn: str) -> None:
        chance = self.chance
        thought = _prose(chance, words=30)
        self.event("agent_reasoning", text=thought)
        sealed = shapes.noise(self._key("sealed"), size=chance.randint(800, 6_000))
        summary = [{"type": "summary_text", "text": thought}]
        self.item({"type": "reasoning", "summary": summary, "content": None, "encrypted_content": sealed})
        if chance.random() < 0.3:
            said = _prose(chance, words=25)
            self.item(shapes.message("assistant", said, phase="commentary")).event("agent_message", message=said)
        if chance.random() < 0.2:
            self._patch(turn)
        else:
            self._run(turn)
        self.line("event_msg", _token_count(self.last))

    def _run(self, turn: str) -> None:
        chance, call = self.chance, f"call_{self._key('run')}"
        command, code = f"pytest -q {chance.choice(_FILES)} && git status", int(chance.random() < 0.2)
        self.item(shapes.shell_call(command, cwd=self.cwd, call_id=call, shell="exec_command"))
        printed = _printed(chance)
        told = {"call_id": call, "turn_id": turn, "command": ["bash", "-lc", command], "cwd": self.cwd}
        streams = {"stdout": printed, "stderr": "", "aggregated_output": printed, "formatted_output": printed}
        self.event("exec_command_end", **told, **streams, exit_code=code)
        wrapped = shapes.wrapped(printed, code=code, wrapping="chunk", chunk=self._key("chunk", 6))
        self.item(shapes.function_output(wrapped, call_id=call))

    def _patch(self, turn: str) -> None:
        chance, call, path = self.chance, f"call_{self._key('patch')}", self.chance.choice(_FILES)
        old, new = (_code(chance, rows=chance.randint(2, 25)) for _ in range(2))
        patch = shapes.patch_text(path, old=old, new=new, action="Update")
        self.item({"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": patch})
        changes = {path: {"type": "update", "unified_diff": patch, "old_content": old * 4, "new_content": new * 4}}
        self.event("patch_apply_end", call_id=call, turn_id=turn, changes=changes, success=True)
        output = json.dumps(
            {"output": f"Success. Updated the following files:\nM {path}\n", "metadata": {"exit_code": 0}}
        )
        self.item({"type": "custom_tool_call_output", "call_id": call, "output": output})


def _token_count(at: float) -> Payload:
    return shapes.token_count(at, used_percent=10.0)


def _history(chance: random.Random, *, size: int) -> list[Payload]:
    history: list[Payload] = []
    while size > 0:
        told = _printed(chance) if chance.random() < 0.5 else _prose(chance, words=80)
        history.append(shapes.message(chance.choice(["user", "assistant"]), told))
        size -= len(told) + 90
    return history


def _prose(chance: random.Random, *, words: int) -> str:
    said = [chance.choice(_WORDS) for _ in range(words)]
    return " ".join(said).capitalize() + "."


def _printed(chance: random.Random) -> str:
    rows = chance.randint(3, 60)
    return "\n".join(chance.choice((_listing, _code, _log))(chance, rows=max(rows // 4, 1)) for _ in range(4))


def _rows(chance: random.Random, rows: int) -> Iterator[str]:
    return (chance.choice(_FILES) for _ in range(rows))


def _listing(chance: random.Random, *, rows: int) -> str:
    return "\n".join(
        f"-rw-r--r-- 1 dev dev {chance.randint(1, 90_000):>6} Nov 20 09:{chance.randint(10, 59)} {path}"
        for path in _rows(chance, rows)
    )


def _code(chance: random.Random, *, rows: int) -> str:
    words = (chance.choice(_WORDS) for _ in range(rows))
    return "\n".join(f'    {word}_{at} = self.rows.get("{word}", {at})' for at, word in enumerate(words))


def _log(chance: random.Random, *, rows: int) -> str:
    return "\n".join(
        f"2026-11-20 09:00:{chance.randint(10, 59)} INFO {path}: {chance.getrandbits(160):040x} done"
        for path in _rows(chance, rows)
    )
