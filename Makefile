# Two commands are the whole set-up: `make demo`, then `make test`.

PYTHON ?= python3
JOBS ?= 3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := hybridsnap tests benchmarks docs

.PHONY: help demo test soak bench check docs format browser chromedriver clean

help:
	@echo 'make demo    set everything up, then capture the bundled shop and print its outline'
	@echo 'make test    set everything up, then run every test but the soak tests'
	@echo 'make check   format, lint, types (mypy strict, pyright --verifytypes)'
	@echo 'make docs    the documentation, as a site in build/site'
	@echo 'make bench   speed and size against the browser itself'
	@echo 'make soak    the long runs'

demo: $(VENV)/.installed browser
	$(BIN)/python -m hybridsnap.demo

# Most of the tests' time is waiting for a browser, so more of them run at once than there are cores; before
# them come those that need the machine to themselves. What fails beside others has a second try by itself,
# since that breaks bounds of seconds: what is broken fails again, and the first report stays to be read.
PYTEST := $(BIN)/python -m pytest
# 5: none of these was asked for.
AGAIN := [ $$? = 5 ] || $(PYTEST) --last-failed --last-failed-no-failures none
test: $(VENV)/.installed-test browser chromedriver
	$(PYTEST) -m 'alone and not soak' $(ARGS) || [ $$? = 5 ]
	$(PYTEST) -m 'not alone and not soak' -n $(JOBS) --dist worksteal $(ARGS) || $(AGAIN) $(ARGS)

soak: $(VENV)/.installed-test browser chromedriver
	$(BIN)/python -m pytest -m soak $(ARGS)

bench: $(VENV)/.installed-test browser chromedriver
	$(BIN)/python -m benchmarks $(ARGS)

check: $(VENV)/.installed-check $(VENV)/.installed-test
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	PATH="$(abspath $(BIN)):$$PATH" pyright --verifytypes hybridsnap --ignoreexternal

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

format: $(VENV)/.installed-check
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'hybridsnap needs Python 3.11 or newer; name one: make PYTHON=python3.12 demo' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
		|| { echo 'no virtual environment could be made; on Debian: apt-get install python3-venv' >&2; exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-test $(VENV)/.installed-check $(VENV)/.installed-docs: $(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@ $(VENV)/.installed

# A browser is only installed where none is found, and where that is possible without asking.
browser: | $(VENV)/.installed
	@if $(BIN)/python -m hybridsnap.client.browsers >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo 'no browser found: installing chromium' && apt-get update -qq \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; \
	else $(BIN)/python -m hybridsnap.client.browsers; fi

# For Selenium; elsewhere its own manager fetches one.
chromedriver: browser
	@if command -v chromedriver >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then :; \
	else echo 'no chromedriver found: installing chromium-driver' && apt-get update -qq \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium-driver >/dev/null; fi

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis benchmarks/results
