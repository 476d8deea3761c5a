"""Switch: the user's switches of one session, and what of it stays or goes with them."""

from __future__ import annotations

from dataclasses import dataclass

from memkit.errors import UsageError
from memkit.model import Reason
from memkit.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Switched:
    """The session's id in full, and its switches now."""

    id: str
    generate: bool
    use: bool
    removed: bool = False
    read_again: bool = False


def switch(*, store: Store, session: str, generate: bool | None, use: bool | None) -> Switched:
    """Sets switches (None leaves one). session: an id, or the beginning of one; UsageError when it names none or many.

    Without generate the session's records go and it is read no more; with it again it is read from its beginning.
    Without use its record stays, and no memory is made from it.
    """
    found = named(store, session)
    before = store.entry(found)
    if before is None:
        raise LookupError(found)
    store.switch(found, generate=generate, use=use)
    off = generate is False and before.reason is not Reason.FORGOTTEN
    again = bool(generate) and before.reason is Reason.SWITCHED_OFF
    if off:
        store.forget(found, reason=Reason.SWITCHED_OFF)
    if again:
        store.start_over(found)
    return Switched(
        id=found,
        generate=before.generate if generate is None else generate,
        use=before.use if use is None else use,
        removed=off,
        read_again=again,
    )


def named(store: Store, session: str) -> str:
    """The one session whose id begins so. Raises UsageError."""
    ids = [entry.session.id for entry in store.entries() if entry.session.id.startswith(session)]
    if session in ids:
        return session
    if len(ids) == 1 and session:
        return ids[0]
    what = f"{len(ids)} sessions begin with {session}" if ids and session else f"there is no session {session}"
    raise UsageError(what, mend="memkit sessions")
