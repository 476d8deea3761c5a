"""Repairs: every broken state is mended, reported, and costs neither a commit that can be found nor an edited file."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from memkit.errors import GitError
from memkit.repo import Repo
from tests.repo.tools import Git, stage

GONE = "1234567890123456789012345678901234567890"
OLD = 100.0  # seconds: past the age from which an unused lock is dead


def head_file(home: Path) -> str:
    return (home / ".git" / "HEAD").read_text().strip()


def second(repo: Repo) -> str:
    """One more commit, so that main has two."""
    (repo.home / "memories_v2" / "a.md").write_text("alpha two\n")
    return repo.commit_paths(["memories_v2"], message="memory: second")


@pytest.mark.parametrize("text", [b"", b"garbage\n", b"\0" * 24, b"\xff\xfe", b"ref: ", b"ref: ../../etc\n", None])
def test_an_unreadable_head_points_at_main_again(repo: Repo, home: Path, text: bytes | None) -> None:
    newest = second(repo)
    if text is None:
        (home / ".git" / "HEAD").unlink()
    else:
        (home / ".git" / "HEAD").write_bytes(text)
    with pytest.raises(GitError, match="not a git repository"):
        Repo.at(home).head()
    after = Repo.ensure(home)
    assert after.repairs == ("HEAD was unreadable and points at main again",)
    assert (after.head(), after.changed()) == (newest, ())
    assert Repo.ensure(home).repairs == ()


@pytest.mark.parametrize("text", [b"", b"garbage\n", GONE.encode() + b"\n", None])
def test_a_broken_main_comes_back_from_the_reflog(repo: Repo, home: Path, text: bytes | None) -> None:
    newest = second(repo)
    main = home / ".git" / "refs" / "heads" / "main"
    if text is None:
        main.unlink()
    else:
        main.write_bytes(text)
    after = Repo.ensure(home)
    assert after.repairs == (f"main had no commit and stands at {newest[:12]}, the newest that was found",)
    assert (after.head(), after.changed(), len(after.history())) == (newest, (), 2)


def test_a_broken_main_does_not_fall_back_to_an_older_packed_one(repo: Repo, home: Path, git: Git) -> None:
    git("pack-refs", "--all")
    newest = second(repo)
    (home / ".git" / "refs" / "heads" / "main").write_text("garbage\n")
    after = Repo.ensure(home)
    assert (after.head(), git("rev-parse", "main"), after.changed()) == (newest, newest, ())


def test_a_broken_main_without_reflogs_comes_back_from_other_refs(repo: Repo, home: Path, git: Git) -> None:
    newest = second(repo)
    git("branch", "older", "HEAD~1")
    git("tag", "newer", "HEAD")
    shutil.rmtree(home / ".git" / "logs")
    (home / ".git" / "refs" / "heads" / "main").write_text(f"{GONE}\n")
    assert Repo.ensure(home).head() == newest


def test_a_broken_main_without_refs_comes_back_from_dangling_commits(repo: Repo, home: Path) -> None:
    newest = second(repo)
    shutil.rmtree(home / ".git" / "logs")
    (home / ".git" / "refs" / "heads" / "main").write_text("\0\0\0\0")
    after = Repo.ensure(home)
    assert (after.head(), len(after.history())) == (newest, 2)


@pytest.mark.parametrize("damage", ["gone", "empty", "garbage"])
def test_a_newest_commit_that_is_damaged_gives_way_to_the_one_before(repo: Repo, home: Path, damage: str) -> None:
    first = repo.head()
    newest = second(repo)
    spot = home / ".git" / "objects" / newest[:2] / newest[2:]
    spot.chmod(0o600)
    if damage == "gone":
        spot.unlink()
    else:
        spot.write_bytes(b"" if damage == "empty" else zlib.compress(b"blob 3\0abc"))
    with pytest.raises(GitError):
        Repo.at(home).head()
    after = Repo.ensure(home)
    assert after.head() == first
    assert [(change.path, change.new) for change in after.changed()] == [("memories_v2/a.md", "alpha two\n")]


def test_a_candidate_without_its_files_is_no_candidate(repo: Repo, home: Path, git: Git) -> None:
    first = repo.head()
    second(repo)
    blob = git("rev-parse", "HEAD:memories_v2/a.md")
    (home / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    (home / ".git" / "refs" / "heads" / "main").unlink()
    assert Repo.ensure(home).head() == first


def test_a_head_of_a_missing_branch_is_back_on_main(repo: Repo, home: Path) -> None:
    newest = second(repo)
    (home / ".git" / "HEAD").write_text("ref: refs/heads/nowhere\n")
    after = Repo.ensure(home)
    assert after.repairs == ("HEAD was on nowhere and is on main again",)
    assert (after.head(), after.changed()) == (newest, ())


def test_a_repository_without_commits_is_fine_whatever_its_branch(home: Path, git: Git) -> None:
    home.mkdir()
    git("init", "-q", "-b", "trunk")
    (home / "mine.md").write_text("mine\n")
    after = Repo.ensure(home)
    assert (after.head(), head_file(home)) == ("", "ref: refs/heads/main")
    assert after.commit_paths(["mine.md"], message="first") == after.head() != ""


def test_a_users_repository_on_another_branch_goes_on_as_main(home: Path, git: Git) -> None:
    home.mkdir()
    git("init", "-q", "-b", "trunk")
    git("commit", "-q", "--allow-empty", "-m", "theirs")
    after = Repo.ensure(home)
    assert (after.head(), head_file(home)) == (git("rev-parse", "trunk"), "ref: refs/heads/main")


def test_a_main_with_nothing_to_be_found_starts_anew(home: Path) -> None:
    Repo.ensure(home)
    (home / ".git" / "refs" / "heads" / "main").write_text("garbage\n")
    (home / "mine.md").write_text("mine\n")
    after = Repo.ensure(home)
    assert after.repairs == ("main pointed at nothing, and no commit was found: it starts anew",)
    assert after.commit_paths(["mine.md"], message="first") == after.head() != ""


def test_a_detached_look_at_the_past_ends_on_main_and_keeps_edits(repo: Repo, home: Path, git: Git) -> None:
    newest = second(repo)
    git("checkout", "-q", "--detach", "HEAD~1")
    (home / "memories_v2" / "b.md").write_text("by hand\n")
    after = Repo.ensure(home)
    assert after.repairs == ("HEAD was detached and is on main again",)
    assert (after.head(), (home / "memories_v2" / "a.md").read_text()) == (newest, "alpha two\n")
    assert [(change.path, change.new) for change in after.changed()] == [("memories_v2/b.md", "by hand\n")]


@pytest.mark.usefixtures("repo")
def test_commits_made_detached_come_to_main(home: Path, git: Git) -> None:
    git("checkout", "-q", "--detach")
    (home / "memories_v2" / "b.md").write_text("by hand\n")
    git("commit", "-q", "-a", "-m", "theirs")
    theirs = git("rev-parse", "HEAD")
    after = Repo.ensure(home)
    assert after.repairs == ("HEAD was detached; main now has its commits",)
    assert (after.head(), git("rev-parse", "main"), after.changed()) == (theirs, theirs, ())


def test_commits_made_on_the_past_are_kept_under_a_ref(repo: Repo, home: Path, git: Git) -> None:
    newest = second(repo)
    git("checkout", "-q", "--detach", "HEAD~1")
    (home / "memories_v2" / "b.md").write_text("by hand\n")
    git("commit", "-q", "-a", "-m", "theirs")
    theirs = git("rev-parse", "HEAD")
    after = Repo.ensure(home)
    assert after.repairs == (
        f"HEAD was detached and is on main again; its commits are kept in refs/memkit/kept/{theirs[:12]}",
    )
    assert (after.head(), after.changed()) == (newest, ())
    assert git("rev-parse", f"refs/memkit/kept/{theirs[:12]}") == theirs


def test_a_removed_git_folder_is_made_again_and_files_stay(repo: Repo, home: Path) -> None:
    shutil.rmtree(home / ".git")
    after = Repo.ensure(home)
    assert after.head() == ""
    assert [change.path for change in after.changed()] == ["memkit.yaml", "memories_v2/a.md", "memories_v2/b.md"]
    assert repo.home == after.home


@pytest.mark.parametrize("missing", ["refs", "objects", "config", "info"])
def test_an_incomplete_git_folder_is_completed(home: Path, missing: str) -> None:
    Repo.ensure(home)
    spot = home / ".git" / missing
    shutil.rmtree(spot) if spot.is_dir() else spot.unlink()
    after = Repo.ensure(home)
    (home / "mine.md").write_text("mine\n")
    assert after.commit_paths(["mine.md"], message="first") == after.head() != ""
    assert Repo.ensure(home).repairs == ()


@pytest.mark.parametrize("data", [b"", b"garbage", b"DIRC\0\0\0\2\0\0\0\1" + b"\0" * 40, None])
@pytest.mark.usefixtures("repo")
def test_a_damaged_index_is_made_anew(home: Path, data: bytes | None) -> None:
    (home / "memories_v2" / "a.md").write_text("by hand\n")
    index = home / ".git" / "index"
    if data is None:
        index.unlink()
    else:
        index.write_bytes(data)
    after = Repo.ensure(home)
    assert [(change.path, change.kind) for change in after.changed()] == [("memories_v2/a.md", "modified")]
    assert after.commit_paths(["memories_v2"], message="edit", by_hand=True) != ""


def conflict(git: Git, home: Path) -> None:
    """Two branches that changed the same line; HEAD is on main."""
    git("checkout", "-q", "-b", "side")
    (home / "memories_v2" / "a.md").write_text("side\n")
    git("commit", "-q", "-a", "-m", "side")
    git("checkout", "-q", "main")
    (home / "memories_v2" / "a.md").write_text("main\n")
    git("commit", "-q", "-a", "-m", "main")


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert"])
@pytest.mark.parametrize("state", ["whole", "torn"])
@pytest.mark.usefixtures("repo")
def test_an_operation_half_way_is_aborted_and_its_files_are_kept(
    home: Path, git: Git, operation: str, state: str
) -> None:
    conflict(git, home)
    main = git("rev-parse", "main")
    git(operation, "HEAD~1" if operation == "revert" else "side", ok=False)
    if operation == "revert":
        (home / "memories_v2" / "a.md").write_text("<<<<<<< \n")
    assert "<<<<<<<" in (home / "memories_v2" / "a.md").read_text()
    (home / "memories_v2" / "a.md").write_text("resolved by hand <<<<<<<\n")
    if state == "torn":
        for name in ("orig-head", "head-name", "onto"):
            (home / ".git" / "rebase-merge" / name).unlink(missing_ok=True)
        (home / ".git" / "index").unlink()
    after = Repo.ensure(home)
    kept = next(line for line in after.repairs if "half way" in line).rsplit(" ", 1)[1]
    assert git("show", f"{kept}:memories_v2/a.md") == "resolved by hand <<<<<<<"
    assert (after.head(), head_file(home)) == (main, "ref: refs/heads/main")
    if state == "whole":
        assert ((home / "memories_v2" / "a.md").read_text(), after.changed()) == ("main\n", ())
    assert Repo.ensure(home).repairs == ()


@pytest.mark.usefixtures("repo")
def test_a_dead_gits_locks_are_removed(home: Path) -> None:
    locks = [home / ".git" / name for name in ("index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock")]
    for lock in locks:
        lock.write_text("")
        past = lock.stat().st_mtime - OLD
        os.utime(lock, (past, past))
    after = Repo.ensure(home)
    assert len(after.repairs) == 4
    assert not any(lock.exists() for lock in locks)
    assert second(after) == after.head()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc: only age counts there")
def test_a_lock_that_a_process_has_open_is_kept_and_named(repo: Repo, home: Path) -> None:
    lock = home / ".git" / "index.lock"
    with lock.open("w"):
        past = lock.stat().st_mtime - OLD
        os.utime(lock, (past, past))
        after = Repo.ensure(home)
        assert after.repairs == ()
        (home / "memkit.yaml").write_text("version: v1\n")
        with pytest.raises(GitError, match=r"index\.lock': File exists") as caught:
            after.commit_paths(["memkit.yaml"], message="x")
    assert "wait for the other Git" in caught.value.mend
    assert lock.exists()
    assert repo.head() == after.head()


def test_locks_are_kept_for_an_hour_where_processes_cannot_be_seen(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("memkit.repo.stale._PROC", tmp_path / "none")
    lock = home / ".git" / "HEAD.lock"
    lock.write_text("")
    now = lock.stat().st_mtime
    os.utime(lock, (now - OLD, now - OLD))
    assert Repo.ensure(home).repairs == ()
    os.utime(lock, (now - 4_000, now - 4_000))
    assert Repo.ensure(home).repairs == ("removed .git/HEAD.lock, which a killed Git had left",)
    assert repo.head()


def test_the_staging_of_a_killed_run_is_swept_and_that_of_a_live_one_kept(repo: Repo, home: Path, git: Git) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from memkit.repo import Repo\n"
        "with Repo.at(Path(sys.argv[1])).staging() as staging:\n"
        "    (staging.path / 'half').write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(home)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert git("worktree", "list").count("\n") == 1
    (home / "staging" / "stray").write_text("stray")
    with repo.staging() as live:
        after = Repo.ensure(home)
        assert after.repairs == ("removed 2 staging leftovers of a killed run",)
        assert live.path.is_dir()
        (live.path / "memkit.yaml").write_text("version: v1\n")
        assert live.changed_paths() == ("memkit.yaml",)
    assert list((home / "staging").iterdir()) == []
    assert not list((home / ".git").glob("worktrees/*"))


def test_a_worktree_whose_making_was_killed_is_swept(repo: Repo, home: Path, git: Git) -> None:
    with repo.staging() as staging:
        token = staging.path.name
        shutil.copytree(home / ".git" / "worktrees" / token, home / "entry")
    shutil.move(home / "entry", home / ".git" / "worktrees" / token)
    (home / ".git" / "worktrees" / token / "locked").write_text("initializing")
    (home / "staging" / token).mkdir()
    assert Repo.ensure(home).repairs == ("removed 1 staging leftover of a killed run",)
    assert git("worktree", "list").count("\n") == 0


def test_a_users_own_worktree_is_left_alone(repo: Repo, home: Path, git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "--detach", str(tmp_path / "theirs"))
    stage(repo, {"a.md": "a\n"})
    assert Repo.ensure(home).repairs == ()
    assert git("status", "--porcelain", at=tmp_path / "theirs") == ""


def test_ensure_twice_changes_nothing(repo: Repo, home: Path) -> None:
    def look() -> dict[str, tuple[int, int]]:
        return {str(spot): (spot.lstat().st_mtime_ns, spot.lstat().st_size) for spot in home.rglob("*")}

    Repo.ensure(home)
    before = look()
    assert Repo.ensure(home).repairs == ()
    assert look() == before
    assert repo.head()


def test_an_existing_home_keeps_its_mode(home: Path) -> None:
    home.mkdir(mode=0o750)
    home.chmod(0o750)
    Repo.ensure(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o750
