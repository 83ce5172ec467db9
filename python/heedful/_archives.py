"""heedful on Apache Spark, for archives: which robots.txt files and Names pages each needs of the others, and each as a file of the machine
that reads it.

A first stage looks all archives through, and ends the job at one that it cannot read: it could hold what keeps pages of others out.
Only one that cannot be had, as its store says when it is opened, is passed over.

An archive is read as it is stored, byte for byte. So damage in it is heedful's to judge, and costs the record that it strikes. A copy that
lacks bytes is an error, and is never read.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
from pyspark import StorageLevel, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from . import Filter, survey
from ._given import setting
from ._stores import Absent, check_addresses, local
from ._table import robots_by

NAMES = 10_000
"""So many captures of Names pages are heard; without the others, denials by a robot's number bind every bot."""

ATTEMPTS = 3
"""An archive that cannot be read to its end in so many attempts is a row with `error`."""

_Page: TypeAlias = str | bytes
_SURVEY = pa.schema(
    [
        ("archive", pa.string()),
        ("site", pa.string()),
        ("robots", pa.binary()),
        ("leads_to", pa.string()),
        ("page", pa.string()),
        ("names", pa.string()),
        ("absent", pa.string()),
    ]
)


class Job(NamedTuple):
    """An archive for the second stage."""

    archive: str
    robots: list[bytes]
    absent: Absent | None
    """Why it cannot be had, as the first stage found."""


def jobs_in(batches: Iterator[pa.RecordBatch]) -> Iterator[Job]:
    """The jobs of a task."""
    for batch in batches:
        # Those of one archive at a time: they may be large.
        for archive, robots, absent in zip(*batch.columns, strict=True):
            yield Job(archive.as_py(), robots.as_py() or [], Absent(absent.as_py()) if absent.is_valid else None)


class Survey(NamedTuple):
    """What the first stage found."""

    names: list[str]
    """The archives for the second stage, each once."""
    filter: Filter
    """With the Names pages of all archives."""
    found: DataFrame

    def jobs(self, names: Sequence[str], partitions: int | None) -> DataFrame:
        """Some of the archives, each with the robots.txt files that it needs."""
        named, count = _numbered(self.found.sparkSession, names, partitions)
        # The robots.txt files of all sites that an archive has pages of.
        needed = self.found.where("site is not null and robots is null").select("archive", "site").distinct()
        needed = needed.join(named.select("archive"), "archive", "left_semi")
        files = robots_by("archive", needed, self.found.where("robots is not null"))
        absent = self.found.where("absent is not null").select("archive", "absent")
        jobs = named.join(files, "archive", "left").join(absent, "archive", "left")
        return jobs.repartitionByRange(count, "number").sortWithinPartitions("number").select("archive", "robots", "absent")


def jobs_of(
    archives: DataFrame, bot: str | Sequence[str], partitions: int | None, **settings: Any
) -> tuple[DataFrame, Filter]:
    """All archives as jobs, and a filter that knows the Names pages of all."""
    found = looked_through(archives, bot, partitions, **settings)
    return found.jobs(found.names, partitions), found.filter


def looked_through(
    archives: DataFrame, bot: str | Sequence[str], partitions: int | None, robots_from: DataFrame | None = None, **settings: Any
) -> Survey:
    """The first stage. The archives of robots_from are looked through too, and are no jobs."""
    filter = Filter(bot, **settings)
    names = _names_of(archives, "archives")
    others = [] if robots_from is None else _names_of(robots_from, "robots_from")
    named, _ = _numbered(archives.sparkSession, list(dict.fromkeys([*names, *others])), partitions)
    found = named.select("archive").mapInArrow(partial(_survey, filter=filter), from_arrow_schema(_SURVEY))
    found = found.persist(StorageLevel.MEMORY_AND_DISK)
    _check_heard(found, set(others).difference(names))
    settings["names"] = _names(found, settings.get("names") or {})
    return Survey(names, Filter(bot, **settings), found)


