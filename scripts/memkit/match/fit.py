"""Which languages a text is in: by script, then by words that only they have. English is among them while it may be."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memkit.match.words import Words, languages

# Of a text's words, how many (or what share of them) have to be a language's own and not English; or more than are
# English and not the language's.
_OWN_WORDS = 2
_OWN_SHARE = 0.25
# Languages of one script that share most words (Portuguese, Spanish) are both judged, when they come this near.
_TIE = 0.8


@cache
def _script(words: Words) -> re.Pattern[str] | None:
    script = words.raw.get("script")
    return re.compile(f"[{script}]") if script else None


@cache
def _no_script(words: Words) -> re.Pattern[str] | None:
    script = words.raw.get("not_script")
    return re.compile(f"[{script}]") if script else None


@cache
def _letters(words: Words) -> re.Pattern[str]:
    letters = words.raw.get("letters")
    return re.compile(f"[{letters}]" if letters else r"(?!)", re.IGNORECASE)


def _of_script(words: Words, text: str) -> bool:
    wanted, unwanted = _script(words), _no_script(words)
    return not (wanted and not wanted.search(text)) and not (unwanted and unwanted.search(text))


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@lru_cache(maxsize=65_536)
def fitting(text: str) -> tuple[Words, ...]:
    """Every language that the text may be in, English first; a sentence may mix English with another one.

    English is left out where all of its words are another one's too ("no" in Spanish) or `loans` ("build", "commit").
    """
    known = languages()
    if len(known) == 1:
        return known
    english, others = known[0], known[1:]
    tokens = [t.lower().replace("’", "'") for t in _token().findall(text)]
    foreign = {t for t in tokens if t not in english.vocabulary}
    hits: dict[Words, int] = {}
    for words in others:
        if not _of_script(words, text):
            continue
        own = len(foreign & words.vocabulary)
        lettered = bool(_letters(words).search(text))
        theirs = len(set(tokens) - foreign - words.vocabulary - english.loans)
        many = own >= _OWN_WORDS or own > theirs or own >= max(1, _OWN_SHARE * len(set(tokens)))
        if _script(words) or lettered or many:
            hits[words] = sum(t in words.vocabulary for t in tokens) + _OWN_WORDS * lettered
    best: dict[str, int] = {}
    for words, count in hits.items():
        script = _family(words)
        best[script] = max(best.get(script, 0), count)
    found = tuple(w for w, count in hits.items() if count >= _TIE * best[_family(w)])
    elsewhere = english.loans.union(*(w.vocabulary for w in found))
    return found if found and elsewhere.issuperset(set(tokens) - foreign) else (english, *found)


def fits(text: str) -> tuple[str, ...]:
    """The codes of every language that the text may be in (`en`, `de`), English first."""
    return tuple(words.language for words in fitting(text))


def _family(words: Words) -> str:
    return str(words.raw.get("script", ""))


@lru_cache(maxsize=65_536)
def main_language(text: str) -> Words:
    """The one language whose stop words and negations the text uses most; a script of its own decides before."""
    found = fitting(text)
    if len(found) == 1:
        return found[0]
    tokens = {t.lower().replace("’", "'") for t in _token().findall(text)}
    return max(found, key=lambda w: (bool(_script(w)), len(tokens & (w.stopwords | w.negations | w.vocabulary))))
