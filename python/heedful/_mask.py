"""heedful on Apache Spark, for the mask: what each page of a table, or each record of archives, may be used for.

An answer for each row and each record, in their order, however damaged: what cannot be read is `unknown`, what is no page is `none`, and
to both everything is denied. `heedful.spark` gives these names away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from . import Filter, mask, mask_batch
from ._archives import guarded, jobs_in, jobs_of, known_as
from ._given import given, names
from ._stores import local
from ._table import ROWS, aliased, batched, column_of, kept_of, known_of, robots_of, tried, with_robots

USES = "index,archive,input,train"
"""The uses that are asked about, unless others are named."""

_MASK = "mask"
_COLUMNS = ("kind", "reason", "digest", "robots", "robots_status", "law", "allow", "bots")
"""What the column has of an answer; a row's own columns tell where it stands."""

_NOTHING = pa.schema([("url", pa.string()), ("html", pa.string())])


def mask_pages(
    df: DataFrame,
    bot: str | Sequence[str],
    *,
    use: str | Sequence[str] = USES,
    parts: bool = False,
    digest: bool = True,
    conventions: str = "web",
    keep: Sequence[str] | None = None,
    **settings: Any,
) -> DataFrame:
    """The table with a column `mask` behind its own: what each row may be used for, as `heedful mask` tells of its JSON Lines. It has as
    many rows as the table, in the same order. Settings are those of Filter; use, parts and digest are those of mask.

    mask has kind, reason, digest, robots and robots_status (what was known of the robots.txt), law, allow (a field for each use, true if all bots may) and bots (bot, allow, why, parts). A row that
    cannot be read is `unknown`, one that is no page `none`, and both are denied everything. `where("mask.allow.train")` leaves what
    may be trained on.

    A row whose URL is that of a robots.txt is heard for all pages of its site, wherever both stand, through redirects, as in filter_pages.
    Of a stream it is heard in its own batch alone.

    keep: the columns of the table that the rows have, by default all. Without the HTML, less goes back from Python.
    """
    given("df", df, DataFrame, "a Spark DataFrame")
    filter = Filter(bot, conventions=conventions, **settings)
    masking = partial(mask_batch, filter=filter, use=use, parts=parts, digest=digest)
    own = StructType().add(_MASK, from_arrow_schema(_empty(masking).select(_COLUMNS).schema))
    keep = df.columns if keep is None else names("keep", keep)
    known, kept = known_of(df), kept_of(df, keep, [_MASK])
    tried(df, known, filter)
    batched(df.sparkSession)
    others = aliased(keep, known)
    pages = df.select(*map(column_of, known), *(column_of(name).alias(alias) for name, alias in others.items()))
    masked = partial(_masked, masking=masking, known=known, keep={name: others.get(name, name) for name in keep})
    return with_robots(pages, known, in_order=True).mapInArrow(masked, StructType([*kept, *own]))


def _empty(masking: Callable[..., pa.RecordBatch]) -> pa.RecordBatch:
    """No answers, which have their columns."""
    return masking(pa.RecordBatch.from_pylist([], _NOTHING))


def _masked(
    batches: Iterator[pa.RecordBatch],
    masking: Callable[..., pa.RecordBatch],
    known: Sequence[str],
    keep: Mapping[str, str],
) -> Iterator[pa.RecordBatch]:
    """What mask_pages makes of rows."""
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = batch.slice(start, ROWS)
            pages = pa.RecordBatch.from_arrays(list(map(part.column, known)), list(known))
            answers = masking(pages, robots=robots_of(part)).select(_COLUMNS)
            own = pa.StructArray.from_arrays(answers.columns, fields=list(answers.schema))
            yield pa.RecordBatch.from_arrays([*map(part.column, keep.values()), own], [*keep, _MASK])


def mask_archives(
    archives: DataFrame,
    bot: str | Sequence[str],
    *,
    use: str | Sequence[str] = USES,
    parts: bool = False,
    digest: bool = True,
    conventions: str = "web",
    robots: str | bytes | None = None,
    require_robots: bool = False,
    require_archives: bool = False,
    partitions: int | None = None,
    **settings: Any,
) -> DataFrame:
    """The mask of archives, named as for filter_archives: the answers of `heedful mask` over all of them, in their order. Columns are the
    keys of its JSON; use, parts and digest are those of mask.

    An archive that is not there, that its store refuses, or that cannot be read to its end in ATTEMPTS attempts, has an answer that is `unknown` and names no
    record, behind those for what was read. With require_archives one that is not there, or that its store refuses, is an error of this
    call. An archive that is named twice is read once.
    """
    given("archives", archives, DataFrame, "a Spark DataFrame")
    given("partitions", partitions, int | None, "a number")
    given("robots", robots, str | bytes | None, "text or bytes")
    given("require_robots", require_robots, bool, "True or False")
    given("require_archives", require_archives, bool, "True or False")
    question: Mapping[str, Any] = {"use": use, "parts": parts, "digest": digest}
    empty = _empty(partial(mask_batch, filter=Filter(bot, conventions=conventions, **settings), **question))
    jobs, filter = jobs_of(archives, bot, partitions, conventions=conventions, require_archives=require_archives, **settings)
    masking = partial(mask, filter=filter, robots=robots, require_robots=require_robots, rows=ROWS, **question)
    failed = partial(_failed, mask_batch(pa.RecordBatch.from_pylist([{}], _NOTHING), filter, **question))
    return jobs.mapInArrow(partial(_answers, masking=masking, failed=failed), from_arrow_schema(empty.schema))


def _answers(
    batches: Iterator[pa.RecordBatch],
    masking: Callable[..., Iterator[pa.RecordBatch]],
    failed: Callable[[str, Exception], pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """The second stage: the answers for archives, each with the robots.txt files that it needs."""
    for archive, robots, absent in jobs_in(batches):
        if absent:
            yield failed(archive, absent)
        else:
            yield from guarded(partial(_of_archive, archive, robots, masking), partial(failed, archive))


def _of_archive(
    archive: str, files: list[bytes], masking: Callable[..., Iterator[pa.RecordBatch]]
) -> Iterator[pa.RecordBatch]:
    with local(archive) as path, known_as(files) as known:
        for batch in masking([path], robots_from=[known]):
            yield _renamed(batch, path, archive) if path != archive else batch


def _renamed(batch: pa.RecordBatch, path: str, archive: str) -> pa.RecordBatch:
    """Answers name the archive, and not its copy."""
    for name in ("file", "reason"):
        told = pc.replace_substring(batch.column(name), path, archive)
        batch = batch.set_column(batch.schema.get_field_index(name), batch.schema.field(name), told)
    return batch


def _failed(unknown: pa.RecordBatch, archive: str, error: Exception) -> pa.RecordBatch:
    """The answer for an archive that gave none, or no more."""
    (row,) = unknown.to_pylist()
    row |= {"file": archive, "unit": None, "at": None, "reason": f"{archive}: {error}"}
    return pa.RecordBatch.from_pylist([row], unknown.schema)
