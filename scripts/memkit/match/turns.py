"""What a human turn does: opens work, goes on, corrects, approves, praises, complains, or just greets."""

from __future__ import annotations

from functools import lru_cache

from memkit.match.breaks import parts, sentences
from memkit.match.fit import fitting, main_language
from memkit.match.grammar import directive, is_question, opening_of, strip_lead, verb, works


def _opens(text: str, key: str) -> bool:
    bare = text.lstrip(" \t\"'“«(*-「¿¡")
    return any(words.find(key).match(bare) for words in fitting(text))


def _contains(text: str, key: str) -> bool:
    return any(words.find(key).search(text) for words in fitting(text))


@lru_cache(4_096)
def greets(text: str) -> bool:
    """Nothing but greetings, thanks and the like, or no words at all."""
    return not any(c.isalnum() for c in text) or any(
        words.wholly("greetings").fullmatch(text) for words in fitting(text)
    )


@lru_cache(4_096)
def approves(text: str) -> bool:
    """Nothing but leave to go on ("ok, go ahead")."""
    return any(words.wholly("approvals").fullmatch(text) for words in fitting(text))


def praises(text: str) -> bool:
    """Begins with praise or thanks and holds no complaint: the user's last word was good."""
    found = fitting(text)
    opens = _opens(text, "praises") or any(words.find("praises").match(strip_lead(text, words)) for words in found)
    return opens and not complains(text)


@lru_cache(4_096)
def complains(text: str) -> bool:
    """Says that it does not work or is not what was wanted; "no longer broken" and the like are none."""
    return any(_complains(sentence) for sentence in sentences(text))


def _complains(sentence: str) -> bool:
    """Part by part, since "fix the broken link" asks for work and "fix it, it still fails" also complains."""
    for words in fitting(sentence):
        if sentence.rstrip().endswith(("?", "？")) and words.find("whether").match(strip_lead(sentence, words)):
            continue
        for part in parts(words.find("no_complaints").sub(" ", sentence)):
            if words.find("complaints").search(part) and not verb(opening_of(part, words), words, "task_verbs"):
                return True
    return False


def corrects(sentence: str) -> bool:
    """Opens as a correction of what was done before ("No, …", "Actually, …")."""
    return _opens(sentence, "corrections") and not _opens(sentence, "no_corrections")


def takes_back(sentence: str) -> bool:
    """Says that something said before holds no more ("actually", "no longer", "I changed my mind")."""
    return _contains(sentence, "takes_back")


def decides(sentence: str) -> bool:
    """States a choice ("let's go with …")."""
    return any(words.find("decisions").match(strip_lead(sentence, words)) for words in fitting(sentence))


def leaves_open(sentence: str) -> bool:
    """Puts something off ("leave it for now", "we'll look at that later")."""
    return _contains(sentence, "open_ends")


def asks(sentence: str) -> bool:
    """Is the sentence a question?"""
    found = fitting(sentence)
    return sentence.rstrip(" \"'”’)」』").endswith(("?", "？")) or any(is_question(sentence, words) for words in found)


@lru_cache(4_096)
def task_like(sentence: str) -> bool:
    """Asks for work: an imperative with a verb of work, or "can you …", "I need …"; leave to go on does not."""
    if approves(sentence):
        return False
    for words in fitting(sentence):
        if works(sentence, words):
            return True
        polite = words.find("polite").match(strip_lead(sentence, words)) or words.ending("polite_ends").search(sentence)
        if polite and not is_question(sentence, words):
            return True
    return False


def wraps_up(sentence: str) -> bool:
    """Asks only to commit, push or merge what was done."""
    return any(verb(opening_of(sentence, words), words, "wrap_up") for words in fitting(sentence))


def bare(sentence: str) -> str:
    """The sentence without what only leads it in or makes it polite ("请帮我", "Kannst du bitte"), as for a title."""
    words = main_language(sentence)
    rest = strip_lead(sentence, words)
    polite = words.find("polite").match(rest)
    rest = strip_lead(rest[polite.end() :].lstrip(" ,，、:：—–-"), words) if polite else rest
    return rest if any(c.isalnum() for c in rest) else sentence


def requests(text: str) -> bool:
    """Does any sentence ask for something to be done?"""
    return any(task_like(s) or any(directive(s, words) for words in fitting(s)) for s in sentences(text))
