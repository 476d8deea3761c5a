"""A process of its own that rewrites the home's history with git-filter-repo: `python -m memkit.repo.rewrite`.

What to change comes over stdin, so that no list of processes shows erased words: JSON of base64 texts,
{"blobs": {id: content}, "names": {path: path, or null for none}, "messages": {old: new}}.
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

import git_filter_repo as filter_repo


class _Rewriting(filter_repo.RepoFilter):  # type: ignore[misc]
    """Without its `git reset --hard`, which would take what a person writes meanwhile: the files are clean before."""

    def cleanup(self, *_arguments: object, **_named: object) -> None:
        """Nothing: the caller brings the index up to date, and removes what no ref reaches."""


def main() -> None:
    """Rewrites the repository of the working directory, every ref of it."""
    asked = json.load(sys.stdin)
    blobs = {oid.encode(): base64.b64decode(data) for oid, data in asked["blobs"].items()}
    names = {_bytes(old): None if new is None else _bytes(new) for old, new in asked["names"].items()}
    messages = {_bytes(old): _bytes(new) for old, new in asked["messages"].items()}

    def blob(each: Any, _metadata: Any = None) -> None:
        each.data = blobs.get(each.original_id, each.data)

    def message(each: Any, _metadata: Any = None) -> None:
        each.message = messages.get(each.message, each.message)

    options = ["--force", "--partial", "--prune-empty", "never", "--prune-degenerate", "never", "--quiet"]
    arguments = filter_repo.FilteringOptions.parse_args(options, error_on_empty=False)
    _Rewriting(
        arguments,
        blob_callback=blob,
        commit_callback=message,
        tag_callback=message,
        filename_callback=lambda name: names.get(name, name),
    ).run()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


if __name__ == "__main__":
    main()
