"""Permanent rules: added, edited, promoted from the memory and out of it, and a team's beside them."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from tests.commands.world import World, valid, working
from tests.support.rollouts import Rollout

SHOP = "/home/dev/shop"
WISH = "Use pnpm, not npm."


def rules(world: World, *more: str | Path) -> Any:
    found = world.call("rules", "list", "--json", *more).json
    valid(found, schema="rules")
    return found


def said_thrice(world: World, *, cwd: str = SHOP, words: str = WISH) -> list[str]:
    sessions = [
        Rollout(name=f"{cwd}{day}", cwd=cwd, started=f"2026-11-{day}T09:00:00Z")
        .user(f"{task} {words}")
        .run("pnpm test", output="ok\n")
        .final("Done.")
        for day, task in ((16, "Fix the cart total."), (18, "Add a health check."), (20, "Rename the column."))
    ]
    world.write(*sessions)
    world.call("run")
    return [session.id for session in sessions]


@pytest.fixture
def repository(world: World) -> Path:
    """A repository of the user's, with its page of rules still to come."""
    root = Path(world.env["HOME"]) / "work" / "shop"
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=world.env)
    return root


# --- adding ---------------------------------------------------------------------------------------------------------


def test_a_rule_is_kept_in_the_home_with_its_scope(world: World) -> None:
    done = world.call("rules", "add", "Run the tests in the container.", "--cwd", SHOP, "--why", "No database here.")
    assert done.out.startswith("rule run-the-tests-in-the-container (/home/dev/shop):")
    world.call("rules", "add", "Ask before you add a dependency.", "--global", "--glob", "*.toml")
    found = rules(world)
    assert [(r["id"], r["project"], r["glob"], r["origin"], r["date"], r["why"]) for r in found] == [
        ("run-the-tests-in-the-container", SHOP, None, "written", "2026-11-25", "No database here."),
        ("ask-before-you-add-a-dependency", None, "*.toml", "written", "2026-11-25", ""),
    ]
    assert world.commits()[:2] == ["memory: a rule added"] * 2
    assert world.git("status", "--porcelain") == ""


def test_the_same_rule_again_changes_nothing(world: World) -> None:
    world.call("rules", "add", "Run the tests in the container.", "--global")
    before = world.bytes()["rules.yaml"]
    assert "already" in world.call("rules", "add", "Always run the tests in the container.", "--global").out
    assert world.bytes()["rules.yaml"] == before


def test_a_contradiction_names_both_and_asks_for_replace(world: World) -> None:
    world.call("rules", "add", "Use pnpm, not npm.", "--global")
    done = world.call("rules", "add", "Use npm, not pnpm.", "--global", ok=2)
    assert "Use npm, not pnpm." in done.err and "use-pnpm-not-npm" in done.err and "--replace" in done.err
    assert len(rules(world)) == 1
    done = world.call("rules", "add", "Use npm, not pnpm.", "--global", "--replace")
    assert "taken out: use-pnpm-not-npm" in done.out
    assert [rule["id"] for rule in rules(world)] == ["use-npm-not-pnpm"]


def test_a_rule_against_the_team_is_for_the_team_to_change(world: World, repository: Path) -> None:
    world.call("rules", "add", "Use pnpm, not npm.", "--team", "--cwd", repository)
    done = world.call("rules", "add", "Use npm, not pnpm.", "--cwd", repository, "--replace", ok=2)
    assert ".memkit/rules.yaml" in done.err and not (world.home / "rules.yaml").exists()


def test_a_secret_in_a_rule_is_masked(world: World) -> None:
    secret = "ghp_" + "Zx9Qw7Er5Ty3Ui1Op0As8Df6Gh4Jk2Lm9Nb7V"[:36]
    world.call("rules", "add", f"Never print {secret} anywhere.", "--global", "--why", f"it is {secret}")
    assert secret.encode() not in b"".join(world.bytes().values()) + world.history()


