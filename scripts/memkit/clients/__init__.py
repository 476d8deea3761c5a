"""Other programs' files: hooks.json, settings.json, shell start-up files; merged and restored without loss."""

from __future__ import annotations

from memkit.clients import git_hook, hook_lists, start_up
from memkit.clients.files import BACKUP, Edit, Found, carry_out
from memkit.clients.hook_lists import Handler

__all__ = ["BACKUP", "Edit", "Found", "Handler", "carry_out", "git_hook", "hook_lists", "start_up"]
