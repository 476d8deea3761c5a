"""The block of rules in AGENTS.md: what it should be, what it is, and writing it without touching anything else."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath

from memkit import prompts, redact
from memkit.documents import Malformed, agents_md
from memkit.documents.agents_md import BEGIN, BOM, END_HEAD, END_TAIL, Page, Saying
from memkit.errors import UsageError
from memkit.model import Rule
from memkit.stages.rules.files import exists, folders, owned, regular, target, write_whole

FILE = "AGENTS.md"
MOST_BYTES = 32 << 10  # that Codex loads of all AGENTS.md files together, unless it is configured otherwise
_MOST_FILE = 8 << 20
_MEMORY = r"(?m)<memkit-memory\b|rollout_summaries/\S+\.md\b.*thread_id=|^- .*\[ad-hoc note\]$"


class State(StrEnum):
    """What a file's block is, against what the rules say."""

    GOOD = "good"
    MISSING = "missing"  # there should be a block, and there is none
    STALE = "stale"  # the rules have changed since
    EDITED = "edited"  # somebody changed the block itself
    BROKEN = "broken"  # one of its comments is missing, or there are two blocks
    LINKED = "linked"  # the file is a symbolic link to one that is written


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """A file and what becomes of it. text: as it is, None where it is not there; new: as it should be.

    rules: those that it is to hold; diff: from text to new; what: what is wrong with the block, in words. warnings: of
    its size, and of memory that slipped in.
    """

    path: Path
    state: State
    rules: tuple[Rule, ...] = ()
    text: str | None = None
    new: str | None = None
    diff: str = ""
    what: str = ""
    warnings: tuple[str, ...] = ()


def in_repository(root: Path, rules: Sequence[Rule], *, file: str = FILE) -> list[Planned]:
    """The files below root that hold rules, should, or did: the page of root, and those of folders with their own.

    A rule whose glob names a folder of the repository's own goes to that folder's file. UsageError for a file that is
    no name, ConfigError for one that can't be read as text.
    """
    repository = exists(root / ".git")  # elsewhere, such as in `~`, sub-folders are not this page's business
    wanted: dict[Path, list[Rule]] = {root / named(file): []}
    for rule in rules:
        folder, glob = _placed(rule, root) if repository else (root, rule.glob)
        wanted.setdefault(folder / file, []).append(replace(rule, glob=glob))
    for path in _with_block(root, file) if repository else ():
        wanted.setdefault(path, [])
    planned = [plan(path, rules, root=root) for path, rules in sorted(wanted.items())]
    return [each for each in planned if each.rules or each.text is not None or each.state is State.LINKED]


def named(file: str) -> str:
    """The name of a page. UsageError for what is none: it would lie elsewhere, or be hidden."""
    if not file or file.startswith(".") or "/" in file or not file.isprintable():
        raise UsageError(f"{file!r} is no file's name", mend="--file AGENTS.md, or CLAUDE.md")
    return file


def plan(path: Path, rules: Sequence[Rule], *, root: Path) -> Planned:
    """What becomes of one file. root: the folder that a link may not lead out of."""
    real = target(path, root=root)
    if real != path and real == path.parent.resolve() / FILE:
        return Planned(path=path, state=State.LINKED)
    path = real
    text = read(path)
    body = _body(rules)
    if text is None:
        new = _framed(body, newline="\n") if rules else None
        state = State.MISSING if rules else State.GOOD
        return Planned(path=path, state=state, rules=tuple(rules), new=new, diff=_diff(path, "", new or ""))
    try:
        page = agents_md.parse(text)
    except Malformed as broken:
        what = f"{path}:{broken.line}: {broken.reason}"
        return Planned(path=path, state=State.BROKEN, rules=tuple(rules), text=text, new=text, what=what)
    new = _with(page, body if rules else None)
    state, what = _state(page, body if rules else None)
    return Planned(
        path=path,
        state=state,
        rules=tuple(rules),
        text=text,
        new=new,
        diff=_diff(path, text, new),
        what=f"{path}:{page.line}: {what}" if what else "",
        warnings=tuple(_warnings(path, new, page)),
    )


def write(planned: Planned) -> bool:
    """Writes a file whole, with the mode that it had; whether it changed. Raises StorageError."""
    if planned.new is None or planned.new == planned.text:
        return False
    write_whole(planned.path, planned.new.encode("utf-8", "surrogateescape"), mode=0o644)
    return True


