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

fuzz:
	RUSTC_BOOTSTRAP=1 cargo fuzz run parse fuzz/corpus/parse fuzz/seeds/parse -- -max_total_time=120
	RUSTC_BOOTSTRAP=1 cargo fuzz run apply fuzz/corpus/apply fuzz/seeds/apply -- -max_total_time=120
