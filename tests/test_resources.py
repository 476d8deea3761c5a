"""Where templates and hooks are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import resources
from memkit.errors import ConfigError

TOP = Path(__file__).resolve().parents[1]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scripts" / "memkit"
    folder.mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", folder)
    return folder


def test_a_checkout_has_them_at_its_top() -> None:
    assert resources.template_dir() == TOP / "templates"
    assert resources.read("memkit.yaml") == (TOP / "templates" / "memkit.yaml").read_text(encoding="utf-8")


def test_a_wheel_has_them_inside_the_package(package: Path) -> None:
    for name in ("templates", "hooks"):
        (package.parents[1] / name).mkdir()
        (package / f"_{name}").mkdir()
    assert resources.template_dir() == package / "_templates"
    assert resources.hook_dir() == package / "_hooks"


def test_a_template_is_named_by_its_path_below_the_folder(package: Path) -> None:
    (package / "_templates" / "v2").mkdir(parents=True)
    (package / "_templates" / "v2" / "words.txt").write_text("später\n", encoding="utf-8")
    assert resources.read("v2/words.txt") == "später\n"


def test_what_is_missing_is_said_with_what_mends_it(package: Path) -> None:
    with pytest.raises(ConfigError, match=r"folder hooks/ is missing \(install memkit again\)"):
        resources.hook_dir()
    (package / "_templates").mkdir()
    with pytest.raises(
        ConfigError, match=r"gone\.j2 can't be read: No such file or directory \(install memkit again\)"
    ):
        resources.read("gone.j2")
