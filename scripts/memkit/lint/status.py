"""status-undated: words for a state of affairs that may be over by the time they are read."""

from __future__ import annotations

import re
from functools import cache

from memkit.documents import inline


def undated(text: str) -> str:
    """The first status word outside quotes and code spans, "" when there is none or the text has an `as of` date.

    A word that waits for a state instead of telling it ("until the tests are passing") is none.
    """
    if _date().search(text):
        return ""
    for clause in _clauses().split(inline.unquoted(text)):
        match = _status().search(clause)
        if match and not _conditions().search(clause, 0, match.start()):
            return match[0].lower()
    return ""


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r"\bas of [0-9]{4}-[0-9]{2}-[0-9]{2}\b", re.IGNORECASE)


@cache
def _clauses() -> re.Pattern[str]:
    return re.compile(r"[.;:,!?()—]+(?:\s|$)")


@cache
def _status() -> re.Pattern[str]:
    words = r"done|finished|completed?|passing|passes|failing|ready|fixed|working(?!\s+(?:on|with|in)\b)|"
    words += "deployed|resolved|in progress|on hold"
    # what makes another word of them: a noun that follows, a hyphen, a path or an option
    nouns = (
        "director(?:y|ies)|folders?|tree|cop(?:y|ies)|sets?|hours?|days?|week|memory|groups?|title|branch|width|size|"
        "point|price|seed|length|order|time|amount|rate|number|version|position|sentences?|lists?|examples?|files?|"
        "paths?|names?|types?|code|words?|points?|arguments?|parameters?|columns?|rows?|functions?|modules?"
    )
    return re.compile(rf"(?<![\w./-])(?:{words})(?![\w/-])(?!\.\w)(?!\s+(?:{nouns})\b)", re.IGNORECASE)


@cache
def _conditions() -> re.Pattern[str]:
    words = (
        "when|whenever|until|till|once|if|unless|before|after|while|never|not|don't|always|must|should|only|call|"
        "mark|get|make|keep|to be|whether"
    )
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
