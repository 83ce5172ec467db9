"""heedful on Apache Spark, for archives: which robots.txt files and Names pages each needs of the others, and each as a file of the machine
that reads it.

A first stage looks all archives through, and ends the job at one that it cannot read: it could hold what keeps pages of others out.
Only one that cannot be had, as its store says when it is opened, or that is empty, is passed over, unless all are required. It also finds how large each
is: the tasks of the second stage get about as many bytes each.

An archive is read as it is stored, byte for byte. So damage in it is heedful's to judge, and costs the record that it strikes. A copy that
lacks bytes is an error, and is never read.
"""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
from pyspark import StorageLevel, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from . import Filter, survey
from ._given import setting
from ._stores import Absent, check_addresses, local, temporary, written
from ._table import led, robots_by

NAMES = 10_000
"""So many captures of Names pages are heard; without the others, denials by a robot's number bind every bot."""

ATTEMPTS = 3
"""An archive that cannot be read to its end in so many attempts is a row with `error`."""

TOLD = 10
"""So many archives that cannot be had are named where the job ends because of them."""

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
        ("bytes", pa.int64()),
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
    sizes: Mapping[str, int]
    """How many bytes each archive has as it is stored, of those that can be had."""
    absent: Mapping[str, str]
    """Why the others cannot be had."""
    leads: DataFrame | None
    """Where redirects lead from the sites' robots.txt files."""

    def jobs(self, names: Sequence[str], partitions: int | None) -> DataFrame:
        """Some of the archives, each with the robots.txt files that it needs. No task has more bytes than it must."""
        tasks = cut([self.sizes.get(name, 0) for name in names], partitions or len(names))
        rows = [(task, at, name, self.absent.get(name)) for at, (task, name) in enumerate(zip(tasks, names, strict=True))]
        named = self.found.sparkSession.createDataFrame(rows, "task int, number int, archive string, absent string")
        needed = self._needed().join(named.select("archive"), "archive", "left_semi")
        files = robots_by("archive", needed, self.found.where("robots is not null"), self.leads)
        jobs = _placed(named.join(files, "archive", "left"), max(tasks, default=0) + 1)
        return jobs.sortWithinPartitions("number").select("archive", "robots", "absent")

    def touched(self, names: Collection[str]) -> set[str]:
        """The archives whose rows may be others where these were not heard: they have pages of a site whose robots.txt is in one of
        these, or is led there by redirects.
        """
        of_these = f.col("archive").isin(*names)
        if self.found.where(of_these & f.col("page").isNotNull()).limit(1).count():
            # A Names page may be that of any site.
            return {*self.sizes, *self.absent}
        files = self.found.where("robots is not null").select("site", "leads_to", of_these.alias("robots"))
        met = robots_by("archive", self._needed(), files, self.leads).where(f.array_contains("robots", f.lit(True)))
        return {row["archive"] for row in met.select("archive").collect()}

    def _needed(self) -> DataFrame:
        """The sites that each archive has pages of."""
        return self.found.where("site is not null and robots is null").select("archive", "site").distinct()


def jobs_of(
    archives: DataFrame, bot: str | Sequence[str], partitions: int | None, **settings: Any
) -> tuple[DataFrame, Filter]:
    """All archives as jobs, and a filter that knows the Names pages of all."""
    found = looked_through(archives, bot, partitions, **settings)
    return found.jobs(found.names, partitions), found.filter


def looked_through(
    archives: DataFrame,
    bot: str | Sequence[str],
    partitions: int | None,
    robots_from: DataFrame | None = None,
    require_archives: bool = False,
    **settings: Any,
) -> Survey:
    """The first stage. The archives of robots_from are looked through too, and are no jobs. Where require_archives is set, one that
    cannot be had ends the job.
    """
    filter = Filter(bot, **settings)
    names = _names_of(archives, "archives")
    others = [] if robots_from is None else _names_of(robots_from, "robots_from")
    named, _ = _numbered(archives.sparkSession, list(dict.fromkeys([*names, *others])), partitions)
    found = named.select("archive").mapInArrow(partial(_survey, filter=filter), from_arrow_schema(_SURVEY))
    found = found.persist(StorageLevel.MEMORY_AND_DISK)
    told = found.where("bytes is not null or absent is not null").select("archive", "bytes", "absent").collect()
    absent = {name: reason for name, _, reason in told if reason is not None}
    if require_archives and absent:
        raise _required(absent, len(told))
    check_heard("robots_from", absent, set(others).difference(names))
    settings["names"] = _names(found, settings.get("names") or {})
    sizes = {name: size for name, size, _ in told if size is not None}
    return Survey(names, Filter(bot, **settings), found, sizes, absent, led(found.where("robots is not null")))


