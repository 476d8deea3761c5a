"""Erasing: words out of all that memkit owns, now and in the past; keyed hashes keep them out.

The order makes a kill harmless: first the hashes, so that no path brings the words back, then database, files, history.
Running again does what is left.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memkit import tree
from memkit.documents import erased, note
from memkit.documents.erased import Words
from memkit.errors import StorageError, UsageError
from memkit.model import Tombstone, canonical
from memkit.repo import Repo, purge
from memkit.store import Store

_LEAST_WORDS = 3  # of a sentence that is searched for by itself afterwards


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What an erasing would change. lines: `file:line: text` of the files as they are; rows of the database; contents
    and messages of the history."""

    words: Words = field(repr=False)
    lines: tuple[str, ...] = ()
    rows: int = 0
    versions: int = 0
    messages: int = 0
    logs: int = 0
    changes: purge.Changes = field(repr=False)
    names: dict[str, str] = field(repr=False)

    @property
    def empty(self) -> bool:
        return not (self.lines or self.rows or self.versions or self.messages or self.logs or any(self.changes))


def wanted(text: str) -> Words:
    """The words to erase. UsageError where there is nothing to tell them by."""
    words = " ".join(text.split())
    if not erased.tokens(words):
        raise UsageError("there are no words to erase", mend='memkit forget --purge "…"')
    if erased.literal(words).search(erased.GONE):
        raise UsageError("that is what memkit writes in place of erased words", mend="name more of the words")
    return Words(words)


def plan(*, store: Store, repo: Repo, words: Words) -> Plan:
    """Looks through files, database, log and history; changes nothing. For the holder of the consolidation lock."""
    places = purge.paths(repo.door)
    found = [each for each in purge.objects(repo.door) if each.kind in ("blob", "commit", "tag")]
    blobs = {each.oid: each.data for each in found if each.kind == "blob" and each.oid in places}
    removed = {p for oid, data in blobs.items() for p in places[oid] if _is_note(p) and _says(data, words)}
    paths: dict[bytes, bytes | None] = {}
    names: dict[str, str] = {}
    for path in sorted({path for each in places.values() for path in each}):
        new = _path(path, words)
        if path in removed:
            paths[path] = None
            names[_stem(path)] = _stem(path)[: _stamp(_stem(path))].rstrip("-")
        elif new != path:
            paths[path] = new
            names[_stem(path)] = _stem(new)
    names = {old: new for old, new in names.items() if old != new}
    changed = {
        oid: new for oid, data in blobs.items() if (new := content(min(places[oid]), data, words, names)) != data
    }
    messages = {}
    for each in found:
        if each.kind in ("commit", "tag"):
            message = each.data.partition(b"\n\n")[2]
            if (new := _message(message, words, names)) != message:
                messages[message] = new
    return Plan(
        words=words,
        names=names,
        changes=purge.Changes(changed, paths, messages),
        lines=tuple(_lines(repo, words)),
        rows=store.erase(_change(words, names), dry=True),
        versions=len(changed),
        messages=len(messages),
        logs=sum(_cleaned_log(path, words)[0] for path in _logs(repo.home)),
    )


def forget_session(*, store: Store, session_id: str, now: float) -> bool:
    """Drops a session's records and reads it no more, in a rebuilt database neither; False when it was never seen."""
    if not store.forget(session_id):
        return False
    stone = Tombstone(subject="", text="", created_at=int(now), source=f"session:{session_id}", thread_id=session_id)
    store.bury([stone])
    return True


