"""`heedful.filter_batches`: batch after batch, with the robots.txt files among all of them heard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ._given import given, names
from ._heedful import Filter, _sites, survey_batch


def filter_batches(
    batches: Iterable[pa.RecordBatch],
    filter: Filter,
    *,
    robots: pa.RecordBatch | Iterable[pa.RecordBatch] | None = None,
    keep: Sequence[str] = (),
) -> Iterator[pa.RecordBatch]:
    """Filters batch after batch, as Filter.filter_batch does, and hears the robots.txt files of the other batches too.

    A pyarrow.Table or a list is looked through first, so its robots.txt files may stand anywhere. A stream (an iterator, a
    RecordBatchReader) passes once: a robots.txt is heard for its own batch and for later ones, and earlier pages have entered.

    robots: batches of elsewhere, whose robots.txt files are heard too, as survey_batch finds them. keep: columns that the rows have too, as they are.
    """
    batches = _several("batches", batches)
    given("filter", filter, Filter, "a heedful.Filter")
    kept, known = names("keep", keep), _Known()
    robots = () if robots is None else robots
    for files in [robots] if isinstance(robots, pa.RecordBatch) else _several("robots", robots):
        known.hear(files)
    if isinstance(batches, Sequence):
        for batch in batches:
            known.hear(batch)
        return (filter.filter_batch(batch, robots=known.of(batch), keep=kept) for batch in batches)
    return (filter.filter_batch(batch, robots=known.heard(batch), keep=kept) for batch in batches)


def _several(name: str, batches: Any) -> Iterable[pa.RecordBatch]:
    """Batches, or those of a table."""
    if isinstance(batches, str | bytes | pa.RecordBatch) or not isinstance(batches, pa.Table | Iterable):
        given(name, batches, (), "a pyarrow.Table, or a list or stream of batches")
    several: Iterable[pa.RecordBatch] = batches.to_batches() if isinstance(batches, pa.Table) else batches
    return several


class _Known:
    """The robots.txt files so far, by the sites that they are of."""

    def __init__(self) -> None:
        # As keys, which has each once and in order.
        self.files: dict[str, dict[tuple[Any, ...], None]] = {}
        self.leads: dict[str, dict[str, None]] = {}
        self.schema = pa.schema([])

    def hear(self, batch: pa.RecordBatch) -> None:
        """Takes note of those in a batch."""
        found = survey_batch(batch)
        self.schema = found.schema
        for row in found.to_pylist():
            self.files.setdefault(row["site"], {})[tuple(row.values())] = None
            if row["leads_to"] is not None:
                self.leads.setdefault(row["site"], {})[row["leads_to"]] = None

    def heard(self, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """The same; those that a batch that comes now needs."""
        self.hear(batch)
        return self.of(batch)

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """Those of the sites that a batch has pages of, and of the sites that they redirect to."""
        needed = _sites(batch)
        met = set(needed)
        for site in needed:
            more = [target for target in self.leads.get(site, ()) if target not in met]
            met.update(more)
            needed += more
        rows = [row for site in needed for row in self.files.get(site, ())]
        if not rows:
            return None
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)
