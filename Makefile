# The daily commands. `make demo` and `make test` need python3 and the package index, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint format bench clean

demo: $(VENV)/.demo
	$(BIN)/actmem run week --weeks 5

test: $(VENV)/.test
	$(BIN)/actmem fetch model smollm2-135m
	$(BIN)/actmem fetch model minilm
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/actmem check bank
	$(BIN)/pytest --numprocesses 2

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.test
	$(BIN)/python benchmarks/week.py
	$(BIN)/python benchmarks/week_models.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable .
	touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[dev]'
	touch $@ $(VENV)/.demo
