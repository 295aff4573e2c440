# make demo: set everything up, then show a private release of a synthetic log.
# make test: set everything up, then run every check.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo run test fast lint pages setup system node extension spark classes bench bench-keys bench-spark docs clean

demo: run
	$(BIN)/crowdlog demo -o demo

test: setup spark system classes lint node
	cd extension && npm run --silent check && npm run --silent test
	bash tools/run-tests

# What to run while working: everything but browsers, Spark, killed processes, studies and other long tests.
fast: setup spark
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" tests

lint: setup spark
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The pages that are made from the tables of mechanisms and formats.
pages: setup
	$(VENV)/bin/crowdlog mechanisms --markdown > docs/mechanisms.md
	$(VENV)/bin/crowdlog formats --markdown > docs/formats.md

# How many queries each key selection names on held-out synthetic logs (docs/benchmarks-keys.md).
bench-keys: setup
	$(BIN)/python benchmarks/keys.py

# What crowdlog needs to run, and nothing to test it with.
run: $(VENV)/.run

$(VENV)/.run: requirements-run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "crowdlog needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing (Debian: apt-get install python3-venv)"; exit 1; }
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-run.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

setup: $(VENV)/.installed

# The lock is whole, so nothing is resolved; it leaves out pandas-stubs, which change what Arrow's types mean.
$(VENV)/.installed: requirements.lock $(VENV)/.run
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock
	@touch $@

# The packages of the extension.
node: extension/node_modules/.package-lock.json

extension/node_modules/.package-lock.json: extension/package-lock.json extension/.npmrc
	cd extension && npm ci --silent
	@touch $@

# The browser extension: extension/dist/crowdlog-chromium.zip and crowdlog-firefox.zip.
extension: node
	cd extension && node build.mjs

# Spark, for --engine spark and its tests: 450 MB that a demonstration does not need.
spark: $(VENV)/.spark

$(VENV)/.spark: requirements-spark.lock $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements-spark.lock
	@touch $@

# Java's classes of Spark as they lie in memory: each of the many starts in the tests costs a quarter less.
classes: $(VENV)/.classes

$(VENV)/.classes: $(VENV)/.spark | system
	$(BIN)/python -m crowdlog.engine.spark.class_archive
	@touch $@

# System packages that some tests drive for real.
system:
	@bash tools/system-packages

# Import and release at 3.6 M and 36 M rows beside the bare limits and two peers; half an hour.
bench: setup
	$(BIN)/python -m benchmarks.foundation 65000 657426

# Import and releases on one machine and on Spark, side by side, on logs of 3.6 M and 36 M rows.
bench-spark: setup spark classes
	$(BIN)/crowdlog synth bench-small.tsv --users 65000 --seed 1208
	$(BIN)/crowdlog synth bench-large.tsv --users 657426 --seed 1207
	$(BIN)/python -m benchmarks.spark bench-small.tsv bench-large.tsv cluster
	rm bench-small.tsv bench-large.tsv

# The documents as a site with search; it fetches nothing: python3 -m http.server -d site
docs:
	@$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --no-deps --require-hashes -r requirements-docs.lock
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet

clean:
	rm -rf $(VENV) extension/node_modules extension/dist build demo src/*.egg-info
