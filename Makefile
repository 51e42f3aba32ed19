# Everything that a person does with this repository. `make help` explains.

SHELL := /bin/sh
.DEFAULT_GOAL := help

GO       ?= go
FUZZTIME ?= 60s
BENCH    ?= .

# A checkout that git does not trust would stop every build otherwise.
export GOFLAGS := $(filter-out -buildvcs=%,$(GOFLAGS)) -buildvcs=false

BIN    := bin/ox-mcp
GUESTS := plugins/built/reasoner.wasm plugins/built/checks.wasm

# Guests are equal bytes on every machine only if one toolchain builds them.
GUEST_TOOLCHAIN := $(shell cat plugins/TOOLCHAIN)
GUEST_SOURCES   := go.mod plugins/TOOLCHAIN \
	$(shell find abi plugins/internal -name '*.go' ! -name '*_test.go' ! -path '*/testdata/*')
HOST_SOURCES    := go.mod go.sum $(GUESTS) \
	$(shell find abi cmd host -type f ! -name '*_test.go' ! -path '*/testdata/*') $(wildcard plugins/*.go)

.PHONY: help
help: ## this list
	@echo "make demo        the demonstration: builds what is missing, then prints a transcript"
	@echo "make test        gofmt, vet, and all unit, script and guest tests; races too where there is a C compiler"
	@echo "make test-long   what does not fit into test: many more random programs, and five minutes for each fuzz target"
	@echo "make nightly     a hundred thousand random programs of every kind against the naive evaluator, and edits and repairs at length"
	@echo "make build       the guests (plugins/built/*.wasm) and $(BIN)"
	@echo "make bench       benchmarks, with ratios of sandboxed to native and of metered to plain (BENCH=regexp), then the reasoner beside other engines"
	@echo "make fuzz        every fuzz target for FUZZTIME ($(FUZZTIME)) each"
	@echo "make lint        gofmt and vet alone"
	@echo "make fmt         rewrites the Go sources with gofmt"
	@echo "make builds      records the BLAKE3 of the built guests in plugins/BUILDS; make build compares"
	@echo "make facts       makes the facts of examples/supply_chain anew from the module cache (FACTS=-network fills it first)"
	@echo "make clean       removes what the other targets made, but not the caches of Go"

.PHONY: demo
demo: $(BIN) ## a session of an agent, printed
	@$(GO) run ./examples/demo -server $(BIN)

.PHONY: build
build: $(BIN) ## guests and binary
	@$(GO) run ./scripts/builds

$(BIN): $(HOST_SOURCES)
	@echo "building $@" >&2
	@$(GO) build -trimpath -o $@ ./cmd/ox-mcp

.PHONY: guests
guests: $(GUESTS)

plugins/built/reasoner.wasm: $(GUEST_SOURCES) $(shell find plugins/reasoner -name '*.go' ! -name '*_test.go' -o -name '*.[hs]')
	@GO='$(GO)' scripts/guest reasoner $@ '$(GUEST_TOOLCHAIN)' -gcflags=github.com/ox-mcp/ox-mcp/plugins/reasoner/relation=-B
	@$(GO) run ./scripts/builds -sum $@

plugins/built/checks.wasm: $(GUEST_SOURCES) $(shell find plugins/checks -name '*.go' ! -name '*_test.go')
	@GO='$(GO)' scripts/guest checks $@ '$(GUEST_TOOLCHAIN)'
	@$(GO) run ./scripts/builds -sum $@

.PHONY: builds
builds: $(GUESTS)
	@$(GO) run ./scripts/builds -record

.PHONY: test
test: $(BIN) ## everything that must hold before a commit
	@$(GO) run ./scripts/test

.PHONY: test-long
test-long: $(BIN)
	@$(GO) run ./scripts/test -long
	@$(MAKE) --no-print-directory fuzz FUZZTIME=300s

# The test runs its share ten times: 10,000 checks are 100,000 programs.
.PHONY: nightly
nightly: ## the reasoner against the naive evaluator, at length
	@$(GO) test ./plugins/reasoner/engine -run '^TestRandomProgramsOfEveryKind' -rapid.checks=10000 -timeout 4h
	@$(GO) test ./plugins/reasoner/engine -run '^TestRandom(Circles|ProgramsHave)' -rapid.checks=20000 -timeout 4h
	@$(GO) test ./plugins/reasoner/engine -run '^Test(EveryStep|Repairs)' -rapid.checks=20000 -timeout 4h
	@$(GO) test ./plugins/reasoner/engine -run '^Test(EveryExplanation|ManyChanges)' -rapid.checks=2000 -timeout 4h
	@$(GO) test ./host/argon -run 'Random|Completion' -rapid.checks=5000 -timeout 4h

.PHONY: lint
lint:
	@$(GO) run ./scripts/test -lint

.PHONY: bench
bench: $(GUESTS)
	@$(GO) test -run '^$$' -bench '$(BENCH)' -p 1 $$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u)
	@$(GO) run ./scripts/peers

.PHONY: fuzz
fuzz: $(GUESTS)
	@GO='$(GO)' scripts/fuzz '$(FUZZTIME)'

.PHONY: fmt
fmt:
	@gofmt -l -w $$(git ls-files --cached --others --exclude-standard '*.go')

.PHONY: facts
facts:
	@$(GO) run ./examples/supply_chain/generate $(FACTS)

.PHONY: clean
clean:
	rm -rf bin dist plugins/built/*.wasm plugins/built/*.sum plugins/built/TOOLCHAIN
	find examples -type d \( -name target -o -name .ox \) -prune -exec rm -rf {} +
