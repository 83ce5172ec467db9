"""heedful on Apache Spark, for tables of pages: a row for each row and bot, and the robots.txt files among the rows heard for the pages
of their sites, wherever both stand.

A first look at the table finds its robots.txt files; they are joined to the pages by site, as rows, and each batch hears those that it
is given beside its own. What is wrong with a table is said on the driver. `heedful.spark` gives these names away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from . import Error, Filter, survey_batch
from ._heedful import _site

COLUMNS = ("url", "html", "headers", "status", "date", "robots", "robots_status")
"""The columns that filter_pages reads, in any case."""

ROWS = 256
"""Rows of a batch: pages are large."""

REDIRECTS = 5
"""So far a robots.txt is followed from site to site, as RFC 9309 has it."""

BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
PAGES = pa.schema([("url", pa.string()), ("html", pa.string())])
_SITE, _ROBOTS = "heedful site", "heedful robots"
_BROADCAST = 32 << 20


def arrow_schema() -> pa.Schema:
    """What the rows have: the keys of the program's JSON, nested."""
    return Filter("any").filter_batch(pa.RecordBatch.from_pydict({"url": [], "html": []}, PAGES)).schema


def schema() -> StructType:
    """The same for Spark."""
    return from_arrow_schema(arrow_schema())


def filter_pages(
    df: DataFrame,
    bot: str | Sequence[str],
    *,
    dialects: str = "web",
    snapshot: bool = False,
    keep: Sequence[str] = (),
    **settings: Any,
) -> DataFrame:
    """What the bots may have of a table of pages: a row for each row and bot. Settings are those of Filter.

    A row whose URL is that of a robots.txt is heard for all pages of its site, wherever both stand, through redirects; it is a row with
    `error`. For that the table is looked through when this is called. Of a stream it is heard in its own batch alone.

    keep: columns of the table that the rows have too, as they are.

    Where the session has Spark's default of 10,000 rows a batch, it is set to ROWS: a batch of so many pages is half a gigabyte.
    """
    spark = df.sparkSession
    if spark.conf.get(BATCH) == "10000":
        spark.conf.set(BATCH, str(ROWS))
    filter = Filter(bot, dialects=dialects, snapshots=snapshot, **settings)
    known, out = _known(df, keep), schema()
    kept = [field for name in keep for field in df.schema.fields if field.name == name]
    pages = df.select(*known, *(name for name in keep if name not in known))
    pages = _with_robots(pages, known)
    judged = partial(_judged, filter=filter, known=known, keep=list(keep))
    return pages.mapInArrow(judged, StructType([*out.fields, *kept]))


def _known(df: DataFrame, keep: Sequence[str]) -> list[str]:
    """The columns that are read. What is wrong with a table is said on the driver."""
    known = [name for name in df.columns if name.lower() in COLUMNS]
    for wanted in ("url", "html"):
        if wanted not in map(str.lower, known):
            raise _setting(f"the table has no column `{wanted}`, but {', '.join(df.columns)}: see withColumnRenamed")
    taken = [*arrow_schema().names, _SITE, _ROBOTS]
    twice = [name for name in known if sum(name.lower() == other.lower() for other in known) > 1]
    if twice:
        raise _setting(f"the table has a column twice: {', '.join(twice)}")
    for name in keep:
        if name not in df.columns:
            raise _setting(f"`keep` names `{name}`, which the table has not: it has {', '.join(df.columns)}")
        if name in taken:
            raise _setting(f"`keep` names `{name}`, which the rows have anyway: see withColumnRenamed")
    return known


def _setting(message: str) -> Error:
    error = Error(message)
    error.kind = "setting"
    return error


def _with_robots(pages: DataFrame, known: Sequence[str]) -> DataFrame:
    """With a column of the robots.txt files that each page's site has in the table, if any has one."""
    if pages.isStreaming:
        return pages
    url = next(name for name in known if name.lower() == "url")
    text = f.translate(f.col(f"`{url}`").cast("string"), "\t\n\r", "")
    # What is one is decided by the library.
    named = f.contains(text, f.lit("robots.txt")) | f.contains(text, f.lit("tdmrep.json"))
    perhaps = pages.select(*(f.col(f"`{name}`") for name in known)).where(named)
    found = perhaps.mapInArrow(_surveyed_rows, from_arrow_schema(_robots_schema()))
    found = found.persist(StorageLevel.MEMORY_AND_DISK)
    size = found.agg(f.sum(f.octet_length("html") + f.lit(1000))).collect()[0][0]
    if size is None and not found.limit(1).count():
        found.unpersist()
        return pages
    row = f.struct("url", "html", "status", "headers").alias("robots")
    files = found.select("site", "leads_to", row)
    needed = files.select(f.col("site").alias(_SITE), "site")
    given = robots_by(_SITE, needed.distinct(), files).withColumnRenamed("robots", _ROBOTS)
    given = f.broadcast(given) if (size or 0) < _BROADCAST else given
    site = f.udf(_site, "string")(f.col(f"`{url}`").cast("string"))
    return pages.withColumn(_SITE, site).join(given, _SITE, "left").drop(_SITE)


def _robots_schema() -> pa.Schema:
    return survey_batch(pa.RecordBatch.from_pydict({"url": [], "html": []}, PAGES)).schema


def _surveyed_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The robots.txt files of a table."""
    return map(survey_batch, batches)


def _judged(
    batches: Iterator[pa.RecordBatch], filter: Filter, known: Sequence[str], keep: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """What filter_pages makes of rows."""
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = batch.slice(start, ROWS)
            answers = filter.filter_batch(part.select(known), robots=_robots_of(part))
            copies = answers.num_rows // part.num_rows
            rows = pa.array([row for row in range(part.num_rows) for _ in range(copies)], pa.int64())
            for name in keep:
                answers = answers.append_column(name, part.column(name).take(rows))
            yield answers


def _robots_of(batch: pa.RecordBatch) -> pa.RecordBatch | None:
    """The robots.txt files that were brought to these rows, each once."""
    if _ROBOTS not in batch.schema.names:
        return None
    distinct = {tuple(row.values()): row for row in batch.column(_ROBOTS).flatten().to_pylist()}
    return pa.RecordBatch.from_pylist(list(distinct.values()), pa.schema(list(batch.schema.field(_ROBOTS).type.value_type)))


def robots_by(key: str, needed: DataFrame, files: DataFrame) -> DataFrame:
    """Of each key the robots.txt files of its sites, and of those that they redirect to."""
    leads = files.where("leads_to is not null").select("site", "leads_to").distinct()
    step = needed
    for _ in range(REDIRECTS if leads.limit(1).count() else 0):
        step = step.join(leads, "site").select(key, f.col("leads_to").alias("site")).distinct()
        needed = needed.union(step)
    given = needed.distinct().join(files.select("site", "robots").distinct(), "site")
    return given.groupBy(key).agg(f.collect_list("robots").alias("robots"))
