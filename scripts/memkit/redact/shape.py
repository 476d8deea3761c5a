"""Whether a value that stands where a secret would stand is one: its shape against words, code, paths and numbers."""

from __future__ import annotations

import functools
import re
from enum import Enum

from memkit.redact.words import PLACEHOLDERS, TECH

MASK = "[REDACTED_SECRET]"


class Family(Enum):
    """What a name promises of its value: people choose passwords, machines make tokens."""

    PASSWORD = "password"
    TOKEN = "token"
    KEY = "key"  # a name that is as often a cache or database key: only a strong value counts


class Form(Enum):
    """How the value is written; the plainer the form, the more its shape must show."""

    QUOTED = "quoted"
    ENV = "env"  # NAME=value
    BARE = "bare"  # name: value, name=value
    PROSE = "prose"  # the name is value


SOURCES = {
    "reference": r"\$\(?[A-Za-z_({]|[$%#]?\{|%[A-Za-z_]{1,64}+%|@[A-Za-z_.]{1,64}+$|"
    r"(?:self\.|this\.|cls\.|os\.environ|process\.env|env\.|secrets\.|vars\.)",
    "example": r"your|my[-_]|replace|insert|goes[-_]?here|placeholder|redacted|changeme|<|…|\.\.\.|\*{3}|[xX]{4}",
    "uuid": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "digest": r"(?:sha(?:1|224|256|384|512)|md5|blake2b|blake3)[-:]",
    "path": r"(?:~|\.{1,2})?/|[A-Za-z]:[\\/]|[a-z]{1,12}+://",
    "number": r"v?[0-9]{1,20}+(?:[.,:_/-][0-9]{1,20}+){0,9}[a-zA-Z%]{0,3}",
    "ticket": r"#?[0-9]{1,9}+|[A-Z]{2,10}+-[0-9]{1,7}+",
    "dotted": r"[A-Za-z_]\w{0,128}+(?:(?:\.|::|->)[A-Za-z_]\w{0,128}+){1,12}",
    "file": r"[\w.-]{1,128}?\.(?:py|js|ts|md|json|ya?ml|toml|txt|sh|env|local|go|rs|pem|key|crt|cfg|ini|lock|html)",
    "long_word": r"[a-z]{7}|[A-Z]{9}",
    "base64": r"[A-Za-z0-9+/]{32,512}+={0,2}",
    "hex": r"[0-9a-f]{32,512}+|[0-9A-F]{32,512}+",
}


@functools.cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(SOURCES[name])


def _classes(value: str) -> tuple[bool, bool, bool]:
    """Whether it has a small letter, a capital letter, a digit."""
    return (value.upper() != value, value.lower() != value, any(c in "0123456789" for c in value))


def varied(value: str, *, classes: int = 2) -> bool:
    """Whether a vendor key is a real one: enough different characters of enough kinds, no `xxxx`."""
    head = value[:80]
    return len(set(head)) >= 8 and sum(_classes(head)) >= classes


def strong(value: str) -> bool:
    """Whether it looks made by a machine, whatever stands around it."""
    head = value[:128]
    if len(head) < 16 or len(set(head)) < 8:
        return False
    if _pattern("hex").fullmatch(head):
        return True
    if "/" in head and head.count("/") * 8 > len(head) and not head.endswith("="):
        return False
    digits = sum(c in "0123456789" for c in head)
    return sum(_classes(head)) == 3 and digits >= 2 and _pattern("long_word").search(head) is None


def is_uuid(value: str) -> bool:
    """Whether it is a UUID and nothing else."""
    return _pattern("uuid").fullmatch(value) is not None


def is_call(value: str) -> bool:
    """Whether it opens a call: `get_token(`."""
    name, parenthesis, _ = value.partition("(")
    return bool(parenthesis) and name.replace(".", "").isidentifier()


def placeholder(value: str) -> bool:
    """Whether it stands for a secret without being one: `<your-token>`, `xxxx`, `${TOKEN}`, `changeme`, a mask."""
    bare = value.replace(MASK, "").strip(" \t\"'`")
    if not bare or bare.lower() in PLACEHOLDERS:
        return True
    if bare[0] in "<" or _pattern("reference").match(bare):
        return True
    if len(set(bare)) <= 2:
        return True
    example = _pattern("example").search(bare.lower() if len(bare) < 64 else bare[:64])
    return example is not None and not strong(bare)


def _code(value: str) -> bool:
    """Whether it reads as a path, number, ticket, digest, file or expression."""
    return any(_pattern(name).fullmatch(value) for name in ("number", "ticket", "dotted", "file")) or any(
        _pattern(name).match(value) for name in ("path", "digest")
    )


def _parts(value: str) -> list[str]:
    return [part for part in value.lower().replace("_", "-").replace(".", "-").replace("/", "-").split("-") if part]


def credible(value: str, *, family: Family, form: Form) -> bool:
    """Whether `value`, written in `form` after a name of `family`, is a secret."""
    if placeholder(value) or _pattern("digest").match(value):
        return False
    if any(c in " \t" for c in value):
        return False
    if strong(value) and (family is not Family.KEY or form is Form.ENV or not _pattern("hex").fullmatch(value)):
        return True
    if family is Family.KEY:
        return False
    if family is Family.PASSWORD and value.isascii() and value.isdigit():
        return len(value) >= (6 if form is Form.PROSE else 4)
    parts = _parts(value)
    if _code(value) or not parts or any(part in TECH for part in parts):
        return False
    small, capital, digit = _classes(value)
    symbol = any(c in "!@#$%^&*+=?~" for c in value)
    letter = small or capital
    if family is Family.PASSWORD:
        return _password(value, form=form, mixed=letter and (digit or symbol))
    if form is Form.ENV:
        return len(value) >= 6 and not (value.isupper() and not digit)
    if form is Form.QUOTED:
        return len(value) >= 8 and letter and digit
    if small and capital and digit and _pattern("base64").fullmatch(value):
        return True  # one of a hundred keys of 40 characters has a single digit
    return len(value) >= 8 and letter and sum(c in "0123456789" for c in value) >= 2


def _password(value: str, *, form: Form, mixed: bool) -> bool:
    name_like = any(word in value.lower() for word in ("password", "passwd", "secret", "token"))
    if form is Form.ENV:
        return len(value) >= 4 and not (name_like and not mixed)
    if form is Form.QUOTED:
        return len(value) >= (5 if mixed else 6) and not (name_like and value.replace("_", "").isalpha())
    return len(value) >= 5 and mixed and not (name_like and len(value) < 12)
