"""Where the trees lie in a home, and the documents in a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memkit.documents import places

if TYPE_CHECKING:
    from memkit.model import Version

SUMMARY = places.SUMMARY
RAW = places.RAW
RECORDS = places.RECORDS
TREES: Mapping[Version, str] = {"v1": "memories", "v2": "memories_v2"}
