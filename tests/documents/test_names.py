from __future__ import annotations

from pathlib import Path

import pytest

from memkit.documents import Malformed, names, record


def test_golden_names_carry_the_short_hash_of_their_thread(golden: Path) -> None:
    files = sorted((golden / "memories_v2" / names.FOLDER).glob("*.md"))
    assert len(files) == 12
    for file in files:
        thread_id = record.parse(file.read_bytes().decode()).thread_id
        assert names.parse(file.name).short == names.short_hash(thread_id)


def test_an_id_that_is_no_uuid_is_hashed_by_its_bytes() -> None:
    # 97·31² + 98·31 + 99 = 96,354 = 25·62² + 4·62 + 6
    assert names.short_hash("abc") == "0p46"
    assert names.short_hash("") == "0000"


def test_a_name_is_read_into_its_parts() -> None:
    name = names.parse("2026-11-28T21-44-14-8ktl-fix_retry_limit.md")
    assert (name.stamp, name.short, name.slug) == ("2026-11-28T21-44-14", "8ktl", "fix_retry_limit")
    assert names.parse("2026-11-28T21-44-14-d39J.md").slug == ""


@pytest.mark.parametrize(
    "name",
    [
        "notes.md",
        "2026-11-28T21-44-14.md",
        "2026-11-28T21-44-14-d39J-Upper.md",
        "2026-11-28T21-44-14-d39J-" + "a" * 61 + ".md",
        "2026-11-28T21-44-14-d39J.md\n",
        "2026-11-28-d39J.md",
    ],
)
def test_other_names_are_malformed(name: str) -> None:
    with pytest.raises(Malformed):
        names.parse(name)
