"""The bundled sample rollouts are what their script writes, and hold what their README promises."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.data.make_samples import SAMPLES, main, sessions


def spoken(data: bytes) -> list[str]:
    """What people said, by event."""
    payloads = [json.loads(line)["payload"] for line in data.splitlines()]
    return [payload["message"] for payload in payloads if payload.get("type") == "user_message"]


def test_committed_samples_are_what_the_script_writes(tmp_path: Path) -> None:
    main(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_bytes() for path in SAMPLES.glob("*.jsonl")}


def test_sessions_that_are_no_more_are_taken_away(tmp_path: Path) -> None:
    (tmp_path / "rollout-2026-01-01T00-00-00-gone.jsonl").write_text("{}\n")
    (tmp_path / "README.md").write_text("stays\n")
    main(tmp_path)
    assert len(list(tmp_path.glob("rollout-*.jsonl"))) == 8
    assert (tmp_path / "README.md").read_text() == "stays\n"


def test_samples_are_small_and_cover_two_projects() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.iterdir()) < 300_000
    assert {session.cwd for session in sessions()} == {"/home/sam/work/orders-api", "/home/sam/work/storefront"}
    assert all(2 <= len(spoken(session.data())) <= 5 for session in sessions())


def test_the_readme_describes_every_session_and_quotes_what_was_said() -> None:
    readme = " ".join((SAMPLES / "README.md").read_text(encoding="utf-8").split())
    said = " ".join(" ".join(text.split()) for session in sessions() for text in spoken(session.data()))
    assert [session.id for session in sessions()] == re.findall(r"`([0-9a-f]{8}-[0-9a-f-]{27})`", readme)
    quotes = re.findall(r"“([^”]+)”", readme)
    assert len(quotes) > 20
    assert [quote for quote in quotes if quote not in said] == []


def test_secrets_in_the_samples_are_made_up_ones() -> None:
    text = b"".join(session.data() for session in sessions()).decode()
    assert set(re.findall(r"AKIA[0-9A-Z]{16}", text)) == {"AKIAIOSFODNN7EXAMPLE"}
    assert set(re.findall(r"://[^/@\s]+:([^/@\s]+)@", text)) == {"s4mple-Passw0rd"}
