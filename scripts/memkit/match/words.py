"""Word lists by language (words/*.toml), compiled on first use. words/README.md says what each key means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from typing import cast

import tomli

from memkit.match.fragments import plain_words

Raw = Mapping[str, object]
KANA_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〆ー"  # written without spaces
# With Hangul, where particles stick to words of other scripts.
UNSPACED = f"{KANA_HAN}\uac00-\ud7af"
# Shorter words without their marks (là, tự) are words of too many languages to speak for one.
_TYPED = 3


@dataclass(frozen=True, eq=False)
class Words:
    """One language's lists. Patterns are compiled on first use and kept."""

    raw: Raw

    def of(self, key: str) -> list[str]:
        return [self._filled(fragment) for fragment in cast("list[str]", self.raw.get(key, []))]

    @property
    def _forms(self) -> Mapping[str, list[str]]:
        return cast("Mapping[str, list[str]]", self.raw.get("forms", {}))

    def _filled(self, fragment: str) -> str:
        """The fragment with any of the fragments of `forms.x` for `<x>`: what verbs of one kind have in common."""
        if "<" not in fragment:
            return fragment
        return _form().sub(lambda m: f"(?:{'|'.join(self._filled(f) for f in self._forms[m[1]])})", fragment)

    def rows(self, key: str) -> list[list[str]]:
        return cast("list[list[str]]", self.raw.get(key, []))

    @property
    def language(self) -> str:
        return str(self.raw["language"])

    @property
    def stemmer(self) -> str:
        return str(self.raw.get("stemmer", ""))

    @cached_property
    def spaced(self) -> bool:
        """Do words stand between borders? Otherwise a fragment matches inside a run of letters too."""
        return bool(self.raw.get("spaced", True))

    @cached_property
    def free(self) -> bool:
        """May a verb that tells somebody what to do stand anywhere in its clause, and not only at its begin?"""
        return self.raw.get("order", "first") == "free"

    @property
    def negates(self) -> str:
        """What a negation turns: what follows it in its clause ("after"), stands "before" it, or the whole "clause"."""
        return str(self.raw.get("negation_side", "after"))

    @property
    def gap(self) -> str:
        return r"\s+" if self.spaced else r"\s*"

    def spelled(self, text: str) -> set[str]:
        """The text, and as it is typed where the keyboard lacks its marks: "für" also as "fuer" and "fur"."""
        if text.isascii():
            return {text}
        other = text.translate(self._typed)
        for mark, letters in self._sequences:
            other = other.replace(mark, letters)
        return {text, other, self.plain(text)}

    # Of several rows for one sign the first counts.
    @cached_property
    def _typed(self) -> dict[int, str]:
        return {ord(mark): letters for mark, letters in reversed(self.rows("spellings")) if len(mark) == 1}

    @cached_property
    def _sequences(self) -> list[list[str]]:
        return [row for row in self.rows("spellings") if len(row[0]) > 1]

    @cached_property
    def _compared(self) -> dict[int, str]:
        return {ord(other): sign for sign, other in reversed(self.rows("spellings")) if len(other) == 1}

    def _patterns_of(self, fragment: str) -> set[str]:
        """The fragment in all spellings. A sign with another form becomes a class of both: `(?!后)` excludes 後."""
        signs = self._signs
        if not signs:
            return self.spelled(fragment)
        pieces, inside = [], False
        for char in fragment:
            inside = (inside or char == "[") and char != "]"
            forms = signs.get(char, char)
            pieces.append(f"[{forms}]" if len(forms) > 1 and not inside else forms)
        return {"".join(pieces)}

    @cached_property
    def _signs(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for sign, other in self.rows("spellings"):
            if len(sign) == len(other) == 1:
                found[sign] = found.get(sign, sign) + other
        return found

    def plain(self, text: str) -> str:
        """The text in the one spelling that is compared: without marks over and under its letters, simplified signs."""
        text = text if text.isascii() else text.translate(self._compared)
        return unmarked(text) if self.raw.get("unmarked", False) else text

    def _words(self, key: str) -> frozenset[str]:
        return frozenset(s for word in self.of(key) for s in self.spelled(word))

    @cached_property
    def _found(self) -> dict[tuple[str, ...], re.Pattern[str]]:
        return {}

    @cached_property
    def _bodies(self) -> dict[tuple[str, ...], str]:
        return {}

    def body(self, *keys: str) -> str:
        """The lists' fragments as alternatives, longest first; "" when they are empty."""
        if keys not in self._bodies:
            self._bodies[keys] = "|".join(sorted(self.fragments(*keys), key=lambda f: (-len(f), f)))
        return self._bodies[keys]

    def fragments(self, *keys: str) -> set[str]:
        """The lists' fragments in all their spellings."""
        return {self._gapped(s) for key in keys for f in self.of(key) for s in self._patterns_of(f)}

    def _gapped(self, fragment: str) -> str:
        """Spaces as any white space; one sign of it in a look-behind, whose width has to be fixed."""
        fragment = re.sub(r"\(\?<[=!][^()]*\)", lambda behind: behind[0].replace(" ", r"\s"), fragment)
        return re.sub(" (?=[?*+{])", "(?: )", fragment).replace(" ", self.gap)

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {}

    def compiled(self, name: str, *keys: str, form: str, spaced: str = "") -> re.Pattern[str]:
        """`form` with the alternatives for `{}`, and `spaced` for `{b}` where words have borders. Kept by name."""
        name = f"{name}:{'+'.join(keys)}"
        if name not in self._patterns:
            body = self.body(*keys)
            border = spaced if self.spaced else ""
            text = form.replace("{b}", border).replace("{}", body) if body else r"(?!)"
            self._patterns[name] = re.compile(text, re.IGNORECASE)
        return self._patterns[name]

    def find(self, *keys: str) -> re.Pattern[str]:
        """Any of the lists, between word borders where the language has them; for `search`, and `match` at a border."""
        if keys not in self._found:
            form = r"(?<![\w'’=@/-])(?:{})(?![\w'’=(-])" if self.spaced else "(?:{})"
            self._found[keys] = self.compiled("find", *keys, form=form)
        return self._found[keys]

    def at(self, *keys: str) -> re.Pattern[str]:
        """Any of the lists with a border behind it only, for `match`: a hyphen may follow."""
        return self.compiled("at", *keys, form="(?:{}){b}", spaced=r"(?![\w'’])")

    def ending(self, *keys: str) -> re.Pattern[str]:
        """Any of the lists at the end of a text, whatever signs follow, for `search`."""
        return self.compiled("ending", *keys, form=r"{b}(?:{})[^\w]*$", spaced=r"(?<![\w'’-])")

    def wholly(self, key: str) -> re.Pattern[str]:
        """Nothing but the list's fragments and signs, for `fullmatch`."""
        return self.compiled("wholly", key, form=r"(?:[^\w]*+(?>(?:{}){b}))++[^\w]*+", spaced=r"(?![\w'’])")

    @cached_property
    def stopwords(self) -> frozenset[str]:
        return self._words("stopwords")

    @cached_property
    def negations(self) -> frozenset[str]:
        """Without its marks a negation may be another word (đừng, dùng): then it is that word."""
        named = frozenset(self.of("negations"))
        return named | (self._words("negations") - self.stopwords)

    @cached_property
    def negation_ends(self) -> frozenset[str]:
        return self._words("negation_ends")

    @cached_property
    def loans(self) -> frozenset[str]:
        return frozenset(self.of("loans"))

    @cached_property
    def negation_goes_on(self) -> frozenset[str]:
        return self._words("negation_goes_on")

    @cached_property
    def whole(self) -> frozenset[str]:
        return self._words("whole") | frozenset(self.synonyms)

    @cached_property
    def strong_slots(self) -> frozenset[str]:
        return self._words("slots")

    @cached_property
    def weak_slots(self) -> frozenset[str]:
        return self._words("weak_slots")

    @cached_property
    def synonyms(self) -> dict[str, str]:
        rows = self.rows("synonyms")
        typed = {spelled: row[0] for row in rows for word in row for spelled in self.spelled(word)}
        return typed | {word: row[0] for row in rows for word in row}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Words that speak for this language: whole words of its lists, in lower case."""
        lists = [value for value in self.raw.values() if isinstance(value, list)]
        fragments = [fragment for value in lists for fragment in value if isinstance(fragment, str)]
        found = plain_words(_form().sub("#", "\n".join(fragments)))
        found.update(*(self._inflected(fragment) for fragment in fragments if "<" in fragment))
        found |= {word for row in self.rows("synonyms") for word in row}
        typed = {s for word in found if not word.isascii() for s in self.spelled(word) if len(s) >= _TYPED}
        return frozenset(found | typed)

    def _inflected(self, fragment: str) -> set[str]:
        """The whole words that a fragment of letters and forms ("<regular><ar>", "us<ar>") stands for."""
        pieces = _form().split(fragment)
        if len(pieces) == 1 or not all(piece.isalpha() for piece in pieces if piece):
            return set()
        choices = [[p] if i % 2 == 0 else [f for f in self._forms[p] if f.isalpha()] for i, p in enumerate(pieces)]
        return {"".join(parts) for parts in product(*choices)}


@cache
def _form() -> re.Pattern[str]:
    return re.compile(r"(?<!\(\?)(?<!\(\?P)<([a-z]+)>")


def unmarked(text: str) -> str:
    """The text without marks over and under its letters: "luôn đúng" gives "luon dung"."""
    if text.isascii():
        return text
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return bare.replace("đ", "d").replace("Đ", "D").replace("ß", "ss")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


def written_together(text: str) -> bool:
    """Does the text hold signs of a script whose words, or whose words and particles, have no spaces between them?"""
    return bool(_unspaced().search(text))


def _load(name: str) -> Raw:
    return tomli.loads((files("memkit.match") / "words" / name).read_text(encoding="utf-8"))


@cache
def languages() -> tuple[Words, ...]:
    """Every language that has a file, English first, then by name."""
    names = sorted(f.name for f in (files("memkit.match") / "words").iterdir() if f.name.endswith(".toml"))
    loaded = [Words(_load(name)) for name in names if name != "values.toml"]
    return tuple(sorted(loaded, key=lambda w: (w.language != "en", w.language)))


@cache
def values() -> dict[str, frozenset[int]]:
    """Word to the numbers of the groups of alternatives that it belongs to."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(cast("list[list[str]]", _load("values.toml")["groups"])):
        for word in group:
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def merged(key: str) -> Iterable[str]:
    """A list's entries over all languages."""
    return (entry for words in languages() for entry in words.of(key))
