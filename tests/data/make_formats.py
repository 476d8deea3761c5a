"""Write a small made-up file of every format: `python -m tests.data.make_formats [FOLDER]`, by default data/formats.

The same bytes every time. What each must yield stands in tests/rollouts/test_formats.py.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import zstandard

from tests.support import shapes
from tests.support.rollouts import Rollout, fork
from tests.support.shapes import Payload

FORMATS = Path(__file__).parent / "formats"
THREAD = "0199a1b2-0000-7000-8000-000000000001"
PAGES = ("0199a1b2-0000-7000-8000-0000000000aa", "0199a1b2-0000-7000-8000-0000000000bb")


def _put(folder: Path, name: str, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def _rows(rows: list[Payload], *, ending: str = "\n") -> bytes:
    return "".join(json.dumps(row, separators=(",", ":")) + ending for row in rows).encode()


def _work(**more: object) -> Rollout:
    session = Rollout(**more)  # type: ignore[arg-type]
    return session.user("Fix the retry.").run("pytest -q", output="1 passed\n").final("Fixed.")


def bare(folder: Path) -> None:
    """2025: a first line of its own, items without wrapper or time, state records, its directory in a message."""
    first: Payload = {
        "id": THREAD,
        "timestamp": "2025-06-01T09:00:00Z",
        "instructions": None,
        "git": {"branch": "main"},
    }
    state: Payload = {"record_type": "state"}
    call: Payload = {
        "type": "function_call",
        "name": "shell",
        "call_id": "c",
        "arguments": '{"command":["bash","-lc","ls"]}',
    }
    output = json.dumps({"output": "a.py\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
    items: list[Payload] = [
        shapes.message("user", shapes.environment_text("/home/dev/old")),
        shapes.message("user", "Fix the retry."),
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        call,
        {"type": "function_call_output", "call_id": "c", "output": output},
        state,
        shapes.message("assistant", "Fixed."),
    ]
    _put(folder, f"rollout-2025-06-01T09-00-00-{THREAD}.jsonl", _rows([first, state, *items], ending="\r\n"))
    where = "Current working directory: /home/dev/older\nApproval policy: never"
    older = f"<environment_context>\n{where}\n</environment_context>"
    items[0] = shapes.message("user", older)
    name = "0199a1b2-0000-7000-8000-000000000002"
    _put(folder, f"rollout-2025-05-01T09-00-00-{name}.jsonl", _rows([{**first, "id": name}, state, *items]))


def damage(folder: Path) -> None:
    """One session, damaged in each way that was seen."""
    session = _work()
    clean, name = session.data(), session.file_name
    lines = clean.splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b"function_call_output" in line)
    cut = lines[at][:150]
    _put(folder / "crlf", name, clean.replace(b"\n", b"\r\n"))
    _put(folder / "bom", name, b"\xef\xbb\xbf" + clean)
    _put(folder / "nul", name, clean + b"\0" * 512)
    _put(folder / "half", name, clean + lines[at][:60])
    _put(folder / "cut_then_whole", name, b"".join([*lines[:at], cut + b"\n", *lines[at:]]))
    _put(folder / "cut_glued_to_whole", name, b"".join([*lines[:at], cut, *lines[at:]]))
    _put(folder / "twice", name, b"".join(line * 2 for line in lines))
    _put(folder / "utf8", name, clean.replace(b"1 passed", b"1 p\xe9ssed"))
    _put(folder / "surrogate", name, clean.replace(b"1 passed", b"1 p\\ud800ssed"))
    _put(folder / "empty_lines", name, clean.replace(b"\n", b"\n\n  \n"))
    _put(folder / "zst", name + ".zst", zstandard.ZstdCompressor().compress(clean))
    for order in ("payload_first", "type_first"):
        other = _work(key_order=order)
        _put(folder / order, other.file_name, other.data())
    _put(folder / "text", "rollout-notes.jsonl", b"These are notes.\nNo rollout.\n")
    _put(folder / "empty", "rollout-empty.jsonl", b"")


def pages(folder: Path) -> None:
    """A paginated thread: three files over two days, ordinals that go on, a page that names the one before."""
    session = (
        Rollout(thread_id=THREAD).user("One.").final("1").user("Two.", event=False).run("ls", output="a\n").final("2")
    )
    session.user("Three.", event=False).final("3")
    lines = session.data().splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if b'"task_started"' in line]
    parts = [lines[: starts[1]], lines[starts[1] : starts[2]], lines[starts[2] :]]
    for number, (part, day) in enumerate(zip(parts, ("20", "20", "21"), strict=True)):
        name = f"rollout-2026-11-{day}T0{9 + number if number < 1 else number}-00-00-{THREAD}"
        meta: Payload = {"session_id": THREAD, "cwd": "/home/dev/shop", "source": "cli", "history_mode": "paginated"}
        if number:
            base = {"segment_id": PAGES[number - 2] if number > 1 else None, "thread_id": THREAD}
            first = json.loads(part[0])
            own = {**meta, "id": PAGES[number - 1], "timestamp": first["timestamp"], "history_base": base}
            row = {
                "timestamp": first["timestamp"],
                "ordinal": first["ordinal"] - 1,
                "type": "session_meta",
                "payload": own,
            }
            part = [_rows([row]), *part]
            name += f"_{PAGES[number - 1]}"
        _put(folder / "2026" / "11" / day, f"{name}.jsonl", b"".join(part))


def repeated(folder: Path) -> None:
    """A history that is written again, with new times, on each resume; and a person who says the same words twice."""
    session = _work(name="resumed").user("Tag it.").final("Tagged.")
    for ask, final in (("Push it.", "Pushed."), ("Thanks.", "Welcome.")):
        for kind, payload in list(session._rows):
            session.line(kind, payload)
        session.user(ask).final(final)
    _put(folder / "resumed", session.file_name, session.data())
    again = Rollout(name="again").user("continue").final("One step done.").user("continue").final("Two steps done.")
    _put(folder / "said_again", again.file_name, again.data())


def forks(folder: Path) -> None:
    """A fork that repeats its parent's turns with new times, and no parent's file beside it."""
    child = fork(_work(name="parent")).user("Rename it.").final("Renamed.")
    _put(folder, child.file_name, child.data())
    rolled = Rollout(name="rolled").user("One.").final("1").user("Two.").run("ls").final("2").rollback(1).user("Three.")
    _put(folder / "rolled_back", rolled.file_name, rolled.final("3").data())


def clients(folder: Path) -> None:
    """Editor and desktop clients."""
    editor = (
        Rollout(name="editor", source="vscode", originator="codex_vscode").user("Fix it.", ide="src/a.py").final("Ok.")
    )
    desktop = Rollout(name="desktop", source="vscode", originator="Codex Desktop", branch=None)
    desktop.user("Fix it.", event=False).run("ls", output="a\n", shell="shell_command", wrapping="exit_code").final(
        "Ok."
    )
    for name, session in (("editor", editor), ("desktop", desktop)):
        _put(folder / name, session.file_name, session.data())


def outside(folder: Path) -> None:
    """MCP and web calls in every wrapping."""
    session = Rollout(name="outside").user("Look it up.").mcp("read_page", output="Wall time: 0.1 s\nOutput:\nstyle")
    for name in ("mcp__docs__read_page", "docs__read_page"):
        session.item(shapes.function_call(name, {"page": 1}, call_id=name))
        parts = [{"type": "text", "text": "style"}]
        session.item(shapes.function_output(json.dumps(parts) if name[0] == "m" else {"content": parts}, call_id=name))
    session.item(shapes.function_call("read_mcp_resource", {"server": "docs", "uri": "x:y"}, call_id="r"))
    session.item(shapes.function_output("style", call_id="r"))
    for action in (
        {"type": "search", "query": "q"},
        {"type": "search", "queries": ["q", "r"]},
        {"type": "open_page", "url": "https://example.com/"},
        {"type": "find_in_page", "url": "https://example.com/", "pattern": "p"},
    ):
        session.item({"type": "web_search_call", "status": "completed", "action": action})
    _put(folder, session.file_name, session.final("Found.").data())


def outputs(folder: Path) -> None:
    """Output wrappings with their exit codes."""
    session = Rollout(name="outputs").user("Run it.")
    for wrapping in ("chunk", "exit_code", "json", "parts", "plain"):
        session.run(f"echo {wrapping}", output=f"{wrapping}\n", exit=3, wrapping=wrapping)  # type: ignore[arg-type]
    _put(folder, session.file_name, session.final("Ran.").data())


def deleted(folder: Path) -> None:
    """What is never read, beside what lies in the archive."""
    session = _work(name="archived")
    _put(folder / "archived_sessions", session.file_name, session.data())
    _put(folder / "sessions" / "2026" / "11" / "20", f"{_work(name='gone').file_name}.deleted.1", session.data())


def main(folder: Path) -> None:
    """Write everything anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for make in (bare, damage, pages, repeated, forks, clients, outside, outputs, deleted):
        make(folder / make.__name__)
    for path in folder.rglob("*"):
        os.utime(path, (1_795_608_000, 1_795_608_000))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FORMATS)
