# make demo            the bundled wiki: fetched, learned, suggestions on the review page
# make demo HEADLESS=1 the same, printed
# make test            everything CI runs
# make fast            the tests that need no wiki, browser, server or patience
# make lint            format, lint, types
# make docs            the checks of README.md and docs/
# make reference       the parts of docs/ that repeat what the program says
# make pictures        the pictures in docs/
# make results       the tables of protocol A in docs/results.md, an hour or more
# make bench           speed and quality, as JSON
# make lock            requirements.lock from what is installed

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# An empty PYTHONPATH and no user site: only what the lock names is used.
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH

FOR_VENV := python3-venv
FOR_DEMO := libgomp1
FOR_TESTS := php-cli php-sqlite3 php-mbstring php-xml php-intl php-apcu php-curl php-wikidiff2 \
	chromium postgresql openjdk-17-jre-headless libgomp1 xz-utils p7zip-full curl
# Half as many again as there are cores: tests wait for the wiki, the browser and their children.
WORKERS = $(shell echo $$(($$(nproc) * 3 / 2)))
# The order of tests is drawn with it: the same in every run, another with make test SEED=N.
SEED ?= 3571177156
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --use-pep517 --constraint requirements.lock

.DEFAULT_GOAL := help
.PHONY: help demo test fast lint docs reference pictures results bench lock packages clean

help:
	@sed -n 's/^# //p' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo "Python 3.10 or newer is needed; name one with: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || scripts/debian-packages $(FOR_VENV)
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: setup.cfg pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing the Python packages of requirements.lock into $(VENV), about 650 MB, nowhere else ..."
	$(INSTALL) --editable .
	@echo "Compiling the numeric kernels, once ..."
	@$(BIN)/python scripts/warm_up.py
	@touch $@

$(VENV)/.ready-to-test: $(VENV)/.ready
	@echo "Installing what tests and pictures need into $(VENV), about 1 GB more ..."
	$(INSTALL) --editable '.[dev,plots,postgres,spark]'
	@touch $@

demo: $(VENV)/.ready
	@$(BIN)/python -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null \
		|| scripts/debian-packages $(FOR_DEMO)
	@$(BIN)/wikibot demo $(if $(filter-out 0,$(HEADLESS)),--headless)

packages:
	@echo "The tests start a MediaWiki, a browser, a PostgreSQL and a Spark of their own. For that, make test uses"
	@echo "Debian packages ($(FOR_TESTS))"
	@echo "and MediaWiki's code, kept in ~/.cache/wikibot. What is missing is named and installed now."
	@scripts/debian-packages $(FOR_TESTS)

lint: $(VENV)/.ready-to-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict wikibot crtm
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && url="url=sqlite:///$$folder/schema.db" \
		&& $(BIN)/alembic -x "$$url" upgrade head && $(BIN)/alembic -x "$$url" check

fast: $(VENV)/.ready-to-test
	$(BIN)/pytest -n auto

test: packages lint
	$(BIN)/pytest -m "" -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
		--randomly-seed=$(SEED) --durations 25 \
		--cov --cov-report=term:skip-covered

docs: $(VENV)/.ready-to-test
	$(BIN)/pytest -m "" tests/test_docs.py tests/test_readme.py

reference: $(VENV)/.ready-to-test
	$(BIN)/python scripts/reference.py

pictures: $(VENV)/.ready-to-test
	$(BIN)/python benchmarks/pictures.py docs/pictures
	$(BIN)/python scripts/screenshot.py

results: $(VENV)/.ready-to-test
	$(BIN)/python scripts/results.py

bench: $(VENV)/.ready-to-test
	for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

lock: $(VENV)/.ready-to-test
	$(BIN)/python scripts/lock.py > requirements.lock.new && mv requirements.lock.new requirements.lock

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
