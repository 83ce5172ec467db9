"""A job for Common Crawl's cc-pyspark (github.com/commoncrawl/cc-pyspark): copy it beside sparkcc.py there.

    spark-submit --py-files sparkcc.py cc_pyspark_filter.py --bot FooBot --input_base_url s3://commoncrawl/ MANIFEST TABLE

The rows are those of heedful.spark. Only the robots.txt files in an archive are heard for its pages. Common Crawl keeps them in archives
of their own: to bring both together, use `python -m heedful.spark` with the names of both in its manifest.
"""

import shutil
from tempfile import NamedTemporaryFile

from sparkcc import CCSparkJob

import heedful
import heedful.spark


class FilterJob(CCSparkJob):
    """What an indexer may have of each page."""

    name = "HeedfulFilter"
    output_schema = heedful.spark.schema()

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--bot", action="append", required=True, help="who we are; may be given again")
        parser.add_argument("--conventions", default="web", help="conventions to honour")

    def run_job(self, session):
        self.filter = heedful.Filter(self.args.bot, conventions=self.args.conventions)
        archives = session.sparkContext.textFile(self.args.input, minPartitions=self.args.num_input_partitions)
        rows = archives.mapPartitionsWithIndex(self.process_warcs)
        table = session.createDataFrame(rows, schema=self.output_schema).coalesce(self.args.num_output_partitions)
        writer = table.write.format(self.args.output_format).option("compression", self.args.output_compression)
        writer.options(**self.get_output_options()).saveAsTable(self.args.output)
        self.log_accumulators(session)

    def process_warc(self, uri, stream):
        with NamedTemporaryFile(suffix=uri[-20:].replace("/", "-"), dir=self.args.local_temp_dir) as copy:
            shutil.copyfileobj(stream, copy, 1 << 20)
            copy.flush()
            for batch in heedful.read([copy.name], self.filter):
                self.records_processed.add(batch.num_rows)
                yield from batch.to_pylist()


if __name__ == "__main__":
    FilterJob().run()
