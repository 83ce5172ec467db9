"""Snapshots in a WARC, read back by warcio and by fastwarc: all records, their lengths and their digests.

python3 tests/warc.py FILE EXPECTED
"""

import sys

from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

path, expected = sys.argv[1], int(sys.argv[2])

read = {}
with open(path, "rb") as file:
    for record in ArchiveIterator(file, check_digests="raise"):
        body = record.content_stream().read()
        length = int(record.rec_headers.get_header("Content-Length"))
        assert len(body) == length, (len(body), length)
        if record.rec_type == "conversion":
            url = record.rec_headers.get_header("WARC-Target-URI")
            assert record.rec_headers.get_header("Content-Type") == "text/html; charset=utf-8"
            assert url not in read, url
            read[url] = body
assert len(read) == expected, (len(read), expected)

count = 0
for record in FastIterator(open(path, "rb")):
    assert record.verify_block_digest(), record.record_id
    body = record.reader.read()
    assert len(body) == record.content_length
    if record.headers["WARC-Type"] == "conversion":
        assert read[record.headers["WARC-Target-URI"]] == body
        count += 1
assert count == expected, (count, expected)
print(f"{path}: {count} snapshots, read alike by warcio and fastwarc")