def test_a_secret_that_was_typed_into_a_file_is_not_shown_or_written_on(world: World, repository: Path) -> None:
    secret = "ghp_" + "Zx9Qw7Er5Ty3Ui1Op0As8Df6Gh4Jk2Lm9Nb7V"[:36]
    world.call("rules", "add", "Never say it.", "--team", "--cwd", repository, "--glob", f"{secret}/*")
    book = repository / ".memkit" / "rules.yaml"
    assert secret not in book.read_text()
    book.write_text(
        f"rules:\n  - id: a\n    text: It is {secret} today.\n    why: {secret} works\n    glob: '{secret}'\n"
    )
    (repository / "AGENTS.md").write_text(f"- Use {secret} here.\n")
    for words in (["rules", "list"], ["rules", "show", "a"], ["rules", "list", "--json"], ["agents", "show"]):
        done = world.call(*words, cwd=repository)
        assert secret not in done.out and "[REDACTED_SECRET]" in done.out
    assert secret not in world.call("agents", "check", "--repo", repository, ok=1).out
    world.call("agents", "write", "--repo", repository)
    assert (repository / "AGENTS.md").read_text().count(secret) == 1  # the user's own line
    world.call("rules", "edit", "a", "--text", "It is secret.", "--cwd", repository)
    assert secret not in book.read_text()


def test_what_others_wrote_does_not_steer_the_terminal(world: World, repository: Path) -> None:
    (repository / ".memkit").mkdir()
    (repository / ".memkit" / "rules.yaml").write_text('rules:\n  - id: a\n    text: "ring \\a and \\e[31m \\x9b"\n')
    (repository / "AGENTS.md").write_text("ring \a\n")
    for words in (["rules", "list"], ["rules", "show", "a"], ["agents", "show"], ["agents", "check"]):
        out = world.call(*words, cwd=repository, ok=None).out
        assert out.replace("\n", "").isprintable() and "\\x07" in out


def test_erased_words_leave_the_rules_too(world: World) -> None:
    for text, more in (
        ("The piano is tuned on Fridays.", []),
        ("Keep the lid shut.", ["--why", "The piano is tuned on Fridays."]),
        ("Ask who sings when the piano is tuned on Fridays.", []),
        ("Use tabs.", []),
    ):
        world.call("rules", "add", text, "--global", *more)
    (world.home / "rules.yaml").write_text("# The piano!\n" + (world.home / "rules.yaml").read_text())
    world.call("run")
    world.call("forget", "--purge", "the piano is tuned on Fridays", "--yes")
    found = {rule["id"]: (rule["text"], rule["why"]) for rule in rules(world)}
    assert "piano is" not in str(found) and found["use-tabs"] == ("Use tabs.", "")
    assert found["keep-the-lid-shut"] == ("Keep the lid shut.", "")
    assert (world.home / "rules.yaml").read_text().startswith("# The piano!\n")
    said = world.call("rules", "add", "Shut it.", "--global", "--why", "The piano is tuned on Fridays.", ok=2)
    assert "were erased with --purge" in said.err
    world.healthy()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "x" * 2_001, "--global"], "at most 2,000 characters, and this has 2,001"),
        (["add", "Use tabs.", "--global", "--why", "x" * 2_001], "at most 2,000 characters"),
        (["add", " ", "--global"], "a rule needs words"),
        (["add", "x y", "--global", "--team"], "not two of them"),
        (["add", "x y", "--cwd", "/tmp"], "/tmp is no project"),
        (["add", "x y", "--cwd", "/home/dev/shop", "--team"], "lies in no repository"),
        (["show", "nothing"], "there is no rule 'nothing'"),
        (["remove", "nothing"], "there is no rule 'nothing'"),
        (["edit", "nothing"], "there is no rule 'nothing'"),
    ],
)
def test_a_wrong_call_gets_one_line_and_changes_nothing(world: World, words: list[str], said: str) -> None:
    world.call("init")
    before = world.bytes()
    done = world.call("rules", *words, ok=2)
    assert said in done.err and done.err.count("\n") == 1
    assert {k: v for k, v in world.bytes().items() if not k.startswith("log/")} == {
        k: v for k, v in before.items() if not k.startswith("log/")
    }


def test_a_file_of_rules_that_is_malformed_is_named_and_left_alone(world: World) -> None:
    world.call("rules", "add", "Use tabs.", "--global")
    (world.home / "rules.yaml").write_text("rules:\n  - id: a\n")
    done = world.call("rules", "add", "Use pnpm.", "--global", ok=3)
    assert "rules.yaml:2" in done.err
    assert (world.home / "rules.yaml").read_text() == "rules:\n  - id: a\n"
    world.write(working())
    assert "rules.yaml:2" in world.call("run").err  # and learning goes on
    assert len(world.records) == 1


