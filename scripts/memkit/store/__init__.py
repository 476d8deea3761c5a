"""What memkit remembers between runs, in one SQLite file: the ledger, jobs, records, statements, runs.

Every string that comes in must have been masked by the caller. All of sqlite3 stays inside this package.
"""

from __future__ import annotations

from memkit.store.connect import held
from memkit.store.jobs import LEASE_SECONDS, RETRY_SECONDS, TRIES, Jobs
from memkit.store.ledger import Judgement
from memkit.store.purging import Purging
from memkit.store.records import Records
from memkit.store.runs import LastRun, Runs, Stage
from memkit.store.statements import Statements

__all__ = ["LEASE_SECONDS", "RETRY_SECONDS", "TRIES", "Judgement", "LastRun", "Stage", "Store", "held"]


class Store(Jobs, Records, Statements, Runs, Purging):
    """The open store: `with Store.open(home / "state.sqlite") as store:`. Each method is one transaction.

    Any method raises StorageError when SQLite refuses (locked for ten seconds, a full disk, damage, opened to read);
    nothing of that call is then written.
    """
