"""What shells get: the block of a start-up file."""

from __future__ import annotations

from collections.abc import Sequence

from memkit.prompts.jinja import render


def shell_hook(*, commands: Sequence[str], call: str) -> str:
    """The lines of a bash or zsh start-up file that run `call`, a shell's command line, after each of the commands.

    commands: names that the caller has checked; nothing is quoted here.
    """
    return render("shell_hook.sh.j2", commands=commands, call=call)
