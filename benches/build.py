#!/usr/bin/env python3
"""Processor seconds of what a newcomer waits for: README's two commands, the second behind the first, and tantivy alone.

    benches/build.py [REPOSITORY]

Each is user and system time of the command and its children, so a busy machine changes it little. The two commands are
read from the README of the repository (this one, if none is given), and share one empty target folder. Of the second its
build alone counts (`--no-run`); what the tests themselves cost is for the tests. tantivy is built with the features and the
profile of the first command, in a folder of its own. Crates are downloaded before, so that no network counts.
"""

import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()


def seconds(command: list[str], folder: pathlib.Path, target: pathlib.Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def commands() -> tuple[list[str], list[str]]:
    """The first command without its arguments behind `--`, as a build; and the tests', without their run."""
    readme = (REPOSITORY / "README.md").read_text()
    first = re.search(r"^\$ (cargo run.*?) -- ", readme, re.M)
    second = re.search(r"^(?:\$ )?(cargo test.*)$", readme, re.M)
    if not first or not second:
        sys.exit("README.md does not have the two commands")
    build = shlex.split(first.group(1))
    build[1:2] = ["build", "--bin", "heedful"]
    return [*build, "--locked"], [*shlex.split(second.group(1)), "--locked", "--no-run"]


def tantivy_alone(folder: pathlib.Path) -> pathlib.Path:
    """A crate that has tantivy alone, with the versions and settings of the repository."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1"], cwd=REPOSITORY, check=True, capture_output=True
    )
    packages = json.loads(metadata.stdout)["packages"]
    asked = next(one for package in packages for one in package["dependencies"] if one["name"] == "tantivy")
    features = ", ".join(f'"{feature}"' for feature in asked["features"])
    profiles = (REPOSITORY / "Cargo.toml").read_text()
    profiles = "".join(re.findall(r"^\[profile\.(?:dev|release)[^\[]*", profiles, re.M))
    manifest = f"""[package]
name = "alone"
version = "0.0.0"
edition = "2024"

[dependencies]
tantivy = {{ version = "{asked["req"]}", default-features = false, features = [{features}] }}

[workspace]

{profiles}"""
    (folder / "src").mkdir(parents=True)
    (folder / "src/lib.rs").write_text("")
    (folder / "Cargo.toml").write_text(manifest)
    (folder / "Cargo.lock").write_text((REPOSITORY / "Cargo.lock").read_text())
    subprocess.run(["cargo", "metadata", "--format-version", "1"], cwd=folder, check=True, capture_output=True)
    return folder


def main() -> None:
    first, second = commands()
    with tempfile.TemporaryDirectory() as scratch:
        room = pathlib.Path(scratch)
        alone = tantivy_alone(room / "alone")
        for folder in (REPOSITORY, alone):
            subprocess.run(["cargo", "fetch", "--locked"], cwd=folder, check=True, capture_output=True)
        profile = [word for word in first if word == "--release"]
        tantivy = seconds(["cargo", "build", *profile], alone, room / "tantivy")
        one = seconds(first, REPOSITORY, room / "both")
        two = seconds(second, REPOSITORY, room / "both")
    print(f"tantivy alone           {tantivy:7.0f} s")
    print(f"{shlex.join(first[:-1]):23} {one:7.0f} s  {one / tantivy:.1f} times tantivy")
    print(f"{shlex.join(second[:-2]):23} {two:7.0f} s behind it")
    print(f"both                    {one + two:7.0f} s")


main()
