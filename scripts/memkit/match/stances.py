"""A statement as what it is for and what it is against ("uv, never pip"), in stems, without stop words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import snowballstemmer

from memkit.match.fit import main_language
from memkit.match.words import KANA_HAN, UNSPACED, Words, values, written_together

_HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〆]"


@dataclass(frozen=True, slots=True)
class Stance:
    """Stemmed content words that a statement is for and against, in order; `slots`: (preposition, word after it)."""

    pro: tuple[str, ...]
    con: tuple[str, ...]
    slots: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.pro) | frozenset(self.con)


def normalise(text: str) -> str:
    """NFKC, lower case, straight quotes, quotation marks and code marks taken off, single spaces."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = re.sub(r"(?<![`*_\"“”«»„「」『』])[`*_\"“”«»„「」『』]++(?=\W|$)|(?<!\w)[`*_\"“”«»„「」『』]+", " ", text)
    return " ".join(text.split())


@cache
def _tokens() -> re.Pattern[str]:
    # Paths, options, versions and dotted names are one word; so are words with apostrophes and hyphens.
    return re.compile(r"[\w][\w./\\:@#+'’-]*[\w+#]|[\w]|[,;:.!?—–()。、]|--?[\w-]+")


@cache
def _borders() -> re.Pattern[str]:
    return re.compile(rf"(?<=[{UNSPACED}])(?=[^\W{UNSPACED}])|(?<=[^\W{UNSPACED}])(?=[{UNSPACED}])")


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(rf"[{KANA_HAN}]+")


@cache
def _particles(words: Words) -> re.Pattern[str]:
    """Words of an unspaced language that are cut out of its runs of letters: the longest first."""
    known = (
        words.stopwords | words.negations | words.negation_ends | words.strong_slots | words.weak_slots | words.whole
    )
    found = {re.escape(word) for word in known} | words.fragments("negated_pairs")
    return re.compile(f"({'|'.join(sorted(found, key=lambda f: (-len(f), f)))})") if found else re.compile(r"(?!)")


@cache
def _letters() -> re.Pattern[str]:
    # Katakana words; Han with the kana that inflects it; other kana. Half-width kana became full-width before.
    return re.compile(rf"[\u30a1-\u30fa\u30fc-\u30ff]+|({_HAN}+)[\u3041-\u309f]*|[\u3041-\u309f]+")


def _cut(run: str) -> list[str]:
    """A run of Han and kana that no list knows: katakana whole, Han in bigrams and without its inflection."""
    found: list[str] = []
    for match in _letters().finditer(run):
        if han := match[1]:
            found.extend(han[i : i + 2] for i in range(max(1, len(han) - 1)))
        else:
            found.append(match[0])
    return found


@cache
def _endings(words: Words) -> re.Pattern[str]:
    return words.compiled("endings", "endings", form=r"(?<=\w\w)(?:{})$")


@cache
def _stemmer(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)


@lru_cache(maxsize=65_536)
def stem(word: str, name: str) -> str:
    """The word's stem by a Snowball algorithm; as it is when it has other signs than letters or name is ""."""
    return str(_stemmer(name).stemWord(word)) if name and word.isalpha() else word


def _tokenise(text: str, words: Words) -> list[str]:
    """The tokens of a normalised text; runs without spaces are cut at the language's particles and into bigrams."""
    if not written_together(text):
        return _tokens().findall(text)
    found: list[str] = []
    for token in _tokens().findall(_borders().sub(" ", text)):
        if not _runs().search(token) or words.spaced:
            found.append(token)
            continue
        for piece in _particles(words).split(token):
            if piece and (_known(piece, words) or not _runs().fullmatch(piece)):
                found.append(piece)
            elif piece:
                found += _cut(piece)
    return found


def _known(token: str, words: Words) -> bool:
    return (
        token in words.stopwords
        or token in words.whole
        or token in words.negations
        or token in words.negation_ends
        or token in words.strong_slots
        or token in words.weak_slots
        or bool(words.find("negated_pairs").fullmatch(token))
    )


def _root(token: str, words: Words) -> str:
    bare = _endings(words).sub("", token)
    root = (
        words.synonyms.get(token) or words.synonyms.get(bare) or words.synonyms.get(stem(bare, words.stemmer)) or bare
    )
    return words.plain(stem(root, words.stemmer))


def _respelled(text: str, words: Words) -> str:
    for pattern, spelled in _respellings(words):
        text = pattern.sub(spelled, text)
    return text


@cache
def _respellings(words: Words) -> tuple[tuple[re.Pattern[str], str], ...]:
    form = r"(?<!\w)(?:{})(?!\w)" if words.spaced else "(?:{})"
    return tuple((re.compile(form.replace("{}", wrong)), right) for wrong, right in words.rows("respellings"))


@lru_cache(maxsize=65_536)
def stance(text: str) -> Stance:
    """What a statement is for and against."""
    words = main_language(text)
    tokens = _tokenise(words.find("no_negation").sub(" ", _respelled(normalise(text), words)), words)
    pairs = _pair_starts(tokens, words)
    # "Always use make": where nothing else is said, a stop word that also names a thing is what is meant.
    for named in (frozenset(), frozenset(values())):
        reader = _Reader(words, named)
        for i, token in enumerate(tokens):
            reader.read(token, negates=token in words.negations, pairs=i in pairs)
        if (found := reader.result()).words:
            break
    return found


class _Reader:
    """Reads tokens one by one: which side a word is on depends on the negation before it, or behind it."""

    def __init__(self, words: Words, named: frozenset[str]) -> None:
        self.words = words
        self.named = named  # stop words that count
        self.pro: list[str] = []
        self.con: list[str] = []
        self.slots: list[tuple[str, str]] = []
        self.against = False
        self.paired = False
        self.said = 0
        self.slot = ""
        self.open = 0  # words of the running clause begin here, in pro

    def read(self, token: str, *, negates: bool, pairs: bool) -> None:
        words = self.words
        ends = token in words.negation_ends
        if not any(c.isalnum() for c in token):
            self._close()
        elif (negates or pairs) and words.negates == "before":
            self._turn_clause()
        elif negates or pairs:
            if words.negates == "clause" and not pairs:
                self._turn_clause()
            self.against, self.paired, self.said = True, pairs, 0
        elif ends and words.negates != "after" and not (self.against and token in words.negation_goes_on):
            self._close()
        else:
            if ends and self.against and self.said:
                self.against = token in words.negation_goes_on
                if token in words.stopwords:
                    return
            self._take(token)

    def _turn_clause(self) -> None:
        self.con += self.pro[self.open :]
        del self.pro[self.open :]

    def _close(self) -> None:
        # A contrast with nothing behind it is none: "npm 不要用".
        if self.words.negates == "clause" and self.against and self.paired and not self.said:
            self._turn_clause()
        self.against, self.slot, self.open = False, "", len(self.pro)

    def _take(self, token: str) -> None:
        words = self.words
        if token in words.strong_slots or token in words.weak_slots:
            self.slot = words.plain(token)
        bare = _endings(words).sub("", token)
        stops = token in words.stopwords or bare in words.stopwords or token in words.strong_slots
        if stops and token not in self.named:
            return
        root = _root(token, words)
        (self.con if self.against else self.pro).append(root)
        self.said += 1
        if self.slot:
            self.slots.append((self.slot, root))

    def result(self) -> Stance:
        self._close()
        return Stance(_unique(self.pro), _unique(w for w in self.con if w not in self.pro), tuple(self.slots))


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


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


@lru_cache(maxsize=65_536)
def length(text: str) -> int:
    """How many words a text has, about: between spaces, and two signs of Han or kana to a word."""
    together = sum(len(run) for run in _runs().findall(text))
    return len(_runs().sub(" ", text).split()) + (together + 1) // 2


@lru_cache(maxsize=65_536)
def subject(text: str) -> str:
    """The normalised subject: sorted stems for, then `!`stems against. Empty when nothing but stop words is said."""
    s = stance(text)
    return " ".join([*sorted(s.pro), *("!" + w for w in sorted(s.con))])
