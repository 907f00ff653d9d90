# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip --disable-pip-version-check --quiet install --prefer-binary
# Two processes of one thread each: threads that wait for one another on busy cores take minutes.
# What Python compiles is kept, whatever the environment says: tests start many processes.
TESTS := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
PARALLEL := -n 2
# What numba compiles does not run as Python, so that no line of it can be counted.
KERNELS = $(shell grep -rlE '^ *@compiled' src/sparsam | paste -sd,)

# Tests that have a target of their own.
FAULTS := tests/cli/test_faults.py tests/cli/test_container.py tests/test_document_bombs.py
APART := --ignore=tests/browser --ignore=tests/release $(FAULTS:%=--ignore=%) -m 'not site'

.PHONY: demo test lint kernels unit docs test-docs test-browser test-core test-oldest test-release
.PHONY: test-faults test-spark test-attached test-recipes api reproduce clean

demo: $(VENV)/.runtime
	$(BIN)/sparsam demo --folder demo --no-open

# On a fresh machine the kernels compile beside the linters, and not in both processes of tests.
test: $(VENV)/.dev
	$(MAKE) --jobs 2 lint kernels
	$(MAKE) unit

kernels: $(VENV)/.dev
	$(TESTS) $(BIN)/python tools/compile_kernels.py --all

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(VENV)/.dev
	$(TESTS) $(BIN)/python -m slipcover --source src/sparsam --omit $(KERNELS) \
		--json --out .coverage.json -m pytest $(PARALLEL) $(APART)
	@$(BIN)/python tools/coverage_summary.py .coverage.json

# Kills and full disks, a system that can only be read, documents made to fill a machine.
test-faults: $(VENV)/.dev
	$(TESTS) $(BIN)/python -m pytest $(PARALLEL) $(FAULTS)

# In a real browser: the system's Chromium, driven by Playwright; skipped with the reason without one.
test-browser: $(VENV)/.browser
	-tools/fetch_axe.sh
	$(TESTS) $(BIN)/python -m pytest tests/browser

# The site, from what lies here alone: nothing is fetched, and a warning is an error.
docs: $(VENV)/.docs
	$(TESTS) $(BIN)/python -m sphinx -q -W --keep-going -b html \
		-d docs/_build/doctrees docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

# Every block of code of it and every example; every page in a browser: links, other hosts, narrow
# screens, light and dark.
test-docs: docs $(VENV)/.browser
	-tools/fetch_axe.sh
	$(TESTS) $(BIN)/python -m pytest $(PARALLEL) -m site tests/docs tests/report/charts
	$(TESTS) $(BIN)/python -m pytest tests/browser/test_site.py

# Nothing but what sparsam always needs: what needs an extra is skipped, and says which one.
test-core: .venv-core/.ready
	$(TESTS) .venv-core/bin/python -m pytest $(PARALLEL) $(APART)

# The oldest versions that pyproject.toml claims to work with; the site is built with new ones alone.
test-oldest: .venv-oldest/.ready
	$(TESTS) .venv-oldest/bin/python -m pytest $(PARALLEL) $(APART) --ignore=tests/docs

# What every engine must do alike, on Spark too: one session on one core, in one process.
test-spark: .venv-spark/.ready
	$(TESTS) .venv-spark/bin/python -m pytest --ignore=tests/browser --ignore=tests/release \
		-m engines tests

# Tables of SQLite and PostgreSQL: on the newest DuckDB for which its extensions are packages, since
# nothing is fetched in a test. They are put where DuckDB looks, in a home of their own.
ATTACHED := .venv-attached
ATTACHED_DUCKDB := 1.5.5
test-attached: $(ATTACHED)/.ready
	HOME=$(CURDIR)/$(ATTACHED) $(TESTS) $(ATTACHED)/bin/python -m pytest tests/data/source/test_attached.py

# Wheel and source distribution, each installed into an empty environment; each extra by itself.
test-release: $(VENV)/.dev
	$(TESTS) $(BIN)/python -m pytest tests/release

# The recipes for other programs, each with the program in an environment of its own.
RECIPES := mlflow feast dbt airflow
RECIPE_OF_dbt := 'dbt-core<1.12' dbt-duckdb
RECIPE_OF_airflow := apache-airflow
test-recipes: $(RECIPES:%=.venv-recipe-%/.ready)
	for name in $(RECIPES); do \
		$(TESTS) .venv-recipe-$$name/bin/python -m pytest tests/docs -k 'followed and engineers' || exit 1; \
	done

# Every table and figure of the papers, beside peers in environments of their own (fetches packages).
# `make reproduce QUICK=1`: fewer rows and seeds, no peers. What is finished is not measured again.
reproduce: $(VENV)/.dev
	$(BIN)/python -m benchmarks run all $(if $(QUICK),--quick --jobs 2,--peers reproduced/peers)

# The page that lists every public name.
api: $(VENV)/.runtime
	$(BIN)/python tools/api_page.py > docs/api.md

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "sparsam needs Python 3.11 or newer; set PYTHON=/path/to/it"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml
	$(BIN)/python $(PIP) --editable . --constraint constraints.txt
	$(BIN)/python tools/compile_kernels.py
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python $(PIP) --editable '.[dev]' --constraint constraints.txt
	@touch $@ $(VENV)/.runtime

$(VENV)/.browser: $(VENV)/.dev
	$(BIN)/python $(PIP) --editable '.[browser]' --constraint constraints.txt
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	$(BIN)/python $(PIP) --editable '.[docs]' --constraint constraints.txt
	$(BIN)/python tools/compile_kernels.py --all
	@touch $@

.venv-recipe-%/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) $(or $(RECIPE_OF_$*),$*) --editable '.[frames,models,sql,test]' \
		--constraint constraints.txt
	@touch $@

.venv-core/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-core
	.venv-core/bin/python $(PIP) --editable '.[test]' --constraint constraints.txt
	@touch $@

.venv-spark/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-spark
	.venv-spark/bin/python $(PIP) 'pyspark[connect]>=4' --editable '.[frames,dp,test]' \
		--constraint constraints.txt
	@touch $@

$(ATTACHED)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(ATTACHED)
	$(ATTACHED)/bin/python $(PIP) --editable '.[frames,dp,postgres,test]' \
		--constraint constraints.txt
	$(ATTACHED)/bin/python $(PIP) duckdb==$(ATTACHED_DUCKDB) duckdb-extensions==$(ATTACHED_DUCKDB) \
		duckdb-extension-sqlite-scanner==$(ATTACHED_DUCKDB) \
		duckdb-extension-postgres-scanner==$(ATTACHED_DUCKDB)
	HOME=$(CURDIR)/$(ATTACHED) $(ATTACHED)/bin/python -c \
		'import duckdb_extensions as d; d.import_extension("sqlite_scanner"); d.import_extension("postgres_scanner")'
	@touch $@

.venv-oldest/.ready: pyproject.toml constraints.txt tools/lower_bounds.py
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python tools/lower_bounds.py > .venv-oldest/oldest.txt
	.venv-oldest/bin/python $(PIP) --editable '.[frames,excel,models,neural,dp,accounting,serve,postgres,sql,plot,test]' onnx \
		--constraint .venv-oldest/oldest.txt
	@touch $@

clean:
	rm -rf $(VENV) .venv-core .venv-oldest .venv-spark $(ATTACHED) .venv-recipe-* demo reproduced .coverage.json \
		docs/_build docs/api docs/commands docs/examples \
		.mypy_cache .pytest_cache .ruff_cache .hypothesis
