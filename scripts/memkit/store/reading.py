"""What the read path asks of the store: plain values, in as few rows as there are answers."""

from __future__ import annotations

from memkit.store.database import Database


class Reading(Database):
    """The methods of the store that a new session's context needs."""

    def places(self) -> list[tuple[str, str]]:
        """Where sessions ran: each (directory, remote) once, sorted; either may be "", not known."""
        return sorted((cwd, remote) for cwd, remote in self._rows("SELECT DISTINCT cwd, remote FROM sessions"))

    def remotes(self) -> dict[str, str]:
        """The remote by session id, of the sessions whose remote is known."""
        return dict(self._rows("SELECT id, remote FROM sessions WHERE remote <> ''"))

    def tokens_of(self, line_hash: str) -> int | None:
        """The token count of a line of the last publish, by its content hash; None for one that it did not see."""
        found = self._rows("SELECT tokens FROM line_tokens WHERE hash = ?", (line_hash,))
        return found[0][0] if found else None

    def line_tokens(self) -> dict[str, int]:
        """The token counts of the lines of the last publish, by content hash of the line."""
        return dict(self._rows("SELECT hash, tokens FROM line_tokens"))
