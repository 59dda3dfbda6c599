# Mooring's Makefile. It needs Go, git and make, and nothing else: all other tools are pinned in tools/go.mod,
# tools/chart/go.mod, tools/store/go.mod, tools/oldest/go.mod and tools/image/go.mod, the control plane for tests in test/controlplane/go.mod. `make help` lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN  := $(CURDIR)/bin

# go.work joins the modules of this tree, whatever the environment says. Commands in modules of their own set it to off.
unexport GOWORK

TOOL := $(CURDIR)/tools/tool

# All is compiled by the same flags, tests, programs, tools and what linters read, so that the cache has each package once. With -trimpath clones share
# them, too. Without cgo linking takes an eighth less; -race alone needs it.
ifeq ($(findstring -trimpath,$(GOFLAGS)),)
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
endif
CGO_ENABLED ?= 0
export CGO_ENABLED

# RACE=1 and SHUFFLE=on are what CI uses; TEST_FLAGS takes whatever else `go test` knows.
RACE       ?=
SHUFFLE    ?=
TEST_FLAGS ?=
# How many packages are tested at once: twice as many as there are processors, since half of their time is waiting.
PARALLEL   ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))
# How many of each of two sets that are tested beside each other. More than that, and tests that look again every moment take the processors from each other: test/docs
# took 35 minutes with six packages at once, and takes 6 alone.
APIECE     ?= $(shell expr $(PARALLEL) / 2)
# These are begun first, since they take longest: what is short then fills up what they leave of the processors.
LONGEST    := $(addprefix github.com/mooring-dev/mooring/,test/e2e test/fault test/chart test/docs cmd/quickstart test/image)
# How many processors each API server of a test uses at once: half of them, since the servers spend a fifth of their time on
# sharing work among more, and several run at once.
SERVERS    ?= $(shell expr \( 1 + $$(getconf _NPROCESSORS_ONLN) \) / 2)
# With RACE=1 these are tested without the race detector, beside all others. Most have no controller in their process: they read files, or start programs, which
# have no detector anyway. test/alerts, test/family, test/identity, test/largest and test/system lead through the API server what test/e2e leads through it under the
# detector, with the same controllers, drivers and stand-ins.
RACELESS   := $(if $(RACE),$(addprefix github.com/mooring-dev/mooring/,test/alerts test/api test/chart test/ci test/cluster test/docs test/family test/gitops test/identity \
	test/image test/imports test/largest test/node test/patience test/recordings test/release test/system test/upstream cmd/quickstart config/crd config/generate docs/reference))
# This is tested last, with nothing beside it, and never under the race detector. It leads some eight hundred lives through code that test/e2e leads under the
# detector, and takes four times as long with it. Each converged object is observed once a second, so that on a busy machine it takes more of the processors, too.
LAST       := github.com/mooring-dev/mooring/test/fault
longest-first = $(foreach package,$(LONGEST),$(filter $(package),$1)) $(filter-out $(LONGEST),$1)
# What to test; test/bench measures, and fails nothing, so it has a target of its own. UNIT_TESTED=1 leaves out what
# `make unit` has tested.
UNIT_TESTED ?=
PACKAGES    ?= $(call longest-first,$(filter-out $(if $(UNIT_TESTED),$(shell go list $(UNIT))),$(shell go list work | grep -v '/test/bench')))
# What needs no control plane and no program but Go's; test/imports holds its tests to that.
UNIT := ./apis/... ./providers/... ./controllers/...
# With RACE=1 these are tested without the race detector: the suites that every driver passes make one call after the other, so nothing races there. They take
# most of the time of `make unit`. test/e2e runs the drivers under the race detector, many objects at once.
SUITES := ^(TestConformance|TestSequences|TestSuite|TestEveryInterruptionIsAnnounced)
# So are these, which decide from values: they start no goroutine.
PURE := $(addprefix ./controllers/,resource/plan resource/preview resource/outcome condition constraint password window)
# Of packages, those that have tests.
TESTED := -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'
# How long each fuzz target runs.
FUZZTIME   ?= 20s
# ONCE=1 ends the quickstart after its show. QUICKSTART_FLAGS takes the program's own flags.
ONCE             ?=
QUICKSTART_FLAGS ?=
BENCH_FLAGS      ?=
# UPDATE=1 writes what `make upstream` compares with.
UPDATE           ?=
# The image's file, what it is built for, and on: nothing for a base made on the spot, else one to pull.
ARCHIVE   ?= $(BIN)/mooring-image.tar
PLATFORMS ?= linux/amd64,linux/arm64
BASE      ?=

# A sixth of the processor's time of tests was garbage collection, most of it in API servers that run for a minute. Tests and all that
# they start collect less often, until a process has a GiB.
# They are built SMALL, as the image is: a third of the linker's time went to what debuggers read, a sixth to gRPC. go vet is left to `make verify`.
gotest = $(if $1,CGO_ENABLED=1 )GOGC=$${GOGC:-800} GOMEMLIMIT=$${GOMEMLIMIT:-1GiB} MOORING_SERVER_PROCESSORS=$(SERVERS) $(CURDIR)/tools/test \
	-timeout=45m -p=$(or $2,$(PARALLEL)) $(SMALL) -vet=off $(if $1,-race) $(if $(SHUFFLE),-shuffle=$(SHUFFLE)) $(TEST_FLAGS)

# beside runs two commands at once, and fails if one of them does: half of the time of each is waiting. A shell has what is in its background ignore
# Ctrl-C, so that is passed on as SIGTERM.
beside = trap 'trap "" TERM; kill 0; exit 130' INT TERM; status=0; ($1) & other=$$!; $2 || status=$$?; wait $$other || status=$$?; exit $$status

# tested tests packages: those without the race detector beside the others.
tested = $(if $(filter $(RACELESS),$1),$(if $(filter-out $(RACELESS),$1),$(call beside,$(call gotest,,$(APIECE)) $(filter $(RACELESS),$1),$(call gotest,$(RACE),$(APIECE)) $(filter-out $(RACELESS),$1)),\
	$(call gotest) $(filter $(RACELESS),$1)),$(call gotest,$(RACE)) $1)

# Without symbols, and without gRPC, which no cloud is called by: a third smaller.
SMALL = -ldflags='-s -w' -tags=disable_grpc_modules,grpcnotrace
# Static, too. The image is built so, and tests build the same programs by the same flags, so that none of them compiles or links what
# another has.
BUILD = go build $(SMALL)

.PHONY: help
help: ## List every target.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## Build the controller into bin/mooring.
	$(BUILD) -o $(BIN)/mooring ./cmd/mooring

.PHONY: image
image: ## Write the image to bin/mooring-image.tar, an OCI archive, and print its digest. PLATFORMS=linux/arm64; BASE=gcr.io/…
	@[ -x $(BIN)/image ] || echo "This takes about 6 minutes on 2 cores the first time, and seconds later."
	@GOWORK=off go build -C tools/image -o $(BIN)/image .
	@$(BIN)/image --out=$(ARCHIVE) --platforms=$(PLATFORMS) --base=$(BASE)

.PHONY: generate
generate: ## Write all that is generated: deepcopy, CRDs, RBAC, the reference.
	@tools/generate

.PHONY: controlplane
controlplane: ## Build etcd, kube-apiserver, kube-controller-manager and kubectl into bin/, if a pin changed.
	@GOWORK=off tools/controlplane

.PHONY: tools
tools: ## Build helm, helm3, kubeconform, helm-docs, promtool, versitygw and an old kubectl into bin/, if a pin changed.
	@GOWORK=off tools/programs
	@GOWORK=off tools/versitygw
	@GOWORK=off tools/kubectl

