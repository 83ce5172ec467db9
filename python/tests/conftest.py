"""What the tests share: the program beside the package, and pages."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
REAL = ROOT.parent / "shared" / "data" / "real-exclusion.jsonl.gz"


@pytest.fixture(scope="session")
def program() -> Path:
    """The program that HEEDFUL names, or the one that `cargo build` left."""
    named = os.environ.get("HEEDFUL")
    path = Path(named or ROOT / "target" / "debug" / "heedful")
    if not path.exists():
        assert not named, f"{named} is not there"
        pytest.skip(f"{path} is not built: cargo build")
    return path


class Cli:
    """Runs the program."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def rows(
        self, *arguments: str | Path, lines: list[dict[str, Any]] | None = None, statuses: tuple[int, ...] = (0, 1)
    ) -> list[dict[str, Any]]:
        """The rows of `heedful filter --format json`, which ends with one of these."""
        command = [self.program, "filter", "--format", "json", "--quiet", *arguments]
        given = None if lines is None else "\n".join(json.dumps(line) for line in lines).encode()
        if lines is not None:
            command += ["--input", "jsonl", "-"]
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        assert done.returncode in statuses, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]

    def run(self, *arguments: str | Path) -> list[dict[str, Any]]:
        """What it says, as JSON Lines."""
        done = subprocess.run([self.program, *arguments], capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="session")
def cli(program: Path) -> Cli:
    """The program, to compare with."""
    return Cli(program)


def corpus_pages() -> Iterator[dict[str, Any]]:
    """Every page of the corpus, as a line of JSON Lines."""
    fence = "```"
    for file in sorted(CORPUS.rglob("*.md")):
        lines: list[str] | None = None
        number = 0
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if lines is not None and line == fence:
                number += 1
                yield {"url": f"https://corpus.example/{file.stem}/{number}", "html": "\n".join(lines)}
                lines = None
            elif lines is not None:
                lines.append(line)
            elif line.startswith(fence + "html") and "escapes" not in line:
                lines = []


def htmls(names: list[str]) -> list[str]:
    """The pages of files (JSON Lines, gzip), or of the corpus where none is named."""
    if not names:
        return [page["html"] for page in corpus_pages()]
    found = []
    for name in names:
        with gzip.open(name, "rt", encoding="utf-8") as file:
            found += [page["html"] for page in map(json.loads, file) if "html" in page]
    return found


def real_pages(most: int) -> list[dict[str, Any]]:
    """Real pages, where they are at hand."""
    if not REAL.exists():
        return []
    return [{"url": f"https://real.example/{number}", "html": html} for number, html in enumerate(htmls([str(REAL)])[:most])]
