"""`memkit lint --staged`: what the memory's Git hook asks, answered before the framework is loaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memkit import lint
from memkit.commands.home import user_home
from memkit.config import load
from memkit.errors import ExitCode
from memkit.stages import precommit


def answer(*, home: Path | None) -> ExitCode:
    """Prints what is wrong with what is staged, on stderr, where Git shows it."""
    config = load(home=home, env=os.environ)
    found = precommit.check(home=config.home, limits=config.summary, user_home=user_home(), env=os.environ)
    if found is None:  # the home was moved, or the hook copied
        print(
            f"memkit: this is not the repository of {config.home}: nothing is linted (memkit hooks install git)",
            file=sys.stderr,
        )
        return ExitCode.OK
    if found:
        print(lint.render(found), file=sys.stderr)
    if not (refused := sum(each.gates for each in found)):
        return ExitCode.OK
    them = "one of these keeps" if refused == 1 else f"{refused} of these keep"
    print(f"memkit: {them} the commit out (mend, or `git commit --no-verify`)", file=sys.stderr)
    return ExitCode.FINDINGS
