"""What a human turn does: opens work, goes on, corrects, approves, praises, complains, or just greets."""

from __future__ import annotations

import re
from functools import cache

from memkit.match.sentences import sentences
from memkit.match.wishes import directive, imperative, is_question, opening_of, strip_lead
from memkit.match.words import Words, languages


@cache
def _wholly(words: Words, key: str) -> re.Pattern[str]:
    body = "|".join(f.replace(" ", r"\s+") for f in sorted(words.of(key), key=len, reverse=True))
    return re.compile(
        rf"(?:[\s,.!?:;)(~…🙂👍🙏❤️😊🎉👋-]*(?:{body})(?![\w'’]))+[\s,.!?:;)(~…🙂👍🙏❤️😊🎉👋-]*", re.IGNORECASE
    )


def _opens(text: str, key: str) -> bool:
    return any(words.find(key).match(text.lstrip(" \t\"'“(*-")) for words in languages())


def _contains(text: str, key: str) -> bool:
    return any(words.find(key).search(text) for words in languages())


def greets(text: str) -> bool:
    """Nothing but greetings, thanks and the like, or no words at all."""
    return not any(c.isalnum() for c in text) or any(
        _wholly(words, "greetings").fullmatch(text) for words in languages()
    )


def approves(text: str) -> bool:
    """Nothing but leave to go on ("ok, go ahead")."""
    return any(_wholly(words, "approvals").fullmatch(text) for words in languages())


def praises(text: str) -> bool:
    """Begins with praise or thanks and holds no complaint: the user's last word was good."""
    return _opens(text, "praises") and not _contains(text, "complaints")


def complains(text: str) -> bool:
    """Says that it does not work or is not what was wanted; "no longer broken" and questions about it are none."""
    return _contains(text, "complaints")


def corrects(sentence: str) -> bool:
    """Opens as a correction of what was done before ("No, …", "Actually, …")."""
    return _opens(sentence, "corrections")


def decides(sentence: str) -> bool:
    """States a choice ("let's go with …")."""
    return any(words.find("decisions").match(strip_lead(sentence, words)) for words in languages())


def leaves_open(sentence: str) -> bool:
    """Puts something off ("leave it for now", "we'll look at that later")."""
    return _contains(sentence, "open_ends")


def asks(sentence: str) -> bool:
    """Is the sentence a question?"""
    return sentence.rstrip(" \"'”’)").endswith(("?", "？")) or all(
        is_question(sentence, words) for words in languages()
    )


def task_like(sentence: str) -> bool:
    """Asks for work: an imperative with a verb of work, or "can you …", "I need …"."""
    for words in languages():
        if imperative(words, "task_verbs").match(opening_of(sentence, words)):
            return True
        if words.find("polite").match(strip_lead(sentence, words)) and not is_question(sentence, words):
            return True
    return False


def wraps_up(sentence: str) -> bool:
    """Asks only to commit, push or merge what was done."""
    return any(imperative(words, "wrap_up").match(opening_of(sentence, words)) for words in languages())


def requests(text: str) -> bool:
    """Does any sentence ask for something to be done?"""
    return any(task_like(s) or any(directive(s, words) for words in languages()) for s in sentences(text))
