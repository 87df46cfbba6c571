# Everything a newcomer needs: `make demo` to see it, `make test` to trust it. `make help` lists the rest.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The version of packages.
VERSION = $(shell sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)

# Prefix of a command that needs root.
AS_ROOT = $(if $(filter 0,$(shell id -u)),,sudo env "PATH=$(PATH)")

# The built web pages, and what they are built from.
WEB = web/dist/index.html
WEB_SOURCES := $(shell find web/src web/public web/tools web/index.html web/*.json web/*.ts -type f)

# A build that fails, for example at a size budget, leaves no pages.
.DELETE_ON_ERROR:

# Builds the debug binary as the Rust tests do, so that nothing is compiled twice: its features are those of the whole workspace and
# of its tests.
DEBUG_BINARY = cargo build --locked --workspace --features sillage/otel --bin sillage --test one_node

# Arguments of the demo, for example: make demo ARGS="--devices 5000"
ARGS ?=

.PHONY: help
help: ## List the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## ---- run it

$(WEB): $(WEB_SOURCES)
	@tools/setup web
	npm --prefix web run build

.PHONY: demo
demo: $(WEB) ## Build and start everything with a simulated fleet; prints addresses and accounts
	@tools/setup build
	cargo build --release --locked -p sillage
	@exec target/release/sillage demo $(ARGS)

.PHONY: dev
dev: ## Start the demo from a debug build, and the web's development server in front of it
	@tools/setup build
	cargo build --locked -p sillage
	@tools/dev $(ARGS)

.PHONY: cluster
cluster: $(WEB) ## Start two nodes of each server on PostgreSQL and NATS behind a balancer, with a simulated fleet
	@tools/setup cluster
	cargo build --release --locked -p sillage
	@exec tools/with-postgres --durable tools/cluster $(ARGS)

.PHONY: dist
dist: $(WEB) sbom ## Build the binary that packages ship, target/dist/sillage, and a tarball with man pages and completions in target/package
	@tools/setup build
	SILLAGE_COMMIT="$$(packaging/commit)" cargo build --profile dist --locked -p sillage
	packaging/build target/dist/sillage target/package $(VERSION) tar

.PHONY: deb
deb: dist ## Build the Debian package in target/package (docs/how-to/install.md)
	@tools/setup packaging
	packaging/build target/dist/sillage target/package $(VERSION) deb

.PHONY: sbom
sbom: ## List the crates and npm packages that the program contains, as CycloneDX files in target/sbom, and check the lists
	@tools/setup sbom
	node packaging/sbom/write.mjs target/sbom
	node --test packaging/sbom/*.test.mjs

.PHONY: release
release: ## Make the release of the version in Cargo.toml: check, package, verify and tag it; pushes nothing (CONTRIBUTING.md)
	node tools/release/release.mjs

## ---- check it

.PHONY: test
test: ## Run all checks of CI
	@rm -rf target/junit && mkdir -p target/junit
	@tools/setup timed
	@tools/timed setup lint test-rust test-web e2e docs test-api test-package

.PHONY: lint
lint: ## Check formats, lints, types, licences, and the tables in docs/ and quality/; warnings are errors
	@tools/setup lint
	@mkdir -p target/junit
	node --test --test-reporter=spec --test-reporter-destination=stdout \
		--test-reporter=junit --test-reporter-destination=target/junit/guards.xml tools/guards/*.test.mjs tools/site/*.test.mjs tools/release/*.test.mjs tools/bench/*.test.mjs
	node tools/guards/run.mjs
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
	node --test --test-reporter=spec --test-reporter-destination=stdout \
		--test-reporter=junit --test-reporter-destination=target/junit/package.xml tools/package/*.test.mjs
	cargo check --workspace --locked
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	cargo tree --locked --quiet --manifest-path fuzz/Cargo.toml >/dev/null
	cargo deny --log-level error check bans licenses sources
	target/python/packaging/bin/hadolint packaging/container/Dockerfile
	target/python/packaging/bin/check-jsonschema --builtin-schema vendor.compose-spec packaging/container/compose.yaml
	npm --prefix web run lint
	npm --prefix web run check
	npm --prefix e2e run lint

.PHONY: test-rust
test-rust: ## Run the Rust tests, those of the stores on SQLite and on a private PostgreSQL
	@tools/setup rust
	@rm -f target/junit/rust.xml
	tools/with-postgres cargo nextest run --workspace --features sillage/otel --locked --profile ci || status=$$?; \
		tools/slowest target/junit/rust.xml; exit $${status:-0}
	cargo test --workspace --features sillage/otel --locked --doc --quiet

.PHONY: test-busy
test-busy: ## Run the Rust tests and the browser tests while other processes keep all processors busy
	@tools/busy $(MAKE) test-rust e2e

.PHONY: test-web
test-web: $(WEB) ## Run the web tests, and the build with its size budgets
	@tools/setup web
	npm --prefix web run test

.PHONY: e2e
e2e: $(WEB) ## Run the browser tests: Chromium against the real binary
	@tools/setup e2e
	$(DEBUG_BINARY)
	@rm -f target/junit/e2e.xml
	npm --prefix e2e run test || status=$$?; tools/slowest target/junit/e2e.xml; exit $${status:-0}

.PHONY: docs
docs: $(WEB) ## Build the documentation as a site, target/docs/site, and check its links
	@tools/setup docs
	$(DEBUG_BINARY)
	node tools/site/assemble.mjs target/debug/sillage target/docs
	target/python/site/bin/mdbook build target/docs
	node tools/site/dead-links.mjs target/docs/site

.PHONY: test-api
test-api: $(WEB) ## Send generated requests to the console's API as each of six principals, for 90 seconds
	@tools/setup fuzz-api
	@mkdir -p target/junit
	$(DEBUG_BINARY)
	SILLAGE_FUZZ_SECONDS=$(or $(SILLAGE_FUZZ_SECONDS),15) node --test --test-reporter=spec --test-reporter-destination=stdout \
		--test-reporter=junit --test-reporter-destination=target/junit/api.xml tools/fuzz-api/*.test.mjs

.PHONY: test-package
test-package: $(WEB) ## Install, run, upgrade and remove the Debian package of a debug build in a scratch root, with sudo for chroot
	@tools/setup packaging
	@mkdir -p target/junit
	$(DEBUG_BINARY)
	$(AS_ROOT) node --test --test-reporter=spec --test-reporter-destination=stdout \
		--test-reporter=junit --test-reporter-destination=target/junit/deb.xml packaging/deb/*.test.mjs

.PHONY: fuzz-api
fuzz-api: ## The same for five minutes as each of them
	@SILLAGE_FUZZ_SECONDS=300 $(MAKE) test-api

.PHONY: bench
bench: ## Measure speed, as ratios to a baseline in the same run
	@tools/setup rust
	tools/bench/bench.mjs 'tools/with-postgres --durable cargo bench --locked -p sillage --bench list' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench ingest' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench index' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench pass' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench stream' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench live' \
		'cargo bench --locked -p devicecloud --bench client'

.PHONY: bench-forecast
bench-forecast: ## Measure how good forecasts for simulated fleets are, and how long they take
	@tools/setup rust
	cargo bench --locked -p diffuser --bench forecast

.PHONY: bench-full
bench-full: ## The same with ten times as much stored data
	@tools/setup rust
	SILLAGE_BENCH=full tools/bench/bench.mjs 'tools/with-postgres --durable cargo bench --locked -p sillage --bench list' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench ingest' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench index' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench pass' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench stream' \
		'tools/with-postgres --durable cargo bench --locked -p sillage --bench live'

.PHONY: bench-scale
bench-scale: ## Measure the figures of the cost model in docs/scaling.md, and what a second node of the cloud gains; takes up to an hour
	@tools/setup rust
	tools/with-postgres --durable cargo bench --locked -p sillage --bench scale

.PHONY: simulate-load
simulate-load: ## Simulate when ten million devices report during a day, and compare that with the cost model
	@tools/setup rust
	cargo run --release --locked --quiet -p simulator --example fleet_load

.PHONY: soak
soak: $(WEB) ## Run 20,000 simulated devices for an hour beside two clouds and a console; override with ARGS="--devices N --minutes N"
	@tools/setup cluster
	cargo build --release --locked -p sillage
	@exec tools/with-postgres --durable tools/soak $(ARGS)

.PHONY: bench-web
bench-web: $(WEB) ## Measure how soon a phone shows the device list, in Chromium, compared with an empty page
	@tools/setup e2e
	cargo build --release --locked -p sillage
	SILLAGE_BINARY=target/release/sillage npm --prefix e2e run bench

.PHONY: torture
torture: ## Run the tests that kill the cloud, cut its stream and simulate the index, several times as long; then attack the cloud
	@tools/setup rust
	SILLAGE_KILLS=200 tools/with-postgres cargo nextest run --locked -p sillage --test kill
	SILLAGE_CUTS=1000 cargo nextest run --locked -p cloud stream_cut
	SILLAGE_SEEDS=2500 tools/with-postgres cargo nextest run --locked -p console index::tests::simulation
	cargo bench --locked -p sillage --bench attack
	SILLAGE_BENCH_DATABASE=postgres tools/with-postgres cargo bench --locked -p sillage --bench attack

.PHONY: semver
semver: ## Check the public API of the client library against the last release; installing the checker takes ten minutes
	@tools/setup semver
	cargo semver-checks --package devicecloud --all-features --baseline-rev "$$(cat crates/devicecloud/semver-baseline)"

.PHONY: fuzz
fuzz: FUZZ_SECONDS ?= 60
fuzz: ## Fuzz each parser for a minute (FUZZ_SECONDS) with nightly Rust
	@tools/setup fuzz
	for target in $$(ls fuzz/seeds); do \
		mkdir -p fuzz/corpus/$$target; \
		cargo +nightly fuzz run -s none $$target fuzz/corpus/$$target fuzz/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

## ---- change it

.PHONY: fmt
fmt: ## Format everything
	@tools/setup lint
	cargo fmt --all
	npm --prefix web run fmt
	npm --prefix e2e run fmt

.PHONY: api
api: ## Rewrite api/openapi.json from the server, and the web's types from it
	@tools/setup web
	UPDATE_OPENAPI=1 cargo nextest run --locked -p console openapi_document_is_current
	npm --prefix web run gen

.PHONY: shots
shots: $(WEB) ## Make the pictures of docs/ and README.md from the running demo
	@tools/setup e2e
	$(DEBUG_BINARY)
	npm --prefix e2e run docs-shots

.PHONY: setup
setup: ## Install what is missing, without running anything
	@tools/setup test
