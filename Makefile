# Two commands are the whole set-up: `make demo`, then `make test`.

PYTHON ?= python3
# Many tests wait for a browser or for time to pass: one more at once than there are processors keeps them busy.
JOBS ?= $(shell echo $$(($$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2) + 1)))
# Shows pages as a whole browser does, for two thirds of its time. To test in the whole one alone: SMALL_BROWSER=
# (Debian's command is a script that stays around: a driver which ends that leaves the browser behind.)
SMALL_BROWSER ?= $(or $(HYBRIDSNAP_BROWSER),$(shell ls /usr/lib/chromium/chromium-headless-shell 2>/dev/null))
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := hybridsnap tests benchmarks docs hatch_build.py
# What is compiled when the package is installed: where it is newer than the environment, it is compiled again.
COMPILED := pyproject.toml hatch_build.py \
	$(addprefix hybridsnap/,protocol/cbor_decoder.py protocol/cbor_decoder.pxd capture/pruning.py capture/ax.py render/tree.py)
# Images for containers often set this. The tests start some hundred interpreters, and each test process imports
# every test module: compiling them each time takes longer than many of the tests.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test unit repeat soak bench check docs format browser chromedriver small-browser clean

help:
	@echo 'make demo    set everything up, then capture the bundled shop and print its outline'
	@echo 'make test    set everything up, then run every test but the soak tests'
	@echo 'make unit    run the tests that need no browser'
	@echo 'make check   format, lint, types (mypy strict, pyright --verifytypes)'
	@echo 'make docs    the documentation, as a site in build/site'
	@echo 'make bench   speed and size against the browser itself'
	@echo 'make soak    the long runs'
	@echo 'make repeat  ten whole test runs in a row, five of them on a busy machine'

demo: $(VENV)/.installed browser
	$(BIN)/python -m hybridsnap.demo

# The tests marked `alone` hold a bound of seconds and run first, one at a time; then those of a whole browser
# (tests/conftest.py), then the rest in the small one. There is no second try: a test that fails now and then is
# a defect of the test or of the product. (pytest ends with 5 where ARGS leaves it no test.)
PYTEST := $(BIN)/python -m pytest
TOGETHER := -n $(JOBS) --dist worksteal
test: $(VENV)/.installed-test browser chromedriver small-browser
	$(PYTEST) -m 'not soak and alone' $(ARGS) || [ $$? = 5 ]
	$(PYTEST) -m 'not soak and not alone and whole_browser' $(TOGETHER) $(ARGS) || [ $$? = 5 ]
	HYBRIDSNAP_BROWSER=$(SMALL_BROWSER) \
		$(PYTEST) -m 'not soak and not alone and not whole_browser' $(TOGETHER) $(ARGS) || [ $$? = 5 ]

unit: $(VENV)/.installed-test
	$(PYTEST) tests/unit -m 'not soak' $(TOGETHER) $(ARGS)

# Ten whole runs in a row, the last five beside two busy loops, every second one without the small browser.
repeat: $(VENV)/.installed-test browser chromedriver small-browser
	@set -e; for run in 1 2 3 4 5 6 7 8 9 10; do \
		small='$(SMALL_BROWSER)'; [ $$((run % 2)) = 1 ] || small=; \
		busy=; if [ $$run -gt 5 ]; then for loop in 1 2; do (while :; do :; done) & busy="$$busy $$!"; done; fi; \
		echo "run $$run of 10"; result=0; $(MAKE) --no-print-directory test SMALL_BROWSER="$$small" || result=$$?; \
		[ -z "$$busy" ] || kill $$busy; [ $$result = 0 ] || exit $$result; \
	done

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

$(VENV)/.installed: $(COMPILED) | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-test $(VENV)/.installed-check $(VENV)/.installed-docs: $(VENV)/.installed-%: $(COMPILED) | $(BIN)/python
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

# Where it cannot be had the tests run without.
small-browser:
	@if command -v chromium-headless-shell >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then :; \
	else echo 'installing chromium-headless-shell' && apt-get update -qq \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium-headless-shell >/dev/null || :; fi

clean:
	find hybridsnap -name '*.so' -delete -o -name '*.pyd' -delete
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis benchmarks/results
