# Needs python3 (3.11 or newer, with venv) and make. Everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: env demo test check docs lock clean

env: .venv/.stamp

.venv/.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: env
	$(BIN)/heldout demo

test: env
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# The peers live in an environment of their own, so that none of them can change what the package is tested with.
# TASK=auc runs one task (or several, with commas), ROWS=1e5 none with more rows than that.
.PHONY: bench
bench: .venv-bench/.stamp
	.venv-bench/bin/python -m benchmarks $(if $(TASK),--task $(TASK)) $(if $(ROWS),--rows $(ROWS))

# Coverage of the peers' intervals and error rates of their tests, beside ours: docs/measured/peers.json, in minutes.
.PHONY: peers
peers: .venv-bench/.stamp
	.venv-bench/bin/python -m benchmarks.error_rates

.venv-bench/.stamp: pyproject.toml constraints.txt benchmarks/requirements.txt benchmarks/requirements-nodeps.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt \
	--requirement benchmarks/requirements.txt --editable .
	.venv-bench/bin/python -m pip install --quiet --no-deps --requirement benchmarks/requirements-nodeps.txt
	touch $@

# The pictures of the page in the README and the tutorials, from the real page; needs Chromium.
.PHONY: pictures
pictures: env
	$(BIN)/python -m docs.screenshots

docs: env
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The versions now installed become the versions everybody gets.
lock: env
	$(BIN)/python -m pip list --format=freeze --exclude heldout --exclude pip --exclude setuptools \
	| LC_ALL=C sort -f > constraints.txt.new
	mv constraints.txt.new constraints.txt
	touch .venv/.stamp

clean:
	rm -rf .venv .venv-bench dist build docs/_build docs/_generated .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
