"""Publishing: all or nothing, never over a hand edit, and put right after a kill at any point."""

from __future__ import annotations

import errno
import json
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from memkit.errors import GitError, StorageError
from memkit.repo import Change, Moved, Repo
from memkit.repo.publishing import INTENT, Intent, alone, keep_intent
from tests.repo.tools import Git, killed, stage

WORK: dict[str, str | None] = {
    "memories_v2/a.md": "alpha two\n",
    "memories_v2/b.md": None,
    "memories_v2/deep/er/c.md": "gamma\n",
}


def read(home: Path) -> dict[str, str]:
    """The tracked part of the work tree."""
    skipped = (".git", "staging", "log")
    found = (spot for spot in home.rglob("*") if spot.is_file() and not spot.is_symlink())
    names = {str(spot.relative_to(home)): spot for spot in found}
    return {
        name: spot.read_text()
        for name, spot in names.items()
        if Path(name).parts[0] not in skipped and not name.startswith("state.")
    }


BEFORE = {"memkit.yaml": "version: v2\n", "memories_v2/a.md": "alpha\n", "memories_v2/b.md": "beta\n"}
AFTER = {"memkit.yaml": "version: v2\n", "memories_v2/a.md": "alpha two\n", "memories_v2/deep/er/c.md": "gamma\n"}


def test_publish_moves_main_and_the_work_tree(repo: Repo, home: Path, git: Git) -> None:
    base, commit = stage(repo, WORK)
    assert read(home) == BEFORE
    repo.publish(commit, base=base)
    assert read(home) == AFTER
    assert (repo.head(), git("rev-parse", "main")) == (commit, commit)
    assert git("status", "--porcelain", "--untracked-files=no") == ""
    assert not (home / INTENT).exists()
    assert Repo.ensure(home).repairs == ()


def test_publish_keeps_hand_edits_of_other_files(repo: Repo, home: Path) -> None:
    base, commit = stage(repo, WORK)
    (home / "memkit.yaml").write_text("version: v1\n")
    (home / "memories_v2" / "mine.md").write_text("mine\n")
    repo.publish(commit, base=base)
    assert read(home) == AFTER | {"memkit.yaml": "version: v1\n", "memories_v2/mine.md": "mine\n"}
    assert [change.path for change in repo.changed()] == ["memkit.yaml", "memories_v2/mine.md"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memories_v2/a.md", "edited by hand\n"),
        ("memories_v2/b.md", "edited by hand\n"),
        ("memories_v2/deep/er/c.md", "an untracked file\n"),
        ("memories_v2/deep", "an untracked file where a folder is to be\n"),
        ("memories_v2/a.md", None),
    ],
)
def test_publish_never_overwrites_a_hand_edit(repo: Repo, home: Path, path: str, text: str | None) -> None:
    base, commit = stage(repo, WORK)
    if text is None:
        (home / path).unlink()
    else:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    before = read(home)
    with pytest.raises(Moved, match="changed by hand"):
        repo.publish(commit, base=base)
    assert read(home) == before
    assert repo.head() == base
    assert not (home / INTENT).exists()


def test_publish_never_goes_through_or_over_a_link(repo: Repo, home: Path, tmp_path: Path) -> None:
    base, commit = stage(repo, WORK)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "er").mkdir(parents=True)
    (home / "memories_v2" / "deep").symlink_to(elsewhere)
    with pytest.raises(Moved):
        repo.publish(commit, base=base)
    assert list((elsewhere / "er").iterdir()) == []
    (home / "memories_v2" / "deep").unlink()
    (home / "memories_v2" / "deep" / "er").mkdir(parents=True)
    (home / "memories_v2" / "deep" / "er" / "c.md").symlink_to(elsewhere / "target")
    with pytest.raises(Moved):
        repo.publish(commit, base=base)
    assert not (elsewhere / "target").exists()
    assert repo.head() == base


