"""What a text is about: normalised subjects, near-duplicates, and conflicts between statements.

A stance keeps what a statement is for and what it is against ("uv, never pip"), after stop words are gone and words
are stemmed. Near-duplicates share their stance; a conflict is the same subject with another stance.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

import snowballstemmer
from rapidfuzz import fuzz, process

from memkit.match.words import Words, languages, values

# Spelling: rapidfuzz ratio from which two words are forms of one. Whole subjects are not compared as strings, since
# "run the linter before committing" and "run the tests before committing" are 85 % equal and two claims.
_NEAR = 85.0
_SAME = 0.75


@dataclass(frozen=True, slots=True)
class Stance:
    """Stemmed content words that a statement is for and against, in order; `slots`: (preposition, word after it)."""

    pro: tuple[str, ...]
    con: tuple[str, ...]
    slots: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.pro) | frozenset(self.con)


@cache
def _tokens() -> re.Pattern[str]:
    # Paths, options, versions and dotted names are one word; so are words with apostrophes and hyphens.
    return re.compile(r"[\w][\w./\\:@#+'’-]*[\w+#]|[\w]|[,;:.!?—–()]|--?[\w-]+")


@cache
def _stemmer(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)


@lru_cache(maxsize=65_536)
def _stem(word: str, name: str) -> str:
    plain = word.isalpha() and name
    return str(_stemmer(name).stemWord(word)) if plain else word


def _language(text: str) -> Words:
    """The language whose stop words and negations the text uses most; English when none does."""
    found = languages()
    if len(found) == 1:
        return found[0]
    tokens = {t.lower() for t in re.findall(r"[\w'’]+", text)}
    return max(found, key=lambda w: len(tokens & (w.stopwords | w.negations)))


def normalise(text: str) -> str:
    """NFKC, lower case, straight quotes, quotation marks and code marks taken off, single spaces."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = re.sub(r"[`*_\"“”«»„]+(?=\W|$)|(?<!\w)[`*_\"“”«»„]+", " ", text)
    return " ".join(text.split())


@lru_cache(maxsize=65_536)
def stance(text: str) -> Stance:
    """What a statement is for and against."""
    words = _language(text)
    tokens = _tokens().findall(words.find("no_negation").sub(" ", normalise(text)))
    pro: list[str] = []
    con: list[str] = []
    slots: list[tuple[str, str]] = []
    against, said, slot = False, 0, ""
    pairs = _pair_starts(tokens, words)
    for i, token in enumerate(tokens):
        if not any(c.isalnum() for c in token):
            against, slot = False, ""
            continue
        if i in pairs or token in words.negations:
            against, said = True, 0
            continue
        if against and said and token in words.of("negation_ends"):
            against = token == "and"
            if token in words.stopwords:
                continue
        if token in words.of("slots") or token in words.of("weak_slots"):
            slot = token
        if token in words.stopwords or token in words.of("slots"):
            continue
        stem = words.synonyms.get(token) or words.synonyms.get(_stem(token, words.stemmer)) or token
        stem = _stem(stem, words.stemmer)
        (con if against else pro).append(stem)
        said += 1
        if slot:
            slots.append((slot, stem))
    return Stance(_unique(pro), _unique(w for w in con if w not in pro), tuple(slots))


def _pair_starts(tokens: list[str], words: Words) -> set[int]:
    """Indexes of the words that begin what a pair turns away from: over, instead of, rather than, moved from."""
    found: set[int] = set()
    text = " ".join(tokens)
    ends = {0: 0}
    position = 0
    for i, token in enumerate(tokens):
        ends[position] = i
        position += len(token) + 1
    for match in words.find("negated_pairs").finditer(text):
        if match.start() in ends and match.start() > 0:
            last = ends[match.start()] + match.group().count(" ")
            found.update(range(ends[match.start()], last + 1))
    return found


def _unique(words: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))  # type: ignore[call-overload]


