"""heedful on Apache Spark, for tables of pages: a row for each row and bot, and the robots.txt files among the rows heard for the pages
of their sites, wherever both stand.

A first look at the table finds its robots.txt files; they are joined to the pages by site, as rows, and each batch hears those that it
is given beside its own. What is wrong with a table is said on the driver. `heedful.spark` gives these names away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructField, StructType, TimestampType

from . import Census, Filter, census_batch, survey_batch
from ._given import given, names, setting
from ._heedful import _passed_over, _site

COLUMNS = ("url", "html", "headers", "status", "date", "robots", "robots_status")
"""The columns that filter_pages reads, in any case."""

ROWS = 256
"""Rows of a batch: pages are large."""

REDIRECTS = 5
"""So far a robots.txt is followed from site to site, as RFC 9309 has it."""

BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
PAGES = pa.schema([("url", pa.string()), ("html", pa.string())])
CENSUS = "census string"
MERGERS = 16
"""So many tasks merge what the others counted."""

_SITE, _ROBOTS, _AT = "heedful site", "heedful robots", "heedful at"
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
    conventions: str = "web",
    snapshot: bool = False,
    keep: Sequence[str] = (),
    **settings: Any,
) -> DataFrame:
    """What the bots may have of a table of pages: a row for each row and bot. Settings are those of Filter, such as blocks and landmarks.

    A row whose URL is that of a robots.txt is heard for all pages of its site, wherever both stand, through redirects; it is a row with
    `error`. For that the table is looked through when this is called. Of a stream it is heard in its own batch alone.

    keep: columns of the table that the rows have too, as they are, behind their own.

    Where the session has Spark's default of 10,000 rows a batch, it is set to ROWS: a batch of so many pages is half a gigabyte.
    """
    given("df", df, DataFrame, "a Spark DataFrame")
    given("snapshot", snapshot, bool, "True or False")
    filter = Filter(bot, conventions=conventions, snapshots=snapshot, **settings)
    keep = names("keep", keep)
    known, kept = known_of(df), kept_of(df, keep, arrow_schema().names)
    tried(df, known, filter)
    batched(df.sparkSession)
    others = aliased(keep, known)
    pages = df.select(*map(column_of, known), *(column_of(name).alias(alias) for name, alias in others.items()))
    pages = with_robots(pages, known)
    judged = partial(_judged, filter=filter, known=known, keep=keep, others=others)
    return pages.mapInArrow(judged, StructType([*schema().fields, *kept]))


def census_pages(df: DataFrame, bot: str | Sequence[str], *, conventions: str = "web", **settings: Any) -> Census:
    """The census of a table of pages, as the program makes it of their JSON Lines: each task counts, and the counts are merged.

    Columns, robots.txt files among the rows, and settings are as in filter_pages. A row that is a robots.txt is no page.
    """
    given("df", df, DataFrame, "a Spark DataFrame")
    filter = Filter(bot, conventions=conventions, **settings)
    known = known_of(df)
    tried(df, known, filter)
    batched(df.sparkSession)
    pages = with_robots(df.select(*map(column_of, known)), known)
    return reduced(pages.mapInArrow(partial(_counted, filter=filter, known=known), CENSUS), filter)


def reduced(partial_censuses: DataFrame, filter: Filter) -> Census:
    """One census of many, which are rows of JSON. Tasks merge them before the driver does."""
    merged = partial_censuses.repartition(MERGERS).mapInArrow(partial(_merged, filter=filter), CENSUS)
    return _sum((row["census"] for row in merged.toLocalIterator()), filter)


def _sum(censuses: Iterable[str], filter: Filter) -> Census:
    return reduce(Census.merge, map(Census.parse, censuses), _passed_over(filter, None))


def _merged(batches: Iterator[pa.RecordBatch], filter: Filter) -> Iterator[pa.RecordBatch]:
    whole = _sum((text for batch in batches for text in batch.column(0).to_pylist()), filter)
    yield census_row(whole)


def census_row(census: Census) -> pa.RecordBatch:
    """A census as a row."""
    return pa.RecordBatch.from_pydict({"census": [census.json()]})


def batched(spark: SparkSession) -> None:
    """Batches of so many rows as pages need, where nobody said otherwise."""
    if spark.conf.get(BATCH) == "10000":
        spark.conf.set(BATCH, str(ROWS))


def aliased(keep: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Names for columns that are only kept: one with a dot is none that mapInArrow takes."""
    return {name: f"heedful kept {at}" for at, name in enumerate(keep) if name not in known}


