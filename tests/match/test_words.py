"""What entries of a language's file may hold beside regular expressions."""

from __future__ import annotations

from memkit.match.words import Words


def _words(**raw: object) -> Words:
    return Words({"language": "xx", "forms": {"stem": ["us", "explic"], "ar": ["ar", "a", "á(?:me|lo)"]}, **raw})


def test_forms_stand_for_any_of_their_fragments() -> None:
    find = _words(task_verbs=["<stem><ar>", "pull"]).find("task_verbs")
    assert all(find.fullmatch(word) for word in ("usar", "explica", "explicáme", "pull"))
    assert not any(find.fullmatch(word) for word in ("us", "usi", "arus", "<stem>"))


def test_forms_work_inside_groups_and_beside_named_lookbehinds() -> None:
    find = _words(task_verbs=["(?:no |don't )?<stem><ar>(?<!usa)"]).find("task_verbs")
    assert find.fullmatch("no usar")
    assert not find.fullmatch("usa")


def test_words_of_forms_speak_for_the_language_when_they_are_letters_only() -> None:
    assert _words(task_verbs=["<stem><ar>"]).vocabulary == {"usar", "usa", "explicar", "explica"}


def test_words_of_forms_count_without_their_marks_where_the_language_is_typed_so() -> None:
    words = _words(unmarked=True, task_verbs=["<stem><ar>"])
    assert words.find("task_verbs").fullmatch("usame")