def _names_of(archives: DataFrame, what: str) -> list[str]:
    """An archive that is named twice is read once."""
    names = list(dict.fromkeys(row[0] for row in archives.select(archives.columns[0]).collect()))
    check_addresses(what, names)
    return names


def _required(absent: Mapping[str, str], count: int) -> Exception:
    """All archives are required, and these cannot be had."""
    named = [f"{name}: {reason}" for name, reason in sorted(absent.items())[:TOLD]]
    more = ["..."] if len(absent) > TOLD else []
    told = f"require_archives: {len(absent)} of {count} archives cannot be had, so what they forbid would not be heard"
    return setting("\n  ".join([told, *named, *more]))


def check_heard(what: str, absent: Mapping[str, str], others: Collection[str]) -> None:
    """An archive that is no job has no row that could say that it was not heard. `what` names it."""
    for archive, reason in absent.items():
        if archive in others:
            raise setting(f"{what}: {archive}: {reason}. What it forbids would not be heard: name it no more if that is meant")


def cut(sizes: Sequence[int], tasks: int) -> list[int]:
    """The task of each archive, in their order. Neighbours share a task, the largest task is as small as it can be, and where there
    are archives enough there are as many tasks as are asked for.
    """

    def ends(most: int) -> list[int]:
        """Where tasks end that have at most so many bytes."""
        found, held = [], 0
        for at, size in enumerate(sizes):
            if at and held + size > most:
                found.append(at)
                held = 0
            held += size
        return [*found, len(sizes)]

    low, high = max(sizes, default=0), sum(sizes)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if len(ends(middle)) <= tasks else (middle + 1, high)
    before = list(accumulate(sizes, initial=0))
    # Tasks that are left over take a part of the largest ones.
    parts = [(before[start] - before[end], start, end) for start, end in pairwise([0, *ends(low)])]
    heapq.heapify(parts)
    whole: list[tuple[int, int, int]] = []
    while parts and len(parts) + len(whole) < min(tasks, len(sizes)):
        size, start, end = heapq.heappop(parts)
        if end - start < 2:
            whole.append((size, start, end))
            continue
        middle = min(range(start + 1, end), key=lambda at: abs(before[start] + before[end] - 2 * before[at]))
        for one, other in pairwise([start, middle, end]):
            heapq.heappush(parts, (before[one] - before[other], one, other))
    starts = sorted(start for _, start, _ in [*parts, *whole])
    return [task for task, (start, end) in enumerate(pairwise([*starts, len(sizes)])) for _ in range(start, end)]


def _placed(jobs: DataFrame, count: int) -> DataFrame:
    """Each job in its task."""
    if hasattr(jobs, "repartitionById"):
        return jobs.repartitionById(count, f.col("task"))
    # Before Spark 4.1 tasks can be cut by number alone.
    return jobs.repartitionByRange(count, "number")


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
    """What an archive has, behind a row with its size.

    Trouble ends the job, when Spark has tried enough: a robots.txt that was not heard could forbid what others have. Only an
    archive that cannot be had is passed over, as the program does with one that is not there.
    """
    with local(archive) as path:
        size = Path(path).stat().st_size
        if size == 0:
            # An upload that failed, in all likelihood: another one may have records.
            raise Absent("it is empty")
        found = survey([path], filter).to_pydict()
    nothing = [None] * len(found["site"])
    columns = {name: [None, *column] for name, column in found.items()}
    own = {"archive": [archive, *(archive for _ in nothing)], "absent": [None, *nothing], "bytes": [size, *nothing]}
    return pa.RecordBatch.from_pydict(columns | own, _SURVEY)


@contextlib.contextmanager
def known_as(files: list[bytes]) -> Iterator[str]:
    """An archive of robots.txt files."""
    with temporary(".warc") as known:
        written(files, known)
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
