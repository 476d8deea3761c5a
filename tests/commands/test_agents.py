"""`memkit agents`: the block in AGENTS.md, and nothing else, changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit.documents import agents_md
from memkit.documents.agents_md import BEGIN
from memkit.model import Rule
from memkit.stages import rules as stage
from memkit.stages.rules import State
from tests.commands.test_rules import WISH, said_thrice
from tests.commands.world import World, valid


@pytest.fixture
def repository(world: World) -> Path:
    root = Path(world.env["HOME"]) / "work" / "shop"
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=world.env)
    return root


def team(world: World, repository: Path, text: str = "Run make test before a commit.", *more: str) -> None:
    world.call("rules", "add", text, "--team", "--cwd", repository, *more)


def write(world: World, repository: Path, *more: str, ok: int = 0) -> str:
    done = world.call("agents", "write", "--repo", repository, *more, ok=ok)
    return done.out + done.err


# --- writing --------------------------------------------------------------------------------------------------------


def test_a_page_is_made_with_the_rules_sorted(world: World, repository: Path) -> None:
    team(world, repository, "Zip the logs.", "--why", "They are long.")
    team(world, repository, "Ask first.", "--glob", "*.toml")
    team(world, repository, "Always sign commits.")
    write(world, repository)
    text = (repository / "AGENTS.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("- ")]
    assert rows == ["- Always sign commits.", "- Zip the logs. Why: They are long.", "- (for `*.toml`) Ask first."]
    assert world.call("agents", "check", "--repo", repository).out == "every page is as the rules say\n"
    assert "nothing to write" in write(world, repository)


def test_what_stands_around_the_block_and_the_mode_stay(world: World, repository: Path) -> None:
    page = repository / "AGENTS.md"
    before = b"\xef\xbb\xbf# Shop\r\n\r\nOur page \xff\xfe without an end"
    page.write_bytes(before)
    page.chmod(0o640)
    team(world, repository)
    write(world, repository)
    assert page.read_bytes().startswith(before + b"\r\n\r\n<!-- memkit:rules:") and page.stat().st_mode & 0o777 == 0o640
    assert b"\n" not in page.read_bytes().replace(b"\r\n", b"")
    page.write_bytes(page.read_bytes() + b"after it")
    team(world, repository, "Always sign commits.")
    write(world, repository)
    assert page.read_bytes().startswith(before) and page.read_bytes().endswith(b" -->\r\nafter it")
    assert b"sign commits" in page.read_bytes()


@pytest.mark.parametrize("command", ["write", "check"])
def test_a_block_that_was_changed_by_hand_is_shown_and_not_overwritten(
    world: World, repository: Path, command: str
) -> None:
    team(world, repository)
    write(world, repository)
    page = repository / "AGENTS.md"
    page.write_text(page.read_text().replace("before a commit", "twice"))
    done = world.call("agents", command, "--repo", repository, ok=1)
    assert "changed by hand" in done.err and "-- Run make test twice." in done.out
    assert "twice" in page.read_text()
    write(world, repository, "--force")
    assert "before a commit" in page.read_text()


def test_a_broken_block_is_named_with_its_line(world: World, repository: Path) -> None:
    team(world, repository)
    write(world, repository)
    page = repository / "AGENTS.md"
    page.write_text("# Shop\n\n" + page.read_text().replace(BEGIN, ""))
    before = page.read_bytes()
    assert "AGENTS.md:8: the block of rules has no beginning" in write(world, repository, ok=3)
    assert "AGENTS.md:8" in world.call("agents", "check", "--repo", repository, ok=1).err
    assert page.read_bytes() == before


def test_check_shows_the_difference(world: World, repository: Path) -> None:
    team(world, repository)
    assert "+- Run make test before a commit." in world.call("agents", "check", "--repo", repository, ok=1).out
    write(world, repository)
    team(world, repository, "Always sign commits.")
    done = world.call("agents", "check", "--repo", repository, ok=1)
    assert "+- Always sign commits." in done.out and "have changed since" in done.err


def test_a_rule_of_a_sub_folder_goes_into_that_folder_s_page(world: World, repository: Path) -> None:
    (repository / "web" / "src").mkdir(parents=True)
    team(world, repository, "Use the design tokens.", "--glob", "web/**")
    team(world, repository, "No default exports.", "--glob", "web/src/*.ts")
    team(world, repository, "Always sign commits.", "--glob", "api/*.go")
    write(world, repository)
    assert "- Use the design tokens." in (repository / "web" / "AGENTS.md").read_text()
    assert "- (for `*.ts`) No default exports." in (repository / "web" / "src" / "AGENTS.md").read_text()
    assert "- (for `api/*.go`) Always sign commits." in (repository / "AGENTS.md").read_text()
    world.call("rules", "remove", "use-the-design-tokens", "--cwd", repository)
    world.call("agents", "check", "--repo", repository, ok=1)
    write(world, repository)
    assert "tokens" not in (repository / "web" / "AGENTS.md").read_text()
    world.call("agents", "check", "--repo", repository)


def test_another_page_works_the_same_and_a_link_to_the_first_is_left_alone(world: World, repository: Path) -> None:
    team(world, repository)
    write(world, repository, "--file", "CLAUDE.md")
    assert "Run make test" in (repository / "CLAUDE.md").read_text() and not (repository / "AGENTS.md").exists()
    (repository / "CLAUDE.md").unlink()
    write(world, repository)
    (repository / "CLAUDE.md").symlink_to("AGENTS.md")
    assert "left alone" in write(world, repository, "--file", "CLAUDE.md")
    assert (repository / "CLAUDE.md").is_symlink()
    world.call("agents", "check", "--repo", repository, "--file", "CLAUDE.md")


def test_a_link_out_of_the_repository_is_refused(world: World, repository: Path, tmp_path: Path) -> None:
    team(world, repository)
    (tmp_path / "page.md").write_text("theirs\n")
    (repository / "AGENTS.md").symlink_to(tmp_path / "page.md")
    assert "a link out of" in write(world, repository, ok=3)
    assert (tmp_path / "page.md").read_text() == "theirs\n"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda page: page.symlink_to("AGENTS.md"), "a link that leads nowhere"),
        (lambda page: page.symlink_to("/dev/zero"), "a link out of"),
        (os.mkfifo, "is no file"),
        (Path.mkdir, "is no file"),
        (lambda page: page.touch(0o444), "is read-only (chmod u+w"),
        (lambda page: page.write_bytes(b"x" * 9_000_000), "too large"),
    ],
)
def test_what_is_no_page_is_said_and_left_alone(
    world: World, repository: Path, make: Callable[[Path], None], said: str
) -> None:
    team(world, repository)
    make(repository / "AGENTS.md")
    before = (repository / "AGENTS.md").lstat()
    done = write(world, repository, ok=3)
    assert said in done and done.count("\n") == 1
    assert (repository / "AGENTS.md").lstat() == before


@pytest.mark.parametrize("name", ["", "../AGENTS.md", ".hidden", "a/b.md", "/x.md", "a\nb"])
@pytest.mark.parametrize("more", [[], ["--global"]])
def test_a_page_s_name_is_a_name(world: World, repository: Path, name: str, more: list[str]) -> None:
    world.call("rules", "add", "Use tabs.", "--global")
    assert "is no file's name" in write(world, repository, "--file", name, *more, ok=2)


def test_only_the_repository_s_own_folders_are_written(world: World, repository: Path, tmp_path: Path) -> None:
    inner = repository / "third_party" / "lib"
    inner.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(inner)], check=True, env=world.env)
    team(world, inner, "Use spaces.")
    write(world, inner)
    before = (inner / "AGENTS.md").read_bytes()
    (repository / "away").symlink_to(tmp_path)
    for glob in ("third_party/lib/**", "away/**", ".git/hooks/*"):
        team(world, repository, f"Keep to {glob.split('/')[-2]}.", "--glob", glob)
    write(world, repository)
    assert (inner / "AGENTS.md").read_bytes() == before and not (tmp_path / "AGENTS.md").exists()
    assert "- (for `lib/**`) Keep to lib." in (repository / "third_party" / "AGENTS.md").read_text()
    assert "- (for `away/**`) Keep to away." in (repository / "AGENTS.md").read_text()
    assert not (repository / ".git" / "hooks" / "AGENTS.md").exists()


def test_outside_of_a_repository_only_the_page_here_is_looked_at(world: World) -> None:
    home = Path(world.env["HOME"])
    (home / "docs").mkdir()
    (home / "docs" / "AGENTS.md").write_text(f"{BEGIN}\n")  # broken, and of no concern
    world.call("rules", "add", "Use tabs.", "--global", "--glob", "docs/*")
    write(world, home)
    assert "- (for `docs/*`) Use tabs." in (home / "AGENTS.md").read_text()


def test_a_page_that_can_not_be_written_stays(world: World, repository: Path) -> None:
    team(world, repository)
    (repository / "AGENTS.md").write_text("# Shop\n")
    repository.chmod(0o555)
    try:
        done = world.unprivileged("agents", "write", "--repo", repository, ok=3)
    finally:
        repository.chmod(0o755)
    assert "can't be written" in done.err and (repository / "AGENTS.md").read_text() == "# Shop\n"


def test_rules_for_everywhere_can_go_to_codex_s_own_page(world: World, repository: Path) -> None:
    world.codex.mkdir()
    world.call("rules", "add", "Ask before you add a dependency.", "--global")
    world.call("rules", "add", "Use tabs.", "--cwd", repository)
    world.call("agents", "write", "--global")
    assert "Ask before" in (world.codex / "AGENTS.md").read_text()
    assert "Use tabs" not in (world.codex / "AGENTS.md").read_text()
    write(world, repository)
    assert "Use tabs" in (repository / "AGENTS.md").read_text()
    assert "Ask before" not in (repository / "AGENTS.md").read_text()  # it is told already
    world.call("agents", "check", "--global")


def test_where_a_team_has_rules_a_person_s_own_stay_out_of_its_page(world: World, repository: Path) -> None:
    team(world, repository)
    world.call("rules", "add", "Use tabs.", "--cwd", repository)
    assert "1 rule of your own is left out" in write(world, repository)
    assert "Use tabs" not in (repository / "AGENTS.md").read_text()
    assert "left out" not in write(world, repository, "--personal")
    assert "Use tabs" in (repository / "AGENTS.md").read_text()


def test_a_page_that_is_too_long_or_holds_memory_is_warned_of(world: World, repository: Path) -> None:
    team(world, repository)
    (repository / "AGENTS.md").write_text("- Deploy on Tuesdays. [ad-hoc note]\n" + "word " * 8_000 + "\n")
    said = write(world, repository)
    assert "bytes; Codex loads 32,768" in said and "holds text of the memory" in said


def test_without_rules_there_is_nothing_to_write(world: World, repository: Path) -> None:
    world.call("init")
    assert "there are no rules" in write(world, repository)
    assert list(repository.iterdir()) == [repository / ".git"]


def test_show_tells_what_an_agent_is_told_with_conflicts(world: World, repository: Path) -> None:
    said_thrice(world, cwd=str(repository))
    team(world, repository, "Use npm, not pnpm.")
    (repository / "AGENTS.md").write_text("# Shop\n\n- Write small commits.\n")
    found = world.call("agents", "show", repository, "--json").json
    valid(found, schema="agents")
    assert [row["text"] for row in found["rules"]] == ["Use npm, not pnpm."]
    assert {row["text"] for row in found["pages"]} == {"Shop", "Write small commits."}
    (memory,) = [row for row in found["memory"] if WISH in row["text"]]
    assert memory["conflicts"] == ["Use npm, not pnpm. [rule use-npm-not-pnpm, the repository]"]
    assert "conflict: " in world.call("agents", "show", repository).out


def test_bytes_that_are_no_text_are_shown_as_such_and_stay(world: World, repository: Path) -> None:
    team(world, repository)
    (repository / "AGENTS.md").write_bytes(b"- Caf\xe9.\n")
    for words in (["agents", "show"], ["agents", "show", "--json"], ["agents", "check"]):
        assert "Caf\ufffd." in world.call(*words, cwd=repository, ok=None).out
    write(world, repository)
    assert (repository / "AGENTS.md").read_bytes().startswith(b"- Caf\xe9.\n\n")


BOM = b"\xef\xbb\xbf"


# --- any page ---------------------------------------------------------------------------------------------------------

RULES = (Rule(id="a", text="Use tabs."), Rule(id="b", text="```", why="a fence that opens"), Rule(id="c", text=BEGIN))
pages = st.lists(
    st.sampled_from(
        [
            "# Head",
            "- item",
            "",
            "```",
            "~~~",
            BEGIN,
            "<!-- memkit:rules:end -->",
            "<div>",
            "</div>",
            "<!--",
            "-->",
            "    x",
        ]
    )
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    max_size=12,
)


def around(path: Path) -> bytes:
    """All bytes of a page but the block."""
    page = agents_md.parse(stage.read(path) or "")
    return (page.before + page.after).encode("utf-8", "surrogateescape")


@given(lines=pages, newline=st.sampled_from(["\n", "\r\n", "\r"]), end=st.booleans(), mark=st.booleans())
@example(lines=["", ""], newline="\r", end=False, mark=False)
@example(lines=["```", "open for ever"], newline="\n", end=False, mark=True)
@example(lines=["<!-- open for ever"], newline="\n", end=True, mark=False)
@example(lines=["a long line of a long page " * 40] * 1_000, newline="\n", end=True, mark=False)
def test_writing_changes_nothing_outside_and_twice_is_once(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], newline: str, end: bool, mark: bool
) -> None:
    root = tmp_path_factory.mktemp("page")
    path = root / "AGENTS.md"
    before = (("\ufeff" if mark else "") + newline.join(lines) + (newline if end else "")).encode()
    path.write_bytes(before)
    planned = stage.plan(path, RULES, root=root)
    if planned.state is State.BROKEN:
        assert not stage.write(planned) and path.read_bytes() == before
        return
    had, outside = bool(agents_md.parse(before.decode()).block), around(path)
    stage.write(planned)
    written, left = path.read_bytes(), around(path)
    assert BEGIN.encode() in written
    # A new block stands apart from what was there: up to two line ends before it, or one behind it at the beginning.
    gaps = [b""] if had else [b"", b"\n", b"\r\n", b"\r", b"\n\n", b"\r\n\r\n", b"\r\r"]
    text = outside.removeprefix(BOM)
    first = [outside.removesuffix(text) + gap + text for gap in gaps]
    assert left in [outside + gap for gap in gaps] + first
    assert not stage.write(stage.plan(path, RULES, root=root)) and path.read_bytes() == written
    fewer = stage.plan(path, RULES[:1], root=root)
    kept = around(path)
    stage.write(fewer)
    assert around(path) == kept
