# The list of things one can do. Every target sets up .venv by itself.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
# Old releases use what their own dependencies have deprecated since.
OLD_WARNINGS := -W default::DeprecationWarning -W default::PendingDeprecationWarning -W default::FutureWarning
CORE := pyproject.toml CMakeLists.txt $(wildcard core/*.cpp core/*.hpp)

.PHONY: help demo test test-slow test-lowest test-newest test-sanitize lint lint-docstrings format wheel docs figures bench paper paper-quick paper-best paper-peers clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

demo: $(READY)  ## run the main job on data that ships with scikit-learn; pictures in demo_output/
	$(RUN) examples demo

test: $(READY)  ## run the tests
	$(RUN) -m pytest -m "not slow" --numprocesses auto --dist loadfile

test-slow: $(VENV)/.slow  ## run the tests that take minutes
	$(RUN) -m pytest -m slow

test-lowest: .venv-lowest/.ready  ## run the tests with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -m "not slow" --numprocesses auto --dist loadfile -p no:cacheprovider $(OLD_WARNINGS)

test-newest:  ## run the tests with the newest versions, pre-releases too; PYTHON=python3.13 chooses the Python
	$(call new_venv,.venv-newest,--clear)
	.venv-newest/bin/python -m pip install --quiet --pre --editable '.[test]' --config-settings build-dir=build/newest
	.venv-newest/bin/python -m pytest -m "not slow" --numprocesses auto --dist loadfile -p no:cacheprovider

test-sanitize: .venv-sanitize/.ready  ## run the tests with AddressSanitizer and UBSan in the core
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	.venv-sanitize/bin/python -m pytest -m "not slow" -p no:cacheprovider

lint: $(READY) lint-docstrings  ## check style, types, layers, docstrings, and the core without compiler extensions
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	$(CXX) -std=c++17 -fsyntax-only -Wall -Wextra -Werror -DWGBOOST_PLAIN_VECTORS -DWGBOOST_NO_CLONES \
	  $(filter-out core/bindings%,$(wildcard core/*.cpp))

lint-docstrings: $(READY)  ## check the docstrings of everything public with numpydoc
	PYTHONPATH=benchmarks $(RUN) tests/support/docstring_lint.py

format: $(READY)  ## bring the code into shape
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

regenerate: $(READY)  ## write tables of the pages, the reference and public names from the registries
	$(RUN) tests/support/regenerate.py

wheel: $(READY)  ## build a wheel in dist/ and try it in an empty environment without a compiler
	rm -rf dist
	$(RUN) -m pip wheel --quiet --no-deps --wheel-dir dist .
	WGBOOST_WHEEL="$$(echo dist/*.whl)" $(RUN) -m pytest -m slow tests/project/test_wheel.py

docs: $(VENV)/.docs  ## build the site into build/docs; GALLERY=0 does not run the examples
	$(RUN) -m sphinx -W --keep-going -q $(if $(filter 0,$(GALLERY)),-D plot_gallery=0) docs build/docs
	@echo build/docs/index.html

figures: $(READY)  ## draw the pictures of the documents again
	$(RUN) examples --out docs/figures

bench: $(VENV)/.bench  ## measure against LightGBM, XGBoost, scikit-learn, NGBoost and CatBoost
	$(RUN) benchmarks/trees.py
	$(RUN) benchmarks/models.py
	$(RUN) benchmarks/comparison.py
	$(RUN) benchmarks/responses.py

paper: $(READY)  ## reproduce the paper's tables and figures in paper/report.md; goes on where it was stopped
	$(RUN) -m paper all

paper-quick: $(READY)  ## the same with a few repeats of small sets, in paper/results/quick
	$(RUN) -m paper quick

paper-best: $(VENV)/.peers  ## the tables with estimators that choose for themselves, and with other methods, in paper/best.md
	$(RUN) -m paper best peers

paper-peers: $(VENV)/.peers  ## other methods on the paper's regression splits; goes on where it was stopped
	$(RUN) -m paper peers

clean:  ## remove everything that can be made again
	rm -rf .venv .venv-lowest .venv-newest .venv-sanitize build dist demo_output .pytest_cache .mypy_cache .ruff_cache \
	       .import_linter_cache .hypothesis docs/api docs/gallery
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wgboost needs Python 3.11 or newer; say which one: make PYTHON=python3.12 ..."; exit 1; }
	@test -z '$(2)' -a -x $(1)/bin/python || $(PYTHON) -m venv $(2) $(1)
endef

$(READY): $(CORE)
	$(call new_venv,$(VENV))
	$(RUN) -m pip install --quiet --editable '.[test,lint]'
	@touch $@

$(VENV)/.bench: $(READY)
	$(RUN) -m pip install --quiet --editable '.[bench]'
	@touch $@

$(VENV)/.peers: $(READY)
	$(RUN) -m pip install --quiet --editable '.[peers]'
	@touch $@

$(VENV)/.slow: $(READY)
	$(RUN) -m pip install --quiet --editable '.[ray]'
	@touch $@

$(VENV)/.docs: $(READY)
	$(RUN) -m pip install --quiet --editable '.[docs]'
	@touch $@

.venv-lowest/.ready: $(CORE) tests/support/lowest.py
	$(call new_venv,.venv-lowest)
	.venv-lowest/bin/python -m pip install --quiet packaging
	.venv-lowest/bin/python tests/support/lowest.py > .venv-lowest/constraints.txt
	PIP_CONSTRAINT=$(CURDIR)/.venv-lowest/constraints.txt PIP_BUILD_CONSTRAINT=$(CURDIR)/.venv-lowest/constraints.txt \
	.venv-lowest/bin/python -m pip install --quiet --editable '.[test]' --config-settings build-dir=build/lowest
	@touch $@

.venv-sanitize/.ready: $(CORE)
	$(call new_venv,.venv-sanitize)
	.venv-sanitize/bin/python -m pip install --quiet --editable '.[test]' \
	  --config-settings build-dir=build/sanitize \
	  --config-settings cmake.build-type=Debug \
	  --config-settings cmake.define.WGBOOST_SANITIZE=ON
	@touch $@
