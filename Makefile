# Every verb of the project. Each makes .venv when it is missing.
PYTHON ?= $(shell command -v python3.11 || echo python3)
BIN := .venv/bin

.PHONY: help install demo test test-slow check bench bench-order soak fmt lock clean

help:  ## list the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.venv/installed: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	touch $@

install: .venv/installed  ## make .venv with all that is needed, from the locked versions

demo: .venv/installed  ## two simulated models, their report, and a replay with older diff algorithms (demo.db)
	rm -f demo.db demo.db-wal demo.db-shm
	$(BIN)/evals diff --model-ids sim/careful,sim/sloppy -n 2 --parallel --db demo.db
	$(BIN)/evals replay --run-id latest --diff-apply v1,v2,v3 --db demo.db
	@echo 'One attempt in full: .venv/bin/evals show latest yaml_ci_pipeline --db demo.db'

test: .venv/installed  ## the tests (< 5 minutes)
	$(BIN)/python -m pytest -n 3 --dist worksteal  # on two cores: half of a worker's time is waiting

test-slow: .venv/installed  ## crash and load tests
	$(BIN)/python -m pytest -m slow || test $$? -eq 5  # 5: there is none

check: .venv/installed  ## format, lint, types, import contracts, plain words
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.words

soak: .venv/installed  ## half an hour of runs that are killed, stopped and locked out, under every fault
	$(BIN)/python -m tests.soak --minutes 30

bench: .venv/installed  ## what parsers, algorithms, wires and the rest cost, one after the other
	@failed=; for file in tests/bench/bench_*.py; do \
		echo "== $$file"; $(BIN)/python -m tests.bench.$$(basename $$file .py) || failed="$$failed $$file"; \
	done; test -z "$$failed" || { echo "not measured:$$failed"; exit 1; }

bench-order: .venv/installed  ## how well the order of edits agrees with people, cross-validated by commit
	$(BIN)/python -m tests.bench.bench_order

fmt: .venv/installed  ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock:  ## renew requirements.lock: hashes only, no addresses
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock

clean:  ## remove what the verbs made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
