#!/usr/bin/env python3
"""Races the crate `heedful` of a commit with that of the present tree, in one process and page by page in turns.

    benches/race.py COMMIT [--quick] [WORK ...]

Prints a table with the speed of each work in both versions. The ratio is above 1 where the present tree is faster: by the
best time of each page, and of the median round. A row is marked as slower below 0.97. Without WORK all are measured:
page, record, idle, policies, lint, explain, snapshot, bots (16), json, robots.txt, rulings. `cargo bench --bench race` races
the present tree with itself, which shows how far to trust the last digit.

The files of the commit are put into target/race/COMMIT. Both versions are built with the dependencies that Cargo.lock
names, in one package, with link-time optimisation like benchmarks. `--quick` is without; then a version of several crates
looks slower than one of a single crate. The works are in benches/race/works.rs. What differs between versions is in now.rs,
for the present interface, and in one_crate.rs. A commit whose interface is neither does not compile.
"""

import os
import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).parent.parent.resolve()
SOURCES = REPOSITORY / "benches/race"
ROOM = REPOSITORY / "target/race"

PACKAGE = """[package]
name = "{name}"
version = "0.0.0"
edition = "2024"
"""

RACE = """
[[bin]]
name = "race"
path = "{sources}/two.rs"

[dependencies]
old = {{ path = "old" }}
new = {{ path = "new" }}
# Real pages are read by the tests' own code.
base64 = "0.22"
flate2 = {{ version = "1", default-features = false, features = ["zlib-rs"] }}
ruzstd = "0.9"
serde_json = "1"
tempfile = "3"

[workspace]

[profile.release]
lto = "fat"
codegen-units = 1

[profile.quick]
inherits = "release"
lto = false
"""

NOW = """
[lib]
path = "{sources}/now.rs"

[dependencies]
heedful = {{ path = "{tree}" }}
heedful-json = {{ path = "{tree}/crates/json" }}
heedful-lint = {{ path = "{tree}/crates/lint" }}
"""

ONE_CRATE = """
[lib]
path = "{sources}/one_crate.rs"

[dependencies]
heedful = {{ path = "{tree}", features = ["json"] }}
"""


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.strip()


def files_of(commit: str) -> pathlib.Path:
    """The folder with the files of a commit. Its packages get another version, for a lock file holds each version once."""
    tree = ROOM / commit
    if tree.is_dir():
        return tree
    fresh = ROOM / f"{commit}.new"
    fresh.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", commit], cwd=REPOSITORY, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", fresh], input=archive.stdout, check=True)
    for manifest in fresh.rglob("Cargo.toml"):
        text = re.sub(r'^version = ".*"$', 'version = "0.0.0"', manifest.read_text(), flags=re.M)
        manifest.write_text(re.sub(r'version = "[^"]*", path = ', "path = ", text))
    return fresh.rename(tree)


def write(folder: pathlib.Path, manifest: str, **names: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = (PACKAGE + manifest).format(name=folder.name, sources=SOURCES, **names)
    if not (folder / "Cargo.toml").is_file() or (folder / "Cargo.toml").read_text() != text:
        (folder / "Cargo.toml").write_text(text)


def main() -> None:
    options = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if not arguments or set(options) - {"--quick"}:
        sys.exit(__doc__)
    commit = git("rev-parse", "--short", "--verify", f"{arguments[0]}^{{commit}}")
    package = ROOM / "race"
    write(package, RACE)
    for name, tree in (("old", files_of(commit)), ("new", REPOSITORY)):
        write(package / name, NOW if (tree / "crates").is_dir() else ONE_CRATE, tree=tree)
    (package / "Cargo.lock").write_text((REPOSITORY / "Cargo.lock").read_text())
    profile = "quick" if "--quick" in options else "release"
    run = ["cargo", "run", "--quiet", "--profile", profile, "--", *arguments[1:]]
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOM / "target"), "RACE_COMMIT": commit}
    sys.exit(subprocess.run(run, cwd=package, env=environment).returncode)


main()