def read(path: Path) -> str | None:
    """A page's text with its line ends, bytes that are no UTF-8 kept as they are; None where there is no file."""
    data = regular(path, most=_MOST_FILE)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def chain(directory: Path, *, root: Path, file: str = FILE) -> list[Path]:
    """The pages that an agent in a directory reads, from the repository's root down to it."""
    folders = [directory, *directory.parents]
    inside = [each for each in folders if each == root or root in each.parents]
    return [each / file for each in reversed(inside) if (each / file).is_file()]


def sayings(paths: Iterable[Path]) -> Mapping[str, Sequence[Saying]]:
    """What pages say outside of memkit's blocks, masked, by path."""
    return {
        str(path): [replace(each, text=redact.mask(_shown(each.text))) for each in agents_md.sayings(text)]
        for path in paths
        if (text := read(path)) is not None
    }


def _placed(rule: Rule, root: Path) -> tuple[Path, str | None]:
    """(folder whose page a rule goes to, its glob there): what a glob names without wildcards, where it is there."""
    parts = PurePosixPath(rule.glob or "").parts
    if rule.glob is None or rule.glob.startswith("/") or ".." in parts:
        return root, rule.glob
    folder, at = root, 0
    while at < len(parts) and not re.search(r"[*?\[{]", parts[at]) and owned(folder, parts[at]):
        folder, at = folder / parts[at], at + 1
    rest = "/".join(parts[at:])
    return folder, None if rest in ("", "**", "**/*") and folder != root else rest or None


def _with_block(root: Path, file: str) -> Iterator[Path]:
    """The pages below a folder that have a block of memkit's, so that one whose rules went is found."""
    for folder, files in folders(root):
        path = folder / file
        if file in files and path.is_file() and not path.is_symlink() and "memkit:rules:" in (read(path) or ""):
            yield path


def _body(rules: Sequence[Rule]) -> str:
    return prompts.agents_block(rules=sorted(rules, key=lambda rule: (rule.glob or "", rule.id, rule.text)))


def _seal(body: str) -> str:
    return hashlib.sha256(_plain(body).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def _plain(body: str) -> str:
    """A block's text whatever its line ends are: Git may have changed those."""
    return body.replace("\r\n", "\n").replace("\r", "\n")


def _framed(body: str, *, newline: str) -> str:
    text = f"{BEGIN}\n{body}{END_HEAD}{_seal(body)}{END_TAIL}\n"
    return text.replace("\n", newline)


def _with(page: Page, body: str | None) -> str:
    """The page with its block made anew, put at its end where it has none, or taken out."""
    if body is None:
        return page.before + page.after
    block = _framed(body, newline=page.newline)
    if page.block:
        ended = page.block.endswith(("\n", "\r"))
        return page.before + (block if ended else block.rstrip("\r\n")) + page.after
    end = page.newline
    gap = "" if not page.before.strip(BOM) else end if page.before.endswith(("\n", "\r")) else end * 2
    new = page.before + gap + block
    if _stands(new):
        return new
    # An open fence or comment would swallow it at the end: then it stands first.
    mark = BOM if page.before.startswith(BOM) else ""
    return mark + block + end + page.before.removeprefix(BOM)


def _stands(text: str) -> bool:
    """Is the block of a page one, and not only shown?"""
    try:
        return bool(agents_md.parse(text).block)
    except Malformed:
        return False


def _state(page: Page, body: str | None) -> tuple[State, str]:
    if not page.block:
        return (State.GOOD, "") if body is None else (State.MISSING, "")
    if page.seal != _seal(page.body):
        return State.EDITED, "the block of rules was changed by hand"
    if body is None or _plain(page.body) != body:
        return State.STALE, "the rules have changed since the block was written"
    return State.GOOD, ""


def _diff(path: Path, old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"{path}", f"{path} (by the rules)", lineterm="")
    return redact.mask(_shown("\n".join(lines)))


def _shown(text: str) -> str:
    """A page's text as it can be printed: bytes that are no UTF-8 become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _warnings(path: Path, text: str, page: Page) -> Iterator[str]:
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > MOST_BYTES:
        yield f"{path} has {size:,} bytes; Codex loads {MOST_BYTES:,} of all such pages together"
    if re.search(_MEMORY, page.before + page.after):
        yield f"{path} holds text of the memory, which changes with each run: take it out"
