"""A memory tree on disk: its layout and names, sync of inputs, documents, reading. Never follows a symbolic link."""

from __future__ import annotations

from memkit.tree.naming import RAW, RECORDS, SUMMARY, TREES, file_name, raw_text, record_files, record_names, slug_of
from memkit.tree.reading import TreeFiles, read_tree
from memkit.tree.writing import SyncResult, create_file, remove_files, sync, write_documents, write_file

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
