"""memkit against a real llama-server with a real small model: the wire is tested, not the words, which are nonsense."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest

from tests.commands.world import World, valid, working
from tests.llm.llama import Door, Exchange, metrics, server
from tests.support.rollouts import Rollout

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
OUTPUT = 500  # tokens of an answer, the least that can be set: some end within them, some are cut
SECRETS = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI", "s4mple-Passw0rd")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server, one for all tests."""
    with server(tmp_path_factory.mktemp("llama")) as url:
        yield url


@pytest.fixture
def door(llama: str) -> Iterator[Door]:
    with Door(llama) as door:
        yield door


@pytest.fixture
def world(env: dict[str, str], door: Door, monkeypatch: pytest.MonkeyPatch) -> World:
    """A fresh machine whose memkit asks through the door."""
    env |= door.environment
    env |= {"MEMKIT_CONSOLIDATION_MODE": "single", "MEMKIT_OPENAI_MAX_OUTPUT_TOKENS": str(OUTPUT)}
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return World(env=env, home=Path(env["MEMKIT_HOME"]), codex=Path(env["CODEX_HOME"]))


def stage_one(door: Door) -> list[Exchange]:
    """The questions about sessions."""
    return [each for each in door.exchanges if "rollout_summary" in each.properties]


def stage_two(door: Door) -> list[Exchange]:
    return [each for each in door.exchanges if "memory_summary" in each.properties]


def follows(exchange: Exchange) -> bool:
    """Is the answer an object as its schema wants it?"""
    try:
        jsonschema.validate(json.loads(exchange.answer), exchange.schema["schema"])
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


def test_a_run_over_the_samples_loses_nothing(world: World, door: Door, llama: str) -> None:
    world.call("init")
    before, counted = world.tree(), metrics(llama)
    run = world.call("run", SAMPLES, ok=None)
    assert run.code in (0, 1, 5, 6), run.err
    every_session_is_in_the_ledger(world, told=run.err)
    the_memory_is_as_before_or_valid(world, before=before, code=run.code, told=run.err)
    all_tokens_are_counted(world, door, since=counted, now=metrics(llama))
    no_secret_was_sent_or_kept(world, door)
    the_api_was_found_once(door)
    assert stage_two(door), "no record came to stage 2"
    asked = len(door.exchanges)
    world.call("extract", SAMPLES, ok=None)
    assert len(door.exchanges) == asked, "a session was asked about again before its time"


def every_session_is_in_the_ledger(world: World, *, told: str) -> None:
    """As extracted, empty, or failed with a reason; each has cost something, and each record is kept."""
    ledger = world.call("sessions", "--json").json
    valid(ledger, schema="sessions")
    assert len(ledger) == 8
    for each in ledger:
        assert each["state"] in ("extracted", "empty", "failed"), each
        assert each["tokens_used"] > 0, each
        assert (world.record(each["id"]) is not None) == (each["state"] == "extracted"), each
        assert each["reason"] == ("malformed_output" if each["state"] == "failed" else None), each
        assert each["state"] != "failed" or each["id"] in told
    status = world.call("status", "--json").json
    valid(status, schema="status")
    assert status["sessions"] == Counter(each["state"] for each in ledger)


def the_memory_is_as_before_or_valid(world: World, *, before: Mapping[str, str], code: int, told: str) -> None:
    error = world.call("status", "--json").json["runs"]["consolidate"]["last_error"]
    if error:  # refused or malformed; sessions that failed, too, make it 6
        assert code in (1, 5, 6) and error in told and world.tree() == before
    else:
        assert code in (0, 6)
    world.healthy()


def all_tokens_are_counted(world: World, door: Door, *, since: Mapping[str, float], now: Mapping[str, float]) -> None:
    """memkit's sum is that of what the server says with each answer; its own counter of output agrees with that."""
    used = sum(each.tokens for each in door.exchanges)
    assert world.call("status", "--json").json["tokens_used"] == used > 0
    made = now["tokens_predicted_total"] - since["tokens_predicted_total"]
    assert made == sum(each.output_tokens for each in door.exchanges)


def no_secret_was_sent_or_kept(world: World, door: Door) -> None:
    sent = "\n".join(json.dumps(each.asked) for each in door.exchanges)
    assert "[REDACTED_SECRET]" in sent.replace(json.dumps(door.exchanges[0].instructions), "")
    kept = b"\n".join(world.bytes().values()) + world.history()
    for secret in SECRETS:
        assert secret not in sent and secret.encode() not in kept


def the_api_was_found_once(door: Door) -> None:
    """This server takes a schema in chat completions only; what ended there follows it."""
    paths = [each.path.rpartition("/v1/")[2] for each in door.exchanges]
    assert paths[0] == "responses" and set(paths[1:]) == {"chat/completions"}
    ended = [each for each in door.exchanges[1:] if each.status == 200 and not each.cut]
    assert ended and all(map(follows, ended))


def test_a_session_longer_than_the_context_is_selected_again_at_half_the_size(world: World, door: Door) -> None:
    session = Rollout().user("Find out why the nightly import of orders is slow, and say so.")
    for number in range(60):
        session.run(
            f"grep -n slow log.{number}", output="\n".join(f"{number}.{row} took {row * 7} ms" for row in range(40))
        )
    world.write(session.final("The index is missing."))
    world.call("extract", ok=None)
    asked = stage_one(door)
    refused = [each for each in asked if each.status == 400]
    answered = asked[len(refused) :]
    assert len(refused) >= 2 and answered and {each.status for each in answered} == {200}
    for one, other in pairwise([*refused, answered[0]]):
        assert 0.3 < len(other.message) / len(one.message) < 0.7
    assert all("why the nightly import of orders is slow" in each.message for each in asked)
    assert "[omitted]" in answered[-1].message
    (entry,) = world.call("sessions", "--json").json
    assert entry["state"] in ("extracted", "empty") or entry["reason"] == "malformed_output"
    assert entry["tokens_used"] == sum(each.tokens for each in asked)


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_is_busy_is_asked_again(world: World, door: Door, status: int) -> None:
    world.write(working())
    door.faults = [(status, "0"), (status, "1")]
    world.call("extract", ok=None)
    assert [each.status for each in door.exchanges[:3]] == [status, status, 200]
    (entry,) = world.call("sessions", "--json").json
    assert entry["reason"] in (None, "malformed_output") and entry["tokens_used"] == sum(
        e.tokens for e in door.exchanges
    )


def test_the_cap_on_tokens_is_hard(world: World, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(*(working(name, started=f"2026-11-20T{10 + n}:00:00Z") for n, name in enumerate("abcd")))
    monkeypatch.setenv("MEMKIT_OPENAI_MAX_TOKENS_PER_RUN", "6000")
    monkeypatch.setenv("MEMKIT_OPENAI_API", "chat")
    world.call("extract", ok=None)
    status = world.call("status", "--json").json
    assert 0 < status["tokens_used"] == sum(each.tokens for each in door.exchanges) <= 6_000
    assert status["reasons"]["budget"] == status["sessions"]["waiting"] > 0


def test_a_server_that_is_gone_is_said_and_nothing_is_marked_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(working())
    monkeypatch.setenv("MEMKIT_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = world.call("extract", ok=5)
    assert "can't be reached" in done.err and "openai.base_url" in done.err
    assert [each["state"] for each in world.call("sessions", "--json").json] == ["waiting"]
