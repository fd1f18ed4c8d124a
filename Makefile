# Everything a newcomer needs. A fresh machine needs Python 3.11 or later, Java 17 or later and make; the rest is
# installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest
WORKERS ?= auto
# Random cases of the central law; the laws of single features take a share of them (tests/law/share.py), and
# partitions and threads try fewer again. `make soak` goes on for ever.
CASES_CHECK := 100
CASES_TEST := 100
CASES_AGAIN := 40
ENGINE_SUITE := tests/engine tests/law tests/why tests/docs/test_sessions.py tests/explain tests/partition/test_keys.py
SPARK_SUITE := tests/engine/test_epoch.py tests/engine/test_view.py tests/law/test_named_cases.py tests/partition/test_keys.py
COVERED := tests/rewrite tests/semantics tests/dbsp tests/cli/test_simulate.py tests/docs/test_sessions.py src/tidelog/rewrite src/tidelog/semantics src/tidelog/dbsp

.DEFAULT_GOAL := help
.PHONY: help install lint types imports check chromium neovim coq java postgresql test test-partitions test-threads test-spark test-spark-long coverage chaos soak bench bench-others bench-paths bench-spark bench-beside demo demo-live \
	docs site dist pictures format clean

help: ## list the targets
	@echo "Tidelog: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tidelog needs Python 3.11 or later, this is " + sys.version.split()[0] \
		+ "; say make PYTHON=python3.12 or so") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,bench,docs,editor,notebook,postgres,serve,spark]'
	$(BIN)/python -m tidelog.kernel
	@touch $@

install: $(READY) ## make .venv with Tidelog and all it needs, kernel compiled (the other targets do it by themselves)
	@$(BIN)/python -m tidelog.kernel

