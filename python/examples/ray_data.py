"""Pages of Parquet files, filtered by Ray Data: python ray_data.py PAGES... OUT"""

import sys

import pyarrow as pa
import ray

import heedful

filter = heedful.Filter("FooBot")


def may_have(table: pa.Table) -> pa.Table:
    """What the bot may have of a batch of pages."""
    return pa.Table.from_batches([filter.filter_batch(batch) for batch in table.to_batches()])


*pages, out = sys.argv[1:]
ray.data.read_parquet(pages, columns=["url", "html"]).map_batches(may_have, batch_format="pyarrow", batch_size=256).write_parquet(out)
