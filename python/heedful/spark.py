"""heedful on Apache Spark: a table of pages, or the WARC files that a manifest names.

A table: filter_pages(df, "FooBot") gives a row for each row and bot, as Filter.filter_batch does. Rows that are robots.txt files are
heard for the pages of their sites, wherever they stand in the table.

Archives, read inside the tasks, which spares the way of the HTML through the JVM:

    python -m heedful.spark MANIFEST OUT --bot FooBot

MANIFEST has the name of an archive (WARC, ARC) a line; each may hold pages, robots.txt files or both. A first stage finds which
sites each archive has pages of and where their robots.txt files are, and brings them together by host; Names pages of the Robot
Exclusion Profile, of which there are few, go to all. A second stage reads each archive and writes its rows as Parquet. Rows are those of `heedful filter` over all of the archives, in no order. They go through
Spark's committer: an attempt that died leaves none.

census_pages(df, "FooBot") and census_archives(archives, "FooBot") count instead what publishers say (docs/census.md): the counts of
tasks are merged, and are those of one program over everything.

text_archives(archives, "FooBot") gives the texts of pages that may be trained on, or used as `use` says: a data set.

mask_pages(df, "FooBot") adds a column that says what each row may be used for, and mask_archives(archives, "FooBot") answers for each
record (docs/mask.md).

With --group N rows are written, and committed, N archives at a time; with --resume a job goes on where one stopped, and takes in the
archives that failed and can be had now (heedful._out). Its rows are those of a job that nothing befell.

With --shards DIR each task of the second stage writes an index there too, under a name of its own attempt. Those that count are
named in the rows, and printed: `heedful merge @FILE -o INDEX` makes them one.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import SparkConf, SparkContext, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from . import Census, Error, Filter, Writer, census, read
from ._archives import Survey, check_heard, guarded, is_given_up, jobs_in, jobs_of, known_as, looked_through
from ._given import USES as WANTED
from ._given import given, one_of, setting
from ._heedful import _passed_over
from ._mask import USES, mask_archives, mask_pages
from ._out import Out
from ._stores import NOT_THERE, REFUSED, Absent, check_writable, inside, local, local_path, put
from ._table import (
    BATCH,
    CENSUS,
    COLUMNS,
    PAGES,
    REDIRECTS,
    ROWS,
    arrow_schema,
    census_pages,
    census_row,
    filter_pages,
    reduced,
    schema,
)

__all__ = [
    "COLUMNS",
    "REDIRECTS",
    "ROWS",
    "USES",
    "anchors",
    "arrow_schema",
    "census_archives",
    "census_pages",
    "filter_archives",
    "filter_pages",
    "main",
    "mask_archives",
    "mask_pages",
    "schema",
    "session",
    "shards",
    "text_archives",
]

_Reading: TypeAlias = Callable[..., Iterator[pa.RecordBatch]]
_SHARD = pa.field("shard", pa.string())
_TEXTS = ("url", "bot", "title", "text", "error")


def filter_archives(
    archives: DataFrame,
    bot: str | Sequence[str],
    *,
    conventions: str = "web",
    snapshot: bool = False,
    robots: str | bytes | None = None,
    require_robots: bool = False,
    require_archives: bool = False,
    robots_from: DataFrame | None = None,
    partitions: int | None = None,
    shards: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> DataFrame:
    """The rows of archives, whose names are in the first column: paths that all executors have, or addresses: http, https, s3, s3a,
    s3n, gs, abfs, abfss, wasb, wasbs, hdfs, viewfs, dbfs and file. Others are refused, before any task runs.

    An archive of a store is copied, byte for byte, to the temporary folder of the machine while a task reads it.

    robots is a robots.txt for every page, besides its site's; require_robots keeps out pages of sites without one. robots_from names
    archives whose robots.txt files and Names pages are heard too, and whose pages are not read. An archive that is not there, or that
    its store refuses, is a row with `error`, and its robots.txt files are not heard; with require_archives it is an error of this call.

    shards is a folder that the driver and all executors have, or the address of one: each task writes an index there. It is made, and
    tried, when this is called. Rows then have a column `shard`, and there is one more for each index, with nothing but its path.
    Others in the folder are of attempts that failed.
    """
    given("archives", archives, DataFrame, "a Spark DataFrame")
    given("partitions", partitions, int | None, "a number")
    given("snapshot", snapshot, bool, "True or False")
    given("robots", robots, str | bytes | None, "text or bytes")
    given("require_robots", require_robots, bool, "True or False")
    given("require_archives", require_archives, bool, "True or False")
    given("shards", shards, str | os.PathLike | None, "a path (str or os.PathLike)")
    given("robots_from", robots_from, DataFrame | None, "a Spark DataFrame")
    folder = None if shards is None else _folder(shards)
    settings |= {"conventions": conventions, "snapshots": snapshot, "robots_from": robots_from, "require_archives": require_archives}
    found = looked_through(archives, bot, partitions, **settings)
    reading = partial(read, filter=found.filter, robots=robots, require_robots=require_robots, rows=ROWS)
    return _filtered(found.jobs(found.names, partitions), found.filter, reading, folder)


def text_archives(
    archives: DataFrame,
    bot: str | Sequence[str],
    *,
    use: str = "train",
    conventions: str = "web",
    robots: str | bytes | None = None,
    require_robots: bool = False,
    require_archives: bool = False,
    robots_from: DataFrame | None = None,
    partitions: int | None = None,
    **settings: Any,
) -> DataFrame:
    """A data set: the texts of the pages of archives that the bots may use for `use`, which is `train` unless another is named. Archives,
    and all else, are as for filter_archives.

    Columns are url, bot, title, text (that of Page.text) and error. What failed is a row with `error`, as in filter_archives, and has no
    text: `where("error is null")` leaves the texts.
    """
    given("archives", archives, DataFrame, "a Spark DataFrame")
    given("use", use, str, "text")
    one_of("use", use, WANTED)
    given("partitions", partitions, int | None, "a number")
    given("robots", robots, str | bytes | None, "text or bytes")
    given("require_robots", require_robots, bool, "True or False")
    given("require_archives", require_archives, bool, "True or False")
    given("robots_from", robots_from, DataFrame | None, "a Spark DataFrame")
    settings |= {"conventions": conventions, "robots_from": robots_from, "require_archives": require_archives}
    found = looked_through(archives, bot, partitions, **settings)
    reading = partial(read, filter=found.filter, robots=robots, require_robots=require_robots, rows=ROWS, text=True)
    return _texts(found.jobs(found.names, partitions), found.filter, reading, use)


def _texts(jobs: DataFrame, filter: Filter, reading: _Reading, use: str) -> DataFrame:
    """The second stage of a data set."""
    return jobs.mapInArrow(partial(_told, filter=filter, reading=reading, use=use), from_arrow_schema(_text_schema()))


def _text_schema() -> pa.Schema:
    fields = arrow_schema().append(pa.field("text", pa.string()))
    return pa.schema([fields.field(name) for name in _TEXTS])


def _told(batches: Iterator[pa.RecordBatch], filter: Filter, reading: _Reading, use: str) -> Iterator[pa.RecordBatch]:
    """The rows of a data set: texts that may be used, and what failed."""
    for batch in _answers(batches, filter, reading):
        if "text" not in batch.schema.names:
            batch = batch.append_column(pa.field("text", pa.string()), pa.nulls(batch.num_rows, pa.string()))
        verdict, failed = batch.column("verdict"), pc.is_valid(batch.column("error"))
        may = pc.and_(pc.struct_field(verdict, "enter"), pc.struct_field(verdict, use))
        yield batch.filter(pc.or_(failed, may)).select(_TEXTS)


def _filtered(jobs: DataFrame, filter: Filter, reading: _Reading, folder: str | None) -> DataFrame:
    """The second stage, with shards in a folder if there is one."""
    if folder is None:
        return jobs.mapInArrow(partial(_answers, filter=filter, reading=reading), schema())
    indexed = partial(_indexed, shards=folder, begin=uuid.uuid4().hex[:12], filter=filter, reading=reading)
    return jobs.mapInArrow(indexed, from_arrow_schema(arrow_schema().append(_SHARD)))


def census_archives(
    archives: DataFrame,
    bot: str | Sequence[str],
    *,
    conventions: str = "web",
    robots: str | bytes | None = None,
    require_robots: bool = False,
    require_archives: bool = False,
    partitions: int | None = None,
    **settings: Any,
) -> Census:
    """The census of archives, named as for filter_archives: that of `heedful census` over all of them, bit for bit.

    Each task counts its archives, and the counts are merged. An archive adds nothing but itself to the outcomes where it is not there
    or its store refuses it (`archive-missing`; with require_archives that is an error of this call), and where it cannot be read to its end in ATTEMPTS attempts (`archive-failed`).
    """
    given("archives", archives, DataFrame, "a Spark DataFrame")
    given("partitions", partitions, int | None, "a number")
    given("robots", robots, str | bytes | None, "text or bytes")
    given("require_robots", require_robots, bool, "True or False")
    given("require_archives", require_archives, bool, "True or False")
    settings |= {"conventions": conventions, "require_archives": require_archives}
    jobs, filter = jobs_of(archives, bot, partitions, **settings)
    counting = partial(census, filter=filter, robots=robots, require_robots=require_robots)
    return reduced(jobs.mapInArrow(partial(_counted, filter=filter, counting=counting), CENSUS), filter)


def _answers(
    batches: Iterator[pa.RecordBatch], filter: Filter, reading: _Reading, writer: Writer | None = None
) -> Iterator[pa.RecordBatch]:
    """The second stage: the rows of archives, each with the robots.txt files that it needs."""
    failed = _failed(filter)
    for archive, robots, absent in jobs_in(batches):
        if absent:
            yield failed(archive, absent)
        else:
            yield from guarded(partial(_rows, archive, robots, reading, writer), partial(failed, archive))


def _indexed(
    batches: Iterator[pa.RecordBatch], shards: str, begin: str, filter: Filter, reading: _Reading
) -> Iterator[pa.RecordBatch]:
    """The same with an index of them, which counts when its name is among the rows that were committed."""
    first = next((batch for batch in batches if batch.num_rows), None)
    if first is None:
        return
    task = TaskContext.get()
    name = inside(shards, begin if task is None else f"{begin}-{task.partitionId():06}-{task.taskAttemptId()}")
    with _shard(name) as folder, Writer(folder, filter) as writer:
        yield from map(_with_shard, _answers(chain([first], batches), filter, reading, writer))
    yield _shard_row(name)


def _counted(
    batches: Iterator[pa.RecordBatch], filter: Filter, counting: Callable[..., Census]
) -> Iterator[pa.RecordBatch]:
    """The second stage of a census: what a task counts of its archives."""
    whole = _passed_over(filter, None)
    for archive, robots, absent in jobs_in(batches):
        try:
            if absent:
                raise absent
            whole += _of_archive(archive, robots, counting)
        except Absent:
            whole += _passed_over(filter, "archive-missing")
        except Exception:
            if not is_given_up():
                raise
            whole += _passed_over(filter, "archive-failed")
    yield census_row(whole)


def _of_archive(archive: str, files: list[bytes], counting: Callable[..., Census]) -> Census:
    with local(archive) as path, known_as(files) as known:
        return counting([path], robots_from=[known])


def _rows(
    archive: str, files: list[bytes], reading: _Reading, writer: Writer | None
) -> Iterator[pa.RecordBatch]:
    with local(archive) as path, known_as(files) as known:
        for batch in reading([path], robots_from=[known], writer=writer):
            yield _renamed(batch, path, archive)


def _renamed(batch: pa.RecordBatch, path: str, archive: str) -> pa.RecordBatch:
    """Errors name the archive, and not its copy."""
    errors = batch.column("error")
    if path == archive or errors.null_count == len(errors):
        return batch
    rows = batch.to_pylist()
    for row in rows:
        if row["error"]:
            row["error"]["message"] = row["error"]["message"].replace(path, archive)
    return pa.RecordBatch.from_pylist(rows, batch.schema)


def _failed(filter: Filter) -> Callable[[str, Exception], pa.RecordBatch]:
    """A row for each bot that says why an archive gave none, or no more."""
    empty = filter.filter_batch(pa.RecordBatch.from_pydict({"url": [""], "html": [""]}, PAGES))

    def failed(archive: str, error: Exception) -> pa.RecordBatch:
        rows = empty.to_pylist()
        for row in rows:
            row["error"] = {"kind": "io", "message": f"{archive}: {error}"}
        return pa.RecordBatch.from_pylist(rows, empty.schema)

    return failed


def _with_shard(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.append_column(_SHARD, pa.nulls(batch.num_rows, pa.string()))


def _shard_row(name: str) -> pa.RecordBatch:
    """A row that has nothing but the name of a shard."""
    fields = arrow_schema()
    columns = [pa.nulls(1, field.type) for field in fields]
    row = pa.RecordBatch.from_arrays(columns, names=fields.names)
    return row.append_column(_SHARD, pa.array([name]))


def _folder(shards: str | os.PathLike[str]) -> str:
    """The folder for shards, which every task finds under this name."""
    here = local_path(os.fspath(shards), "shards")
    folder = os.fspath(shards) if here is None else str(Path(here).absolute())
    check_writable("shards", folder)
    return folder


@contextlib.contextmanager
def _shard(name: str) -> Iterator[str]:
    """A folder for an index that will be at `name`."""
    here = local_path(name)
    if here is not None:
        yield here
        return
    with tempfile.TemporaryDirectory() as folder:
        yield folder
        put(folder, name)


def shards(rows: DataFrame) -> list[str]:
    """The paths of the indexes that count, of rows that were written."""
    given("rows", rows, DataFrame, "a Spark DataFrame")
    named = rows.where("shard is not null").select("shard").distinct().orderBy("shard")
    return [row["shard"] for row in named.collect()]


def anchors(rows: DataFrame) -> DataFrame:
    """What pages call others, over all rows: columns target, text, hosts (how many say so), pages, and show: whether any of them
    lets it be shown.

    Only what may be followed and credited counts, and no page names itself. A link's text that something excluded parts counts as
    several. An index joins them itself when it is asked, also a merged one; this is for engines that want them beside a page.
    """
    given("rows", rows, DataFrame, "a Spark DataFrame")
    entered = rows.where("error is null and verdict.index")
    links = entered.select(f.col("url").alias("source"), f.explode("links").alias("link")).where("link.follow and link.anchor")
    # A text that may be told in one piece is; nothing may be joined across what was left out.
    texts = f.when(f.col("link.text") != "", f.array("link.text")).otherwise(f.col("link.phrases"))
    named = links.select(
        "source",
        f.regexp_replace("link.url", "#.*", "").alias("target"),
        f.explode(texts).alias("text"),
        f.col("link.show").alias("show"),
    )
    named = named.where("target != regexp_replace(source, '#.*', '')")
    hosts = f.count_distinct(f.parse_url("source", f.lit("HOST"))).alias("hosts")
    pages = f.count_distinct("source").alias("pages")
    return named.groupBy("target", "text").agg(hosts, pages, f.bool_or("show").alias("show"))


def _tolerant(master: str, failures: str) -> str:
    """A master on this machine that lets a task fail as a cluster does: by itself it ends the job at once, whatever the settings say."""
    local = re.fullmatch(r"local(\[(\*|\d+)\])?", master)
    return f"local[{local[2] or 1},{failures}]" if local else master


def session() -> SparkSession:
    """The session of this process, or a new one. The workers of a new one are of this Python, unless the environment
    (PYSPARK_PYTHON), Spark's settings (spark.pyspark.python) or spark-submit says otherwise. On this machine alone (`local`) a new one
    tries a task as often as a cluster does, so that an archive that fails becomes a row.
    """
    is_said = {"PYSPARK_PYTHON", "PYSPARK_GATEWAY_PORT", "SPARK_REMOTE"} & os.environ.keys()
    is_new = SparkSession.getActiveSession() is None
    builder = SparkSession.builder.appName("heedful")
    if is_new and "SPARK_REMOTE" not in os.environ:
        # Only with the JVM are the settings known.
        SparkContext._ensure_initialized()
        settings = SparkConf()
        builder = builder.master(_tolerant(settings.get("spark.master", "local[*]"), settings.get("spark.task.maxFailures", "4")))
    spark = builder.getOrCreate()
    if is_new and not is_said:
        context = spark.sparkContext
        # PySpark itself heeds the setting under spark-submit alone.
        context.pythonExec = context.getConf().get("spark.pyspark.python") or sys.executable
    return spark


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m heedful.spark`."""
    try:
        return _run(arguments)
    except Error as error:
        if error.kind != "setting":
            raise
        sys.stderr.write(f"error: {error}\n")
        return 2


