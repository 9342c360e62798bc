# `make run` runs the whole system on this machine, `make test` proves it. Both need Python 3.11 or newer, and install
# the rest into .tools (programs) and .venv (libraries).
UV_VERSION = 0.13.9
SAM_VERSION = 1.170.0
EMULATOR_VERSION = 1.5.33

UV := .tools/bin/uv
SAM := SAM_CLI_TELEMETRY=0 .tools/bin/sam
export UV_PYTHON := $(CURDIR)/.tools/bin/python
export UV_TOOL_DIR := $(CURDIR)/.tools/tool
export UV_TOOL_BIN_DIR := $(CURDIR)/.tools/bin
# Programs that start several times a run must not be compiled each time.
unexport PYTHONDONTWRITEBYTECODE

# The rules of the domain: pure, so that tests reach (nearly) every branch.
DOMAIN = functions/role_memory/rules/*,functions/role_memory/extraction/*,shared/domain/*
DOMAIN_COVERAGE = 95

# What has a target of its own.
SLOW = tests/artifacts tests/faults tests/model
COVERAGE = --cov=functions --cov=shared --cov=tools

PYTHONS = python3 python3.13 python3.12 python3.11 python3.14

.DEFAULT_GOAL := help
include infra/build.mk

.PHONY: help run test check audit unit test-faults test-artifacts sam-local capacity eval test-model clean

## Show this list
help:
	@awk '/^## / { text = substr($$0, 4); next } /^[a-z-]+:/ && text { sub(":.*", ""); printf "make %-14s %s\n", $$0, text } \
	    { text = "" }' $(MAKEFILE_LIST)

## Run the whole system on http://127.0.0.1:8000 (PORT= changes it) until Ctrl-C
run: .venv/ready .tools/bin/sam .tools/bin/ministack
	@exec .venv/bin/python -m tools.local

## Run all checks, and every test that takes seconds
test: check .tools/bin/ministack
	.venv/bin/pytest $(SLOW:%=--ignore=%) --ignore=tests/e2e --numprocesses=2 --dist=loadfile $(COVERAGE) --cov-report=
	.venv/bin/pytest tests/e2e $(COVERAGE) --cov-append --cov-report=term:skip-covered
	.venv/bin/coverage report --include='$(DOMAIN)' --fail-under=$(DOMAIN_COVERAGE)

## Run the checks that run nothing: style, types, template, security
check: .venv/ready validate
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy functions shared tools evals
	.venv/bin/bandit --quiet --configfile pyproject.toml --recursive functions shared

## Look for known vulnerabilities in the locked libraries (needs https://api.osv.dev)
audit: .tools/bin/uv
	$(UV) audit --frozen --preview-features audit-command

## Run the tests of `make test` but the end-to-end ones, and no checks
unit: .venv/ready
	.venv/bin/pytest $(SLOW:%=--ignore=%) --ignore=tests/e2e

## Race and break the system on the emulator
test-faults: .venv/ready .tools/bin/ministack
	.venv/bin/pytest tests/faults $(ARGS)

## Build the functions for this machine and run them under Lambda's own runtime loop
test-artifacts: .venv/ready .tools/bin/sam .tools/bin/ministack
	.venv/bin/pytest tests/artifacts $(ARGS)

## Invoke every event file in a container with `sam local` (ARGS=--serve to invoke by hand)
sam-local: .venv/ready .tools/bin/sam .tools/bin/ministack
	@.venv/bin/python -m tools.sam_local $(ARGS)

## Measure what a turn takes and costs (ARGS=--help lists what else)
capacity: .venv/ready .tools/bin/sam .tools/bin/ministack
	@.venv/bin/python -m tools.capacity $(ARGS)

## Play the evaluation dialogues on the model at OPENAI_BASE_URL (ARGS=--help lists what else)
eval: .venv/ready .tools/bin/uv
	@.venv/bin/python -m evals $(ARGS)

## Run the tests that need a real model at OPENAI_BASE_URL
test-model: .venv/ready
	.venv/bin/pytest tests/model $(ARGS)

## Remove what was built and installed; the memory of local runs in .local stays
clean:
	rm -rf .tools .venv .aws-sam .local/build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find evals functions shared tests tools -name __pycache__ -prune -exec rm -rf {} +

build validate: .tools/bin/sam

.venv/ready: pyproject.toml uv.lock .tools/bin/uv
	@echo "Installing the locked libraries …"
	@$(UV) sync --quiet --frozen
	@touch $@

.tools/bin/sam: .tools/bin/uv
	@echo "Installing the AWS SAM CLI …"
	@$(UV) tool install --quiet --force aws-sam-cli==$(SAM_VERSION)
	@touch $@

.tools/bin/ministack: .tools/bin/uv
	@echo "Installing the emulator …"
	@$(UV) tool install --quiet --force --with aws-sam-translator ministack==$(EMULATOR_VERSION)
	@touch $@

.tools/bin/uv: Makefile
	@echo "Installing uv …"
	@for python in $(PYTHONS); do \
	    if $$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "There is no Python 3.11 or newer with its venv module on the PATH. Install one (Debian: apt install python3-venv)." >&2; \
	    exit 1; \
	fi; \
	$$found -m venv .tools && .tools/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
