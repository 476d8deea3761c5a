"""The whole store: every method in one class."""

from __future__ import annotations

from memkit.store.answers import Answers
from memkit.store.jobs import Jobs
from memkit.store.purging import Purging
from memkit.store.reading import Reading
from memkit.store.records import Records
from memkit.store.runs import Runs
from memkit.store.statements import Statements


class Store(Jobs, Records, Statements, Runs, Answers, Purging, Reading):
    """The open store: `with Store.open(home / "state.sqlite") as store:`. Each method is one transaction.

    Any method raises StorageError when SQLite refuses (locked for ten seconds, a full disk, damage, opened to read);
    nothing of that call is then written.
    """
