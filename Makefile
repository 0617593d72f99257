# `make test` is all that CI runs, and all that a fresh machine with Rust and Python needs.
export TORCH

.PHONY: test lint features-off bench fuzz soak sanitize audit browser python peers wheel

# The paper's data sets, where they lie beside the repository.
ifndef RULEBOUND_DATA
ifneq ($(wildcard ../shared/data),)
export RULEBOUND_DATA = $(abspath ../shared/data)
endif
endif

# An extension of Python does not link alone: its tests are in Python. Tests that need data, Python, a browser or a GPU are ignored at first; then those run whose needs
# are met here.
test: lint browser
	cargo test --workspace --exclude rulebound-python --lib --bins --tests
	RULEBOUND_PYTHON="$$(scripts/python-environment)" scripts/ignored-tests
	cargo test --workspace --doc
	$(MAKE) python
	$(MAKE) features-off

# The Python package, in an environment in the user's cache folder. `make test TORCH=0` leaves torch out.
python:
	scripts/python-tests

# The lines that other libraries need, run with them, Spark's API (Sail) and Ray, and the oldest PyTorch: 4 GB to download beyond
# `make python`.
peers:
	scripts/peers

# A wheel for Linux on x86-64 in dist/, with the command `rulebound`.
wheel:
	scripts/wheel

# The library without GPUs and Parquet.
features-off: LEAN = -p rulebound-io -p rulebound-data -p rulebound-apply -p rulebound
features-off:
	cargo clippy $(LEAN) --no-default-features --all-targets -- -D warnings
	cargo test $(LEAN) --no-default-features --lib --tests

# Chromium, to look at the report of `rulebound reproduce` with.
browser:
	scripts/browser

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

bench:
	cargo bench -p rulebound-core --bench layer
	cargo bench -p rulebound-core --bench metrics
	cargo bench -p rulebound --bench train_step
	cargo bench -p rulebound --bench train_scaling

# Known vulnerabilities of dependencies, with whichever of the two tools is installed, or with a checkout of
# the advisory database: ADVISORY_DB=FOLDER make audit.
audit:
	@if command -v cargo-deny >/dev/null; then cargo deny check advisories; \
	elif command -v cargo-audit >/dev/null; then cargo audit; \
	elif [ -n "$$ADVISORY_DB" ]; then scripts/advisories "$$ADVISORY_DB"; \
	else echo "install cargo-deny or cargo-audit first: cargo install --locked cargo-deny"; exit 1; fi

# Random and hostile input for some minutes, from a seed that is printed: SOAK_SEED=1 make soak.
soak:
	cargo test --release --workspace --test soak -- --ignored --nocapture --test-threads 2

# The tests that run every `unsafe` block of the CPU, under the address sanitizer and, as far as it goes, under
# Miri. Needs a nightly toolchain with the components `miri` and `rust-src`.
sanitize: export CARGO_TARGET_DIR = $(CURDIR)/target/sanitize
# Tree borrows, because the queues of rayon break the older rules; its threads live as long as the process.
sanitize: export MIRIFLAGS = -Zmiri-tree-borrows -Zmiri-ignore-leaks -Zmiri-disable-isolation
sanitize:
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --target x86_64-unknown-linux-gnu \
		-p rulebound-core --lib --test layer --test allocation
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --target x86_64-unknown-linux-gnu \
		-p rulebound-io -p rulebound-network --no-default-features --lib
	PROPTEST_CASES=2 cargo +nightly miri test -p rulebound-core --test layer -- \
		a_batch a_hierarchy an_output applying_twice buffers emitted every_float f32_selects in_a_tangle
	cargo +nightly miri test -p rulebound-core --test allocation
	cargo +nightly miri test -p rulebound-network --lib -- lanes line::

# Needs `cargo install cargo-fuzz`. Two minutes a target.
fuzz:
	for target in parse settle apply export arff obo table svmlight npy model model_fields onnx thresholds results; do \
		mkdir -p fuzz/corpus/$$target; \
		RUSTC_BOOTSTRAP=1 cargo fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target \
			-- -max_total_time=120 -len_control=0 || exit 1; \
	done