def test_an_edit_in_the_middle_of_publishing_takes_all_back(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, commit = stage(repo, WORK)

    def edit_first(spot: Path, intent: Intent) -> None:
        keep_intent(spot, intent)
        (home / "memories_v2" / "a.md").write_text("edited just now\n")

    monkeypatch.setattr("memkit.repo.publishing.keep_intent", edit_first)
    with pytest.raises(Moved, match=r"a\.md was changed by hand"):
        repo.publish(commit, base=base)
    assert read(home) == BEFORE | {"memories_v2/a.md": "edited just now\n"}
    assert repo.head() == base
    assert not (home / INTENT).exists()


def test_a_commit_in_the_middle_of_publishing_takes_all_back(
    repo: Repo, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, commit = stage(repo, WORK)

    def commit_first(spot: Path, intent: Intent) -> None:
        keep_intent(spot, intent)
        git("commit", "-q", "--allow-empty", "-m", "the user's own")

    monkeypatch.setattr("memkit.repo.publishing.keep_intent", commit_first)
    with pytest.raises(Moved, match="another commit"):
        repo.publish(commit, base=base)
    assert read(home) == BEFORE
    assert git("log", "-1", "--format=%s") == "the user's own"


def test_publish_on_a_base_that_is_no_longer_head_is_refused(repo: Repo, home: Path) -> None:
    base, commit = stage(repo, WORK)
    (home / "memkit.yaml").write_text("version: v1\n")
    newer = repo.commit_paths(["memkit.yaml"], message="edit", by_hand=True)
    with pytest.raises(Moved, match="has moved"):
        repo.publish(commit, base=base)
    with pytest.raises(GitError, match="does not come after") as caught:
        repo.publish(commit, base=newer)
    assert not isinstance(caught.value, Moved)
    assert repo.head() == newer
    assert read(home) == BEFORE | {"memkit.yaml": "version: v1\n"}


def test_publish_from_another_branch_is_refused(repo: Repo, home: Path, git: Git) -> None:
    base, commit = stage(repo, WORK)
    git("checkout", "-q", "-b", "try")
    with pytest.raises(GitError, match="not on branch main"):
        repo.publish(commit, base=base)
    assert read(home) == BEFORE


def test_a_staged_link_is_not_published(repo: Repo, home: Path, tmp_path: Path) -> None:
    with repo.staging() as staging:
        (staging.path / "memories_v2" / "link.md").symlink_to(tmp_path)
        (staging.path / "memories_v2" / "a.md").unlink()
        (staging.path / "memories_v2" / "a.md").symlink_to(tmp_path)
        assert staging.changed_paths() == ("memories_v2/a.md", "memories_v2/link.md")
        commit = staging.commit("links")
    with pytest.raises(GitError, match="is no regular file"):
        repo.publish(commit, base=staging.base)
    assert read(home) == BEFORE


def test_a_link_that_the_user_committed_can_be_published_away(repo: Repo, home: Path, git: Git) -> None:
    (home / "memories_v2" / "link.md").symlink_to("a.md")
    (home / "memories_v2" / "other.md").symlink_to("a.md")
    git("add", "-A", "memories_v2")
    git("commit", "-q", "-m", "links")
    assert "memories_v2/link.md" not in repo.read_files("memories_v2")
    with repo.staging() as staging:
        (staging.path / "memories_v2" / "link.md").unlink()
        (staging.path / "memories_v2" / "other.md").unlink()
        (staging.path / "memories_v2" / "other.md").write_text("a file now\n")
        commit = staging.commit("no links")
    repo.publish(commit, base=staging.base)
    assert not (home / "memories_v2" / "link.md").is_symlink()
    assert not (home / "memories_v2" / "other.md").is_symlink()
    assert read(home) == BEFORE | {"memories_v2/other.md": "a file now\n"}
    assert repo.changed() == ()


def test_a_file_may_become_a_folder_and_back(repo: Repo, home: Path) -> None:
    base, commit = stage(repo, {"memories_v2/a.md": None})
    repo.publish(commit, base=base)
    base, commit = stage(repo, {"memories_v2/b.md": None, "memories_v2/a.md/inner.md": "inner\n"})
    repo.publish(commit, base=base)
    with repo.staging() as staging:
        shutil.rmtree(staging.path / "memories_v2" / "a.md")
        (staging.path / "memories_v2" / "a.md").write_text("a file\n")
        commit = staging.commit("back")
    repo.publish(commit, base=staging.base)
    assert read(home) == {"memkit.yaml": "version: v2\n", "memories_v2/a.md": "a file\n"}
    assert repo.changed() == ()


def test_a_full_disk_takes_all_back(repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, commit = stage(repo, WORK)
    sync, synced = os.fsync, []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 3:  # the note of intent, a.md, then c.md
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "c.md")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device") as caught:
        repo.publish(commit, base=base)
    assert "\n" not in str(caught.value)
    assert read(home) == BEFORE
    assert repo.head() == base
    assert Repo.ensure(home).repairs == ()


def test_a_kill_at_any_step_of_publishing_is_put_right(repo: Repo, home: Path, tmp_path: Path) -> None:
    base, commit = stage(repo, WORK)
    ends = set()
    for at in range(60):
        copy = tmp_path / f"copy-{at}"
        shutil.copytree(home, copy)
        victim = Repo.at(copy)
        died = killed(partial(victim.publish, commit, base=base), at=at)
        after = Repo.ensure(copy)
        assert (after.head(), read(copy)) in ((base, BEFORE), (commit, AFTER)), at
        assert after.changed() == (), at
        assert not (copy / INTENT).exists()
        assert Repo.ensure(copy).repairs == ()
        ends.add(after.head())
        shutil.rmtree(copy)
        if not died:
            break
    assert not died
    assert ends == {base, commit}


def test_a_kill_at_any_step_of_a_commit_is_put_right(repo: Repo, home: Path, tmp_path: Path) -> None:
    base = repo.head()
    (home / "memories_v2" / "a.md").write_text("by hand\n")
    (home / "memories_v2" / "b.md").unlink()
    ends = set()
    for at in range(30):
        copy = tmp_path / f"copy-{at}"
        shutil.copytree(home, copy)
        died = killed(partial(Repo.at(copy).commit_paths, ["memories_v2"], message="edit"), at=at)
        after = Repo.ensure(copy)
        done = after.head() != base
        assert [change.path for change in after.changed()] == ([] if done else ["memories_v2/a.md", "memories_v2/b.md"])
        assert after.commit_paths(["memories_v2"], message="edit") == ("" if done else after.head())
        ends.add(after.head())
        shutil.rmtree(copy)
        if not died:
            break
    assert not died
    assert len(ends) == 1


def test_a_kill_at_any_step_of_making_a_home_is_put_right(tmp_path: Path) -> None:
    for at in range(40):
        copy = tmp_path / f"copy-{at}"
        died = killed(partial(Repo.ensure, copy), at=at)
        (copy / "mine.md").parent.mkdir(exist_ok=True)
        (copy / "mine.md").write_text("mine\n")
        after = Repo.ensure(copy)
        assert after.commit_paths(["mine.md"], message="first") == after.head() != ""
        if not died:
            break
    assert not died


def test_another_gits_lock_on_the_index_does_not_stop_a_publish(repo: Repo, home: Path) -> None:
    base, commit = stage(repo, WORK)
    (home / ".git" / "index.lock").write_text("")
    repo.publish(commit, base=base)
    assert (repo.head(), read(home), repo.changed()) == (commit, AFTER, ())


def test_a_kill_of_the_repair_itself_is_put_right(repo: Repo, home: Path, tmp_path: Path) -> None:
    base, commit = stage(repo, WORK)
    keep_intent(home, Intent(base, commit))
    (home / "memories_v2" / "a.md").write_text("alpha two\n")
    for at in range(60):
        copy = tmp_path / f"copy-{at}"
        shutil.copytree(home, copy)
        died = killed(partial(Repo.ensure, copy), at=at)
        after = Repo.ensure(copy)
        assert (after.head(), read(copy), after.changed()) == (commit, AFTER, ()), at
        shutil.rmtree(copy)
        if not died:
            break
    assert not died


def half(repo: Repo) -> tuple[str, str]:
    """A publish that stands half way: the note is written and one file of three is new."""
    base, commit = stage(repo, WORK)
    keep_intent(repo.home, Intent(base, commit))
    (repo.home / "memories_v2" / "a.md").write_text("alpha two\n")
    return base, commit


def test_half_a_publish_is_finished(repo: Repo, home: Path) -> None:
    _, commit = half(repo)
    after = Repo.ensure(home)
    assert after.repairs == (f"finished a publish that was cut off ({commit[:12]})",)
    assert (after.head(), read(home), after.changed()) == (commit, AFTER, ())


def test_half_a_publish_with_a_hand_edit_since_is_taken_back_and_keeps_the_edit(repo: Repo, home: Path) -> None:
    base, _ = half(repo)
    (home / "memories_v2" / "b.md").write_text("beta, by hand\n")
    after = Repo.ensure(home)
    assert "taken back" in after.repairs[0] or "took back" in after.repairs[0]
    assert after.head() == base
    assert after.changed() == (Change(path="memories_v2/b.md", kind="modified", old="beta\n", new="beta, by hand\n"),)


def test_a_publish_whose_branch_had_moved_keeps_later_hand_edits(repo: Repo, home: Path, git: Git) -> None:
    base, commit = half(repo)
    git("update-ref", "refs/heads/main", commit, base)
    (home / "memories_v2" / "deep" / "er").mkdir(parents=True)
    (home / "memories_v2" / "deep" / "er" / "c.md").write_text("gamma, by hand\n")
    after = Repo.ensure(home)
    assert after.head() == commit
    assert read(home) == AFTER | {"memories_v2/deep/er/c.md": "gamma, by hand\n"}
    assert [change.path for change in after.changed()] == ["memories_v2/deep/er/c.md"]


def test_half_a_publish_gives_way_to_a_commit_made_since(repo: Repo, home: Path, git: Git) -> None:
    half(repo)
    git("commit", "-q", "--allow-empty", "-m", "the user's own")
    after = Repo.ensure(home)
    assert "other commits came first" in after.repairs[0]
    assert read(home) == BEFORE
    assert after.changed() == ()
    assert git("log", "-1", "--format=%s") == "the user's own"


@pytest.mark.parametrize("note", ["", "{", "[]", '{"base": 1}', '{"base": "--all", "commit": "nope"}', "\0\0"])
def test_a_note_of_intent_that_means_nothing_is_dropped(repo: Repo, home: Path, note: str) -> None:
    (home / INTENT).write_text(note)
    head = repo.head()
    after = Repo.ensure(home)
    assert len(after.repairs) == 1
    assert "dropped" in after.repairs[0]
    assert (after.head(), read(home)) == (head, BEFORE)
    assert not (home / INTENT).exists()


def test_the_publish_of_a_live_process_is_left_alone(repo: Repo, home: Path) -> None:
    base, commit = half(repo)
    with alone(home):
        assert Repo.ensure(home).repairs == ()
        assert json.loads((home / INTENT).read_text()) == {"base": base, "commit": commit}
    assert Repo.ensure(home).head() == commit