# The programs of `rejected` are mistakes, which their diagnostics show as they are written.
LAID_OUT := $(filter-out programs/rejected,$(wildcard programs/*)) examples

lint: $(READY) ## ruff: lint and format; the layout of all programs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/tidelog format --check $(LAID_OUT)

types: $(READY) ## mypy, strict, on src
	$(BIN)/mypy

imports: $(READY) ## the direction of imports
	$(BIN)/lint-imports

check: lint types imports ## what to run before a commit: lint, types, imports, tests with 100 cases of the law
	TIDELOG_CASES=$(CASES_CHECK) $(PYTEST) -n $(WORKERS) --dist worksteal -m "not long and not spark"

# The page of `tidelog simulate` is tested in a browser: installed where that is possible, else that test says it is skipped.
chromium:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v chromedriver >/dev/null; then \
		(apt-get install -qq -y --no-install-recommends chromium chromium-driver \
			|| (apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium chromium-driver)) \
			>/dev/null 2>&1 || echo "chromium could not be installed; the browser test will be skipped"; \
	fi

# Databases are followed in a real PostgreSQL: installed where that is possible, else those tests say they are skipped.
postgresql:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! ls /usr/lib/postgresql/*/bin/postgres /usr/share/java/postgresql*.jar >/dev/null 2>&1; then \
		(apt-get install -qq -y --no-install-recommends postgresql libpostgresql-jdbc-java \
			|| (apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql libpostgresql-jdbc-java)) \
			>/dev/null 2>&1 || echo "PostgreSQL could not be installed; tests of databases will be skipped"; \
	fi

# The language server is tried in Neovim: installed where that is possible, else that test says it is skipped.
neovim:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v nvim >/dev/null; then \
		(apt-get install -qq -y --no-install-recommends neovim \
			|| (apt-get update -qq && apt-get install -qq -y --no-install-recommends neovim)) \
			>/dev/null 2>&1 || echo "Neovim could not be installed; its test will be skipped"; \
	fi

# The proofs are checked by Coq: installed where that is possible, else those tests say that they are skipped.
coq:
	@$(MAKE) --no-print-directory -C proofs install-coq

test: lint types imports chromium neovim coq java postgresql ## everything: 100 cases of the law, long tests, coverage, partitions, Spark
	TIDELOG_CASES=$(CASES_TEST) $(PYTEST) -n $(WORKERS) --dist worksteal -m "not spark" $(addprefix --ignore=,$(COVERED))
	@$(MAKE) --no-print-directory coverage test-partitions test-threads test-spark

test-partitions: $(READY) ## the suite of the engine again, with two partitions in one process
	TIDELOG_TEST_PARTITIONS=2 TIDELOG_CASES=$(CASES_AGAIN) $(PYTEST) -n $(WORKERS) --dist worksteal -m "not spark and not long" $(ENGINE_SUITE)

test-threads: $(READY) ## the law and the engine's tests again, with three threads that share out everything
	TIDELOG_TEST_THREADS=3 TIDELOG_CASES=$(CASES_AGAIN) $(PYTEST) -n $(WORKERS) --dist worksteal -m "not spark and not long" tests/law tests/engine

test-spark: $(READY) ## what needs Spark, and a part of the engine's suite on Spark: one session each, one process
	$(PYTEST) -m "spark and not long" tests
	TIDELOG_TEST_RUNTIME=spark $(PYTEST) -m "not spark and not long" $(SPARK_SUITE)

coverage: $(READY) ## rewrite, semantics and dbsp are covered to 99 %
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal -m "not spark" $(COVERED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

test-spark-long: $(READY) ## what takes its time on Spark: every moment of a loss, a stage on a cluster, peers, more of the suite
	$(PYTEST) -m "spark and long" tests
	TIDELOG_TEST_RUNTIME=spark $(PYTEST) -m "not spark and not long" $(SPARK_SUITE) tests/why tests/docs/test_sessions.py \
		tests/law/test_rollback.py

chaos: $(READY) ## random kills, pauses, full disks and lost connections against a twin, for MINUTES=n (10)
	$(BIN)/python -m tests.chaos $(if $(MINUTES),--minutes $(MINUTES))

soak: $(READY) ## random cases of the law, for ever or for MINUTES=n
	$(BIN)/python -m tests.law.soak $(if $(MINUTES),--minutes $(MINUTES))

# `python -m benchmarks` with a group and --write: results as JSON and pages made of them are kept in benchmarks/results.
BENCH := $(BIN)/python -m benchmarks
BENCH_DATA = $(if $(DATA),--data $(DATA)) $(ARGS)

bench: $(READY) ## the engine beside DuckDB and clingo; DATA=lubm1.tsv.gz adds LUBM-1, ARGS=... is handed on
	$(BENCH) engine --write $(BENCH_DATA)

bench-spark: $(READY) ## partitions on Spark beside hand-written Spark
	$(BENCH) spark --write $(ARGS)

bench-paths: $(READY) ## paths beside DuckDB, certificates beside builds; GMARK=folder adds the gMark queries
	$(BENCH) paths certificate $(if $(GMARK),gmark --gmark $(GMARK)) --write $(BENCH_DATA)

bench-others: $(READY) ## the language, starting, loading, reading, state folders, and the circuits (DATA=lubm1.tsv.gz) beside the engine
	$(BENCH) language starting loading reading durability circuits --write $(BENCH_DATA)

bench-beside: $(READY) ## real programs beside DuckDB and clingo; DATA=lubm1.tsv.gz and FACTS=folder (Java) add theirs
	$(BENCH) beside $(if $(FACTS),--java $(FACTS)) --write $(BENCH_DATA)

# Spark needs Java: installed where that is possible, else the demo says what to do.
java:
	@if [ -z "$$JAVA_HOME" ] && ! command -v java >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		(apt-get install -qq -y --no-install-recommends default-jre-headless \
			|| (apt-get update -qq && apt-get install -qq -y --no-install-recommends default-jre-headless)) \
			>/dev/null 2>&1 || echo "Java could not be installed; TIDELOG_RUNTIME=embedded make demo needs none"; \
	fi

demo: $(READY) java ## a real question on Spark, answered while facts and rules change (TIDELOG_RUNTIME=embedded: without)
	TIDELOG_RUNTIME=$${TIDELOG_RUNTIME:-spark} $(BIN)/python examples/demo.py

demo-live: $(READY) postgresql ## a PostgreSQL database that is followed and served while it changes, for ever or for SECONDS=n
	SECONDS=$(or $(SECONDS),1e6) $(BIN)/python examples/live.py

docs: $(READY) ## write what is generated: diagnostics, options of commands, values, grammar of editors
	$(BIN)/python -m tidelog.cli.diagnostics_page > docs/reference/diagnostics.md
	$(BIN)/python -m tidelog.cli.help_page docs/reference/command-line.md
	$(BIN)/python -m tidelog.cli.values_page docs/reference/values.md
	$(BIN)/python -m tidelog.highlight.grammar editors/vscode/syntaxes/tidelog.tmLanguage.json

site: $(READY) ## the documentation as a site in build/site/html, strictly: no broken link, no warning
	$(BIN)/python docs/site/stage.py build/site
	cd build/site && NO_MKDOCS_2_WARNING=1 $(abspath $(BIN))/python -m mkdocs --quiet build --strict

dist: $(READY) ## sdist and wheel in dist/, checked, and tried in an empty environment without compiler and Java
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	TIDELOG_DIST=dist $(PYTEST) tests/test_dist.py

pictures: $(READY) chromium ## make the pictures of the console in docs/images anew
	TIDELOG_PICTURES=docs/images $(PYTEST) tests/serve/test_console_pictures.py

format: $(READY) ## let ruff rewrite the sources, and `tidelog format` the programs
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/tidelog format $(LAID_OUT)

clean: ## remove .venv and all that was made
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	rm -rf proofs/build editors/vscode/node_modules editors/vscode/dist spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
