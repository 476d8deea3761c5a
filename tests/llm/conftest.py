"""These tests need a real model server: `make test-llm` builds one and names it; without it they are not collected."""

from __future__ import annotations

import os

collect_ignore_glob = [] if {"LLAMA_SERVER", "LLAMA_MODEL"} <= os.environ.keys() else ["test_*.py"]
