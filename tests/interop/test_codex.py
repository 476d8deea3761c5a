"""memkit's hooks in the real Codex: what a session is told, what is read of it, what its citations count for."""

from __future__ import annotations

import shutil

import pytest

from memkit.model import Reason, State
from tests.hooks.tools import log
from tests.interop.codex import Codex, told
from tests.support.model_server import Answer

WISH = "In all my projects always use uv, never pip. Which Git is here?"


@pytest.fixture
def hooked(codex: Codex) -> Codex:
    """Codex with memkit's hooks, on a memory with one note; sessions of `codex exec` are read, too."""
    codex.world.call("remember", "--global", "--now", "Answers are kept short.")
    with (codex.world.home / "memkit.yaml").open("a") as settings:
        settings.write("sources: [cli, exec]\n")
    codex.world.call("hooks", "install", "codex")
    return codex


def worked(codex: Codex, prompt: str, *, said: str = "It is there.", of: tuple[str, ...] = ()) -> str:
    """A session in which Codex ran a command."""
    return codex.ask(prompt, codex.shell("git --version"), Answer(text=said), of=of)


def test_a_session_is_told_its_memory_and_read_when_it_ends(hooked: Codex) -> None:
    world = hooked.world
    session = worked(hooked, WISH)
    asked = hooked.server.requests[0]
    [context] = [text for text in told(asked, role="developer") if "<memkit-memory" in text]
    assert context.startswith("<memkit-memory ") and "Answers are kept short." in context
    assert not any("memkit-memory" in text for text in told(asked, role="user"))
    entry = world.entry(session)
    assert (entry.state, entry.session.cli_version) == (State.EXTRACTED, hooked.version), log(world)
    assert (entry.bad_lines, entry.unknown_lines) == (0, 0)
    record = world.record(session)
    assert record is not None
    assert WISH in record.rollout_summary and "- verified: `git --version`" in record.rollout_summary
    assert "kept short" not in record.rollout_summary, "what memkit told the session is no evidence"
    assert '"In all my projects always use uv, never pip." (1 session' in world.summary
    worked(hooked, "Say which Python is here.")
    assert any("always use uv, never pip" in text for text in told(hooked.server.requests[-1], role="developer"))
    world.healthy()


def test_hooks_that_the_user_has_not_trusted_do_not_run(hooked: Codex) -> None:
    session = hooked.ask("Say hello.", Answer(text="Hello."), trusted=False)
    assert not any("memkit" in text for text in told(hooked.server.requests[0], role="developer"))
    assert session not in {each["id"] for each in hooked.world.call("sessions", "--json").json}


def test_a_session_of_codex_exec_is_left_out_unless_it_is_named_a_source(codex: Codex) -> None:
    codex.world.call("hooks", "install", "codex")
    assert codex.world.entry(worked(codex, WISH)).reason is Reason.NOT_INTERACTIVE


def test_a_citation_counts_once_also_when_the_session_goes_on_and_is_forked(hooked: Codex) -> None:
    world = hooked.world
    first = worked(hooked, WISH)
    cites = (
        "Use uv.\n<oai-mem-citation>\n<citation_entries>\nmemory_summary.md:4-4|note=[uv]\n</citation_entries>\n"
        f"<rollout_ids>\n{first}\n</rollout_ids>\n</oai-mem-citation>"
    )
    second = worked(hooked, "What do I use for packages?", said=cites)
    assert used(hooked, first) == 1
    worked(hooked, "And what not?", of=("resume", second))
    worked(hooked, "What else did I say?", of=("fork", second))
    assert used(hooked, first) == 1, log(world)


def used(codex: Codex, session: str) -> int:
    record = codex.world.record(session)
    assert record is not None
    return record.usage_count


def test_resume_and_fork_do_not_double_evidence(hooked: Codex) -> None:
    world = hooked.world
    first = worked(hooked, WISH)
    assert worked(hooked, "Now rename the helper to backoff.", of=("resume", first)) == first
    fork = worked(hooked, "Set the timeout to nine seconds.", of=("fork", first))
    assert {each["id"] for each in world.call("sessions", "--json").json} == {first, fork} and fork != first
    whole, own = world.record(first), world.record(fork)
    assert whole is not None and own is not None
    assert whole.rollout_summary.count(WISH) == 1 and "rename the helper" in whole.rollout_summary
    assert "nine seconds" in own.rollout_summary
    assert "uv" not in own.rollout_summary and "rename the helper" not in own.rollout_summary
    assert own.rollout_summary.count("`git --version`") == 1
    assert '"In all my projects always use uv, never pip." (1 session' in world.summary
    world.healthy()


def test_codex_injects_a_tree_of_memkit_as_its_own_memory(codex: Codex, samples: str) -> None:
    old = codex.version.startswith("0.160.")
    tree = "memories" if old else "memories_v2"
    codex.configure(memories=True)
    codex.world.call("init", "--version", "v1" if old else "v2")
    codex.world.call("run", samples)
    shutil.copytree(codex.world.home / tree, codex.world.codex / tree)
    # Codex has the tree consolidated, too: by a model which leaves it as it is.
    codex.server.always = lambda _: Answer(text="Done.")
    codex.ask("How do I like my answers?")
    [asked] = [each for each in codex.server.requests if "How do I like my answers?" in told(each, role="user")]
    [memory] = [text for text in told(asked, role="developer") if "In all my projects: ask me" in text]
    summary = (codex.world.home / tree / "memory_summary.md").read_text()
    assert summary.strip() in memory
    assert (codex.world.codex / tree / "memory_summary.md").read_text() == summary
