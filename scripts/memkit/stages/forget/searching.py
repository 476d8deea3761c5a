"""Looking for erased words: in every byte of the home and every Git object, and in what is not memkit's to change."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from memkit.documents import erased
from memkit.documents.erased import Words
from memkit.errors import RolloutError
from memkit.repo import Repo, purge
from memkit.rollouts import frames
from memkit.stages.forget.planning import Plan
from memkit.store import Store

_LEAST_WORDS = 3  # of a sentence that is searched for by itself afterwards
_CHANCE = 6  # characters from which a text does not stand in compressed bytes by chance


def search(*, store: Store, repo: Repo, plan: Plan) -> list[str]:
    """Where the words still are: every byte of the home, every Git object, every text of the database."""
    patterns = _patterns([*_needles(plan.words), *plan.names])
    short = len(plan.words.text) < _CHANCE
    found = []
    for path in sorted(repo.home.rglob("*")):
        relative = path.relative_to(repo.home).as_posix()
        packed = relative.startswith(".git/objects/")  # names are hashes; each object is looked at unpacked, below
        named = not packed and _holds(os.fsencode(relative), patterns)
        if named:
            found.append(f"the name of a file in {path.parent.name}")
        if path.is_file() and not path.is_symlink() and not (packed and short) and _holds(path.read_bytes(), patterns):
            found.append(f"a file in {path.parent.name}" if named else relative)
    found += [f"Git {each.kind} {each.oid[:12]}" for each in purge.objects(repo.door) if _holds(each.data, patterns)]
    found += [
        f"state.sqlite, table {t}" for t, text in store.texts() if _holds(text.encode("utf-8", "replace"), patterns)
    ]
    return sorted(set(found))


def unreachable(*, paths: Iterable[str], words: Words) -> list[str]:
    """The agent's own files that hold the words, in whatever words they were found, or that can't be looked into."""
    patterns, found = _patterns(_needles(words)), []
    for path in sorted(set(paths)):
        try:
            with frames.opened(Path(path)) as stream:
                if any(_holds(line, patterns) for line in frames.raw_lines(stream)):
                    found.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            found.append(f"{path} (not looked into: {error.strerror})")
        except RolloutError:
            found.append(f"{path} (not looked into: it is damaged)")
    return found


def bound_paths(*, paths: Iterable[str], words: Words) -> list[str]:
    """The session files whose own paths hold the words: the memory says where each lies, so there they stay."""
    return sorted({path for path in paths if next(words.spans(path), None)})


def copies(home: Path) -> list[Path]:
    """The copies of the home that `memkit reset` made beside it."""
    pattern = re.compile(re.escape(home.name) + r"\.reset-.+")
    return sorted(p for p in home.parent.iterdir() if pattern.fullmatch(p.name) and (p / ".git").is_dir())


def _needles(words: Words) -> Iterator[str]:
    yield words.text
    yield from (each for each in words.also if len(erased.tokens(each)) >= _LEAST_WORDS)


def _patterns(needles: Iterable[str]) -> list[re.Pattern[str]]:
    """Of each text as it is, and as JSON writes it."""
    forms = [form for needle in needles for form in (needle, json.dumps(needle)[1:-1])]
    return [erased.literal(each) for each in dict.fromkeys(forms)]


def _holds(data: bytes, patterns: Sequence[re.Pattern[str]]) -> bool:
    text = data.decode("utf-8", "replace")
    return any(pattern.search(text) for pattern in patterns)
