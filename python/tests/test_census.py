"""The census is that of the program, bit for bit, however pages are divided."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
from datetime import UTC, datetime
from functools import reduce
from operator import add
from pathlib import Path

import pyarrow as pa
import pytest
from archives import archives
from conftest import Cli, corpus_pages, real_pages

import heedful
from heedful import Census, Error, Filter

AT = "2026-11-21"


@pytest.fixture(scope="module")
def filter() -> Filter:
    return Filter(["FooBot", "BarBot"], at=datetime(2026, 11, 21, tzinfo=UTC))


def told(cli: Cli, *inputs: Path) -> str:
    """The program's census."""
    arguments = ["--format", "json", "--quiet", "--at", AT, "-b", "FooBot", "-b", "BarBot"]
    command = [str(cli.program), "census", *arguments, *map(str, inputs)]
    return str(subprocess.run(command, capture_output=True, check=True, text=True).stdout).strip()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    pages = [*list(corpus_pages())[:400], *real_pages(30)]
    return archives(tmp_path_factory.mktemp("archives"), pages, 3)


def test_a_census_is_the_programs(filter: Filter, files: list[Path], cli: Cli) -> None:
    whole = heedful.census(files, filter, jobs=2)
    assert whole.pages > 300 and whole.sites == 10
    assert whole.json() == told(cli, *files)


def test_parts_are_the_whole(filter: Filter, files: list[Path]) -> None:
    whole = heedful.census(files, filter)
    parts = [heedful.census([file], filter, robots_from=files) for file in files]
    chance = random.Random(7)
    chance.shuffle(parts)
    assert reduce(add, parts) == whole
    first, *others = parts
    before = first.json()
    assert first.merge(*others).json() == whole.json()
    assert first.json() == before
    assert pickle.loads(pickle.dumps(whole)) == whole == Census.parse(whole.json().encode())


def test_rows_are_counted_as_lines(filter: Filter, cli: Cli, tmp_path: Path) -> None:
    lines = [{"url": page["url"], "html": page["html"]} for page in list(corpus_pages())[:200]]
    lines += [{"url": "https://site.example/robots.txt", "html": "User-agent: *\nDisallow: /*7"}]
    file = tmp_path / "pages.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    batch = pa.RecordBatch.from_pylist(lines)
    whole = heedful.census_batch(batch, filter)
    assert whole.json() == told(cli, file)
    parts = [heedful.census_batch(batch.slice(start, 50), filter, robots=batch) for start in range(0, len(lines), 50)]
    assert reduce(add, parts) == whole


def test_the_page_has_what_was_counted(filter: Filter) -> None:
    planted = {"url": "https://site.example/", "html": "<p>one<!--htdig_noindex-->two<!--/htdig_noindex-->"}
    census = heedful.census_batch(pa.RecordBatch.from_pylist([planted]), filter)
    assert "htdig" in census.html() and "<script" not in census.html()
    assert repr(census) == "<heedful.Census of 1 pages>"


def test_what_cannot_be_merged_is_said(filter: Filter) -> None:
    empty = pa.RecordBatch.from_pydict({"url": pa.array([], pa.string()), "html": pa.array([], pa.string())})
    one, other = (heedful.census_batch(empty, one) for one in (filter, Filter("OtherBot")))
    with pytest.raises(Error, match="they differ in the bots"):
        one.merge(other)
    with pytest.raises(Error, match="no census"):
        Census.parse("{}")
    with pytest.raises(TypeError, match=r"others: a heedful\.Census is wanted, not str"):
        one.merge("x")  # type: ignore[arg-type]
