# Everything runs in .venv, which `make setup` makes from pyproject.toml and constraints.txt.
# To use a certain Python: make setup PYTHON=/path/to/python

SHELL := /bin/sh
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.installed
CHECKED := $(PY) -m pytest -m kernel -p no:cacheprovider

# The first that runs, is new enough and can make a virtual environment.
PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13; do \
	"$$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$python" && break; \
	done)

# A caller's settings must not leak into the environment that is made here.
unexport PYTHONPATH PYTHONHOME

.PHONY: help setup demo test lint bench constraints
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1@\2/p' Makefile | awk -F@ '{ printf "%-20s %s\n", $$1, $$2 }'

setup: $(READY) ## make .venv with everything in it (nothing to do if it is up to date)

demo: $(READY) ## train an agent for about three minutes, then play it against the baselines
	$(VENV)/bin/tritarea demo

test: $(READY) ## all tests, then the kernel tests with bounds checks and without the compiler
	OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal
	@logs=$$(mktemp -d) && agents= && rest= && plain= && \
	trap 'kill $$agents $$rest $$plain 2>/dev/null; rm -rf "$$logs"' EXIT && trap 'exit 130' INT TERM && \
	{ NUMBA_BOUNDSCHECK=1 $(CHECKED) tests/agents >"$$logs/agents" 2>&1 & agents=$$!; } && \
	{ NUMBA_BOUNDSCHECK=1 $(CHECKED) --ignore tests/agents >"$$logs/rest" 2>&1 & rest=$$!; } && \
	{ NUMBA_DISABLE_JIT=1 $(CHECKED) >"$$logs/plain" 2>&1 & plain=$$!; } && \
	status=0 && \
	{ wait $$agents || status=1; echo "Kernel tests of agents, NUMBA_BOUNDSCHECK=1:"; cat "$$logs/agents"; } && \
	{ wait $$rest || status=1; echo "Other kernel tests, NUMBA_BOUNDSCHECK=1:"; cat "$$logs/rest"; } && \
	{ wait $$plain || status=1; echo "Kernel tests, NUMBA_DISABLE_JIT=1:"; cat "$$logs/plain"; } && \
	exit $$status

lint: $(READY) ## style, types and the direction of imports
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	@# Trailing blanks and conflict markers in any tracked file: the difference to the empty tree.
	git diff --check "$$(git hash-object -t tree /dev/null)"

bench: $(READY) ## measure the speed of both games (two to three minutes)
	$(VENV)/bin/tritarea bench

# .installing lies in .venv for as long as packages are being installed: where it is found, a set-up was
# interrupted and the folder may hold half a package, so it is made anew. It becomes the stamp by a rename, with
# the time of the start: an edit of pyproject.toml while packages install is seen by the next call.
$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed: make setup PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Setting up $(VENV) (a few minutes the first time)"
	@if [ -e $(VENV)/.installing ] || [ ! -x $(PY) ]; then "$(PYTHON)" -m venv --clear --without-pip $(VENV); fi
	@touch $(VENV)/.installing
	$(PY) -m ensurepip >/dev/null
	$(PY) -m pip install --quiet --no-input -c constraints.txt pip hatchling editables
	$(PY) -m pip install --quiet --no-input -c constraints.txt --no-build-isolation -e '.[dev]'
	@mv $(VENV)/.installing $@

# The newest releases that pyproject.toml allows. torch stays as pinned: raise it by hand.
constraints: ## renew constraints.txt from a fresh virtual environment
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed: make constraints PYTHON=/path/to/python" >&2; exit 1; }
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && trap 'exit 130' INT TERM && \
	grep '^torch==' constraints.txt >"$$fresh/torch" && grep '^#' constraints.txt >"$$fresh/new" && \
	"$(PYTHON)" -m venv "$$fresh/venv" && pip="$$fresh/venv/bin/python -m pip" && \
	$$pip install --quiet --no-input --upgrade pip && \
	$$pip install --quiet --no-input -c "$$fresh/torch" hatchling editables '.[dev]' && \
	$$pip freeze --all --exclude tritarea >"$$fresh/frozen" && \
	sed 's/+[a-z0-9.]*$$//' "$$fresh/frozen" >>"$$fresh/new" && cp "$$fresh/new" constraints.txt