def keep_hashes(*, home: Path, words: Words) -> list[str]:
    """Adds the keyed hashes of the words to those that the home keeps; the tracked file's name."""
    key_path = home / erased.KEY
    known = erased.read(home / erased.HASHES)
    if known:
        key = erased.load(home).key
    elif key_path.exists():
        key = key_path.read_bytes()
    else:
        key = secrets.token_bytes(32)
        handle = os.open(key_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    rows = sorted(known | erased.entries(words.text, words.also, key))
    tree.write_file(home / erased.HASHES, "".join(json.dumps({"n": n, "hash": h}) + "\n" for n, h in rows))
    return [erased.HASHES]


def carry_out(*, store: Store, repo: Repo, plan: Plan) -> None:
    """Erases what a plan names. Raises GitError or StorageError; running again goes on where it ended."""
    home, words = repo.home, plan.words
    purge.follow(repo.door, store.follow)
    repo.commit_paths(keep_hashes(home=home, words=words), message="memory: words erased\n")
    store.erase(_change(words, plan.names))
    for log in _logs(home):
        count, text = _cleaned_log(log, words)
        if count:
            tree.write_file(log, text)
    touched = []
    for path, data in repo.read_files("").items():
        raw = os.fsencode(path)
        to = plan.changes.names.get(raw, raw)
        new = content(raw, data, words, plan.names)
        if to == raw and new == data:
            continue
        touched.append(path)
        if to is not None:
            touched.append(os.fsdecode(to))
            tree.write_file(home / os.fsdecode(to), new.decode("utf-8", "surrogateescape"))
        if to != raw:
            (home / path).unlink(missing_ok=True)
    if touched:
        repo.commit_paths(touched, message="memory: words erased\n")
    purge.rewrite(repo.door, plan.changes)
    purge.follow(repo.door, store.follow)
    purge.collect(repo.door)
    store.shred()


def search(*, store: Store, repo: Repo, plan: Plan) -> list[str]:
    """Where the words still are: every byte of the home, every Git object, every text of the database."""
    needles = [plan.words.text, *(s for s in plan.words.also if len(erased.tokens(s)) >= _LEAST_WORDS), *plan.names]
    patterns = [pattern for needle in needles for pattern in _forms(needle)]
    found = []
    for path in sorted(repo.home.rglob("*")):
        relative = path.relative_to(repo.home).as_posix()
        if _holds(os.fsencode(relative), patterns):
            found.append(f"the name of {path.parent.name}/…")
        if path.is_file() and not path.is_symlink() and _holds(path.read_bytes(), patterns):
            found.append(relative if not _holds(os.fsencode(relative), patterns) else f"a file in {path.parent.name}")
    found += [f"Git {each.kind} {each.oid[:12]}" for each in purge.objects(repo.door) if _holds(each.data, patterns)]
    found += [
        f"state.sqlite, table {t}" for t, text in store.texts() if _holds(text.encode("utf-8", "replace"), patterns)
    ]
    return sorted(set(found))


def unreachable(*, paths: Iterable[str], words: Words) -> list[str]:
    """The agent's own files that hold the words, or that are compressed or can't be read so that nobody knows."""
    patterns, found = _forms(words.text), []
    for path in sorted(set(paths)):
        try:
            data = Path(path).read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            found.append(f"{path} (not looked into: {error.strerror})")
            continue
        if path.endswith((".zst", ".gz")):
            found.append(f"{path} (compressed, not looked into)")
        elif _holds(data, patterns):
            found.append(path)
    return found


def copies(home: Path) -> list[Path]:
    """The copies of the home that `memkit reset` made beside it."""
    pattern = re.compile(re.escape(home.name) + r"\.reset-.+")
    return sorted(p for p in home.parent.iterdir() if pattern.fullmatch(p.name) and (p / ".git").is_dir())


def content(path: bytes, data: bytes, words: Words, names: dict[str, str]) -> bytes:
    """A file's content without the words, by what kind of file its path says it is."""
    text = data.decode("utf-8", "surrogateescape")
    for old, new in names.items():
        text = text.replace(old, new)
    if path.endswith(b".jsonl"):
        text = "".join(line for line in text.splitlines(keepends=True) if not _row_says(line, words))
    else:
        text = erased.clean(text, words, prose=path.endswith(b".md"))
    return text.encode("utf-8", "surrogateescape")


def _change(words: Words, names: dict[str, str]) -> Callable[[str, str], str]:
    def change(column: str, text: str) -> str:
        for old, new in names.items():
            text = text.replace(old, new)
        if column == "slug":
            spaced = re.sub(r"[-_]", " ", text)
            return text if erased.clean(spaced, words) == spaced else ""
        return erased.clean(text, words, prose=column in ("rollout_summary", "raw_memory", "text", "subject"))

    return change


def _message(message: bytes, words: Words, names: dict[str, str]) -> bytes:
    subject, line_end, rest = message.decode("utf-8", "surrogateescape").partition("\n")
    for old, new in names.items():
        rest = rest.replace(old, new)
    cleaned = erased.clean(subject, words, prose=False) + line_end + erased.clean(rest, words)
    return cleaned.encode("utf-8", "surrogateescape")


def _row_says(line: str, words: Words) -> bool:
    try:
        row = json.loads(line)
    except ValueError:
        return erased.clean(line, words) != line
    values = [v for v in row.values() if isinstance(v, str)] if isinstance(row, dict) else [canonical(row)]
    return any(erased.clean(value, words) != value for value in values)


def _says(data: bytes, words: Words) -> bool:
    text = data.decode("utf-8", "replace")
    return erased.clean(text, words) != text


def _is_note(path: bytes) -> bool:
    return f"/{note.FOLDER}/".encode() in path


def _stem(path: bytes) -> str:
    return os.fsdecode(path).rpartition("/")[2].removesuffix(".md")


def _stamp(stem: str) -> int:
    """Where the words of a name begin: behind its time and hash."""
    found = re.match(r"\d{4}-?\d\d-?\d\dT?[\d-]*Z?(?:-[0-9A-Za-z]{4}(?=-|$))?", stem)
    return found.end() if found else 0


def _path(path: bytes, words: Words) -> bytes:
    folder, slash, name = os.fsdecode(path).rpartition("/")
    stem, dot, ending = name.rpartition(".")
    at = _stamp(stem)
    spaced = re.sub(r"[-_]", " ", stem[at:]).strip()
    if dot and at and spaced and erased.clean(spaced, words) != spaced:
        name = f"{stem[:at].rstrip('-')}.{ending}"
    else:
        name = erased.clean(name, words, prose=False).replace(erased.GONE, "forgotten")
    folder = erased.clean(folder, words, prose=False).replace(erased.GONE, "forgotten")
    return os.fsencode(folder + slash + name)


def _lines(repo: Repo, words: Words) -> Iterable[str]:
    for path, data in repo.read_files("").items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if content(os.fsencode(path), line.encode(), words, {}) != line.encode():
                yield f"{path}:{number}: {line.strip()}"


def _logs(home: Path) -> Sequence[Path]:
    return sorted(p for p in (home / "log").glob("*") if p.is_file() and not p.is_symlink())


def _cleaned_log(path: Path, words: Words) -> tuple[int, str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise StorageError(f"{path} can't be read: {error.strerror}") from error
    cleaned = erased.clean(text, words)
    return int(cleaned != text), cleaned


def _forms(needle: str) -> list[re.Pattern[str]]:
    escaped = json.dumps(needle)[1:-1]
    return [erased.literal(each) for each in dict.fromkeys((needle, escaped))]


def _holds(data: bytes, patterns: Sequence[re.Pattern[str]]) -> bool:
    text = data.decode("utf-8", "replace")
    return any(pattern.search(text) for pattern in patterns)
