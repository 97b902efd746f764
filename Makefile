# `make` alone lists what there is.

VENV := .venv
BIN := $(VENV)/bin
CODE := reaffirm console reviews tasks_app bench
PIN := $(BIN)/pip-compile --quiet --no-header --no-emit-find-links --no-emit-index-url --strip-extras

SOAK := --kills $(or $(KILLS),1000) --store $(or $(STORE),both) $(if $(RACES),--races $(RACES)) $(if $(SEED),--seed $(SEED))
BENCH := $(if $(SIZES),--sizes $(SIZES)) $(if $(STORE),--store $(STORE)) $(if $(PARTS),--parts $(PARTS))

.PHONY: help setup setup-dev demo test soak bench lint format docs pins clean

help:
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: ## the environment: .venv with what requirements.txt pins
	@scripts/setup.sh requirements.txt

setup-dev: ## the same, with what tests and lint need
	@scripts/setup.sh requirements-dev.txt

demo: setup ## everything on http://127.0.0.1:8000 (PORT=… GRAPH_URL=… VAR_DIR=… change that); Ctrl-C stops it
	@exec $(BIN)/python scripts/demo.py

test: setup-dev ## all tests, on both stores and in Chromium
	@$(BIN)/pytest --durations=15

soak: setup-dev ## kills inside every write, and races; KILLS=1000 RACES=… STORE=falkordb|neo4j|both SEED=…
	@$(BIN)/python -m tests.soak $(SOAK)

bench: setup-dev ## measure, into docs/benchmarks.md; SIZES=1000,20000 STORE=falkordb|neo4j PARTS=writes,reads for less
	@$(BIN)/python -m bench $(BENCH)

lint: setup-dev ## ruff, mypy --strict, djlint, vulture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CODE)
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/python scripts/unused.py

format: setup-dev ## put the code in form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup-dev ## the documentation as pages, in var/docs; a warning is an error
	@$(BIN)/sphinx-build -W --keep-going -q -b html docs var/docs
	@echo var/docs/index.html

pins: setup-dev ## compile requirements*.in into requirements*.txt; UPGRADE=1 takes newer versions
	$(PIN) $(if $(UPGRADE),--upgrade) --output-file requirements.txt requirements.in
	$(PIN) $(if $(UPGRADE),--upgrade) --output-file requirements-dev.txt requirements-dev.in

clean: ## remove what was made here, the demo's state in var/ too
	rm -rf $(VENV) var staticfiles .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
