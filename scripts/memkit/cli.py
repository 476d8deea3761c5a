"""The command line: the app, the one error boundary, and the calls that hooks make, answered before the framework."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from memkit import __version__
from memkit.errors import ExitCode, MemkitError, plain

# New objects before the collector looks at them: by default it runs a hundred times before a command has begun.
_COLLECTED = (20_000, 20, 20)


def main() -> None:
    """The entry point; never returns."""
    gc.set_threshold(*_COLLECTED)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs one command and gives its exit status. Every error of memkit ends here."""
    os.umask(0o077)  # what memkit makes is the user's alone
    _open_streams()
    try:
        status = int(_dispatch(list(arguments)))
        sys.stdout.flush()  # here, where a reader that went away is no error
        return status
    except MemkitError as error:
        print(f"memkit: {plain(str(error))}", file=sys.stderr)
        return int(error.code)
    except KeyboardInterrupt:
        print("memkit: interrupted; what was done is kept, the next run goes on", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        _drop_output()  # the reader went away (`memkit history | head`)
        return int(ExitCode.OK)
    except OSError as error:
        _drop_output()
        print(f"memkit: {plain(_refused(error))}", file=sys.stderr)
        return int(ExitCode.CONFIG)
    except MemoryError:
        print("memkit: memory ran out (free some, or raise its limit; nothing is lost)", file=sys.stderr)
        return int(ExitCode.CONFIG)
    except Exception as error:
        from memkit.commands import log

        print(f"memkit: {log.bug(error, arguments)}", file=sys.stderr)
        return int(ExitCode.BUG)


def _open_streams() -> None:
    """Closed standard streams lead nowhere; else a file of the home would get such a number, and what is printed."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115


def _drop_output() -> None:
    """What can't be written is let go, so that Python does not complain about it once more at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error} (see that it is readable and writable, and that the disk has room)"


def _dispatch(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        print(f"memkit {__version__}")
        return ExitCode.OK
    if (called := _context_call(arguments)) is not None:
        from memkit.commands import told

        home = Path(called["--home"]) if "--home" in called else None
        form, directory = called.get("--format", "text"), called.get("--cwd")
        sys.stdout.write(told.answer(home=home, directory=directory, form=form, whole="--all" in called))
        return ExitCode.OK
    if "--staged" in arguments and (home := _staged_call(arguments)) is not None:
        from memkit.commands import staged

        return staged.answer(home=home)
    from memkit.commands import app

    return app.call(arguments)


def _staged_call(arguments: Sequence[str]) -> Path | None:
    """The home of the Git hook's call; None for anything else, which the framework then reads."""
    return Path(arguments[1]) if [*arguments[:1], *arguments[2:]] == ["--home", "lint", "--staged"] else None


def _context_call(arguments: Sequence[str]) -> dict[str, str] | None:
    """The options of a plain `context` call; None for anything else, which the framework then reads."""
    if arguments.count("context") != 1:
        return None
    values: dict[str, str] = {}
    rest = [a for a in arguments if a != "context"]
    while rest:
        word, _, value = rest.pop(0).partition("=")
        if word == "--all" and not value:
            values[word] = word
        elif word in ("--home", "--cwd", "--format") and (value or (rest and not rest[0].startswith("-"))):
            values[word] = value or rest.pop(0)
        else:
            return None
    return values if values.get("--format", "text") in ("text", "hook") else None
