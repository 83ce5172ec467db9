# What people run and what CI runs are the same commands.

# Everything CI does.
ci:
    .ci/run

# The tests.
test:
    cargo test

# Writes what comes out today into the corpus and the publisher's guide; look at the difference.
bless:
    BLESS=1 cargo test --test corpus --test guide

# Format and lint.
check:
    cargo fmt
    cargo clippy --all-targets

# Documentation, warnings as errors.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# Peak memory of a streamed gigabyte; what the tree, many dialects, many bots and lint cost; the whole way to an index.
bench:
    cargo bench --bench pipeline
    cargo bench --bench memory
    cargo bench --bench tree
    cargo bench --bench dialects
    cargo bench --bench bots
    cargo bench --bench lint
    cargo bench --bench robots
    cargo bench --bench snapshot

# Licences, advisories, duplicate versions (needs cargo-deny).
deny:
    cargo deny check
