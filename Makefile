# Everything a newcomer needs. A fresh machine needs Python 3.11 or later, Java 17 or later and make; the rest is
# installed into .venv. Optional system tools are installed by scripts/tools, which says what it does.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= auto
PYTEST := $(BIN)/python -m pytest
SLOWEST := --durations=20 --durations-min=1
SHARED_OUT := --dist worksteal $(SLOWEST)
PARALLEL := $(PYTEST) -n $(WORKERS) $(SHARED_OUT)
# Two processes, each with one Spark session for all its tests.
ON_SPARK := $(PYTEST) -n 2 $(SHARED_OUT)
# Tests on Spark mostly wait, so they run beside the others: one rule for each part, whose output is printed when it ends.
# All of them are run, whichever fails, and scripts/part prints the result of each at the end.
PART = scripts/part $@ env
BESIDE := rm -rf build/parts; $(MAKE) --no-print-directory --keep-going --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# Random cases of the central law, of each kind; the laws of single features take a share of them (tests/law/share.py), and the suites
# that are run again with partitions and threads try fewer. `make soak` never stops. How the time of `make test` is
# divided: docs/reference/testing.md.
CASES_CHECK := 20
CASES_TEST := 40
CASES_AGAIN := 10
CASES_ALL := 100
ENGINE_SUITE := tests/engine tests/law tests/why tests/docs/test_sessions.py tests/explain tests/partition/test_keys.py
# Files with tests that need Spark: to collect all others takes as long as to start a session.
SPARK_FILES := tests/spark $(shell grep -rl --include='test_*.py' --exclude-dir=spark 'mark\.spark' tests)
SPARK_SUITE := tests/engine/test_epoch.py tests/engine/test_view.py tests/law/test_named_cases.py tests/partition/test_keys.py
CONNECT_SUITE := tests/spark/test_arrivals.py tests/spark/test_streams.py tests/spark/test_verify.py tests/spark/test_asking.py \
	tests/spark/test_engine_law.py tests/spark/test_engine_readers.py
COVERED := tests/rewrite tests/lab/semantics tests/lab/dbsp tests/lab/test_simulate.py tests/docs/test_sessions.py src/tidelog/rewrite src/tidelog/lab/semantics src/tidelog/lab/dbsp

# Compiled modules are kept, whatever the machine says: tests start Tidelog and Python some hundred times.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install lint check test test-embedded test-partitions test-threads test-spark test-all test-all-embedded test-all-spark demo demo-live \
	chaos soak mutants bench docs site dist pictures format clean

help: ## list the targets
	@echo "Tidelog: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tidelog needs Python 3.11 or later, this is " + sys.version.split()[0] \
		+ "; say make PYTHON=python3.12 or so") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,bench,compile,connect,docs,editor,mcp,notebook,postgres,rdf,says,serve,spark]'
	$(BIN)/python -m tidelog.kernel
	@touch $@

install: $(READY) ## create .venv with Tidelog and its dependencies, and compile the kernel (other targets do this when needed)
	@$(BIN)/python -m tidelog.kernel