def _listed(spark: SparkSession, manifest: str, base: str) -> DataFrame:
    """The archives that a manifest names."""
    lines = spark.read.text(manifest).select(f.trim("value").alias("archive"))
    lines = lines.where("archive != '' and not startswith(archive, '#')")
    return lines.select(f.concat(f.lit(base), "archive").alias("archive"))


def _decisive(asked: argparse.Namespace, robots: bytes | None) -> dict[str, Any]:
    """The options by which rows are made: all rows in one place are made by the same."""
    names = ("bot", "conventions", "snapshot", "blocks", "landmarks", "require_robots")
    told = {name.replace("_", "-"): getattr(asked, name) for name in names}
    own = {"robots": robots.decode("latin-1") if robots is not None else None, "shards": asked.shards is not None}
    return told | own | {"text": asked.use if asked.text else None}


def _to_read(found: Survey, out: Out) -> list[str]:
    """The archives whose rows are not there, or would be others today; those rows are deleted."""
    done, failed = out.archives(), out.failed()
    surveyed = {*found.sizes, *found.absent}
    mended = {name: reason for name, reason in failed.items() if name in found.sizes}
    anew = set(mended)
    # What was only in part read was heard.
    unheard = [name for name, reason in mended.items() if reason in (NOT_THERE, REFUSED)]
    if unheard:
        anew |= found.touched(unheard) & done
    again = out.groups_with(anew)
    for name in sorted(again - surveyed):
        raise setting(f"--resume: the rows of {name} would be others today, and MANIFEST does not name it: name it there too")
    names = [name for name in dict.fromkeys([*found.names, *sorted(again)]) if name not in done or name in again]
    if names:
        check_heard("--resume", found.absent, done - failed.keys() - again)
    out.forget(again)
    return names


