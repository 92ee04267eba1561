# Two commands are enough: `make demo` and `make test`. Each sets up what it needs, once.
PYTHON ?= python3
PYFLINK ?= python3
MINUTES ?= 60
EVERY ?= 60
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NEWEST := .venv-newest
DOCS := .venv-docs
ARCHIVE := $(VENV)/spark.jsa
TWO := --numprocesses 2 --dist loadfile --no-loadscope-reorder

export PATH := $(CURDIR)/$(BIN):$(PATH)
# Without bytecode, each of the hundreds of Python processes of a test run would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
export PYSPARK_PYTHON ?= $(CURDIR)/$(BIN)/python

.PHONY: help setup newest jars demo test test-all differential faults fuzz soak bench cluster docs release-check check lint unit lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

demo: jars ## See a Flink-shaped job run on Spark against a real Kafka
	kafkastream demo

test: jars lint $(ARCHIVE) ## Lint, types, layers, and the tests but the long ones: about a quarter of an hour
	pytest $(TWO) -m "not nightly and not long"

test-all: jars newest lint $(ARCHIVE) ## As make test, with the long ones: programs, other systems, SQL compared with Flink
	pytest $(TWO) -m "not nightly"

differential: jars ## Ask real Flink anew what the programs of tests/differential give: PYFLINK=<a Python with apache-flink>
	python -m tests.differential.golden $(PYFLINK)
	PATH=$(dir $(PYFLINK)):$$PATH $(PYFLINK) -m tests.differential.values.golden
	python -m tests.differential.formats.avro_golden
	python -m tests.differential.formats.flink_golden $(PYFLINK)

faults: jars $(ARCHIVE) ## Nightly: 740 attacks on ten exactly-once jobs, at random, and ten times the examples of laws: about an hour and a half
	pytest tests/faults -m nightly
	python -m tests.faults.planted
	pytest tests/integration tests/docs tests/differential -m nightly
	folder=$$(mktemp -d) && python -m tests.hostile $$folder && \
	  SPARK_CONF_DIR=$$folder pytest tests/differential tests/integration/test_verbatim_text.py
	pytest --hypothesis-profile nightly -m "not java" tests/unit
	for case in latency sql stream-sql pipeline pipeline-delta keyed joined two-sinks two-keyed-sinks; do \
	  python -m tests.faults.harness --case $$case --kills 60 || exit 1; done
	python -m tests.faults.harness --case copy --kills 200

fuzz: jars ## For MINUTES=60: hostile records, names and requests, and beside them random graphs against a reference, and the test driver against Spark
	python -m tests.differential.mutation.in_process $(MINUTES) & graphs=$$!; \
	  python -m tests.differential.replay $(MINUTES) & replays=$$!; \
	  python -m tests.fuzz $(MINUTES) || { kill $$graphs $$replays; exit 1; }; wait $$graphs && wait $$replays

soak: jars ## A job runs for MINUTES=60 while everything that could leak is measured
	python -m tests.soak --minutes $(MINUTES) --every $(EVERY)

bench: jars ## All benchmarks, with PyFlink if PYFLINK= names a Python that has it, and their report in docs/: on an idle machine
	python -m benchmarks.bench $(if $(filter-out python3,$(PYFLINK)),--pyflink $(PYFLINK))

cluster: jars $(ARCHIVE) ## Nightly: all examples on a standalone cluster, and executors killed there: takes ten minutes
	pytest tests/cluster
	python -m tests.cluster.on_cluster pytest --assert=plain tests/docs/test_examples.py

docs: $(DOCS)/.ready ## The documentation as a site, in build/site; each link is checked, and warnings are errors
	rm -rf build/pages build/site
	$(DOCS)/bin/python -m website.pages build/pages
	$(DOCS)/bin/python -m website.reference build/pages/reference
	$(DOCS)/bin/python -m zensical build --strict --clean
	$(DOCS)/bin/python -m website.checks build/site

release-check: jars ## Builds and checks the archives of a release, and runs the wheel on each supported Python of this machine
	python -m tests.release

lint: setup ## Only lint, types and layers
	ruff check
	ruff format --check
	mypy
	lint-imports --no-logo

check: lint unit ## Lint, types, layers, and the tests that need neither Java nor a broker: after each change
	pytest tests/typing

unit: setup ## Only the tests that need neither Java nor a broker, with Java hidden from them
	JAVA_HOME=$(CURDIR)/hidden pytest --numprocesses 2 --dist loadfile -m "not java" tests/unit tests/names \
	  tests/differential/test_programs_on_the_driver.py tests/differential/test_queries_on_the_driver.py tests/differential/expressions \
	  examples/cookbook/tests

setup: $(READY) ## Only the virtual environment

newest: $(NEWEST)/.ready ## Only an environment as users get it by pip install, with the newest Spark: for tests/smoke

jars: setup ## Only the jars of Spark's Kafka connector and of Kafka itself
	@kafkastream jars > /dev/null
	@kafkastream jars --broker > /dev/null

$(READY): pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || \
	  { echo "Python 3.10 or newer is needed: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "Setting up $(VENV), once; this downloads Spark (about 500 MB) …"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(ARCHIVE): $(READY)
	@echo "Writing an archive of Spark's classes, once: the tests' JVMs start twice as fast with it …"
	python -m tests.jvm

$(NEWEST)/.ready: pyproject.toml README.md $(shell find kafkastream -type f ! -name '*.pyc')
	@echo "Installing into $(NEWEST) as users do; this downloads the newest Spark, once (about 500 MB) …"
	test -x $(NEWEST)/bin/python || $(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --disable-pip-version-check .
	@touch $@

$(DOCS)/.ready: requirements/docs.txt
	test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements/docs.txt
	@touch $@

LOCK := uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate

lock: ## Pin anew what is tested, after a change of the dependencies (needs uv)
	$(LOCK) --python-version 3.10 --group dev pyproject.toml --output-file requirements/dev.txt
	$(LOCK) --python-version 3.11 --group docs --output-file requirements/docs.txt

clean: ## Remove the virtual environment and what tools have cached here
	rm -rf $(VENV) $(NEWEST) $(DOCS) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
