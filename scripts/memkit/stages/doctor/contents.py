"""Checks of what the memory says: the summary, secrets, lint, the files of what was said by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from memkit import lint, redact, tree
from memkit.documents import places, summary
from memkit.stages.doctor.place import OWN_FILES
from memkit.stages.doctor.values import Trouble, Visit, counted

_NOTHING = "nothing will be injected"


def check(visit: Visit) -> Iterator[Trouble]:
    """Everything about the files that are tracked."""
    committed = visit.repo.read_files("")
    yield from _summary(visit, committed)
    yield from _secrets(visit, committed)
    yield from _lint(visit)
    for name in (places.CLAIMS, places.TOMBSTONES, places.HASHES):
        yield from _rows(visit, name, committed.get(name))


def _summary(visit: Visit, committed: Mapping[str, bytes]) -> Iterator[Trouble]:
    name = f"{tree.TREES[visit.config.version]}/{tree.SUMMARY}"
    run, file = f"{visit.memkit} run", visit.home / name
    if name not in committed:
        yield Trouble(check="summary", what=f"{name} was never committed: {_NOTHING}", mend=run)
    elif not file.is_file() or not file.read_bytes().strip():
        how = "is empty" if file.is_file() else "is missing"
        yield Trouble(check="summary", what=f"{name} {how}: {_NOTHING} from this file; a run puts it back", mend=run)
    elif not summary.scan(committed[name].decode("utf-8", "replace")).lines:
        records = [path for path in committed if path.startswith(f"{tree.TREES[visit.config.version]}/{tree.RECORDS}/")]
        if records:
            what = f"the summary is empty though {counted(len(records), 'session')} left a record: {_NOTHING}"
            yield Trouble(check="summary", what=what, mend=f"{visit.memkit} consolidate")


def _secrets(visit: Visit, committed: Mapping[str, bytes]) -> Iterator[Trouble]:
    """What was written by hand, and what is in the history already."""
    own = [visit.home / name for name in OWN_FILES]
    texts = {file.name: file.read_bytes() for file in own if file.is_file() and not file.is_symlink()}
    for folder in tree.TREES.values():
        texts |= {f"{folder}/{path}": data for path, data in tree.read_tree(visit.home / folder).files.items()}
    for path, data in texts.items():
        if committed.get(path) != data and _holds_secret(data):
            what = f"{path} holds a secret that was written by hand and is not committed yet"
            yield Trouble(check="secret", what=what, mend=f"take it out, or let `{visit.memkit} run` mask it")
    for path, data in committed.items():
        if _holds_secret(data):
            what = f"{path} holds a secret, and so does the history"
            yield Trouble(check="secret", what=what, mend=f"{visit.memkit} forget --purge THE-SECRET, and change it")


def _holds_secret(data: bytes) -> bool:
    return bool(redact.find(data.decode("utf-8", "replace")))


def _lint(visit: Visit) -> Iterator[Trouble]:
    """Findings that would keep the next memory from being committed, those apart that are checked here by name."""
    limits, gating = visit.config.summary, []
    for version in visit.config.versions:
        files = tree.read_tree(visit.home / tree.TREES[version])
        if not files.files.get(tree.SUMMARY, b"").strip():
            continue
        found = lint.lint_tree(
            files.files, max_bytes=limits.max_bytes, max_tokens=limits.max_tokens, home=visit.user_home
        )
        gating += [each for each in found if each.gates and each.rule not in ("secret", "symlink")]
        for path in files.skipped:
            what = f"{tree.TREES[version]}/{path} can't be read, or is too large for a memory"
            yield Trouble(
                check="skipped", what=what, mend=f"rm {visit.quoted(visit.home / tree.TREES[version] / path)}"
            )
    if gating:
        first = f"{gating[0].file}:{gating[0].line}: {gating[0].message}"
        what = f"{counted(len(gating), 'finding')} of lint in the memory, the first: {first}"
        yield Trouble(check="lint", what=what, mend=f"{visit.memkit} lint")


def _rows(visit: Visit, name: str, was: bytes | None) -> Iterator[Trouble]:
    path = visit.home / name
    if not path.is_file() and was is not None:
        yield Trouble(check="damaged", what=f"{name} is missing; a run puts it back", mend=f"{visit.memkit} run")
    elif path.is_file():
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        bad = [number for number, line in enumerate(lines, 1) if line.strip() and not _is_row(line)]
        if bad:
            mend = f"git -C {visit.quoted(visit.home)} checkout HEAD -- {name}"
            yield Trouble(
                check="damaged", what=f"{name}:{bad[0]}: this line can't be read and counts for nothing", mend=mend
            )


def _is_row(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
