# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test check sql-lint soak bench bench-nation

demo: $(VENV)/.installed
	$(BIN)/safetab-sql example --out demo --overwrite

test: $(VENV)/.installed
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow"

check: $(VENV)/.installed
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(MAKE) --no-print-directory sql-lint

sql-lint: $(VENV)/.installed
	$(BIN)/python -m tests.sql_lint

soak: $(VENV)/.installed
	SOAK=20 $(BIN)/pytest -n 2 --dist loadgroup -m "slow or not slow"

bench: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks.draws
	$(BIN)/python -m tests.benchmarks.nation --scale 0.01
	$(BIN)/python -m tests.benchmarks.bottom_up
	$(BIN)/python -m tests.benchmarks.synthesize

bench-nation: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks.nation --scale 1

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@
