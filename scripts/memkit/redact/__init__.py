"""Secrets out of text: the one choke point that everything stored, sent or printed passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.redact.masking import Secret, find, mask, mask_fields, mask_value
    from memkit.redact.shape import MASK
else:
    __getattr__ = lazily(
        globals(),
        masking="Secret find mask mask_fields mask_value",
        shape="MASK",
    )

__all__ = [
    "MASK",
    "Secret",
    "find",
    "mask",
    "mask_fields",
    "mask_value",
]
