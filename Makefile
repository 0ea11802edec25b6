# Two commands do everything, on a machine with Python 3.11+ and a C++ compiler:
#   make demo    set up, build, run the demo (make demo-costs: that of costly features)
#   make test    set up, build, lint, type-check, test
# and, longer: make fuzz (damaged model files by the thousand), make sanitize (memory, undefined
# behaviour and threads of the native core), make test-arm (its kernels for 64-bit ARM, emulated),
# make test-clusters (Dask, Spark, Ray and MLflow, run for real; make bench-clusters: rows per second),
# make wheel (for Linux, tried without a compiler), make bench (tables against other libraries), make
# experiments (the paper's figures), make docs (the site), make links (its links to other hosts), make
# release-check (all that must pass before a release)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# Tests and benchmarks on real data run where the data is; elsewhere they are skipped with a reason.
export MDDAG_DATA ?= $(wildcard $(abspath ../shared/data))
export MDDAG_ANCHORS ?= $(wildcard $(abspath ../shared/anchors))

NATIVE := CMakeLists.txt $(shell find native -name '*.cpp' -o -name '*.hpp')
ROOMS := $(shell find src/mddag -type d -not -name __pycache__)
# What calls the kernels most: run against every other build of the native core.
KERNEL_TESTS := $(addprefix tests/,native learners boosting engine ensemble policy serving/model_file \
  serving/test_predictor.py solvers/test_descent.py solvers/test_sarsa.py)

.PHONY: demo demo-costs test lint format check clang programs test-arm test-clusters bench-clusters \
  java fuzz mutation sanitize dist wheel bench experiments docs links release-check clean
.DELETE_ON_ERROR:

demo: $(VENV)/built
	$(BIN)/python examples/demo.py

demo-costs: $(VENV)/built programs
	$(BIN)/python examples/costly_features

test: lint programs check clang

# Programs that some tests run: compilers of exported code, stores of features, a browser for the
# report. Root installs those of Debian; elsewhere a notice says which tests are skipped.
PROGRAMS := clang++:clang wasm-ld:lld javac:default-jdk-headless go:golang-go rustc:rustc node:nodejs \
  chromium:chromium redis-server:redis-server pg_ctlcluster:postgresql
