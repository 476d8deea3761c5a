"""memkit's hooks in the real Codex: what a session is told, what is read of it, what its citations count for."""

from __future__ import annotations

import shutil

import pytest

from memkit.model import Reason, State
from tests.hooks.tools import log
from tests.interop.codex import Codex, told
from tests.support.model_server import Answer

PREFERENCE = '"In all my projects always use uv, never pip." (1 session'
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
    record = text(hooked, session)
    assert WISH in record and "- verified: `git --version`" in record
    assert "kept short" not in record, "what memkit told the session is no evidence"
    assert PREFERENCE in world.summary
    world.healthy()


def test_hooks_that_the_user_has_not_trusted_do_not_run(hooked: Codex) -> None:
    session = hooked.ask("Say hello.", Answer(text="Hello."), trusted=False)
    assert not any("memkit" in text for text in told(hooked.server.requests[0], role="developer"))
    assert session not in {each["id"] for each in hooked.world.call("sessions", "--json").json}


def test_a_session_of_codex_exec_is_left_out_unless_it_is_named_a_source(codex: Codex) -> None:
    codex.world.call("hooks", "install", "codex")
    assert codex.world.entry(worked(codex, WISH)).reason is Reason.NOT_INTERACTIVE


def test_resume_and_fork_double_neither_evidence_nor_citations(hooked: Codex) -> None:
    world = hooked.world
    first = worked(hooked, WISH)
    cites = (
        "With uv.\n<oai-mem-citation>\n<citation_entries>\nmemory_summary.md:4-4|note=[uv]\n</citation_entries>\n"
        f"<rollout_ids>\n{first}\n</rollout_ids>\n</oai-mem-citation>"
    )
    ask, more = "Always sort the imports in this repo.", "Rename the helper to backoff."
    other = "Set the timeout to 9 s."
    second = worked(hooked, ask, said=cites)
    assert any(PREFERENCE in text for text in told(hooked.server.requests[-1], role="developer"))
    assert used(hooked, first) == 1
    assert worked(hooked, more, of=("resume", second)) == second
    fork = worked(hooked, other, of=("fork", second))
    assert {each["id"] for each in world.call("sessions", "--json").json} == {first, second, fork}
    whole, own = text(hooked, second), text(hooked, fork)
    assert whole.count(f'- request: "{ask}"') == 1 and more in whole and other not in whole
    assert other in own and ask not in own and more not in own and own.count("`git --version`") == 1
    assert used(hooked, first) == 1, log(world)
    assert PREFERENCE in world.summary and '"Always sort the imports in this repo." (1 session' in world.summary
    world.healthy()


def text(codex: Codex, session: str) -> str:
    record = codex.world.record(session)
    assert record is not None, log(codex.world)
    return record.rollout_summary


def used(codex: Codex, session: str) -> int:
    record = codex.world.record(session)
    assert record is not None, log(codex.world)
    return record.usage_count


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
