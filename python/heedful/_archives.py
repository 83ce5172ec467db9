"""heedful on Apache Spark, for archives: which robots.txt files and Names pages each needs of the others, and each as a file of the machine
that reads it.

A first stage looks all archives through, and ends the job at one that it cannot read: it could hold what keeps pages of others out.

An archive is read as it is stored, byte for byte. So damage in it is heedful's to judge, and costs the record that it strikes. A copy that
lacks bytes is an error, and is never read. That an archive is not there is known from opening it alone.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs
from pyspark import StorageLevel, TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from . import Filter, survey
from ._table import robots_by

NAMES = 10_000
"""So many captures of Names pages are heard; without the others, denials by a robot's number bind every bot."""

ATTEMPTS = 3
"""An archive that cannot be read to its end in so many attempts is a row with `error`."""

RANGE = 8 << 20
"""So many bytes of an archive are asked for at a time; an object store counts, and answers, each request."""

_Page: TypeAlias = str | bytes
_SURVEY = pa.schema(
    [
        ("archive", pa.string()),
        ("site", pa.string()),
        ("robots", pa.binary()),
        ("leads_to", pa.string()),
        ("page", pa.string()),
        ("names", pa.string()),
    ]
)


class NotThere(Exception):
    """An archive is not there. Other things that are missing, as room for a copy, are other errors."""


def jobs_of(
    archives: DataFrame, bot: str | Sequence[str], partitions: int | None, **settings: Any
) -> tuple[DataFrame, Filter]:
    """The archives, each with the robots.txt files that it needs, and a filter that knows the Names pages of all."""
    filter = Filter(bot, **settings)
    # An archive that is named twice is read once. Neighbours share a task, so shards are in the order of the names.
    names = list(dict.fromkeys(row[0] for row in archives.select(archives.columns[0]).collect()))
    count = partitions or len(names) or 1
    # A hash would leave tasks without work, and where Spark's joins are cut alike, all of it to one.
    named = archives.sparkSession.createDataFrame(enumerate(names), "number int, archive string")
    named = named.repartitionByRange(count, "number").select("archive", "number")

    found = named.mapInArrow(partial(_survey, filter=filter), from_arrow_schema(_SURVEY))
    found = found.persist(StorageLevel.MEMORY_AND_DISK)
    settings["names"] = _names(found, settings.get("names") or {})
    filter = Filter(bot, **settings)
    files = _robots_by_archive(found)
    known = found.where("site is null and page is null").select("archive", f.lit(True).alias("is_known"))
    jobs = named.join(files, "archive", "left").join(known, "archive", "left")
    jobs = jobs.repartitionByRange(count, "number").sortWithinPartitions("number").select("archive", "robots", "is_known")
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
            except NotThere:
                continue
            except Exception as error:
                # What the store or the system says does not name the archive, and this may be the end of the job.
                error.add_note(f"The archive is {archive}")
                raise
            yield found


def _surveyed(archive: str, filter: Filter) -> pa.RecordBatch:
    """What an archive has, and a row with nothing, which says that it was looked through.

    Trouble ends the job, when Spark has tried enough: a robots.txt that was not heard could forbid what others have. Only an
    archive that is not there is passed over, as the program does; the second stage never reads it, and says so.
    """
    with local(archive) as path:
        found = survey([path], filter).to_pydict()
    columns = {name: [*values, None] for name, values in found.items()}
    return pa.RecordBatch.from_pydict({"archive": [archive] * len(columns["site"]), **columns}, _SURVEY)


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
    except Exception as error:
        if not is_given_up():
            raise
        yield failed(error)


@contextlib.contextmanager
def local(archive: str) -> Iterator[str]:
    """The archive as a file of this machine: itself, or a copy that has every byte as it is stored."""
    scheme, _, rest = archive.partition("://")
    if not rest or scheme == "file":
        path = "/" + rest.lstrip("/") if rest else archive.removeprefix("file:")
        try:
            Path(path).stat()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NotThere("it is not there") from error
        yield path
        return
    # A damaged archive is told by its name, so the copy has it, without what a URL has behind it.
    with tempfile.NamedTemporaryFile(suffix=Path(urlsplit(archive).path).name[-40:]) as copy:
        remote, size = _opened(archive, scheme)
        with remote:
            shutil.copyfileobj(remote, copy, RANGE)
        copy.flush()
        if size is not None and copy.tell() != size:
            raise OSError(f"the connection broke off: {copy.tell()} of {size} bytes came")
        yield copy.name


def _opened(archive: str, scheme: str) -> tuple[Any, int | None]:
    """The stored bytes, and how many there are. None means that reading them fails where the end is missing."""
    if scheme in ("http", "https"):
        try:
            response = urllib.request.urlopen(archive, timeout=600)
        except urllib.error.HTTPError as error:
            if error.code in (404, 410):
                raise NotThere("it is not there") from error
            raise
        # http.client raises where chunks are missing, and is silent where the rest of a length is.
        if response.length is None and not response.chunked:
            response.close()
            raise OSError("the server does not say how long it is, so a part could not be told from the whole")
        return response, response.length
    filesystem, path = fs.FileSystem.from_uri(archive)
    try:
        # Not as a stream: pyarrow unpacks those, and does not know their size.
        file = filesystem.open_input_file(path)
    except FileNotFoundError as error:
        raise NotThere("it is not there") from error
    return file, file.size()