def test_rules_are_shown_edited_and_removed(world: World) -> None:
    world.call("rules", "add", "Run the tests.", "--global")
    (world.home / "rules.yaml").write_text("# mine\n" + (world.home / "rules.yaml").read_text())
    world.call(
        "rules", "edit", "run-the-tests", "--text", "Run all the tests.", "--glob", "*.py", "--why", "They are quick."
    )
    shown = world.call("rules", "show", "run-the-tests").out
    assert "Run all the tests." in shown and "everywhere, for *.py" in shown and "They are quick." in shown
    assert (world.home / "rules.yaml").read_text().startswith("# mine\n")
    assert "edited by hand" in "".join(world.commits())
    world.call("rules", "edit", "run-the-tests", ok=2)
    world.call("rules", "add", "Use tabs.", "--global", "--glob", "*.py")
    said = world.call("rules", "edit", "use-tabs", "--text", "Run all the tests.", ok=2).err
    assert "the rule run-the-tests says so already" in said
    world.call("rules", "remove", "use-tabs")
    world.call("rules", "remove", "run-the-tests")
    assert rules(world) == []
    assert world.git("status", "--porcelain") == ""


def test_a_team_keeps_its_rules_in_its_repository(world: World, repository: Path) -> None:
    world.call("rules", "add", "Run make test before a commit.", "--team", "--cwd", repository)
    assert (repository / ".memkit" / "rules.yaml").stat().st_mode & 0o777 == 0o644
    (found,) = rules(world, "--cwd", repository / "sub")
    assert found["team"] and found["holds_here"]
    assert not (world.home / "rules.yaml").exists()


def test_a_team_s_file_may_be_a_link_inside_of_the_repository(world: World, repository: Path, tmp_path: Path) -> None:
    folder = repository / ".memkit"
    folder.mkdir()
    (repository / "rules.yaml").write_text("rules: []\n")
    (folder / "rules.yaml").symlink_to("../rules.yaml")
    world.call("rules", "add", "Use tabs.", "--team", "--cwd", repository)
    assert (folder / "rules.yaml").is_symlink() and "Use tabs." in (repository / "rules.yaml").read_text()
    for where, what, said in (
        (folder / "rules.yaml", tmp_path / "x.yaml", "a link out of"),
        (folder / "rules.yaml", Path("/dev/zero"), "is no file"),
        (folder, tmp_path, "a link out of"),
    ):
        where.rename(repository / f"old{where.name}") if where is folder else where.unlink()
        where.symlink_to(what)
        done = world.call("rules", "add", "Use spaces.", "--team", "--cwd", repository, ok=3)
        assert said in done.err and done.err.count("\n") == 1
    assert list(tmp_path.glob("*.yaml")) == []


def test_rules_that_are_added_at_the_same_time_all_stay(world: World, repository: Path) -> None:
    book = repository / ".memkit" / "rules.yaml"
    book.parent.mkdir()
    other = os.open(repository, os.O_RDONLY)  # another memkit, at work in this repository
    fcntl.flock(other, fcntl.LOCK_EX)

    def finish() -> None:
        book.write_text("rules:\n  - id: theirs\n    text: Use tabs.\n")
        os.close(other)

    timer = Timer(0.2, finish)
    timer.start()
    world.call("rules", "add", "Sign every commit.", "--team", "--cwd", repository)
    timer.join()
    assert [rule["id"] for rule in rules(world, "--cwd", repository)] == ["theirs", "sign-every-commit"]


# --- promoting ------------------------------------------------------------------------------------------------------


