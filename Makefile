# The kit's targets. Works with GNU make 3.81 (macOS) on; the checkout's path may have spaces.
SHELL = /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
.PHONY: help setup memories extract consolidate summary lint-memory status test test-llm interop zsh lint bench profile clean

# The first Python that is new enough: macOS's own python3 is 3.9. `make PYTHON=… setup` takes another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; exit; }; done; echo python3)
ROLLOUTS ?=
ARGS ?=
export ROLLOUTS

VENV := .venv/bin/python
PIP := $(VENV) -m pip --disable-pip-version-check -q install --only-binary hyperscan,bpe-openai
SAMPLES := tests/data/samples
SAMPLE_HOME := .cache/sample-home
# The clock stands still for the samples (2026-11-25T12:00Z, after the newest): they do not age out of the memory.
ON_SAMPLE := MEMKIT_NOW=1795608000 .venv/bin/memkit --home $(SAMPLE_HOME)

# Stamps of a venv whose Python went, or of a checkout that was moved, count no more.
STALE := $(shell [ -x $(VENV) ] && [ "$$(cat .venv/.installed 2>/dev/null)" = "$$(pwd)" ] \
	|| rm -f .venv/.installed .venv/.installed-dev)

# A venv that is broken, or was left half made, is made anew; stamps inside it come last and go with it.
define venv
if ! $(VENV) -m pip --version >/dev/null 2>&1; then \
	"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo 'memkit needs Python 3.11 or newer: install it, or name it: make PYTHON=/path/to/python3' >&2; exit 1; }; \
	"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo 'This Python has no venv: on Debian and Ubuntu, apt-get install python3-venv' >&2; exit 1; }; \
	rm -rf .venv && "$(PYTHON)" -m venv .venv || { rm -rf .venv; exit 1; }; \
fi
endef

# $(call configured,home): a path as memkit itself sees it; fails where its configuration is wrong, which memkit then says.
configured = $(VENV) -c 'import os; from memkit.config import load; print(load(env=os.environ).$(1))' 2>/dev/null

define has_sessions
! codex=$$($(call configured,codex_home)) || find "$$codex/sessions" -name 'rollout-*.jsonl*' 2>/dev/null | head -n 1 | grep -q .
endef

# A command on the files that were named, or on Codex's sessions, or, where there are none, on the bundled samples.
define on_sessions
if [ -n "$$ROLLOUTS" ]; then .venv/bin/memkit $(1) $(ARGS) "$$ROLLOUTS"; \
elif $(has_sessions); then .venv/bin/memkit $(1) $(ARGS); \
else \
	echo "memkit: no session logs in $$codex/sessions; reading the bundled samples into $(SAMPLE_HOME) instead"; \
	mkdir -p .cache && $(ON_SAMPLE) $(1) $(ARGS) $(SAMPLES); \
fi
endef

# A command on the sample's memory as long as there is no other.
define on_home
if [ -d $(SAMPLE_HOME) ] && home=$$($(call configured,home)) && [ ! -d "$$home" ]; then \
	echo "memkit: no memory of your own yet, this is the sample's ($(SAMPLE_HOME))" >&2; \
	$(ON_SAMPLE) $(1); \
else .venv/bin/memkit $(1); fi
endef

help:
	@echo 'make setup         install memkit into .venv (the others do it when needed)'
	@echo 'make memories      read new sessions into the memory and show it; ROLLOUTS=dir reads exported files'
	@echo 'make extract       stage 1 only: new sessions to records; ARGS=… is handed on, here and below'
	@echo 'make consolidate   stage 2 only: records to the committed memory'
	@echo 'make summary       show memory_summary.md and its budget'
	@echo 'make lint-memory   check the memory against its rules; exit status 1 when something is found'
	@echo 'make status        what was read, what waits, what failed and why'
	@echo 'make test          run the tests (ARGS=tests/test_x.py for some)'
	@echo 'make test-llm      the model engine against a real server (compiler, network; 6 minutes, at first 20)'
	@echo 'make interop       memkit in the real Codex, which it installs from npm once (430 MB for each of two versions)'
	@echo 'make zsh           zsh from Debian, for the tests of its hook'
	@echo 'make lint          ruff, mypy, and whether AGENTS.md is as the rules say'
	@echo 'make bench         speed, memory and bytes sent, on a corpus that it makes (20 minutes, 1.5 GB of disk)'
	@echo 'make profile       where the time of memkit extract goes, on a part of that corpus'
	@echo 'make clean         remove .venv, caches and the sample memory; never ~/.memkit'

setup: .venv/.installed
	@echo 'memkit is installed: .venv/bin/memkit --help'

# One call where every wheel exists; else the core, then each extra by itself.
.venv/.installed: pyproject.toml
	@$(venv)
	@echo 'memkit: installing into .venv' >&2
	@$(PIP) -e '.[fast,tokens,mcp]' 2>/dev/null || { \
		$(PIP) -e . || exit 1; \
		for extra in fast tokens mcp; do \
			$(PIP) -e ".[$$extra]" 2>/dev/null \
				|| echo "memkit: the extra '$$extra' can't be installed on this machine, going on without" >&2; \
		done; }
	@pwd >$@

.venv/.installed-dev: pyproject.toml .venv/.installed
	@echo 'memkit: installing the tools for tests and lint' >&2
	@$(PIP) -e '.[dev]'
	@touch $@

memories: .venv/.installed
	@$(call on_sessions,run)

extract: .venv/.installed
	@$(call on_sessions,extract)

consolidate: .venv/.installed
	@$(call on_home,consolidate $(ARGS))

summary: .venv/.installed
	@$(call on_home,summary $(ARGS))

lint-memory: .venv/.installed
	@$(call on_home,lint $(ARGS))

status: .venv/.installed
	@$(call on_home,status $(ARGS))

# Two workers are quickest on two cores; a few files are quicker without any.
test: .venv/.installed-dev
	@$(VENV) -m pytest $(if $(ARGS),$(ARGS),-q -n auto --dist worksteal)

# Says why where the server can't be built. Its tests are no part of `make test`.
test-llm: .venv/.installed-dev
	@$(VENV) scripts/llm/prepare.py .cache/llm $(if $(ARGS),$(ARGS),-q tests/llm)

# Says why where npm or its registry is missing. Its tests are no part of `make test`.
interop: .venv/.installed-dev
	@$(VENV) scripts/interop/prepare.py .cache/interop $(if $(ARGS),$(ARGS),-q -n auto --dist worksteal tests/interop)

zsh:
	@command -v zsh >/dev/null || { apt-get -q update && apt-get -q -y install zsh; } >/dev/null 2>&1 \
		|| echo "memkit: there is no zsh, and apt-get can't install it: tests that need it are skipped" >&2

lint: .venv/.installed-dev
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@$(VENV) -m mypy
	@.venv/bin/memkit agents check

# Byte code is written: without it a start-up is mostly compiling.
bench: .venv/.installed-dev
	@$(PIP) -e '.[bench]'
	@env -u PYTHONDONTWRITEBYTECODE $(VENV) -m tests.bench.bench $(ARGS)

profile: .venv/.installed-dev
	@env -u PYTHONDONTWRITEBYTECODE $(VENV) -m tests.bench.profile $(ARGS)

clean:
	rm -rf .venv .cache build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +
