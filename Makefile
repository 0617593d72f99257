# `make test` is all that CI runs, and all that a fresh machine with Rust needs.

.PHONY: test lint bench fuzz

test: lint
	cargo test --workspace --lib --bins --tests
	cargo test --workspace --doc

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

bench:
	cargo bench -p rulebound-core --bench layer

# Needs `cargo install cargo-fuzz`. Two minutes a target.
fuzz:
	for target in parse apply arff obo; do \
		mkdir -p fuzz/corpus/$$target; \
		RUSTC_BOOTSTRAP=1 cargo fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target \
			-- -max_total_time=120 || exit 1; \
	done
