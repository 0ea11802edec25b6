# Two commands do everything, on a machine with Python 3.11+ and a C++ compiler:
#   make demo    set up, build, run the demo
#   make test    set up, build, lint, type-check, test
# and, longer: make bench (tables against other libraries), make experiments (the paper's figures),
# make fuzz (damaged model files by the thousand)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# Tests and benchmarks on real data run where the data is; elsewhere they are skipped with a reason.
export MDDAG_DATA ?= $(wildcard $(abspath ../shared/data))
export MDDAG_ANCHORS ?= $(wildcard $(abspath ../shared/anchors))

NATIVE := CMakeLists.txt $(wildcard native/*.cpp native/*/*.hpp native/*/*/*.hpp)
ROOMS := $(wildcard src/mddag src/mddag/[a-z]*/.)

.PHONY: demo test lint format check fuzz dist bench experiments clean
.DELETE_ON_ERROR:

demo: $(VENV)/built
	$(BIN)/python examples/demo.py

test: lint check

check: $(VENV)/built
	$(BIN)/python -m pytest -n $(JOBS)

fuzz: $(VENV)/built
	$(BIN)/python -m tests.model_file.fuzz --cases 3000 --jobs $(JOBS)

lint: $(VENV)/built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(NATIVE))
	$(BIN)/mypy

format: $(VENV)/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(filter %.cpp %.hpp,$(NATIVE))

bench: $(VENV)/built
	$(BIN)/python -m benchmarks.fidelity
	$(BIN)/python -m benchmarks.parts.scores
	$(BIN)/python -m benchmarks.parts.executors
	$(BIN)/python -m benchmarks.parts.learners
	$(BIN)/python -m benchmarks.adaboost
	$(BIN)/python -m benchmarks.parts.portfolio
	$(BIN)/python -m benchmarks.parts.condensation
	$(BIN)/python -m benchmarks.quality --resume
	$(BIN)/python -m benchmarks.quality --resume --fresh
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.speed.instructions

experiments: $(VENV)/built
	$(BIN)/python experiments/figure1.py
	$(BIN)/python experiments/anchors.py
	$(BIN)/python experiments/solvers.py
	$(BIN)/python experiments/descent.py
	$(BIN)/python experiments/ordering.py
	$(BIN)/python experiments/few_rows.py
	$(BIN)/python experiments/promises.py

dist: $(VENV)/ready
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf $(VENV) build dist out

# The environment: rebuilt when the list of dependencies changes.
$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mddag needs Python 3.11 or newer, got " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

# The package, in place: Python files are used as they stand; the native core is compiled anew when
# it changes, and a module that comes or goes is noticed by its folder. Warnings are errors here, and only here: a user's compiler may know more.
$(VENV)/built: $(VENV)/ready $(NATIVE) $(ROOMS)
	$(BIN)/python -m pip install --quiet --no-build-isolation --config-settings=cmake.define.MDDAG_WERROR=ON --editable .
	touch $@
