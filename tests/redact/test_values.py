"""Masking whole values and records."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from memkit.clock import DAY
from memkit.model import Evidence, Reason, Row, Session
from memkit.redact import MASK, mask, mask_fields, mask_value

KEY = "gh" + "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"


def test_strings_are_masked_at_any_depth_and_in_keys() -> None:
    value = {KEY: [KEY, ("x", {"y": f"a {KEY} b"})], "n": None, "f": 1.5, "b": True}
    assert mask_value(value) == {MASK: [MASK, ("x", {"y": f"a {MASK} b"})], "n": None, "f": 1.5, "b": True}


def test_two_keys_that_mask_alike_keep_both_values() -> None:
    result = mask_value({KEY: 1, KEY + "x": 2})
    assert sorted(result.values()) == [1, 2]
    assert not any("0a1B2c" in key for key in result)


def test_a_telling_key_makes_its_value_a_secret() -> None:
    assert mask_value({"db_password": "letmein", "token_count": "12345", "name": "letmein"}) == {
        "db_password": MASK,
        "token_count": "12345",
        "name": "letmein",
    }


def test_what_cannot_be_looked_into_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes"):
        mask_value({"a": b"x"})


def test_a_record_is_masked_in_every_field_and_nested_records_too() -> None:
    session = Session(id="01a219d0-f3b0-79b4-82f6-a5d7c88b90b6", path=f"/tmp/{KEY}.jsonl", branch=KEY, started_at=DAY)
    evidence = mask_fields(Evidence(session=session, rows=(Row(label="tool", text=f"t {KEY}", turn=3),), omitted=1))
    assert evidence.session.branch == MASK
    assert evidence.session.path == f"/tmp/{MASK}.jsonl"
    assert evidence.session.id == session.id
    assert evidence.rows[0].text == f"t {MASK}"
    assert (evidence.rows[0].turn, evidence.omitted, evidence.session.started_at) == (3, 1, DAY)


def test_a_clean_record_is_the_same_object_and_enums_stay_enums() -> None:
    @dataclass(frozen=True)
    class Plain:
        reason: Reason
        words: tuple[str, ...]

    record = Plain(reason=Reason.TOO_FRESH, words=("a", "b"))
    assert mask_fields(record) is record
    assert mask_value([Reason.BUDGET])[0] is Reason.BUDGET


def test_a_record_is_required() -> None:
    with pytest.raises(TypeError, match="no record"):
        mask_fields("text")


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY: ", "DEPLOY_TOKEN: ", "aws_secret_access_key = "])
def test_a_long_key_with_a_single_digit_is_masked_without_quotes(name: str) -> None:
    assert mask(f"env:\n  {name}wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n") == f"env:\n  {name}{MASK}\n"
    assert mask(f"  {name}of_the_deployment_service_account") == f"  {name}of_the_deployment_service_account"
