# make demo: set everything up, then show a private release of a synthetic log.
# make test: set everything up, then run every check.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test fast lint setup system node spark bench bench-keys clean

demo: setup
	$(BIN)/crowdlog demo -o demo

test: setup spark system lint node
	cd extension && npm run --silent check && npm run --silent test
	$(BIN)/python -m pytest -n 2 --dist loadgroup tests

# What to run while working: everything that needs neither a browser nor killed processes.
fast: setup spark
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" tests

lint: setup spark
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# How many queries each key selection names on held-out synthetic logs (docs/benchmarks-keys.md).
bench-keys: setup
	$(BIN)/python benchmarks/keys.py

setup: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "crowdlog needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing (Debian: apt-get install python3-venv)"; exit 1; }
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The packages of the extension's client library.
node: extension/node_modules/.package-lock.json

extension/node_modules/.package-lock.json: extension/package-lock.json extension/.npmrc
	cd extension && npm ci --silent
	@touch $@

# Spark, for --engine spark and its tests: 450 MB that a demonstration does not need.
spark: $(VENV)/.spark

$(VENV)/.spark: requirements-spark.lock $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements-spark.lock
	@touch $@

# System packages that some tests drive for real.
system:
	@bash tools/system-packages

# Import and release at 3.6 M and 36 M rows beside the bare limits and two peers; half an hour.
bench: setup
	$(BIN)/python -m benchmarks.foundation 65000 657426

clean:
	rm -rf $(VENV) extension/node_modules build demo src/*.egg-info