def _names_of(archives: DataFrame, what: str) -> list[str]:
    """An archive that is named twice is read once."""
    names = list(dict.fromkeys(row[0] for row in archives.select(archives.columns[0]).collect()))
    check_addresses(what, names)
    return names


def _check_heard(found: DataFrame, others: set[str]) -> None:
    """An archive that is no job has no row that could say that it was not heard."""
    absent = found.where("absent is not null").select("archive", "absent").collect() if others else []
    for archive, reason in absent:
        if archive in others:
            raise setting(f"robots_from: {archive}: {reason}. What it forbids would not be heard: name it no more if that is meant")


def _numbered(spark: SparkSession, names: Sequence[str], partitions: int | None) -> tuple[DataFrame, int]:
    """Names over so many tasks. Neighbours share a task, so shards are in the order of the names."""
    count = min(partitions or len(names), len(names)) or 1
    named = spark.createDataFrame(enumerate(names), "number int, archive string")
    # A hash would leave tasks without work, and where Spark's joins are cut alike, all of it to one.
    return named.repartitionByRange(count, "number"), count


def _names(found: DataFrame, known: Mapping[str, _Page | Sequence[_Page]]) -> dict[str, list[_Page]]:
    """The Names pages that are given, and those of all archives."""
    rows = found.where("page is not null").select("page", "names").orderBy("page").limit(NAMES + 1).collect()
    # Of the last one there may be more.
    cut = rows[-1]["page"] if len(rows) > NAMES else None
    captures: dict[str, list[str | None]] = {}
    for row in rows:
        captures.setdefault(row["page"], []).append(row["names"] if row["page"] != cut else None)
    names = {url: [pages] if isinstance(pages, str | bytes) else list(pages) for url, pages in known.items()}
    for url, pages in captures.items():
        # Where one capture cannot be read, the others do not say all.
        if None not in pages:
            names.setdefault(url, []).extend(filter(None, pages))
    return names


def _survey(batches: Iterator[pa.RecordBatch], filter: Filter) -> Iterator[pa.RecordBatch]:
    """The first stage: what archives have."""
    for batch in batches:
        for archive in batch.column(0).to_pylist():
            try:
                found = _surveyed(archive, filter)
            except Absent as absent:
                # The second stage does not ask again, and says so.
                yield pa.RecordBatch.from_pylist([{"archive": archive, "absent": str(absent)}], _SURVEY)
                continue
            except Exception as error:
                # What the store or the system says does not name the archive, and this may be the end of the job.
                error.add_note(f"The archive is {archive}")
                raise
            yield found


def _surveyed(archive: str, filter: Filter) -> pa.RecordBatch:
    """What an archive has.

    Trouble ends the job, when Spark has tried enough: a robots.txt that was not heard could forbid what others have. Only an
    archive that cannot be had is passed over, as the program does with one that is not there.
    """
    with local(archive) as path:
        found = survey([path], filter).to_pydict()
    count = len(found["site"])
    return pa.RecordBatch.from_pydict({"archive": [archive] * count, **found, "absent": [None] * count}, _SURVEY)


@contextlib.contextmanager
def known_as(files: list[bytes]) -> Iterator[str]:
    """An archive of robots.txt files."""
    with tempfile.NamedTemporaryFile(suffix=".warc") as known:
        known.writelines(files)
        known.flush()
        yield known.name


def is_given_up() -> bool:
    """Whether Spark has tried enough."""
    context = TaskContext.get()
    return context is not None and context.attemptNumber() + 1 >= ATTEMPTS


def guarded(
    work: Callable[[], Iterator[pa.RecordBatch]], failed: Callable[[Exception], pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Trouble with an archive is left to Spark, which tries again, and to `failed` when it has tried enough."""
    try:
        yield from work()
    except Absent as absent:
        yield failed(absent)
    except Exception as error:
        if not is_given_up():
            raise
        yield failed(error)