def test_what_was_said_three_times_is_suggested_promoted_and_leaves_the_memory(world: World) -> None:
    sessions = said_thrice(world)
    (found,) = world.call("rules", "suggest", "--json", "--cwd", SHOP).json
    valid([found], schema="suggestions")
    assert found["text"] == WISH and found["why"] == "3 sessions support it"
    done = world.call("rules", "promote", found["id"], "--cwd", SHOP, ok=2)
    assert all(session in done.out for session in sessions) and "nothing was changed" in done.err
    assert rules(world) == [] and WISH in world.summary
    done = world.call("rules", "promote", WISH, "--cwd", SHOP, "--yes")
    assert "it is the rule use-pnpm-not-npm now" in done.out
    (rule,) = rules(world)
    assert (rule["origin"], rule["sessions"], rule["project"]) == ("promoted", sessions, SHOP)
    assert WISH not in world.summary
    assert world.call("rules", "suggest", "--cwd", SHOP).out == "nothing to suggest\n"
    world.healthy()


def test_a_promoted_claim_stays_out_of_the_memory_also_when_it_is_said_again(world: World) -> None:
    said_thrice(world)
    world.call("rules", "promote", WISH, "--cwd", SHOP, "--yes")
    again = Rollout(name="again", started="2026-11-24T09:00:00Z").user(f"Fix the footer. From now on {WISH.lower()}")
    world.write(again.run("pnpm test", output="ok\n").final("Done."))
    world.call("run")
    assert "pnpm, not npm" not in world.summary.partition("## General Tips")[0]
    for name in ("state.sqlite", "state.sqlite-wal", "state.sqlite-shm"):
        (world.home / name).unlink(missing_ok=True)
    world.call("run")
    assert "pnpm, not npm" not in world.summary.partition("## General Tips")[0]
    assert rules(world)[0]["id"] == "use-pnpm-not-npm"


def test_a_claim_comes_back_when_its_rule_goes(world: World) -> None:
    said_thrice(world)
    world.call("rules", "promote", WISH, "--cwd", SHOP, "--yes")
    world.call("rules", "remove", "use-pnpm-not-npm")
    assert WISH in world.summary
    world.call("rules", "promote", WISH, "--cwd", SHOP, "--yes")
    (world.home / "rules.yaml").write_text("rules: []\n")  # by hand
    world.call("run")
    assert WISH in world.summary


def test_a_noted_claim_can_be_promoted_too(world: World) -> None:
    world.write(working())
    world.call("run")
    world.call("remember", "Deploys happen on Tuesdays only.", "--cwd", SHOP, "--now")
    world.call("rules", "promote", "Deploys happen on Tuesdays only.", "--cwd", SHOP, "--yes")
    assert "Tuesdays" not in world.summary
    world.call("rules", "remove", "deploys-happen-on-tuesdays-only")
    assert "Tuesdays" in world.summary


def test_a_team_s_rule_made_of_a_claim_holds_it_back_until_the_team_removes_it(world: World, repository: Path) -> None:
    said_thrice(world, cwd=str(repository))
    world.call("rules", "promote", WISH, "--cwd", repository, "--team", "--yes")
    assert WISH not in world.summary and WISH in (repository / ".memkit" / "rules.yaml").read_text()
    world.call("run")
    assert WISH not in world.summary
    (repository / ".memkit" / "rules.yaml").write_text("rules: []\n")
    world.call("run")
    assert WISH in world.summary


@pytest.mark.parametrize(
    ("asked", "said"), [("use yarn", "no preference of the memory says"), ("00000000", "no preference")]
)
def test_what_the_memory_does_not_say_is_not_promoted(world: World, asked: str, said: str) -> None:
    said_thrice(world)
    assert said in world.call("rules", "promote", asked, "--cwd", SHOP, "--yes", ok=2).err


def test_suggest_finds_where_a_page_contradicts_the_memory_or_says_it_already(world: World, repository: Path) -> None:
    said_thrice(world, cwd=str(repository))
    (repository / "AGENTS.md").write_text("# Shop\n\n- Use npm, not pnpm.\n")
    (found,) = world.call("rules", "suggest", "--json", "--cwd", repository).json
    valid([found], schema="suggestions")
    assert [(each["line"], each["text"]) for each in found["conflicts"]] == [(3, "Use npm, not pnpm.")]
    (repository / "AGENTS.md").write_text("# Shop\n\nAlways use pnpm, not npm.\n")
    (found,) = world.call("rules", "suggest", "--json", "--cwd", repository).json
    assert found["says"][0]["text"] == "Always use pnpm, not npm." and not found["why"]
