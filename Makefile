# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
EXTRAS = $(VENV)-extras

.PHONY: demo test test-examples test-oldest test-spark check sql-lint soak soak-part bench bench-nation bench-peers fuzz audit known-holes lock docs reproductions

demo: $(VENV)/.installed
	$(BIN)/safetab-sql example --out demo --overwrite

test: $(VENV)/.installed
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not slow and not spark"

check: $(VENV)/.installed
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(BIN)/lint-imports --no-cache && $(MAKE) --no-print-directory sql-lint

sql-lint: $(VENV)/.installed
	$(BIN)/python -m tests.sql_lint

# Two minutes of what `make test` leaves out, other tests each day: what CI has time for. A test that fails is run again
# by its name and `-m slow`, the whole part by its number: `make soak-part SOAK_PART=20414`.
SOAK_PART ?= $(shell expr $$(date +%s) / 86400)
soak-part: $(VENV)/.installed
	SOAK_PART=$(SOAK_PART) $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "slow and not long" -rs

# Everything, with twenty times as many examples, and other ones each time: for an evening.
soak: $(VENV)/.installed $(EXTRAS)/.installed
	PYTHONPATH=$(CURDIR)/$(EXTRAS) SOAK=20 $(BIN)/pytest -n 2 --dist loadfile -m "slow or not slow"

bench: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks.nation --scale 0.01
	$(BIN)/python -m tests.benchmarks.synthesize

bench-nation: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks.nation --scale 1

bench-peers: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks.peers

# The commands of the tutorial and the how-to pages, with fewer people than they print.
test-examples: $(VENV)/.installed
	$(BIN)/pytest tests/docs/test_examples.py -k few

# The oldest versions of what we depend on that pyproject.toml promises to work with.
test-oldest: $(VENV)-oldest/.installed
	$(VENV)-oldest/bin/pytest -n 2 -m "not slow" tests/public tests/settings tests/golden tests/published tests/kit \
	    tests/rules/test_sql_script.py

# The people of a run counted in the workers of a Spark on this machine, some of which are killed. Needs Java.
test-spark: $(VENV)/.installed $(EXTRAS)/.installed
	PYTHONPATH=$(CURDIR)/$(EXTRAS) $(BIN)/pytest -n 2 --dist loadfile -m "spark and not slow" tests/spark

# The static site of docs/, with what the program knows better written anew; a dead link or an unlisted page is an error.
docs: $(VENV)/.installed
	$(BIN)/python -m docs.generate
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html docs docs/_build

# Each printed figure of the papers beside ours: computes the pages of docs/reproductions and writes them.
reproductions: $(VENV)/.installed
	$(BIN)/python -m docs.reproductions

fuzz: $(VENV)/.installed
	$(BIN)/python -m tests.hostile.fuzz --cases 100000 --seed 1

# Releases of neighbours, and counts without somebody, on a parameter file of one's own: make audit PARAMETERS=FILE
audit: $(VENV)/.installed
	$(BIN)/python -m tests.audit $(PARAMETERS)

# Known holes in the locked packages; asks a service on the network.
known-holes: $(VENV)/.installed
	$(BIN)/pip install --quiet pip-audit
	$(BIN)/pip-audit --require-hashes --disable-pip -r requirements-ci.txt

# The versions that CI and developers install, with their digests.
lock: $(VENV)/.installed
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --no-emit-index-url --no-emit-find-links --extra dev pyproject.toml --output-file requirements-ci.txt
	echo pyspark | $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header \
	    --no-annotate --no-emit-index-url --no-emit-find-links - --output-file requirements-extras.txt

$(VENV)/.installed: pyproject.toml requirements-ci.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes --requirement requirements-ci.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)-oldest/.installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/pip install --quiet --constraint constraints-oldest.txt --editable '.[dev]'
	touch $@

# Spark: a folder of its own, larger than everything else together.
$(EXTRAS)/.installed: $(VENV)/.installed requirements-extras.txt
	rm -rf $(EXTRAS)
	$(BIN)/pip install --quiet --require-hashes --no-deps --target $(EXTRAS) --requirement requirements-extras.txt
	touch $@