@lru_cache(maxsize=65_536)
def subject(text: str) -> str:
    """The normalised subject: sorted stems for, then `!`stems against. Empty when nothing but stop words is said."""
    s = stance(text)
    return " ".join([*sorted(s.pro), *("!" + w for w in sorted(s.con))])


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _alternatives(a: Stance, b: Stance) -> tuple[frozenset[str], frozenset[str]]:
    """Words of one kind (two languages, two package managers, two numbers) that a and b each name alone."""
    kinds = values()
    only_a, only_b = frozenset(a.pro) - frozenset(b.pro), frozenset(b.pro) - frozenset(a.pro)
    stems = {_stem(w, "english"): n for w, n in kinds.items()} | kinds
    left = {
        x for x in only_a for y in only_b if stems.get(x, frozenset()) & stems.get(y, frozenset()) or _numeric(x, y)
    }
    right = {
        y for y in only_b for x in only_a if stems.get(x, frozenset()) & stems.get(y, frozenset()) or _numeric(x, y)
    }
    return frozenset(left), frozenset(right)


def _numeric(x: str, y: str) -> bool:
    shape_x, shape_y = re.sub(r"\d+", "0", x), re.sub(r"\d+", "0", y)
    return x != y and shape_x == shape_y and "0" in shape_x


def same(a: str, b: str) -> bool:
    """Do two statements say the same (near-duplicates: other order, other forms of words), and none the contrary?"""
    x, y = stance(a), stance(b)
    if not x.words or not y.words:
        return normalise(a) == normalise(b)
    if frozenset(x.pro) & frozenset(y.con) or frozenset(x.con) & frozenset(y.pro):
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
    pairs = 0
    for word in left:
        found = process.extractOne(word, right, scorer=fuzz.ratio, score_cutoff=_NEAR) if right else None
        if found and len(word) > 3:
            right.remove(found[0])
            pairs += 1
    matched = len(common) + pairs
    return matched / (len(a) + len(b) - matched)


def conflict(later: str, earlier: str) -> bool:
    """Does a later statement contradict an earlier one on the same subject?"""
    x, y = stance(later), stance(earlier)
    if not x.words or not y.words:
        return False
    flips = (frozenset(x.pro) & frozenset(y.con)) | (frozenset(x.con) & frozenset(y.pro))
    if flips and _overlap(x.words, y.words) >= 1 / 3:
        return True
    left, right = _alternatives(x, y)
    if left and right and _overlap(x.words - left, y.words - right) >= 0.75:
        return True
    if left and right and not (x.words - left - frozenset(x.con)) and not (y.words - right - frozenset(y.con)):
        return True
    cue = any(w.find("replaces").search(later) for w in languages())
    if _same_slot(x, y, weak=cue):
        return True
    strong = cue and not _only_from_now_on(later)
    return strong and _overlap(x.words, y.words) >= 0.5 and not same(later, earlier)


def _only_from_now_on(text: str) -> bool:
    return all(
        not w.find("replaces").search(re.sub(r"from\s+now\s+on", " ", text, flags=re.IGNORECASE)) for w in languages()
    )


def _same_slot(x: Stance, y: Stance, *, weak: bool) -> bool:
    """ "deploy shop with kamal" and "deploy shop with capistrano": one frame, one preposition, other words after it."""
    strong = {s for w in languages() for s in w.of("slots")}
    usable = strong | ({s for w in languages() for s in w.of("weak_slots")} if weak else set())
    for slot in {s for s, _ in x.slots} & {s for s, _ in y.slots} & usable:
        ours = frozenset(w for s, w in x.slots if s == slot)
        theirs = frozenset(w for s, w in y.slots if s == slot)
        frame_x, frame_y = frozenset(x.pro) - ours, frozenset(y.pro) - theirs
        if frame_x == frame_y and len(frame_x) >= 2 and not ours & theirs and max(len(ours), len(theirs)) <= 2:
            return True
    return False
