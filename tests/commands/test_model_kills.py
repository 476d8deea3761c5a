"""A run with a model that is killed: the next one finishes, and pays for no answer a second time. Real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.commands.world import World, working
from tests.support.env import command
from tests.support.good_model import SKELETON, GoodModel
from tests.support.model_server import Answer, ModelServer, Request

RECORD = "# Raise the limit\n\n## Task 1: Raise the limit\n- outcome: success\n- verified: `pytest -q` — 4 passed"
QUESTIONS = 2 + 2 * 3  # of an undisturbed run: a record in two versions; in each of them look, write, done
# Kills its own process before the commit that would be the memory: when everything is paid for and nothing is kept.
BEFORE_THE_COMMIT = """
import os, signal, sys
from memkit import cli
def step(event, arguments):
    if event == "subprocess.Popen" and "commit-tree" in map(str, arguments[1]):
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(step)
sys.exit(cli.run(sys.argv[1:]))
"""


@dataclass
class Killer:
    """Answers as a good model does, but for the question at which it kills who asks. at: that question's number."""

    model: GoodModel
    at: int
    victim: subprocess.Popen[str] | None = None
    answered: list[str] = field(default_factory=list)
    started: threading.Event = field(default_factory=threading.Event)

    def __call__(self, request: Request) -> Answer:
        if len(self.answered) + 1 == self.at and self.victim is None:
            assert self.started.wait(20)
        if len(self.answered) + 1 == self.at and self.victim is not None:
            self.at = 0
            self.victim.kill()
            self.victim.wait()
            return Answer(text="too late")
        self.answered.append(request.text)
        return self.model(request)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(world: World, server: ModelServer) -> World:
    """A world with a session in both versions, whose memkit asks the server one question at a time."""
    world.env.update({**server.environment, "MEMKIT_DUAL_WRITE": "true", "MEMKIT_OPENAI_API": "responses"})
    world.write(working())
    return world


def start(world: World, *program: str) -> subprocess.Popen[str]:
    line = [*(program or command()), "run", "-q"]
    return subprocess.Popen(line, env=world.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(world: World, server: ModelServer, killer: Killer) -> None:
    """The next run succeeds, and no question that was answered came a second time."""
    world.shell("run")
    twice = [text[:300] for text, times in Counter(killer.answered).items() if times > 1]
    assert not twice
    assert (world.home / "memories" / "MEMORY.md").read_text().count("thread_id=") == 1
    assert world.summary.count("thread_id=") == 1
    world.shell("run")
    assert world.git("status", "--porcelain") == ""
    server.finish()


@pytest.mark.parametrize("at", [2, 4, 5, 8])
def test_a_kill_while_a_question_is_open_costs_no_answer_twice(model: World, server: ModelServer, at: int) -> None:
    killer = Killer(GoodModel(records={"retry limit": RECORD}, edit=lambda text: text or SKELETON), at)
    server.always = killer
    killer.victim = start(model)
    killer.started.set()
    assert killer.victim.wait(60) == -signal.SIGKILL
    for stream in (killer.victim.stdout, killer.victim.stderr):
        assert stream is not None
        stream.close()
    assert len(killer.answered) == at - 1
    finish(model, server, killer)
    assert len(killer.answered) == QUESTIONS


def test_a_kill_before_the_commit_costs_no_answer_twice(model: World, server: ModelServer) -> None:
    killer = Killer(GoodModel(records={"retry limit": RECORD}, edit=lambda text: text or SKELETON), 0)
    server.always = killer
    # The first commit is the new home's own, which is made beforehand.
    model.shell("init")
    with start(model, sys.executable, "-c", BEFORE_THE_COMMIT) as process:
        assert process.wait(60) == -signal.SIGKILL, process.communicate()
    assert len(killer.answered) == QUESTIONS
    finish(model, server, killer)
    assert len(killer.answered) == QUESTIONS


def test_an_interrupt_ends_a_run_that_waits_for_a_slow_server(model: World, server: ModelServer) -> None:
    asked = threading.Event()

    def slow(_request: Request) -> Answer:
        asked.set()
        return Answer(text="late", wait=20)

    server.always = slow
    process = subprocess.Popen(
        [*command(), "run", "-q"],
        env=model.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    assert asked.wait(30)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130 and "interrupted" in err