.PHONY: unit
unit: ## Test apis, providers and controllers, in about five minutes on 2 cores: no control plane. RACE=1; TEST_FLAGS='-run X'.
	@# Whoever names tests by TEST_FLAGS gets those alone, all under the race detector.
	@$(if $(and $(RACE),$(if $(strip $(TEST_FLAGS)),,whole)),$(call beside,failed=0; $(call gotest) $(PURE) || failed=1; $(call gotest) -run='$(SUITES)' ./providers/... || failed=1; exit $$failed,\
		$(call gotest,$(RACE)) -skip='$(SUITES)' $(filter-out $(patsubst ./%,github.com/mooring-dev/mooring/%,$(PURE)),$(shell go list $(UNIT)))),$(call gotest,$(RACE)) $(UNIT))
	@comm -23 <(go list $(TESTED) $(PACKAGES) | sort) <(go list $(TESTED) $(UNIT) | sort) | \
		awk '{ sub("^[^/]*/[^/]*/[^/]*/", ""); list = list "\n  " $$0 } END { print "make unit did not test:" list "\nmake test does."  }'

.PHONY: test
test: export MOORING_CONTROLPLANE = $(BIN)
test: controlplane tools ## Run all tests but benchmarks. RACE=1 SHUFFLE=on, as CI does; TEST_FLAGS='-run X'.
	$(if $(strip $(PACKAGES)),,$(error go list found no packages to test))
	@status=0; \
	$(if $(filter-out $(LAST),$(PACKAGES)),($(call tested,$(filter-out $(LAST),$(PACKAGES)))) || status=1;) \
	$(if $(filter $(LAST),$(PACKAGES)),$(call gotest) $(filter $(LAST),$(PACKAGES)) || status=1;) exit $$status

.PHONY: recordings
recordings: ## Compare the stand-ins with recordings of the real clouds, and say how many there are.
	go test -C test/recordings -vet=off -count=1

.PHONY: upstream
upstream: ## Say what is new in the clouds' SDKs, of the calls that we make; UPDATE=1 records that it was looked at.
	@go run $(SMALL) ./test/upstream $(if $(UPDATE),-update)

.PHONY: lint
lint: ## Run golangci-lint.
	$(TOOL) golangci-lint run ./... ./apis/...

.PHONY: format
format: ## Format all Go code, imports in order.
	$(TOOL) golangci-lint fmt

.PHONY: tidy
tidy: ## Write every go.mod and go.sum as go mod tidy does, and go.work.sum.
	@tools/tidy

.PHONY: verify
verify: ## Fail if anything is stale, badly formatted, vetted or linted, or imports what it may not.
	@tools/verify

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (20s).
	@tools/fuzz $(FUZZTIME)

.PHONY: cost
cost: ## Say how many files people write for a new field or kind, by the last commits that added one.
	@go run ./test/cost

.PHONY: bench
bench: export MOORING_CONTROLPLANE = $(BIN)
bench: controlplane ## Measure 1,000 buckets and 500 databases of one account, as the chart installs Mooring, and print one table.
	@go build -o $(BIN)/bench ./test/bench
	@# Not by go run, which on SIGTERM ends and leaves the program behind.
	@exec $(BIN)/bench $(BENCH_FLAGS)

.PHONY: quickstart
quickstart: ## Show the whole system on this machine, until Ctrl-C; ONCE=1 ends after the show.
	@[ -x $(BIN)/quickstart ] || echo 'Building the quickstart. That takes about 3 minutes on 2 cores, once; it builds the rest itself.'
	@$(BUILD) -o $(BIN)/quickstart ./cmd/quickstart 2> >(grep -v '^go: downloading ' >&2)
	@# Not by go run, which on SIGTERM ends and leaves the program behind; exec makes it make's own child.
	@exec $(BIN)/quickstart $(if $(ONCE),--once) $(QUICKSTART_FLAGS)

.PHONY: clean
clean: ## Remove bin/, the control plane with it.
	rm -rf $(BIN)
