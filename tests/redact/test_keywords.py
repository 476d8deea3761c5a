"""The keywords that are looked for before betterleaks is: no finding of it is missed without them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.redact import leaks
from tests.redact import vectors

betterleaks = pytest.importorskip("betterleaks")
pytest.importorskip("hyperscan")
pytestmark = pytest.mark.skipif(
    betterleaks.__upstream_version__ != leaks.KNOWN, reason="another release is scanned whole"
)


def unfiltered(text: str) -> list[tuple[int, int, str]]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leaks, "_possible", lambda _text: True)
        return list(leaks.spans(text))


def rules() -> list[str]:
    """The default rules, which the library carries as text."""
    data = (Path(betterleaks.__file__).parent / "libbetterleaks.so").read_bytes()
    start = data.index(b"[[rules]]")
    return data[start : data.index(b"\0", start)].decode().split("[[rules]]")[1:]


def test_the_keywords_are_those_of_its_rules() -> None:
    off = set(re.findall(r'"(generic-[a-z-]+)"', (Path(leaks.__file__).parent / "data/betterleaks.toml").read_text()))
    known = {keyword.text.lower() for keyword in leaks.keywords()}
    wanted = set()
    for rule in rules():
        name = re.findall(r'^id = "([^".]*)', rule, re.MULTILINE)[0]
        listed = re.findall(r"^keywords = \[(.*?)\]", rule, re.MULTILINE | re.DOTALL)
        if name in off:
            continue
        if not listed:  # such a rule reads any text, unless it asks for a file's name
            assert not re.search(r"^regex = ", rule, re.MULTILINE), name
            continue
        asked = {each.lower() for each in re.findall(r'"([^"]+)"', listed[0])}
        assert all(any(short in each for short in known) for each in asked), name
        wanted |= asked
        if "sts." in asked:
            assert r"'''\b(STS\." in rule, "in small letters it would be looked for, too"
    assert known <= wanted


def test_what_is_found_is_found_with_keywords() -> None:
    texts = [vectors.without_marks(line) for line in vectors.read("caught.txt")]
    found = [unfiltered(text) for text in texts]
    assert sum(map(bool, found)) > 20
    assert [list(leaks.spans(text)) for text in texts] == found


WORDS = st.sampled_from([keyword.text for keyword in leaks.keywords()] or ["key"])
NOISE = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["\u212aEY", "AP\u0130", "=", ": ", '"', " ", "\n", "https://", "0123456789abcdef" * 3]),
    st.text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", min_size=20, max_size=64),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.one_of(NOISE, NOISE, WORDS, WORDS.map(str.upper)), max_size=8).map("".join))
def test_spans_are_the_same_with_keywords(text: str) -> None:
    assert list(leaks.spans(text)) == unfiltered(text)
