"""Near-duplicates and conflicts between statements.

Near-duplicates share their stance; a conflict is the same subject with another stance.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rapidfuzz import fuzz, process

from memkit.match.fit import fitting
from memkit.match.stances import Stance, normalise, stance, stem
from memkit.match.words import languages, unmarked, values

# Spelling: rapidfuzz ratio from which two words are forms of one. Whole subjects are not compared as strings, since
# "run the linter before committing" and "run the tests before committing" are 85 % equal and two claims.
_NEAR = 85.0
_SAME = 0.75
_SHORT = 4  # content words up to which a text is about the one word that a request names


@cache
def _kinds() -> dict[str, frozenset[int]]:
    """Word or stem of a word to the groups of alternatives that it is in."""
    found: dict[str, frozenset[int]] = {}
    for word, groups in values().items():
        roots = {word, unmarked(word)}
        for language in languages():
            root = stem(word, language.stemmer)
            roots |= {root, unmarked(root), language.plain(root)}  # as its subjects spell it
        for root in roots:
            found[root] = found.get(root, frozenset()) | groups
    return found


@lru_cache(maxsize=65_536)
def _kind(word: str) -> frozenset[str]:
    """What the word is one of: "#7" for a group of alternatives, "port-0" for a number in a frame."""
    shape = re.sub(r"\d+", "0", word)
    numeric = {f"#{shape}"} if shape != word or "0" in word else set()
    return frozenset(numeric | {f"#{number}" for number in _kinds().get(word, ())})


@lru_cache(maxsize=65_536)
def key_words(text: str) -> frozenset[str]:
    """Keys for an index of candidates: texts that share none are neither `same` nor in `conflict`."""
    words = stance(text).words
    return words.union(*(_kind(w) for w in words)) if words else frozenset({normalise(text)})


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _alternatives(a: Stance, b: Stance) -> tuple[frozenset[str], frozenset[str]]:
    """Words of one kind (two languages, two package managers, two numbers) that a and b each name alone."""
    only_a, only_b = frozenset(a.pro) - frozenset(b.pro), frozenset(b.pro) - frozenset(a.pro)
    left = {x for x in only_a if (kinds := _kind(x)) and any(kinds & _kind(y) for y in only_b)}
    right = {y for y in only_b if (kinds := _kind(y)) and any(kinds & _kind(x) for x in only_a)}
    return frozenset(left), frozenset(right)


def same(a: str, b: str) -> bool:
    """Do two statements say the same (near-duplicates: other order, other forms of words), and none the contrary?"""
    x, y = stance(a), stance(b)
    if not x.words or not y.words:
        return normalise(a) == normalise(b)
    if not x.words & y.words or frozenset(x.pro) & frozenset(y.con) or frozenset(x.con) & frozenset(y.pro):
        return False
    left, right = _alternatives(x, y)
    if left or right:
        return False
    if x.con and frozenset(x.con) == frozenset(y.con) and (x.words <= y.words or y.words <= x.words):
        return True  # "pnpm, not npm" and "run the scripts with pnpm, not with npm"
    return _near(x.words, y.words) >= _SAME


def _near(a: frozenset[str], b: frozenset[str]) -> float:
    """Overlap in which words of near-equal spelling (other endings, typing errors) count as one."""
    common = a & b
    left, right = sorted(a - common), sorted(b - common)
    if (len(common) + min(len(left), len(right))) / (len(common) + max(len(left), len(right))) < _SAME:
        return 0.0
    pairs = 0
    for word in left:
        found = process.extractOne(word, right, scorer=fuzz.ratio, score_cutoff=_NEAR) if right else None
        if found and len(word) > 3:
            right.remove(found[0])
            pairs += 1
    matched = len(common) + pairs
    return matched / (len(a) + len(b) - matched)


def covers(request: str, text: str) -> bool:
    """Does a text say what a request ("forget …") names? In other words or order, as a part of more, for or against."""
    named, said = stance(request).words, stance(text).words
    if not named:
        return bool(normalise(request)) and normalise(request) == normalise(text)  # "use" is a part of any line
    if same(request, text):
        return True
    if len(named) == 1:
        return named <= said and len(said) <= _SHORT
    return _found(named, said) / len(named) >= _SAME


def _found(named: frozenset[str], said: frozenset[str]) -> int:
    left = sorted(said - named)
    near = [
        w
        for w in named - said
        if len(w) > 3 and left and process.extractOne(w, left, scorer=fuzz.ratio, score_cutoff=_NEAR)
    ]
    return len(named & said) + len(near)


def conflict(later: str, earlier: str) -> bool:
    """Does a later statement contradict an earlier one on the same subject?"""
    x, y = stance(later), stance(earlier)
    if not x.words or not y.words:
        return False
    flips = (frozenset(x.pro) & frozenset(y.con)) | (frozenset(x.con) & frozenset(y.pro))
    if flips and _overlap(x.words, y.words) >= 1 / 3:
        return True
    left, right = _alternatives(x, y)
    cues = fitting(later)
    strong = any(w.find("replaces").search(later) for w in cues)
    if left and right and _overlap(x.words - left, y.words - right) >= (0.5 if strong else _SAME):
        return True
    if left and right and not (x.words - left - frozenset(x.con)) and not (y.words - right - frozenset(y.con)):
        return True
    weak = strong or any(w.find("replaces_weakly").search(later) for w in cues)
    if _same_slot(x, y, weak=weak):
        return True
    return strong and _overlap(x.words, y.words) >= 0.5 and not same(later, earlier)


@cache
def _slots(*, weak: bool) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for words in languages():
        found |= words.strong_slots | (words.weak_slots if weak else frozenset())
    return found


def _same_slot(x: Stance, y: Stance, *, weak: bool) -> bool:
    """ "deploy shop with kamal" and "deploy shop with capistrano": one frame, one preposition, other words after it."""
    for slot in {s for s, _ in x.slots} & {s for s, _ in y.slots} & _slots(weak=weak):
        ours = frozenset(w for s, w in x.slots if s == slot)
        theirs = frozenset(w for s, w in y.slots if s == slot)
        frame_x, frame_y = frozenset(x.pro) - ours, frozenset(y.pro) - theirs
        if frame_x == frame_y and len(frame_x) >= 2 and not ours & theirs and max(len(ours), len(theirs)) <= 2:
            return True
    return False
