"""A data set of Parquet files with pages, by Ray Data: python ray_data.py PAGES... OUT [--use USE]

A first pass finds the robots.txt files among the rows and brings them to the driver; a second one gives them to each batch. So they have
to fit in the memory of each worker.
"""

import argparse

import pyarrow as pa
import pyarrow.compute as pc
import ray

import heedful

parser = argparse.ArgumentParser()
parser.add_argument("pages", nargs="+")
parser.add_argument("out")
parser.add_argument("--use", default="train")
asked = parser.parse_args()
filter = heedful.Filter("FooBot")


def survey(table: pa.Table) -> pa.Table:
    """The robots.txt files among the rows."""
    return pa.Table.from_batches([heedful.survey_batch(batch) for batch in table.to_batches()])


def may_have(table: pa.Table, robots: pa.RecordBatch | None) -> pa.Table:
    """The texts of pages that the bot may use, a line for each phrase."""
    rows = pa.Table.from_batches([filter.filter_batch(batch, robots=robots) for batch in table.to_batches()])
    verdict = rows["verdict"].combine_chunks()
    may = pc.and_(verdict.field("enter"), verdict.field(asked.use))
    rows = rows.filter(pc.and_(may, pc.is_null(rows["error"])))
    return pa.table({"url": rows["url"], "text": pc.binary_join(rows["phrases"], "\n")})


pages = ray.data.read_parquet(asked.pages, columns=["url", "html"])
found = [table for table in ray.get(pages.map_batches(survey, batch_format="pyarrow").to_arrow_refs()) if table.num_rows]
robots = pa.concat_tables(found).combine_chunks().to_batches()[0] if found else None
texts = pages.map_batches(may_have, fn_kwargs={"robots": robots}, batch_format="pyarrow", batch_size=256)
texts.write_parquet(asked.out)
