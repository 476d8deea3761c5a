"""What each command prints as JSON, as text and where, and the status it ends with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memkit.errors import ExitCode
from tests.commands.world import SCHEMAS, World, greeting, valid, working
from tests.support.env import run_memkit
from tests.support.rollouts import Rollout, subagent

README = Path(__file__).parents[2] / "README.md"
JSON = {
    "sessions": ["sessions", "--json"],
    "status": ["status", "--json"],
    "summary": ["summary", "--json"],
    "history": ["history", "--json"],
    "diff": ["diff", "--json"],
    "lint": ["lint", "--format", "json"],
    "notes": ("notes", "--json"),
}


@pytest.fixture
def busy(world: World) -> World:
    """A home that has seen a session of each kind."""
    parent = working("alpha", wish="From now on always use uv.")
    damaged = working("damaged", started="2026-11-21T09:00:00Z").raw("{broken").line("some_new_type", {"a": 1})
    world.write(
        parent,
        damaged,
        greeting(),
        subagent(parent),
        working("old", started="2026-10-01T09:00:00Z"),
        working("fresh", started="2026-11-25T09:00:00Z"),
        Rollout(name="job", source="exec").user("Fix it.").final("Done."),
        Rollout(name="off", memory_mode="disabled").user("Fix it.").final("Done."),
    )
    world.call("run")
    world.call("remember", "--global", "Releases are on Mondays.")
    return world


@pytest.mark.parametrize("name", JSON)
def test_json_has_the_agreed_shape(busy: World, name: str) -> None:
    done = busy.call(*JSON[name])
    assert done.out.count("\n") == 1 and done.err == ""
    valid(done.json, schema=name)


@pytest.mark.parametrize("name", JSON)
def test_json_has_the_agreed_shape_in_a_new_home(world: World, name: str) -> None:
    world.call("init")
    valid(world.call(*JSON[name]).json, schema=name)


def test_each_schema_is_of_a_command_and_refuses_another_shape() -> None:
    elsewhere = {
        "agents",
        "doctor",
        "explain",
        "hooks",
        "list",
        "note",
        "read",
        "rules",
        "search",
        "suggestions",
    }  # in tests of their own
    assert {path.stem for path in SCHEMAS.iterdir()} == {*JSON, *elsewhere}
    for name in JSON:
        with pytest.raises(Exception, match=r"is not of type|is a required property"):
            valid([{}] if name in ("sessions", "history", "lint", "notes") else {}, schema=name)


def test_each_session_says_its_state_and_why(busy: World) -> None:
    rows = busy.call("sessions", "--json").json
    found = {(row["state"], row["reason"]) for row in rows}
    assert found == {
        ("extracted", None),
        ("empty", None),
        ("waiting", "too_fresh"),
        ("skipped", "too_old"),
        ("skipped", "not_interactive"),
        ("skipped", "subagent"),
        ("skipped", "memory_off"),
    }
    damaged = next(row for row in rows if row["bad_lines"])
    assert (damaged["state"], damaged["bad_lines"], damaged["unknown_lines"]) == ("extracted", 1, 1)
    assert {row["project"] for row in rows} == {"/home/dev/shop"}


def test_sessions_can_be_told_by_state(busy: World) -> None:
    assert {row["state"] for row in busy.call("sessions", "--json", "--state", "skipped").json} == {"skipped"}
    assert busy.call("sessions", "--state", "failed").out == "no sessions are failed\n"
    text = busy.call("sessions", "--state", "waiting").out
    assert "not idle long enough" in text and "until 2026-11-25T15:00" in text


def test_status_counts_what_the_ledger_says(busy: World) -> None:
    found, rows = busy.call("status", "--json").json, busy.call("sessions", "--json").json
    assert sum(found["sessions"].values()) == len(rows) == 8
    assert found["sessions"]["extracted"] == sum(row["state"] == "extracted" for row in rows)
    assert found["reasons"]["too_fresh"] == 1
    assert found["runs"]["extract"] == {
        "last_error": None,
        "last_success": "2026-11-25T12:00:00+00:00",
        "tokens_used": 0,
    }
    assert found["summary"]["bytes"] == len(busy.summary.encode())
    assert any("could not be read" in warning for warning in found["warnings"])


def test_status_in_words(busy: World) -> None:
    lines = busy.call("status").out.splitlines()
    assert lines[0].startswith("8 sessions: 2 extracted, 1 nothing to keep, 1 waiting until 15:00 UTC, 4 skipped (")
    assert "  1 not idle long enough (too_fresh)" in lines
    assert any(line.startswith("last consolidate: succeeded 2026-11-25T12:00:00+00:00") for line in lines)
    assert any(line.startswith("memory: 2 records; summary ") for line in lines)


def test_the_run_says_where_the_memory_is_what_it_says_and_the_coverage(world: World) -> None:
    world.write(working(wish="From now on always use uv."))
    done = world.shell("run")
    assert done.stdout.startswith("memory: 2 new, 0 changed, 0 removed (offline), commit ")
    assert "1 session: 1 extracted\n" in done.stdout
    assert f"the memory is in {world.home}/memories_v2/memory_summary.md" in done.stdout
    assert '  - (in /home/dev/shop) "From now on always use uv."' in done.stdout
    assert done.stderr == f"made a new home at {world.home}\n"


def test_quiet_prints_results_only(world: World) -> None:
    world.write(working())
    done = world.call("run", "--quiet")
    assert done.err == "" and len(done.out.splitlines()) == 2
    assert world.call("-q", "run").out == "nothing new\n1 session: 1 extracted\n"


def test_warnings_are_said_even_quietly_and_never_on_stdout(world: World) -> None:
    world.write(working())
    (world.sessions / "2026/11/20/rollout-plain.jsonl").write_text("words\n")
    done = world.call("run", "-q")
    assert "rollout-plain.jsonl: not a rollout file" in done.err and "rollout-plain" not in done.out


def test_global_options_may_follow_the_command(world: World, tmp_path: Path) -> None:
    other = tmp_path / "other"
    world.call("run", "--home", other, "-q")
    world.call("init", f"--home={other}", "--verbose")
    assert world.call("summary", "--home", other).out.startswith("v1\n")
    assert (other / "memkit.yaml").exists() and not world.home.exists()


def test_words_after_two_dashes_are_paths(world: World) -> None:
    assert "--quiet does not exist" in world.call("run", "--", "--quiet", ok=2).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "No such command 'nosuch'"),
        (["--nosuch"], "No such option: --nosuch (see `memkit --help`)"),
        (["summary", "extra"], "unexpected extra argument"),
        (["run", "/nowhere/at/all"], "/nowhere/at/all does not exist"),
        (["extract", "/nowhere/at/all"], "/nowhere/at/all does not exist"),
        (["lint", "/nowhere/at/all"], "/nowhere/at/all does not exist"),
        (["consolidate", "--engine", "robot"], "there is no engine 'robot'"),
        (["sessions", "--state", "happy"], "'happy' is not one of"),
        (["extract", "--limit", "0"], "0 is not in the range"),
        (["init", "--version", "v9"], "'v9' is not one of"),
        (["context", "--format", "xml"], "'xml' is not one of"),
        (["history", "--limit", "x"], "'x' is not a valid int"),
        (["--home"], "'--home' requires an argument"),
        (["context", "--home"], "--home"),
    ],
)
def test_a_wrong_call_gets_one_line_and_exit_2(world: World, words: list[str], said: str) -> None:
    world.call("init")
    done = world.call(*words, ok=ExitCode.USAGE)
    assert said in done.err and done.err.startswith("memkit: ") and done.err.count("\n") == 1
    assert done.out == ""


@pytest.mark.parametrize("command", ["summary", "status", "sessions", "history", "diff", "lint"])
def test_readers_of_no_home_name_the_command_that_makes_one(world: World, command: str) -> None:
    done = world.call(command, ok=ExitCode.CONFIG)
    assert done.err == f"memkit: there is no memory at {world.home} yet (memkit init, or make memories)\n"
    assert not world.home.exists()


@pytest.mark.parametrize("words", [["diff", "nosuchcommit"], ["diff", "--raw", "-x"], ["diff", "HEAD~99"]])
def test_a_commit_that_is_none_is_refused(world: World, words: list[str]) -> None:
    world.call("init")
    done = world.call(*words, ok=None)
    assert done.code in (ExitCode.GIT, ExitCode.USAGE) and done.err.count("\n") == 1 and done.out == ""


def test_history_and_diff_tell_what_changed(world: World) -> None:
    world.write(working(wish="From now on always use uv."))
    world.call("run")
    newest, oldest = world.call("history", "--json").json
    assert oldest["subject"] == "memory: a new home" and oldest["added"] == []
    assert newest["subject"] == "memory: 2 new, 0 changed, 0 removed (offline)"
    assert newest["sessions"] == [working().id] and newest["author"] == "memkit"
    assert any("always use uv" in line for line in newest["added"])
    assert world.call("diff", newest["commit"][:8], "--json").json == newest
    assert len(world.call("history", "--limit", "1", "--json").json) == 1
    text = world.call("history").out
    assert f"{newest['commit'][:10]}  2026-11-25T12:00  memory: 2 new" in text and "  + (in /home/dev/shop)" in text
    raw = world.call("diff", "--raw").out
    assert "+++ b/memories_v2/memory_summary.md" in raw and '+- (in /home/dev/shop) "From now on' in raw


def test_a_long_change_is_cut_in_the_history_and_whole_in_its_diff(world: World) -> None:
    world.write(*(working(f"s{n:02}", started=f"2026-11-20T{n:02}:00:00Z") for n in range(12)))
    world.call("run")
    assert "… and 5 more: memkit diff" in world.call("history").out
    assert world.call("diff").out.count("\n  + ") == 13


def test_summary_shows_the_text_and_its_shares(world: World) -> None:
    world.write(working(wish="From now on always use uv."))
    world.call("run")
    out = world.call("summary").out
    assert out.startswith(world.summary)
    assert f"{len(world.summary.encode()):,} of 10,000 bytes" in out and "  User preferences: 1 lines" in out
    found = world.call("summary", "--json").json
    assert found["text"] == world.summary and [part["lines"] for part in found["sections"]] == [0, 1, 0, 1]


def test_summary_shows_what_is_committed_not_an_edit_that_waits(world: World) -> None:
    world.call("init")
    world.edit("## User preferences\n", "## User preferences\n- Likes tea.\n")
    assert "tea" not in world.call("summary").out


def test_lint_prints_findings_in_each_form_and_exits_1(world: World) -> None:
    world.call("init")
    assert world.call("lint", "--format", "json").out == "[]\n"
    world.edit("## General Tips", "## General Hints")
    text = world.call("lint", ok=1).out
    assert "memory_summary.md" in text and "summary-sections" in text
    assert world.call("lint", "--format", "github", ok=1).out.startswith("::error ")
    found = world.call("lint", "--format", "json", ok=1).json
    valid(found, schema="lint")
    assert {row["rule"] for row in found} == {"summary-sections"}
    one = world.call("lint", world.home / "memories_v2/memory_summary.md", "--format", "json", ok=1).json
    assert {row["rule"] for row in one} == {"summary-sections"}
    assert world.call("lint", world.home / "memories_v2", ok=1).out == text


def test_init_again_adds_only_what_lacks(world: World) -> None:
    first = world.call("init")
    assert first.out == f"the memory's home is {world.home}\n" and "made a new home" in first.err
    (world.home / "memkit.yaml").write_text("engine: offline # mine\n")
    again = world.call("init")
    assert again.err == "" and (world.home / "memkit.yaml").read_text() == "engine: offline # mine\n"
    assert world.commits() == ["memory: edited by hand", "memory: a new home"]


def test_init_takes_over_the_settings_of_codex(world: World) -> None:
    world.codex.mkdir()
    (world.codex / "config.toml").write_text("[memories]\nmax_rollout_age_days = 30\nuse_memories = false\n")
    done = world.call("init", "--from-codex")
    assert "taken over from Codex: " in done.out and "max_rollout_age_days" in done.out
    text = (world.home / "memkit.yaml").read_text()
    assert re.search(r"^  max_rollout_age_days: 30\b.*#", text, re.M) and "use_memories: false" in text
    assert world.git("status", "--porcelain") == ""
    assert world.call("init", "--from-codex").code == 0


def test_init_from_a_codex_without_settings_says_so(world: World) -> None:
    assert "there is no config.toml" in world.call("init", "--from-codex").err


def test_colour_never_reaches_a_pipe(world: World) -> None:
    world.write(working())
    plain = {name: value for name, value in world.env.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"}
    for command in ("run", "nosuch"):
        done = run_memkit([command], env=plain, ok=None)
        assert done.returncode in (0, 2) and "\x1b" not in done.stdout + done.stderr


def test_the_exit_statuses_are_those_of_the_readme() -> None:
    agreed = {0, 1, 2, 3, 4, 5, 6, 7, 70, 130}
    assert {int(code) for code in ExitCode} == agreed
    if README.exists():
        rows = re.findall(r"^\|\s*`?(\d+)`?\s*\|", README.read_text(encoding="utf-8"), re.M)
        assert {int(row) for row in rows} == agreed


def test_of_several_statuses_the_worst_counts() -> None:
    assert ExitCode.worst(ExitCode.OK, ExitCode.FINDINGS, ExitCode.PARTIAL) is ExitCode.PARTIAL
    assert ExitCode.worst(ExitCode.PARTIAL, ExitCode.ENGINE) is ExitCode.ENGINE
    assert ExitCode.worst(ExitCode.FINDINGS, ExitCode.OK) is ExitCode.FINDINGS
    assert ExitCode.worst() is ExitCode.OK
