"""Plain values: canonical JSON and content hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

Version = Literal["v1", "v2"]


def canonical(value: object) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def content_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
