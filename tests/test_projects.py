"""Which project a place belongs to: injective by path, joined only by what Git says."""

from __future__ import annotations

import subprocess
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.projects import Place, Projects, normal_remote

HOME = "/home/dev"


def of(*places: Place | str, home: str = HOME) -> Projects:
    return Projects.of((Place(p) if isinstance(p, str) else p for p in places), user_home=home)


def name(projects: Projects, directory: str) -> str | None:
    found = projects.of_directory(directory)
    return found.name if found else None


def git(*args: str, cwd: Path) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *args], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """A repository with a commit, below a home that is not a temporary folder to Projects."""
    root = tmp_path / "work" / "shop"
    root.mkdir(parents=True)
    git("init", "-q", cwd=root)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=root)
    return root, str(tmp_path)


@pytest.mark.parametrize(
    "place", ["", "/", "/root", "/home", HOME, "/home/other", "/tmp", "/tmp/x", "/var/tmp/a", "rel/a"]
)
def test_home_root_and_temporary_folders_are_no_project(place: str) -> None:
    projects = of(place, "/home/dev/shop")
    assert projects.of_place(Place(place)) is None
    assert projects.of_place(Place(place, "git@git.example.com:acme/shop.git")) is None
    assert projects.of_directory(place) is None


PATHS = ["my-app", "my_app", "My-App", "mý-app", "my app", "my-app2", "my"]


def test_paths_that_differ_in_one_sign_are_different_projects() -> None:
    projects = of(*(f"{HOME}/{p}" for p in PATHS))
    assert [name(projects, f"{HOME}/{p}") for p in PATHS] == [f"~/{p}" for p in PATHS]
    assert len({projects.of_place(Place(f"{HOME}/{p}")).key for p in PATHS}) == len(PATHS)  # type: ignore[union-attr]


@given(st.lists(st.text("ab-_é/. ", min_size=1, max_size=6), min_size=2, max_size=6, unique=True))
def test_two_paths_never_share_a_name(parts: list[str]) -> None:
    paths = sorted({str(Path(f"{HOME}/p{part}")) for part in parts})
    projects = of(*paths)
    names = [found.name for p in paths if (found := projects.of_place(Place(p)))]
    assert len(set(names)) == len(names)


def test_spellings_of_one_directory_are_one_project() -> None:
    projects = of(f"{HOME}/shop/")
    assert {name(projects, p) for p in (f"{HOME}/shop", f"{HOME}/shop/", f"{HOME}//shop", f"{HOME}/./shop")} == {
        "~/shop"
    }


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/acme/shop.git",
        "https://user:token@git.example.com/acme/shop",
        "ssh://git@git.example.com:2222/acme/shop.git",
        "git@git.example.com:acme/shop.git",
        "https://GIT.example.com/acme/shop/",
    ],
)
def test_a_remote_is_the_same_in_every_spelling_and_without_credentials(url: str) -> None:
    assert normal_remote(url) == "git.example.com/acme/shop"


def test_the_path_of_a_remote_keeps_its_case_and_a_drive_is_no_host() -> None:
    assert normal_remote("git@git.example.com:Acme/Shop.git") == "git.example.com/Acme/Shop"
    assert normal_remote("C:\\work\\shop") == "C:\\work\\shop"


def test_clones_of_one_remote_are_one_project_under_its_shortest_root() -> None:
    url = "https://git.example.com/acme/shop.git"
    places = [Place(f"{HOME}/shop", url), Place(f"{HOME}/clones/shop-2", "git@git.example.com:acme/shop.git")]
    assert {of(*places).of_place(p).name for p in places} == {"~/shop"}  # type: ignore[union-attr]


def test_two_remotes_in_one_directory_have_two_names() -> None:
    places = [Place(f"{HOME}/shop", f"https://git.example.com/{owner}/shop") for owner in ("acme", "other")]
    projects = of(*places)
    found = [projects.of_place(p) for p in places]
    assert len({p.name for p in found if p}) == 2 and len({p.key for p in found if p}) == 2


def test_the_order_of_places_does_not_matter() -> None:
    url = "https://git.example.com/acme/shop.git"
    places = [Place(f"{HOME}/shop", url), Place(f"{HOME}/shop"), Place(f"{HOME}/x/shop", url), Place(f"{HOME}/api")]
    answers = {tuple(of(*order).of_place(p) for p in places) for order in permutations(places)}
    assert len(answers) == 1


def test_linked_work_trees_belong_to_their_repository(repository: tuple[Path, str]) -> None:
    root, home = repository
    tree = root.parent / "trees" / "fix"
    git("worktree", "add", "-q", str(tree), cwd=root)
    (root / "src").mkdir()
    places = [Place(str(p)) for p in (root, root / "src", tree)]
    projects = of(*places, home=home)
    assert {projects.of_place(p).name for p in places} == {"~/work/shop"}  # type: ignore[union-attr]
    assert {name(projects, str(p)) for p in (root / "src", tree)} == {"~/work/shop"}


def test_a_repository_inside_another_is_a_project_of_its_own(repository: tuple[Path, str]) -> None:
    root, home = repository
    inner = root / "vendor" / "lib"
    inner.mkdir(parents=True)
    git("init", "-q", cwd=inner)
    projects = of(str(root), str(inner), home=home)
    assert [name(projects, str(p)) for p in (root, inner)] == ["~/work/shop", "~/work/shop/vendor/lib"]


def test_a_directory_that_is_gone_belongs_to_the_project_whose_sessions_ran_there() -> None:
    url = "https://git.example.com/acme/shop.git"
    projects = of(Place(f"{HOME}/shop", url), Place(f"{HOME}/old/shop", url))
    assert name(projects, f"{HOME}/old/shop") == "~/shop"
    assert name(projects, f"{HOME}/old/shop/src") == "~/shop"
    assert name(projects, f"{HOME}/never/seen") == "~/never/seen"


def test_an_unreadable_or_broken_git_file_is_survived(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / ".git").write_bytes(b"\xff\xfe nonsense")
    assert name(of(str(folder), home=str(tmp_path)), str(folder)) == "~/shop"
