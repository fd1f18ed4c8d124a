# Everything a newcomer needs. A fresh machine needs Python 3.11 or later and make; the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest
WORKERS ?= auto
CASES_CHECK := 500
CASES_TEST := 3000
COVERED := tests/rewrite tests/semantics tests/dbsp tests/cli/test_simulate.py src/tidelog/rewrite src/tidelog/semantics src/tidelog/dbsp

.DEFAULT_GOAL := help
.PHONY: help install lint types imports check chromium test coverage soak bench bench-others demo docs-diagnostics format clean

help: ## list the targets
	@echo "Tidelog: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tidelog needs Python 3.11 or later, this is " + sys.version.split()[0] \
		+ "; say make PYTHON=python3.12 or so") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

install: $(READY) ## make .venv with Tidelog and all it needs (the other targets do it by themselves)

lint: $(READY) ## ruff: lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict, on src
	$(BIN)/mypy

imports: $(READY) ## the direction of imports
	$(BIN)/lint-imports

check: lint types imports ## what to run before a commit: lint, types, imports, tests with 500 cases of the law
	TIDELOG_CASES=$(CASES_CHECK) $(PYTEST) -n $(WORKERS) --dist worksteal -m "not long"

# The page of `tidelog simulate` is tested in a browser: installed where that is possible, else that test says it is skipped.
chromium:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v chromedriver >/dev/null; then \
		(apt-get install -qq -y --no-install-recommends chromium chromium-driver \
			|| (apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium chromium-driver)) \
			>/dev/null 2>&1 || echo "chromium could not be installed; the browser test will be skipped"; \
	fi

test: lint types imports chromium ## everything: check, 3,000 cases of the law, long tests, coverage
	TIDELOG_CASES=$(CASES_TEST) $(PYTEST) -n $(WORKERS) --dist worksteal $(addprefix --ignore=,$(COVERED))
	@$(MAKE) --no-print-directory coverage

coverage: $(READY) ## rewrite, semantics and dbsp are covered to 100 %
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal $(COVERED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

soak: $(READY) ## random cases of the law, for ever or for MINUTES=n
	$(BIN)/python -m tests.law.soak $(if $(MINUTES),--minutes $(MINUTES))

bench: $(READY) ## the engine beside DuckDB and clingo; DATA=lubm1.tsv.gz adds LUBM-1, ARGS=... is handed on
	$(BIN)/python -m benchmarks.run --aggregates $(if $(DATA),--data $(DATA)) $(ARGS)

bench-others: $(READY) ## the language, state folders, and the circuits (DATA=lubm1.tsv.gz) beside the engine
	$(BIN)/python -m benchmarks.language --write
	$(BIN)/python -m benchmarks.durability
	$(BIN)/python benchmarks/circuits.py --write $(if $(DATA),--lubm $(DATA))

demo: $(READY) ## a real question, answered while facts and rules change
	$(BIN)/python examples/demo.py

docs-diagnostics: $(READY) ## write docs/reference/diagnostics.md from the catalogues
	$(BIN)/python -m tidelog.cli.diagnostics_page > docs/reference/diagnostics.md

format: $(READY) ## let ruff rewrite the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove .venv and all that was made
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
