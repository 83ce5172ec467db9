"""Tables of an export, read back by pyarrow and joined with the index of a crawl; and tables of pyarrow, read by heedful.

python3 tests/parquet_check.py FOLDER PAGES.jsonl HEEDFUL

PAGES.jsonl is what `heedful filter` says of the same pages. HEEDFUL is the program.
"""

import hashlib
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from surt import surt

folder, filtered, program = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
pages = pq.read_table(sorted(folder.glob("pages-*.parquet")))
gone = pq.read_table(sorted(folder.glob("gone-*.parquet")))
told = {page["url"]: page for page in map(json.loads, filtered.read_text().splitlines())}
export = json.loads((folder / "export.json").read_text())
assert (len(pages), len(gone)) == (export["documents"], export["deletions"])

rows = pages.to_pylist()
for row in rows:
    page = told[row["url"]]
    page["links"] = [{key: value for key, value in link.items() if key != "why"} for link in page["links"] if link["follow"]]
    same = [key for key in page if key in row]
    assert len(same) == 12 and all(row[key] == page[key] for key in same), row["url"]
    assert row["verdict"]["index"] and row["url_surtkey"] == surt(row["url"]), row["url"]
    assert row["id"] == hashlib.sha1(row["url"].encode()).hexdigest()
withheld = [url for url, page in told.items() if not page["verdict"]["index"]]
assert {hashlib.sha1(url.encode()).hexdigest() for url in withheld} <= set(gone["id"].to_pylist()) and withheld

# As a crawl has them: a row for each URL that was fetched, whatever may be done with it.
crawl = pa.table({"url_surtkey": [surt(url) for url in told], "url": list(told), "warc_record_offset": list(range(len(told)))})
# A URL with the key of a page that may be used, and it is not that page.
other = "https://site.example/ABOUT.html"
assert other not in told and surt(other) in pages["url_surtkey"].to_pylist()
stray = {"url_surtkey": [surt(other)], "url": [other], "warc_record_offset": [-1]}
crawl = pa.concat_tables([crawl, pa.table(stray)])
plain = pages.select(["url", "url_surtkey", "excerpt"])
joined = crawl.join(plain, ["url_surtkey", "url"], join_type="inner")
assert sorted(joined["url"].to_pylist()) == sorted(pages["url"].to_pylist())
assert not set(joined["url"].to_pylist()) & set(withheld)
by_key = crawl.join(plain.drop(["url"]), "url_surtkey", join_type="inner")
assert set(by_key["url"].to_pylist()) - set(joined["url"].to_pylist()) == {other}, "why the key alone is not enough"
words = pc.sum(pc.list_value_length(pages["phrases"])).as_py()
print(f"{folder}: {len(pages)} pages with {words} phrases and {len(gone)} that are gone, joined by url_surtkey and url with {len(crawl)} of a crawl")

# Pages as other programs write them: in each codec, each version of data pages, with dictionaries and without.
html = [f"<title>page {number}</title><p>Rye {number}." + " Some words." * number for number in range(600)]
table = pa.table({"url": [f"https://site.example/{number}" for number in range(len(html))], "html": html})
answers = {}
codecs = ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]
with tempfile.TemporaryDirectory() as temporary:
    path = Path(temporary) / "pages.parquet"
    for codec, version, dictionary in itertools.product(codecs, ["1.0", "2.0"], [False, True]):
        pq.write_table(
            table, path, compression=codec, data_page_version=version, use_dictionary=dictionary, row_group_size=200, data_page_size=4096
        )
        run = subprocess.run([program, "text", path, "--quiet"], capture_output=True, text=True, check=True)
        answers[codec, version, dictionary] = run.stdout
assert len(set(answers.values())) == 1, {key: len(answer) for key, answer in answers.items()}
assert all(f"Rye {number}." in run.stdout for number in range(len(html)))
print(f"{len(answers)} tables of pyarrow, read alike")
