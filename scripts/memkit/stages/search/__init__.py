"""The dedicated tools over the committed tree (CODEX.md, "Reading"): list, read, search. Nothing is written."""

from memkit.stages.search.finding import Found, Match, Query, search
from memkit.stages.search.looking import Listed, Listing, Page, list_files, read

__all__ = ["Found", "Listed", "Listing", "Match", "Page", "Query", "list_files", "read", "search"]
