# Each verb sets up what it needs: .venv, the dependencies, a Chromium, Xvfb.
SHELL := /bin/bash
BIN := .venv/bin
READY := .venv/.ready
# What fits into a minute: no scenario with many arms, none that fetches a package first; in the shell where there is one,
# since a full browser ends a recording 5 s late when the page changed its process.
DEMO := parse-html html-document-parser-pump-tokenizer-if-possible -k "not (.categories or trace-engine)"
export PYTHON

.PHONY: help demo test lint golden browser browsers bench clean

help:  ## what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | awk -F'\t' '{printf "  make %-9s %s\n", $$1, $$2}'

demo: browser  ## prove or refute the documented claims about HTML parsing on a real Chromium
	$(BIN)/traceproof run $(DEMO) --attempts 1 $$($(BIN)/traceproof browsers list | grep -q headed/shell && echo --mode shell)

# Tests in real browsers run one at a time: two browsers on two cores would measure each other.
test: browser  ## every test, those in real browsers too, then lint
	$(BIN)/python -m pytest tests -m "not browser" -n 2
	$(BIN)/python -m pytest tests -m browser
	@$(MAKE) --no-print-directory lint

lint: $(READY)  ## ruff, mypy, and traceproof's own rules for scenarios
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/traceproof lint

golden: $(READY)  ## write the golden files anew; read the difference before you commit it
	TRACEPROOF_UPDATE_GOLDEN=1 $(BIN)/python -m pytest tests -m "not browser" -n 2
	git diff --stat -- tests

browsers: $(READY)  ## install Chrome 153 beside the browser that is there, to compare versions
	$(BIN)/traceproof browsers install 153

# SIZE: MB of the largest recording; ROUNDS: how often all take turns.
bench: browser  ## how fast and in how much memory a recording is read, here and by others (SIZE=2000 for 2 GB)
	$(BIN)/python -m bench --size $(or $(SIZE),160) --rounds $(or $(ROUNDS),3)

browser: $(READY)
	$(BIN)/traceproof browsers ensure

clean:  ## remove .venv and caches; out/ with its evidence and installed browsers stay
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml .ci/setup
	@.ci/setup
	@touch $@
