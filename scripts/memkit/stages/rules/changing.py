"""Adding, editing and removing rules: masked, each once, and none that contradicts another unseen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memkit import clock, match, prompts, redact
from memkit.documents import erased
from memkit.documents import rules as document
from memkit.errors import UsageError
from memkit.model import Rule
from memkit.stages.rules.books import Book


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """The book with the rule. known: a rule that says it already, then nothing changed. replaced: those that went."""

    book: Book
    rule: Rule
    known: bool = False
    replaced: tuple[Rule, ...] = ()


def add(*, book: Book, others: Sequence[Book], rule: Rule, now: float, gone: erased.Hashes, force: bool) -> Added:
    """Adds a rule (its id and date are set here). others: books whose rules hold beside this one's.

    UsageError for a rule that says nothing or holds a secret alone, and for one that contradicts another: it names
    both. force: those of this book that it contradicts go; those of another book are for their owner to change.
    """
    wanted = _checked(replace(rule, date=clock.date(now)), gone)
    for each in book.rules:
        if _same_place(each, wanted) and match.same(each.text, wanted.text):
            return Added(book=book, rule=each, known=True)
    against = [(held, each) for held in (book, *others) for each in held.rules if contradict(each, wanted)]
    foreign = [(held, each) for held, each in against if held is not book]
    if against and (not force or foreign):
        held, each = (foreign or against)[0]
        mend = f"change that one in {held.path}" if held is not book else "--replace takes the old one out"
        raise UsageError(f"“{wanted.text}” contradicts the rule {each.id}: “{each.text}”", mend=mend)
    for _, each in against:
        book = book.with_text(document.removed(book.text, each.id, path=book.path))
    wanted = replace(wanted, id=document.new_id(wanted.text, tuple(each.id for each in book.rules)))
    book = book.with_text(document.added(book.text, wanted, path=book.path))
    return Added(book=book, rule=wanted, replaced=tuple(each for _, each in against))


def edit(*, book: Book, others: Sequence[Book], rule: Rule, gone: erased.Hashes) -> Book:
    """The book with a rule of its changed. UsageError as `add` raises it, also when another rule says it already."""
    wanted = _checked(rule, gone)
    for each in book.rules:
        if each.id != wanted.id and _same_place(each, wanted) and match.same(each.text, wanted.text):
            raise UsageError(f"the rule {each.id} says so already: “{each.text}”", mend="remove one")
    for held in (book, *others):
        for each in held.rules:
            if each.id != wanted.id and contradict(each, wanted):
                raise UsageError(f"“{wanted.text}” contradicts the rule {each.id}: “{each.text}”", mend="remove one")
    return book.with_text(document.changed(book.text, wanted, path=book.path))


def remove(*, book: Book, rule_id: str) -> Book:
    """The book without a rule."""
    return book.with_text(document.removed(book.text, rule_id, path=book.path))


def opposed(one: str, other: str) -> bool:
    """Does a sentence of one text contradict one of the other?"""
    return any(match.conflict(a, b) for a in match.sentences(one) for b in match.sentences(other))


def contradict(one: Rule, other: Rule) -> bool:
    """Do two rules ask for what can't both be, where both hold?"""
    return _meet(one, other) and opposed(one.text, other.text)


def _meet(one: Rule, other: Rule) -> bool:
    """Is there a place where both hold? A rule for some files is an exception to one for all."""
    return (one.project is None or other.project is None or one.project == other.project) and one.glob == other.glob


def _same_place(one: Rule, other: Rule) -> bool:
    return (one.project, one.glob) == (other.project, other.glob)


def _tidy(text: str) -> str:
    return redact.mask(prompts.one_line(" ".join(text.split())))


def _checked(rule: Rule, gone: erased.Hashes) -> Rule:
    """The rule as it may be kept. UsageError for one that may not."""
    rule = replace(rule, text=_tidy(rule.text), why=_tidy(rule.why), glob=_tidy(rule.glob or "") or None)
    for what, said in (("text", rule.text), ("reason", rule.why), ("glob", rule.glob or "")):
        if len(said) > document.MOST_TEXT:
            most = f"a rule's {what} has at most {document.MOST_TEXT:,} characters, and this has {len(said):,}"
            raise UsageError(most, mend="keep the long form in a file of the repository, and name it")
    if not re.search(r"\w", rule.text.replace(redact.MASK, "")):
        raise UsageError("a rule needs words (a secret is none)", mend='memkit rules add "…"')
    if any(erased.clean(each, gone) != each for each in (rule.text, rule.why, rule.glob or "")):
        raise UsageError("these words were erased with --purge, and stay out")
    return rule
