# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint unit clean

demo: $(VENV)/.runtime
	$(BIN)/sparsam demo --folder demo --no-open

test: lint unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Two processes of one thread each: threads that wait for one another on busy cores take minutes.
unit: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "sparsam needs Python 3.11 or newer; set PYTHON=/path/to/it"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml
	$(PIP) install --editable . --constraint constraints.txt
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install --editable '.[dev]' --constraint constraints.txt
	@touch $@ $(VENV)/.runtime

clean:
	rm -rf $(VENV) demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
