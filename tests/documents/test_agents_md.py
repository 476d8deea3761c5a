"""Where the block of rules stands in a page, whatever else stands there."""

from __future__ import annotations

import pytest

from memkit.documents import Malformed, agents_md
from memkit.documents.agents_md import BEGIN, END_HEAD, END_TAIL

END = f"{END_HEAD}0123456789ab{END_TAIL}"
BLOCK = f"{BEGIN}\n- a rule\n{END}\n"


@pytest.mark.parametrize(
    "around",
    [("", ""), ("# Page\n\n", "\nMore.\n"), ("- item\n", "text"), ("text\n", ""), ("\ufeff", ""), ("> quote\n", "x")],
)
def test_a_block_is_found_and_the_parts_are_the_page(around: tuple[str, str]) -> None:
    page = agents_md.parse(around[0] + BLOCK + around[1])
    assert page.after == around[1] and BEGIN in page.block and BEGIN not in page.before
    assert page.before + page.block + page.after == around[0] + BLOCK + around[1]
    assert page.body == "- a rule\n" and page.seal == "0123456789ab"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{BLOCK}```\n",
        f"~~~~ md\n{BLOCK}~~~~\n",
        "".join(f"    {line}\n" for line in BLOCK.splitlines()),
        "".join(f"> {line}\n" for line in BLOCK.splitlines()),
        "- x\n\n" + "".join(f"  {line}\n" for line in BLOCK.splitlines()),
        f"<pre>\n{BLOCK}</pre>\n",
        f"text {BEGIN} more {END}\n",
    ],
)
def test_a_block_that_is_only_shown_is_none(text: str) -> None:
    assert agents_md.parse(text).block == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{BEGIN}\n- a\n", 1),
        (f"x\n\n{END}\n", 3),
        (f"{BLOCK}\n{BLOCK}", 5),
        (f"{END}\n{BEGIN}\n", 1),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2),
        (f"{BLOCK}\n{END}\n", 5),
    ],
)
def test_a_comment_without_its_partner_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Malformed) as broken:
        agents_md.parse(text)
    assert broken.value.line == line


def test_a_page_says_its_items_and_paragraphs_without_code_and_block() -> None:
    text = f"# Title\n\n- Use tabs.\n- Run\n  tests.\n\n{BLOCK}\nA paragraph\nof two lines.\n\n```\nnot me\n```\n"
    found = [(each.text, each.line) for each in agents_md.sayings(text)]
    assert found == [("Title", 1), ("Use tabs.", 3), ("Run tests.", 4), ("A paragraph of two lines.", 11)]