def _groups(names: list[str], size: int | None) -> list[list[str]]:
    """So many at a time, or all."""
    step = size or len(names) or 1
    return [names[start : start + step] for start in range(0, len(names), step)]


def _run(arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m heedful.spark", description="Filters the archives that a manifest names, on Spark."
    )
    parser.add_argument("manifest", metavar="MANIFEST", help="names of archives, one a line; # begins a comment")
    parser.add_argument("out", metavar="OUT", help="where the rows go, as Parquet; must not be there yet, but for --resume")
    parser.add_argument("-b", "--bot", action="append", required=True, help="NAME, or NAME=ALIAS,...; may be given again")
    parser.add_argument("--conventions", default="web", metavar="LIST", help="conventions to honour [default: web]")
    parser.add_argument("--snapshot", action="store_true", help="rows have a snapshot")
    parser.add_argument("--blocks", action="store_true", help="rows have the blocks of their pages")
    parser.add_argument("--landmarks", default="all", metavar="LIST", help="take only the text in these landmarks [default: all]")
    parser.add_argument("--text", action="store_true", help="write a data set: the texts of pages that may be used for --use")
    parser.add_argument("--use", choices=WANTED, metavar="USE", help="what the texts are for: train, index, input ... [default: train]")
    parser.add_argument("-r", "--robots", metavar="FILE", help="a robots.txt for every page, besides its site's")
    parser.add_argument("--require-robots", action="store_true", help="keep out pages of sites without a robots.txt")
    parser.add_argument(
        "--require-archives", action="store_true", help="end the job where an archive is not there, or its store refuses it"
    )
    parser.add_argument("--robots-from", metavar="MANIFEST", help="archives that are only heard: their robots.txt files and Names pages")
    parser.add_argument("--base", default="", metavar="URL", help="what stands before each name, as s3://commoncrawl/")
    parser.add_argument("--partitions", type=int, metavar="N", help="tasks of each stage [default: one for each archive]")
    parser.add_argument("--shards", metavar="DIR", help="write indexes there too, and print the paths of those that count")
    parser.add_argument("--group", type=int, metavar="N", help="write the rows of so many archives at a time [default: all]")
    parser.add_argument("--resume", action="store_true", help="go on in OUT with the archives whose rows are not there")
    asked = parser.parse_args(arguments)
    if asked.group is not None and asked.group < 1:
        parser.error("--group: at least 1 is wanted")
    if asked.use and not asked.text:
        parser.error("--use: it needs --text")
    if asked.text and (asked.shards or asked.snapshot or asked.blocks):
        parser.error("--text: a data set has no snapshots, blocks or shards")
    asked.use = asked.use or "train"
    own_robots = Path(asked.robots).read_bytes() if asked.robots else None
    spark = session()
    out = Out(spark, asked.out, _decisive(asked, own_robots), is_resumed=asked.resume)
    folder = _folder(asked.shards) if asked.shards else None
    spark.conf.set(BATCH, str(ROWS))
    found = looked_through(
        _listed(spark, asked.manifest, asked.base),
        asked.bot,
        asked.partitions,
        robots_from=_listed(spark, asked.robots_from, asked.base) if asked.robots_from else None,
        require_archives=asked.require_archives,
        conventions=asked.conventions,
        snapshots=asked.snapshot,
        blocks=asked.blocks,
        landmarks=asked.landmarks,
    )
    reading = partial(
        read, filter=found.filter, robots=own_robots, require_robots=asked.require_robots, rows=ROWS, text=asked.text
    )

    def rows_of(jobs: DataFrame) -> DataFrame:
        if asked.text:
            return _texts(jobs, found.filter, reading, asked.use)
        return _filtered(jobs, found.filter, reading, folder)

    names = _to_read(found, out)
    for group in _groups([name for name in names if name not in found.absent], asked.group):
        out.append(rows_of(found.jobs(group, asked.partitions)), group)
    # By themselves, so that a job that goes on when they are there reads no others again.
    absent = [name for name in names if name in found.absent]
    # Where there are no archives at all, the rows are none, and are written.
    if absent or not out.done:
        out.append(rows_of(found.jobs(absent, 1)), absent)
    failed = out.end(asked.base)
    if failed:
        told = f"{failed} of {len(out.archives())} archives failed, and are named in {asked.out.rstrip('/')}.retry.txt, each with its reason"
        sys.stderr.write(f"{told}. --resume takes them in when they are there\n")
    written = spark.read.parquet(asked.out)
    if asked.text:
        counts = written.agg(f.count("*") - f.count("error"), f.count("error")).collect()[0]
        sys.stderr.write("{} texts; {} failed\n".format(*counts))
        return 0
    if asked.shards:
        for shard in shards(written):
            print(shard)
        written = written.where("shard is null")
    counts = written.agg(
        f.count("*"), f.count_if("verdict.enter"), f.count_if("verdict.index"), f.count("error")
    ).collect()[0]
    sys.stderr.write("{} rows: {} let in, {} to be indexed, {} failed\n".format(*counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