programs:
	@absent=$$(for pair in $(PROGRAMS); do command -v $${pair%%:*} > /dev/null || echo $${pair##*:}; done); \
	test -z "$$absent" || ! command -v apt-get > /dev/null || test $$(id -u) != 0 || (apt-get update && \
	  timeout 900 apt-get install --yes --no-install-recommends $$absent) > /dev/null 2>&1 || true
	@for pair in $(PROGRAMS); do command -v $${pair%%:*} > /dev/null \
	  || echo "NOTICE: there is no $${pair%%:*}, so tests that need it are skipped"; done

# Each of $(JOBS) processes gets one thread of OpenMP: with more, LightGBM and scikit-learn in different processes
# wait for each other's cores, many times longer than they compute.
check: $(VENV)/built
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS)

fuzz: $(VENV)/built
	$(BIN)/python -m tests.serving.model_file.fuzz --cases 3000 --jobs $(JOBS)

# Which small faults of the core the tests notice: docs/research/mutation.md. It edits sources in place.
mutation: $(VENV)/built
	$(BIN)/python -m tests.mutation --out build/mutation.json

# The native core built by Clang, for those who have no GCC, such as users of macOS.
clang: $(VENV)/ready programs
	@if command -v clang++ > /dev/null; \
	then $(MAKE) build/clang/built && OMP_NUM_THREADS=1 build/clang/bin/python -m pytest -n $(JOBS) $(KERNEL_TESTS); \
	else echo "NOTICE: there is no clang++, so the native core was neither built nor tested with it"; fi

# The kernels for 64-bit ARM against the plain loops, by cross compiler and emulation.
ARM_CXX := aarch64-linux-gnu-g++
test-arm:
	@(command -v $(ARM_CXX) && command -v qemu-aarch64) > /dev/null || test $$(id -u) != 0 \
	  || (apt-get update && apt-get install --yes g++-aarch64-linux-gnu qemu-user) > /dev/null 2>&1 || true
	@if (command -v $(ARM_CXX) && command -v qemu-aarch64) > /dev/null; \
	then $(MAKE) build/arm/levels && qemu-aarch64 build/arm/levels; \
	else echo "NOTICE: there is no $(ARM_CXX) or no qemu-aarch64, so kernels for ARM were not tested"; fi
ARM_OBJECTS := $(foreach part,blocks scan,$(foreach level,scalar neon,build/arm/$(part).$(level).o))
ARM_FLAGS := -std=c++17 -O3 -ffp-contract=off -Wall -Wextra -Werror -Inative -DMDDAG_LEVELS_OF_ARM
build/arm/levels: tests/native/levels.cpp $(ARM_OBJECTS) $(NATIVE)
	$(ARM_CXX) $(ARM_FLAGS) -O1 -static -pthread $< $(ARM_OBJECTS) -o $@
build/arm/%.scalar.o: $(NATIVE)
	@mkdir -p build/arm
	$(ARM_CXX) $(ARM_FLAGS) -c native/$*/kernels/scalar.cpp -o $@
build/arm/%.neon.o: $(NATIVE)
	@mkdir -p build/arm
	$(ARM_CXX) $(ARM_FLAGS) -DMDDAG_LEVEL=neon -c native/$*/kernels/vectors.cpp -o $@

# Engines of clusters, each run for real on this machine, in an environment of their own: they are
# large, and want versions of their own. Spark needs Java. Dask is also a part of make test.
CLUSTER_TESTS := $(addprefix tests/,clusters serving/test_distributed.py serving/test_mlflow.py)
test-clusters: build/clusters/built java
	build/clusters/bin/python -m pytest $(CLUSTER_TESTS)
bench-clusters: build/clusters/built java
	build/clusters/bin/python -m benchmarks.clusters
java:
	@command -v java > /dev/null || test $$(id -u) != 0 || (apt-get update && timeout 900 apt-get \
	  install --yes --no-install-recommends default-jre-headless) > /dev/null 2>&1 || true
	@command -v java > /dev/null || echo "NOTICE: there is no java, so tests of Spark are skipped"
build/clusters/ready: pyproject.toml
	$(PYTHON) -m venv build/clusters
	build/clusters/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	build/clusters/bin/python -m pip install --quiet --group build --group test --group clusters
	touch $@
build/clusters/built: build/clusters/ready $(NATIVE) $(ROOMS)
	PATH=$(abspath build/clusters/bin):$$PATH build/clusters/bin/python -m pip install --quiet --no-build-isolation \
	  --config-settings=build-dir=build/clusters/native --editable .
	touch $@

# Memory, undefined behaviour and threads of the native core; GCC and Linux. Python frees no memory
# at its end, so leaks are not looked for. Sanitizers need memory themselves, so tests of how much is
# needed are left out, and so is the one that asks for more than the address sanitizer can give.
# Threads: tests/native runs every threaded kernel; in the others the thread sanitizer would stop at
# the races of libraries that were not built for it. Those of OpenMP (LightGBM) get one thread.
SANITIZED := $(KERNEL_TESTS) --ignore tests/serving/model_file/test_memory.py --deselect \
  tests/ensemble/test_ensemble.py::test_no_memory_in_a_thread_is_an_error_and_the_threads_go_on
preloaded = LD_PRELOAD="$$(g++ -print-file-name=$(1)) $$(g++ -print-file-name=libstdc++.so)"
sanitize: build/asan/built build/tsan/built
	$(call preloaded,libasan.so) ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  MDDAG_SANITIZE=address,undefined build/asan/bin/python -m pytest -n $(JOBS) --capture=sys \
	  $(SANITIZED)
	$(call preloaded,libtsan.so) TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" \
	  OMP_NUM_THREADS=1 MDDAG_SANITIZE=thread build/tsan/bin/python -m pytest --capture=sys tests/native

lint: $(VENV)/built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(NATIVE)) $(wildcard tests/native/*.cpp)
	$(BIN)/mypy

format: $(VENV)/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(filter %.cpp %.hpp,$(NATIVE)) $(wildcard tests/native/*.cpp)

bench: $(VENV)/built
	$(BIN)/python -m benchmarks.fidelity
	$(BIN)/python -m benchmarks.parts.executors
	$(BIN)/python -m benchmarks.parts.learners
	$(BIN)/python -m benchmarks.adaboost
	$(BIN)/python -m benchmarks.detection.training
	$(BIN)/python -m benchmarks.parts.learning
	$(BIN)/python -m benchmarks.quality
	$(BIN)/python -m benchmarks.quality.times
	$(BIN)/python -m benchmarks.ranking
	$(BIN)/python -m benchmarks.costs
	$(BIN)/python -m benchmarks.costs.stores
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.speed.languages

experiments: $(VENV)/built
	$(BIN)/python experiments/figure1.py
	$(BIN)/python experiments/figure2.py
	$(BIN)/python experiments/figure3.py
	$(BIN)/python experiments/anchors.py
	$(BIN)/python experiments/solvers.py
	$(BIN)/python experiments/descent.py
	$(BIN)/python experiments/guarantees.py
	$(BIN)/python experiments/metrics.py

# The site, into build/docs, warnings as errors; -E, because pages of the API are found only anew. The
# scripts of the gallery are run, those that changed. A link within the site to a page or heading that
# is not there is such a warning; links to other hosts are checked by make links, with the network.
docs: $(VENV)/docs
	PYTHONPATH=. $(BIN)/python docs/draw_architecture.py
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html docs build/docs
	@echo "open build/docs/index.html"

links: $(VENV)/docs
	$(BIN)/python -m sphinx -q -b linkcheck docs build/links

$(VENV)/docs: $(VENV)/built
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

dist: $(VENV)/ready
	$(BIN)/python -m build --outdir dist .

# A wheel for Linux on x86-64 as package indexes take it, and whether it runs where there is no
# compiler: in an environment of its own, with nothing but Python on the path.
wheel: $(VENV)/ready
	rm -rf build/wheel
	$(BIN)/python -m pip install --quiet --group wheel
	$(BIN)/python -m build --wheel --outdir build/wheel/plain .
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/python -m auditwheel repair --wheel-dir build/wheel build/wheel/plain/*.whl
	$(BIN)/python -m venv build/wheel/tried
	build/wheel/tried/bin/python -m pip install --quiet build/wheel/*.whl
	cd build/wheel && env -i PATH=$(abspath build/wheel/tried/bin) tried/bin/python \
	  $(abspath tests/wheel.py)
	ls -l build/wheel/*.whl

# All that must pass before a release, in this order; it stops at the first failure. Steps that have
# passed on this commit are not run again. build/release-check.log has a line for each step with its
# time and its notices: a step that lacks a program passes without having tested anything.
RELEASE_STEPS := test sanitize fuzz test-arm test-clusters wheel docs
release-check:
	@test -z "$$(git status --porcelain)" || { git status --short; \
	  echo "release-check is for a commit, but these files have changes; commit them first"; exit 1; }
	@commit=$$(git rev-parse --short=12 HEAD); of=build/release/$$commit; mkdir -p $$of; \
	say() { echo "$$(date -u +%FT%TZ) $$commit $$*" | tee -a build/release-check.log; }; \
	for step in $(RELEASE_STEPS); do \
	  if test -e $$of/$$step; then say "$$step: passed before"; continue; fi; \
	  start=$$(date +%s); echo "make $$step (output: $$of/$$step.log)"; \
	  $(MAKE) $$step > $$of/$$step.log 2>&1; status=$$?; took="$$(( $$(date +%s) - start )) s"; \
	  if test $$status != 0; then say "$$step: FAILED after $$took"; tail -n 30 $$of/$$step.log; exit 1; fi; \
	  touch $$of/$$step; say "$$step: passed in $$took"; \
	  grep '^NOTICE' $$of/$$step.log | while read -r line; do say "$$step: $$line"; done; \
	done; say "all steps passed"

clean:
	rm -rf $(VENV) build dist out

# The environment: rebuilt when the list of dependencies changes.
$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mddag needs Python 3.11 or newer, got " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "fetching tools and libraries into $(VENV): some minutes the first time"
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --group dev
	touch $@

# The package, in place: Python files are used as they stand; the native core is compiled anew when
# it changes, and a module that comes or goes is noticed by its folder. Warnings are errors here, and
# only here: a user's compiler may know more. pip hides what a build prints unless it is verbose, and
# then prints far more; of that the lines that count files are shown, and errors.
$(VENV)/built: $(VENV)/ready $(NATIVE) $(ROOMS)
	@echo "compiling the native core: one to three minutes the first time (all of it: build/log)"
	@rm -f $@ && mkdir -p build
	@{ $(BIN)/python -m pip install --verbose --no-build-isolation \
	  --config-settings=cmake.define.MDDAG_WERROR=ON --editable . 2>&1 && touch $@; } \
	  | tee build/log | grep --line-buffered -o '\[[0-9]*/[0-9]*\] Building.*'; \
	test -e $@ || { grep -i -A 4 'error' build/log | head -n 40; exit 1; }

# The same with another build of the native core, in an environment of its own beside the first.
build/clang/built: export CXX := clang++
build/asan/built build/tsan/built: export CXX := g++
build/asan/built: SANITIZE := address,undefined
build/tsan/built: SANITIZE := thread
build/%/built: $(VENV)/ready $(NATIVE) $(ROOMS)
	$(BIN)/python -m venv --without-pip build/$*
	$(BIN)/python -c '$(SITE)' > $$(build/$*/bin/python -c '$(SITE)')/first.pth
	$(BIN)/python -m pip --python build/$*/bin/python install --quiet --no-deps --no-build-isolation \
	  --config-settings=build-dir=build/$*/native --config-settings=cmake.define.MDDAG_WERROR=ON \
	  $(if $(SANITIZE),--config-settings=cmake.define.MDDAG_SANITIZE=$(SANITIZE) \
	  --config-settings=cmake.build-type=RelWithDebInfo) --editable .
	touch $@
SITE := import sysconfig; print(sysconfig.get_path("purelib"))
