"""A memory tree on disk: its layout and names, sync of inputs, documents, reading. Never follows a symbolic link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.tree.layout import RAW, RECORDS, SUMMARY, TREES
    from memkit.tree.naming import file_name, raw_text, record_files, record_names, slug_of
    from memkit.tree.reading import TreeFiles, read_tree
    from memkit.tree.writing import SyncResult, create_file, remove_files, sync, write_documents, write_file
else:
    __getattr__ = lazily(
        globals(),
        layout="RAW RECORDS SUMMARY TREES",
        naming="file_name raw_text record_files record_names slug_of",
        reading="TreeFiles read_tree",
        writing="SyncResult create_file remove_files sync write_documents write_file",
    )

__all__ = [
    "RAW",
    "RECORDS",
    "SUMMARY",
    "TREES",
    "SyncResult",
    "TreeFiles",
    "create_file",
    "file_name",
    "raw_text",
    "read_tree",
    "record_files",
    "record_names",
    "remove_files",
    "slug_of",
    "sync",
    "write_documents",
    "write_file",
]
