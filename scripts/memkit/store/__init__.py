"""What memkit remembers between runs, in one SQLite file: the ledger, jobs, records, statements, runs.

Every string that comes in must have been masked by the caller. All of sqlite3 stays inside this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.store.connect import held
    from memkit.store.jobs import LEASE_SECONDS, RETRY_SECONDS, TRIES
    from memkit.store.ledger import Judgement, Tally
    from memkit.store.reading import Reading
    from memkit.store.runs import LastRun, Stage
    from memkit.store.whole import Store
else:
    __getattr__ = lazily(
        globals(),
        connect="held",
        jobs="LEASE_SECONDS RETRY_SECONDS TRIES",
        ledger="Judgement Tally",
        reading="Reading",
        runs="LastRun Stage",
        whole="Store",
    )

DATABASE = "state.sqlite"  # its name in a home

__all__ = [
    "DATABASE",
    "LEASE_SECONDS",
    "RETRY_SECONDS",
    "TRIES",
    "Judgement",
    "LastRun",
    "Reading",
    "Stage",
    "Store",
    "Tally",
    "held",
]
