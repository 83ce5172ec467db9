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
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from . import Filter, survey
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


def jobs_of(
    archives: DataFrame, bot: str | Sequence[str], partitions: int | None, **settings: Any
) -> tuple[DataFrame, Filter]:
    """The archives, each with the robots.txt files that it needs, and a filter that knows the Names pages of all."""
    filter = Filter(bot, **settings)
    # An archive that is named twice is read once. Neighbours share a task, so shards are in the order of the names.
    names = list(dict.fromkeys(row[0] for row in archives.select(archives.columns[0]).collect()))
    check_addresses("archives", names)
    count = partitions or len(names) or 1
    # A hash would leave tasks without work, and where Spark's joins are cut alike, all of it to one.
    named = archives.sparkSession.createDataFrame(enumerate(names), "number int, archive string")
    named = named.repartitionByRange(count, "number").select("archive", "number")

    found = named.mapInArrow(partial(_survey, filter=filter), from_arrow_schema(_SURVEY))
    found = found.persist(StorageLevel.MEMORY_AND_DISK)
    settings["names"] = _names(found, settings.get("names") or {})
    filter = Filter(bot, **settings)
    files = _robots_by_archive(found)
    absent = found.where("absent is not null").select("archive", "absent")
    jobs = named.join(files, "archive", "left").join(absent, "archive", "left")
    jobs = jobs.repartitionByRange(count, "number").sortWithinPartitions("number").select("archive", "robots", "absent")
    return jobs, filter


def _robots_by_archive(found: DataFrame) -> DataFrame:
    """The robots.txt files of all sites that an archive has pages of."""
    needed = found.where("site is not null and robots is null").select("archive", "site").distinct()
    return robots_by("archive", needed, found.where("robots is not null"))


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
