# Everything is set up on demand: a fresh machine needs Python >= 3.11, make and a C++ compiler.
PYTHON ?= python3
BIN := .venv/bin
# Where tests and benchmarks look for public data sets by name, unless the environment says.
export JOINTBAYES_DATA ?= $(wildcard $(CURDIR)/../shared/data)
NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "jointbayes needs Python 3.11 or newer; try: make PYTHON=python3.12")'
KERNELS := $(wildcard src/jointbayes/_kernels/*.cpp src/jointbayes/_kernels/*.hpp)

.PHONY: demo docs dist test oldest lint types bench bench-quick clean

# What the demo needs and no test tools, unless everything is set up already.
demo: $(if $(wildcard .venv/ready),.venv/ready,.venv/demo)
	$(BIN)/python examples/demo.py

# The site, into docs/_build/html; nothing is fetched while it is built, and a warning stops it.
# Its examples read the data sets that ship, not others of the same names.
docs: .venv/docs
	JOINTBAYES_DATA= $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "the site: docs/_build/html/index.html"

# The sdist and the wheels, into dist/, tried in fresh environments of the Pythons at hand.
dist:
	$(PYTHON) .ci/dist.py

test: lint types
	$(BIN)/python -m pytest -n 2 -q

# The same tests with the oldest releases that pyproject.toml allows, and others of their time.
oldest:
	test -d .oldest || $(PYTHON) -m venv .oldest
	.oldest/bin/python .ci/oldest.py > .oldest/releases.txt
	.oldest/bin/python -m pip install --quiet --constraint .oldest/releases.txt --editable '.[test]' 'click<8.2' 'pyparsing<3.2'
	.oldest/bin/python -m pytest -n 2 -q

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

# The quick ones; those that take minutes or peers' software say so in their first lines.
bench: .venv/ready
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/cutting.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/render.py

# One figure for each corner and headline, against the committed ones; not part of `make test`.
bench-quick: .venv/ready
	$(BIN)/python benchmarks/quick.py

.venv/demo: pyproject.toml CMakeLists.txt $(KERNELS)
	$(NEW_ENOUGH)
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	touch $@

.venv/docs: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

.venv/ready: pyproject.toml CMakeLists.txt $(KERNELS)
	$(NEW_ENOUGH)
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@$(BIN)/python -c 'from jointbayes import _kernels as k; k.COMPILED or print("jointbayes: no C++ compiler was found, so the slower numpy kernels are used; answers are the same")'
	touch $@

clean:
	rm -rf .venv .oldest build dist docs/_build docs/gallery docs/reference .mypy_cache .pytest_cache .ruff_cache .hypothesis
