"""Other programs' files: hooks.json, settings.json, shell start-up files; merged and restored without loss."""

from __future__ import annotations

from memkit.clients import hook_lists, start_up
from memkit.clients.files import Edit, Found, carry_out
from memkit.clients.hook_lists import Handler

__all__ = ["Edit", "Found", "Handler", "carry_out", "hook_lists", "start_up"]
