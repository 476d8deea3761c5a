"""What a project's repository gets for its CI."""

from __future__ import annotations

import json

from memkit.prompts.jinja import render


def ci_files(*, source: str) -> dict[str, str]:
    """A GitHub workflow and a fragment of a Makefile, by their paths in the repository.

    source: what pip installs memkit from, as a requirement.
    """
    return {
        ".github/workflows/memkit.yml": render("ci/github.yml.j2", source=json.dumps(source, ensure_ascii=False)),
        "memkit.mk": render("ci/memkit.mk.j2"),
    }
