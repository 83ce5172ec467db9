"""Pages of Parquet files, filtered by Daft: python daft_pages.py PAGES... OUT"""

import sys

import daft
import pyarrow as pa

import heedful

filter = heedful.Filter("FooBot")
KIND = filter.filter_batch(pa.RecordBatch.from_pylist([{"url": "", "html": ""}])).to_struct_array().type


@daft.func.batch(return_dtype=daft.DataType.from_arrow_type(KIND), batch_size=256)
def may_have(url: daft.Series, html: daft.Series) -> pa.Array:
    """What the bot may have of a batch of pages: a struct for each, as there is one bot."""
    batch = pa.RecordBatch.from_arrays([url.to_arrow(), html.to_arrow()], names=["url", "html"])
    return filter.filter_batch(batch).to_struct_array()


*pages, out = sys.argv[1:]
page = may_have(daft.col("url"), daft.col("html"))
daft.read_parquet(pages).select(page.alias("page")).write_parquet(out)