# The programs of `rejected` are mistakes, which their diagnostics show as they are written.
LAID_OUT := $(filter-out programs/rejected,$(wildcard programs/*)) examples

lint: $(READY) ## ruff, the layout of all programs, strict types, the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/tidelog format --check $(LAID_OUT)
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint ## run before a commit, under four minutes: lint, and tests that need no system tools and no Spark
	TIDELOG_CASES=$(CASES_CHECK) $(PARALLEL) -m "not slow and not long and not spark"

test: lint ## run in CI, about 10 minutes: every law, also on partitions, with threads and on Spark
	@scripts/tools java postgresql chromium neovim
	@echo "Tests on Spark run beside the others; the output of each part follows when it ends."
	+@$(BESIDE) test-spark test-embedded test-partitions test-threads; status=$$?; scripts/part && exit $$status

test-embedded: $(READY)
	$(PART) TIDELOG_CASES=$(CASES_TEST) $(PARALLEL) -m "not long and not spark"

test-partitions: $(READY)
	$(PART) TIDELOG_TEST_PARTITIONS=2 TIDELOG_CASES=$(CASES_AGAIN) $(PARALLEL) -m "not long and not spark" $(ENGINE_SUITE)

test-threads: $(READY)
	$(PART) TIDELOG_TEST_THREADS=3 TIDELOG_CASES=$(CASES_AGAIN) $(PARALLEL) -m "not long and not spark" tests/law

test-spark: $(READY)
	$(PART) $(ON_SPARK) -m "spark and not long" $(SPARK_FILES)

test-all: lint ## run before an issue is closed, about an hour: long tests, coverage, proofs, all suites on Spark
	@scripts/tools java postgresql chromium neovim coq
	@echo "Tests on Spark run beside the others; the output of each part follows when it ends."
	+@$(BESIDE) test-all-spark test-all-embedded

test-all-embedded: $(READY)
	TIDELOG_CASES=$(CASES_ALL) $(PARALLEL) -m "not spark" $(addprefix --ignore=,$(COVERED))
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal -m "not spark" $(COVERED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	TIDELOG_TEST_PARTITIONS=2 TIDELOG_CASES=$(CASES_TEST) $(PARALLEL) -m "not spark and not long" $(ENGINE_SUITE)
	TIDELOG_TEST_THREADS=3 TIDELOG_CASES=$(CASES_TEST) $(PARALLEL) -m "not spark and not long" tests/law tests/engine

test-all-spark: $(READY)
	TIDELOG_SPARK_CASES=20 $(ON_SPARK) -m spark $(SPARK_FILES)
	TIDELOG_TEST_CONNECT=1 $(PYTEST) $(SLOWEST) -m "spark and not long" $(CONNECT_SUITE)
	TIDELOG_TEST_RUNTIME=spark $(PYTEST) $(SLOWEST) -m "not spark and not long" $(SPARK_SUITE) tests/why \
		tests/docs/test_sessions.py tests/law/test_rollback.py

chaos: $(READY) ## kill, pause and starve engines at random and compare them with a twin, for MINUTES=n (10)
	$(BIN)/python -m tests.chaos $(if $(MINUTES),--minutes $(MINUTES))

soak: $(READY) ## test the law on random cases, until interrupted or for MINUTES=n
	$(BIN)/python -m tests.law.soak $(if $(MINUTES),--minutes $(MINUTES))

mutants: $(READY) ## insert mistakes into a copy of the code and report which ones the tests detect (5 minutes)
	$(BIN)/python -m tests.mutants $(ARGS)

bench: $(READY) ## run benchmarks and store the results in benchmarks/results: GROUPS="engine paths ..." (engine), ARGS=...
	$(BIN)/python -m benchmarks $(or $(GROUPS),engine) --write $(ARGS)

demo: $(READY) ## a view on Spark while facts and rules change (TIDELOG_RUNTIME=embedded: without Spark)
	@scripts/tools java
	TIDELOG_RUNTIME=$${TIDELOG_RUNTIME:-spark} $(BIN)/python examples/demo.py

demo-live: $(READY) ## follow and serve a PostgreSQL database while it changes, until interrupted or for SECONDS=n
	@scripts/tools postgresql
	SECONDS=$(or $(SECONDS),1e6) $(BIN)/python examples/live.py

docs: $(READY) ## generate pages (diagnostics, command-line options, values), editor grammar, TypeScript client
	$(BIN)/python -m tidelog.cli.diagnostics_page > docs/reference/diagnostics.md
	$(BIN)/python -m tidelog.cli.help_page docs/reference/command-line-*.md
	$(BIN)/python -m tidelog.cli.values_page docs/reference/values.md
	$(BIN)/python -m tidelog.highlight.grammar editors/vscode/syntaxes/tidelog.tmLanguage.json
	$(BIN)/python scripts/typescript_client.py

site: $(READY) ## build the documentation site in build/site/html; broken links and warnings are errors
	$(BIN)/python docs/site/stage.py build/site
	cd build/site && NO_MKDOCS_2_WARNING=1 $(abspath $(BIN))/python -m mkdocs --quiet build --strict

dist: $(READY) ## build sdist and wheel (with its kernel, for this platform) in dist/, check and try them without compiler and Java
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	TIDELOG_DIST=dist $(PYTEST) tests/test_dist.py

pictures: $(READY) ## recreate the pictures of the console in docs/images
	@scripts/tools chromium
	TIDELOG_PICTURES=docs/images $(PYTEST) tests/serve/test_console_pictures.py

format: $(READY) ## format the sources with ruff and the programs with `tidelog format`
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/tidelog format $(LAID_OUT)

clean: ## remove .venv and everything that was built
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	rm -rf proofs/build editors/vscode/node_modules editors/vscode/dist spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