def _counted(batches: Iterator[pa.RecordBatch], filter: Filter, known: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """What a task counts of rows."""
    whole = _passed_over(filter, None)
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = batch.slice(start, ROWS)
            pages = pa.RecordBatch.from_arrays(list(map(part.column, known)), list(known))
            whole += census_batch(pages, filter, robots=robots_of(part))
    yield census_row(whole)


def column_of(name: str) -> Column:
    """A column of exactly this name: a dot in it leads nowhere."""
    return f.col("`" + name.replace("`", "``") + "`")


def known_of(df: DataFrame) -> list[str]:
    """The columns that are read. What is wrong with a table is said on the driver."""
    known = [name for name in df.columns if name.lower() in COLUMNS]
    for wanted in ("url", "html"):
        if wanted not in map(str.lower, known):
            raise setting(f"df: there is no column `{wanted}`, but {', '.join(df.columns)}: see withColumnRenamed")
    twice = [name for name in known if sum(name.lower() == other.lower() for other in known) > 1]
    if twice:
        raise setting(f"df: a column is there twice: {', '.join(twice)}")
    return known


def kept_of(df: DataFrame, keep: Sequence[str], taken: Sequence[str]) -> list[StructField]:
    """The columns that the rows have besides their own, which are named in `taken`."""
    for at, name in enumerate(keep):
        has = df.columns.count(name)
        if not has:
            raise setting(f"keep: there is no column `{name}`, but {', '.join(df.columns)}")
        if name.lower() in taken:
            raise setting(f"keep: the result has a column `{name}` of its own: see withColumnRenamed")
        if has > 1:
            raise setting(f"keep: the column `{name}` is there twice")
        if name.lower() in (other.lower() for other in keep[:at]):
            raise setting(f"keep: `{name}` is named twice")
    return [df.schema[name] for name in keep]


def tried(df: DataFrame, known: Sequence[str], filter: Filter) -> None:
    """Columns whose type says that nothing can be read in them are found without a row."""
    fields = [df.schema[name] for name in known if not isinstance(df.schema[name].dataType, TimestampType)]
    filter.filter_batch(pa.RecordBatch.from_pylist([], to_arrow_schema(StructType(fields))))


def with_robots(pages: DataFrame, known: Sequence[str], *, in_order: bool = False) -> DataFrame:
    """With a column of the robots.txt files that each page's site has in the table, if any has one."""
    if pages.isStreaming:
        return pages
    url = next(name for name in known if name.lower() == "url")
    text = f.translate(column_of(url).cast("string"), "\t\n\r", "")
    # What is one is decided by the library.
    named = f.contains(text, f.lit("robots.txt")) | f.contains(text, f.lit("tdmrep.json"))
    perhaps = pages.select(*map(column_of, known)).where(named)
    found = perhaps.mapInArrow(_surveyed_rows, from_arrow_schema(_robots_schema()))
    found = found.persist(StorageLevel.MEMORY_AND_DISK)
    size = found.agg(f.sum(f.octet_length("html") + f.lit(1000))).collect()[0][0]
    if size is None and not found.limit(1).count():
        found.unpersist()
        return pages
    row = f.struct("url", "html", "status", "headers", "date").alias("robots")
    files = found.select("site", "leads_to", row)
    needed = files.select(f.col("site").alias(_SITE), "site")
    brought = robots_by(_SITE, needed.distinct(), files, led(files)).withColumnRenamed("robots", _ROBOTS)
    pages = pages.withColumn(_SITE, f.udf(_site, "string")(column_of(url).cast("string")))
    if (size or 0) < _BROADCAST:
        # Pages stay where they are.
        return pages.join(f.broadcast(brought), _SITE, "left").drop(_SITE)
    if not in_order:
        return pages.join(brought, _SITE, "left").drop(_SITE)
    pages = pages.withColumn(_AT, f.monotonically_increasing_id())
    return pages.join(brought, _SITE, "left").orderBy(_AT).drop(_SITE, _AT)


def _robots_schema() -> pa.Schema:
    return survey_batch(pa.RecordBatch.from_pydict({"url": [], "html": []}, PAGES)).schema


def _surveyed_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The robots.txt files of a table."""
    return map(survey_batch, batches)


def _judged(
    batches: Iterator[pa.RecordBatch], filter: Filter, known: Sequence[str], keep: Sequence[str], others: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """What filter_pages makes of rows."""
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = batch.slice(start, ROWS)
            columns = [*map(part.column, known), *map(part.column, others.values())]
            pages = pa.RecordBatch.from_arrays(columns, [*known, *others])
            yield filter.filter_batch(pages, robots=robots_of(part), keep=keep)


def robots_of(batch: pa.RecordBatch) -> pa.RecordBatch | None:
    """The robots.txt files that were brought to these rows, each once."""
    if _ROBOTS not in batch.schema.names:
        return None
    distinct = {tuple(row.values()): row for row in batch.column(_ROBOTS).flatten().to_pylist()}
    return pa.RecordBatch.from_pylist(list(distinct.values()), pa.schema(list(batch.schema.field(_ROBOTS).type.value_type)))


def led(files: DataFrame) -> DataFrame | None:
    """To which sites redirects lead from each site's robots.txt: columns site and leads_to. None if there are no redirects.

    It is made here and kept, since who asks for the robots.txt files of many groups would otherwise have it made for each.
    """
    leads = files.where("leads_to is not null").select("site", "leads_to").distinct().persist(StorageLevel.MEMORY_AND_DISK)
    further = leads.select(f.col("site").alias("leads_to"), f.col("leads_to").alias("further"))
    step, steps = leads, [leads]
    while len(steps) < REDIRECTS and not step.isEmpty():
        step = step.join(further, "leads_to").select("site", f.col("further").alias("leads_to")).distinct()
        step = step.persist(StorageLevel.MEMORY_AND_DISK)
        steps.append(step)
    if len(steps) == 1:
        return None
    return reduce(DataFrame.union, steps).distinct().persist(StorageLevel.MEMORY_AND_DISK)


def robots_by(key: str, needed: DataFrame, files: DataFrame, leads: DataFrame | None) -> DataFrame:
    """Of each key the robots.txt files of its sites, and of those that they redirect to, as `led` says."""
    if leads is not None:
        needed = needed.union(needed.join(leads, "site").select(key, f.col("leads_to").alias("site")))
    found = needed.distinct().join(files.select("site", "robots").distinct(), "site")
    return found.groupBy(key).agg(f.collect_list("robots").alias("robots"))
