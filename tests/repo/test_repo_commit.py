"""Reading, committing, staging: on real repositories, whatever the user's Git is told to do."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memkit.errors import GitError, MemkitError, StorageError
from memkit.repo import Change, Repo
from memkit.repo.door import Answer, refusal
from tests.repo.tools import Git, stage, tree

FROZEN = 1790000000


def test_a_new_home_is_private_and_on_main(home: Path, git: Git) -> None:
    before = os.umask(0o022)
    try:
        repo = Repo.ensure(home)
        with repo.staging() as staging:
            (staging.path / "memories_v2").mkdir()
            (staging.path / "memories_v2" / "a.md").write_text("alpha\n")
            commit = staging.commit("memory: 1 new")
            checked_out = [staging.path, home / "staging"]
            assert all(stat.S_IMODE(spot.stat().st_mode) == 0o700 for spot in checked_out)
        repo.publish(commit, base=staging.base)
    finally:
        os.umask(before)
    assert git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert repo.repairs == ()
    assert [str(spot) for spot in (home, *home.rglob("*")) if spot.lstat().st_mode & 0o077] == []


def test_an_empty_repository_reads_as_nothing(home: Path) -> None:
    repo = Repo.ensure(home)
    assert (repo.head(), repo.read_files(""), repo.history(), repo.changed(), repo.tree_id("memories_v2")) == (
        "",
        {},
        [],
        (),
        "",
    )


def test_a_home_that_is_not_there_reads_as_nothing_and_is_not_made(home: Path) -> None:
    repo = Repo.at(home)
    assert (repo.head(), repo.read_files("memories_v2"), repo.history()) == ("", {}, [])
    assert not home.exists()


def test_changed_tells_added_modified_deleted_and_links_apart(repo: Repo, home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("not to be read")
    (home / "memories_v2" / "a.md").write_text("alpha, edited\n")
    (home / "memories_v2" / "b.md").unlink()
    (home / "memories_v2" / "b.md").symlink_to(tmp_path / "secret.txt")
    (home / "memkit.yaml").unlink()
    (home / "new ünïcode 'n\"\n.md").write_bytes(b"caf\xe9\n")
    (home / "log").mkdir()
    (home / "log" / "memkit.log").write_text("ignored")
    (home / "state.sqlite").write_text("ignored")
    assert repo.changed() == (
        Change(path="memkit.yaml", kind="deleted", old="version: v2\n"),
        Change(path="memories_v2/a.md", kind="modified", old="alpha\n", new="alpha, edited\n"),
        Change(path="memories_v2/b.md", kind="symlink", old="beta\n"),
        Change(path="new ünïcode 'n\"\n.md", kind="added", new="caf\ufffd\n"),
    )


def test_a_folder_replaced_by_a_link_is_not_followed(repo: Repo, home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (home / "memories_v2").rename(elsewhere)
    (home / "memories_v2").symlink_to(elsewhere)
    (elsewhere / "a.md").write_text("outside\n")
    assert {(change.path, change.kind) for change in repo.changed()} == {
        ("memories_v2", "symlink"),
        ("memories_v2/a.md", "deleted"),
        ("memories_v2/b.md", "deleted"),
    }


def test_a_repository_inside_the_home_is_reported_and_not_committed(repo: Repo, home: Path, git: Git) -> None:
    (home / "inner").mkdir()
    git("init", "-q", at=home / "inner")
    git("commit", "-q", "--allow-empty", "-m", "x", at=home / "inner")
    assert repo.changed() == (Change(path="inner", kind="other"),)
    assert repo.commit_paths(["inner"], message="no") == ""


def test_what_the_user_has_added_to_the_index_is_no_difference(repo: Repo, home: Path, git: Git) -> None:
    (home / "memories_v2" / "a.md").write_text("staged\n")
    git("add", "-A")
    git("rm", "-q", "--cached", "memories_v2/b.md")
    (home / "memories_v2" / "a.md").write_text("alpha\n")
    assert repo.changed() == ()


def test_commit_paths_commits_just_those(repo: Repo, home: Path, git: Git) -> None:
    (home / "memories_v2" / "a.md").write_text("edited\n")
    (home / "memories_v2" / "sub").mkdir()
    (home / "memories_v2" / "sub" / "c d.md").write_text("new\n")
    (home / "memories_v2" / "b.md").unlink()
    (home / "memkit.yaml").write_text("version: v1\n")
    (home / "memories_v2_other.md").write_text("a name that only begins alike\n")
    git("add", "memkit.yaml")
    commit = repo.commit_paths(["memories_v2/", "no/such/file"], message="by the user\n", by_hand=True)
    assert repo.head() == commit
    assert repo.show_files(commit) == {
        "memories_v2/a.md": (b"alpha\n", b"edited\n"),
        "memories_v2/b.md": (b"beta\n", None),
        "memories_v2/sub/c d.md": (None, b"new\n"),
    }
    assert [change.path for change in repo.changed()] == ["memkit.yaml", "memories_v2_other.md"]
    shape = "--format=%an <%ae> %cn <%ce> %at %ct %s"
    assert git("log", "-1", shape) == (
        f"by hand <user@localhost> memkit <memkit@localhost> {FROZEN} {FROZEN} by the user"
    )


def test_a_commit_of_nothing_new_is_no_commit(repo: Repo) -> None:
    head = repo.head()
    assert repo.commit_paths(["memories_v2", "memkit.yaml"], message="x") == ""
    with repo.staging() as staging:
        assert staging.commit("x") == ""
        assert (staging.diff(), staging.changed_paths()) == ("", ())
    assert repo.head() == head


def test_the_same_inputs_under_a_frozen_clock_give_the_same_ids(tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        repo = Repo.ensure(tmp_path / name)
        (repo.home / "memkit.yaml").write_text("version: v2\n")
        first = repo.commit_paths(["memkit.yaml"], message="start")
        base, commit = stage(repo, {"memories_v2/ä.md": "alpha\n"})
        repo.publish(commit, base=base)
        ids.append((first, base, commit, repo.head()))
    assert ids[0] == ids[1]
    assert ids[0][2] == ids[0][3]


def test_staging_shows_and_commits_all_work_and_is_gone_afterwards(repo: Repo, home: Path, git: Git) -> None:
    (home / ".gitignore").write_text("*.txt\n")
    repo.commit_paths([".gitignore"], message="ignore")
    with repo.staging() as staging:
        path = staging.path
        assert (path / "memories_v2" / "a.md").read_text() == "alpha\n"
        (path / "memories_v2" / "a.md").write_text("changed\n")
        (path / "memories_v2" / "b.md").unlink()
        (path / "memories_v2" / "n.txt").write_text("ignored elsewhere\n")
        assert staging.changed_paths() == ("memories_v2/a.md", "memories_v2/b.md", "memories_v2/n.txt")
        diff = staging.diff()
        commit = staging.commit("memory: 1 new")
    assert "-alpha\n+changed\n" in diff
    assert "--- /dev/null\n+++ b/memories_v2/n.txt\n@@ -0,0 +1 @@\n+ignored elsewhere\n" in diff
    assert not path.exists()
    assert list((home / "staging").iterdir()) == []
    assert git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert repo.head() == staging.base
    assert git("rev-parse", f"{commit}^") == staging.base


def test_staging_is_gone_after_an_exception_too(repo: Repo, home: Path, git: Git) -> None:
    with pytest.raises(RuntimeError, match="engine"), repo.staging():
        raise RuntimeError("engine")
    assert list((home / "staging").iterdir()) == []
    assert git("worktree", "list").count("\n") == 0


def test_staging_of_an_empty_repository_has_an_empty_base(home: Path) -> None:
    repo = Repo.ensure(home)
    base, commit = stage(repo, {"memories_v2/a.md": "alpha\n"})
    assert repo.head() == base
    repo.publish(commit, base=base)
    assert repo.read_files("") == {"memories_v2/a.md": b"alpha\n"}


def test_read_files_takes_a_folder_a_file_or_names(repo: Repo, home: Path) -> None:
    odd = 'memories_v2/späce "q" \t\'.md'
    (home / odd).write_bytes(b"\xff\x00raw")
    (home / "memories_v2" / "empty.md").write_text("")
    first = repo.head()
    repo.commit_paths(["memories_v2"], message="odd")
    assert repo.read_files("memories_v2/") == {
        "memories_v2/a.md": b"alpha\n",
        "memories_v2/b.md": b"beta\n",
        "memories_v2/empty.md": b"",
        odd: b"\xff\x00raw",
    }
    assert repo.read_files([odd, "memories_v2/none.md", "memories_v2"]) == {odd: b"\xff\x00raw"}
    assert repo.read_files("memories_v2/a.md", rev=first) == {"memories_v2/a.md": b"alpha\n"}
    assert set(repo.read_files("", rev=first)) == {"memkit.yaml", "memories_v2/a.md", "memories_v2/b.md"}
    assert repo.read_files("memories_v*") == {}
    assert repo.read_files([]) == {}
    with pytest.raises(GitError, match="nowhere"):
        repo.read_files("", rev="nowhere")


def test_tree_id_follows_content(repo: Repo, home: Path, git: Git) -> None:
    before = repo.tree_id("memories_v2")
    assert before == git("rev-parse", "HEAD:memories_v2")
    assert repo.tree_id("") == git("rev-parse", "HEAD^{tree}")
    assert repo.tree_id("none") == ""
    (home / "memories_v2" / "a.md").write_text("edited\n")
    repo.commit_paths(["memories_v2"], message="x")
    assert repo.tree_id("memories_v2") != before
    assert repo.tree_id("memories_v2", "HEAD~1") == before


def test_history_gives_subject_body_and_trailers(repo: Repo, home: Path) -> None:
    (home / "memories_v2" / "a.md").write_text("edited\n")
    message = "memory: 1 new\n\nWhy: a line that looks like one\nbut is none\n\nSession: ä1\nSession: b2\nNote: n\n"
    second = repo.commit_paths(["memories_v2"], message=message)
    (home / "memkit.yaml").write_text("version: v1\n")
    third = repo.commit_paths(["memkit.yaml"], message="subject only", by_hand=True)
    newest, middle, first = repo.history()
    assert (newest.id, newest.subject, newest.body, newest.trailers) == (third, "subject only", "", ())
    assert (newest.author, middle.author) == ("by hand", "memkit")
    assert (middle.id, middle.time, middle.subject) == (second, FROZEN, "memory: 1 new")
    assert middle.body == "Why: a line that looks like one\nbut is none"
    assert middle.trailers == (("Session", "ä1"), ("Session", "b2"), ("Note", "n"))
    assert [commit.id for commit in repo.history(["memories_v2/"])] == [second, first.id]
    assert [commit.id for commit in repo.history(limit=1)] == [third]


def test_show_files_of_a_first_commit_and_of_no_commit(repo: Repo) -> None:
    assert repo.show_files("HEAD")["memkit.yaml"] == (None, b"version: v2\n")
    for word in ("nope", "--all", "", "HEAD:memkit.yaml", "a\0b", "HEAD^^^"):
        with pytest.raises(GitError, match="no such commit"):
            repo.show_files(word)


def test_show_files_of_a_merge_compares_with_its_first_parent(repo: Repo, home: Path, git: Git) -> None:
    git("checkout", "-q", "-b", "side")
    (home / "side.md").write_text("side\n")
    git("add", "side.md")
    git("commit", "-q", "-m", "side")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert repo.show_files("HEAD") == {"side.md": (None, b"side\n")}


def test_a_hooks_variables_leave_the_foreign_repository_untouched(
    home: Path, tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    git("init", "-q", at=foreign)
    (foreign / "file").write_text("theirs\n")
    git("add", "file", at=foreign)
    git("commit", "-q", "-m", "theirs", at=foreign)
    before = tree(foreign)
    exported = {
        "GIT_DIR": str(foreign / ".git"),
        "GIT_WORK_TREE": str(foreign),
        "GIT_INDEX_FILE": str(foreign / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(foreign / ".git" / "objects"),
        "GIT_PREFIX": "sub/",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "someone else",
        "GIT_AUTHOR_DATE": "@1 +0100",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_NAMESPACE": "ns",
    }
    for name, value in exported.items():
        monkeypatch.setenv(name, value)
    repo = Repo.ensure(home)
    (home / "memkit.yaml").write_text("version: v2\n")
    repo.commit_paths(["memkit.yaml"], message="start")
    base, commit = stage(repo, {"memories_v2/a.md": "alpha\n"})
    repo.publish(commit, base=base)
    assert (repo.head(), set(repo.read_files(""))) == (commit, {"memkit.yaml", "memories_v2/a.md"})
    assert tree(foreign) == before
    assert {name: os.environ.get(name) for name in exported} == exported
    assert "GIT_PYTHON_REFRESH" not in os.environ
    assert not (tmp_path / "trace").exists()


def test_the_users_gitconfig_does_not_matter(tmp_path: Path, home: Path) -> None:
    user = tmp_path / "user"
    hooks = tmp_path / "hooks"
    templates = tmp_path / "templates" / "hooks"
    marker = tmp_path / "ran"
    for folder in (hooks, templates):
        folder.mkdir(parents=True)
        for name in ("pre-commit", "commit-msg", "post-checkout", "reference-transaction", "post-index-change"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
            (folder / name).chmod(0o755)
    (user / ".config" / "git").mkdir(parents=True)
    (user / ".config" / "git" / "ignore").write_text("*.md\n")
    (user / ".config" / "git" / "attributes").write_text("* text eol=crlf\n")
    (user / ".gitconfig").write_text(
        f"[commit]\n\tgpgsign = true\n[core]\n\thooksPath = {hooks}\n\tautocrlf = true\n\tfsmonitor = /bin/false\n"
        f"[init]\n\ttemplateDir = {templates.parent}\n\tdefaultBranch = trunk\n[user]\n\tname = Someone\n"
        "[diff]\n\tnoprefix = true\n\texternal = /bin/false\n[gpg]\n\tprogram = /bin/false\n"
    )
    repo = Repo.ensure(home)
    (home / ".gitattributes").write_text("* text eol=crlf\n")
    (home / "crlf.md").write_bytes(b"one\r\ntwo\n")
    repo.commit_paths([".gitattributes", "crlf.md"], message="start")
    base, commit = stage(repo, {"memories_v2/a.md": "alpha\n"})
    repo.publish(commit, base=base)
    with repo.staging() as staging:
        assert (staging.path / "crlf.md").read_bytes() == b"one\r\ntwo\n"
        assert (staging.path / "memories_v2" / "a.md").read_bytes() == b"alpha\n"
        (staging.path / "crlf.md").write_bytes(b"three\r\n")
        assert "+++ b/crlf.md" in staging.diff()
    assert repo.read_files("crlf.md") == {"crlf.md": b"one\r\ntwo\n"}
    assert (home / "memories_v2" / "a.md").read_bytes() == b"alpha\n"
    assert repo.changed() == ()
    assert {commit.author for commit in repo.history()} == {"memkit"}
    assert not marker.exists()
    assert not (home / ".git" / "hooks").exists()


def test_hooks_run_from_the_folder_that_is_asked_for(home: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "reference-transaction").write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    (hooks / "reference-transaction").chmod(0o755)
    repo = Repo.ensure(home, hooks=str(hooks))
    (home / "memkit.yaml").write_text("version: v2\n")
    repo.commit_paths(["memkit.yaml"], message="start")
    assert (tmp_path / "ran").exists()


def test_a_home_below_another_work_tree_uses_its_own_repository(tmp_path: Path, git: Git) -> None:
    outer = tmp_path / "project"
    outer.mkdir()
    git("init", "-q", at=outer)
    (outer / "file").write_text("theirs\n")
    git("add", "file", at=outer)
    git("commit", "-q", "-m", "theirs", at=outer)
    before = tree(outer)
    assert Repo.at(outer / "sub" / "home").head() == ""
    repo = Repo.ensure(outer / "sub" / "home")
    (repo.home / "memkit.yaml").write_text("version: v2\n")
    repo.commit_paths(["memkit.yaml"], message="start")
    base, commit = stage(repo, {"memories_v2/a.md": "alpha\n"})
    repo.publish(commit, base=base)
    assert repo.outer_worktree() == outer
    assert set(repo.read_files("")) == {"memkit.yaml", "memories_v2/a.md"}
    assert {path: data for path, data in tree(outer).items() if not path.startswith("sub/")} == before


def test_a_work_tree_that_ignores_the_home_is_no_outer_one(tmp_path: Path, git: Git) -> None:
    outer = tmp_path / "a project"
    outer.mkdir()
    git("init", "-q", at=outer)
    repo = Repo.ensure(outer / ".cache" / "home")
    assert repo.outer_worktree() == outer
    (outer / ".gitignore").write_text("/.cache/\n")
    assert repo.outer_worktree() is None
    (outer / ".git" / "HEAD").write_text("broken")
    assert repo.outer_worktree() == outer


def test_a_home_of_its_own_has_no_outer_work_tree(repo: Repo) -> None:
    assert repo.outer_worktree() is None


def test_a_missing_git_is_said_in_one_line(repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home / "nothing"))
    (home / "memkit.yaml").write_text("x\n")
    with pytest.raises(GitError, match=r"^Git is not installed") as read:
        repo.head()
    with pytest.raises(GitError, match=r"^Git is not installed") as written:
        repo.door.write("gc")
    assert "\n" not in str(read.value) + str(written.value)
    assert "install Git" in read.value.mend


def test_gits_first_line_of_complaint_is_passed_on(repo: Repo, home: Path) -> None:
    (home / ".git" / "config").write_text("[core\n")
    with pytest.raises(GitError, match=r"^Git refused: bad config line 1 in file .*config \(") as caught:
        repo.head()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("complaint", "kind", "line"),
    [
        ("fatal: no\nerror: unable to write x: No space left on device\n", StorageError, "unable to write x"),
        ("warning: w\nfatal: could not open '.git/x': Read-only file system\n", StorageError, "could not open"),
        ("error: insufficient permission for adding an object to repository", StorageError, "insufficient permission"),
        ("hint: h\nfatal: something else\nhint: more\n", GitError, "Git refused: something else"),
        ("", GitError, "Git refused: exit status 128"),
    ],
)
def test_what_git_complains_of_becomes_one_line(
    complaint: str, kind: type[MemkitError], line: str, tmp_path: Path
) -> None:
    error = refusal(Answer(128, b"", complaint), tmp_path)
    assert type(error) is kind
    assert line in str(error)
    assert "\n" not in str(error)
    assert str(tmp_path) in error.mend


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_home_is_said_in_one_line(repo: Repo, home: Path) -> None:
    base, commit = stage(repo, {"memories_v2/a.md": "two\n"})
    (home / "memkit.yaml").write_text("version: v1\n")
    folders = [home, *(spot for spot in home.rglob("*") if spot.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        with pytest.raises(StorageError, match="the home can't be used"):
            repo.commit_paths(["memkit.yaml"], message="x")
        with pytest.raises(StorageError, match="the home can't be used"):
            repo.publish(commit, base=base)
        with pytest.raises(StorageError, match="the home can't be used"), repo.staging():
            pass
        assert repo.read_files("memories_v2/a.md") == {"memories_v2/a.md": b"alpha\n"}
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert repo.head() == base


def test_a_file_in_the_place_of_the_home_or_its_folders_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="is no folder"):
        Repo.ensure(tmp_path / "file")
    with pytest.raises(StorageError, match="Not a directory"):
        Repo.ensure(tmp_path / "file" / "home")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "staging").symlink_to(tmp_path)
    with pytest.raises(StorageError, match="symbolic link"):
        Repo.ensure(tmp_path / "linked")
    (tmp_path / "module").mkdir()
    (tmp_path / "module" / ".git").write_text("gitdir: ../elsewhere\n")
    with pytest.raises(GitError, match=r"\.git is no folder"):
        Repo.ensure(tmp_path / "module")


@pytest.mark.usefixtures("repo")
def test_readers_load_no_gitpython(home: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from memkit.repo import Repo; repo = Repo.at(Path(sys.argv[1]))\n"
        "assert repo.head() and repo.read_files('memories_v2') and repo.history() and repo.tree_id('memories_v2')\n"
        "assert repo.changed() == () and repo.show_files('HEAD')\n"
        "assert not {'git', 'tempfile', 'asyncio'} & set(sys.modules), 'heavy'"
    )
    done = subprocess.run([sys.executable, "-c", program, str(home)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
