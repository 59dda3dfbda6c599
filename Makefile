# Mooring's Makefile. It needs Go, git and make, and nothing else: all other tools are pinned in
# tools/go.mod, and the control plane for tests in test/controlplane/go.mod. `make help` lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN  := $(CURDIR)/bin
TOOL := go tool -modfile=$(CURDIR)/tools/go.mod

# RACE=1 and SHUFFLE=on are what CI uses; TEST_FLAGS takes whatever else `go test` knows.
RACE       ?=
SHUFFLE    ?=
TEST_FLAGS ?=
# What to test; test/bench measures and does not judge, so it has a target of its own.
PACKAGES   ?= $(shell go list ./... | grep -v '/test/bench')
# How long each fuzz target runs.
FUZZTIME   ?= 20s
# ONCE=1 ends the quickstart after its show. QUICKSTART_FLAGS takes the program's own flags.
ONCE             ?=
QUICKSTART_FLAGS ?=
BENCH_FLAGS      ?=

.PHONY: help
help: ## List every target.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

##@ Generated files

.PHONY: generate
generate: ## Write all that is generated: deepcopy, CRDs, RBAC, the reference.
	@tools/generate

.PHONY: controlplane
controlplane: ## Build etcd, kube-apiserver, kube-controller-manager and kubectl into bin/, if a pin changed.
	@tools/controlplane
