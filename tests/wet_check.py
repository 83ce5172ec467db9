"""Texts in a WET file, read back by warcio and by fastwarc, and by the rules of datatrove's WarcReader.

python3 tests/wet_check.py FILE EXPECTED

A record must have a member of gzip for itself, hold UTF-8, and be accepted by datatrove, which takes a conversion whose
identified payload type is text/plain, and wants an identifier, a URL and a date.
"""

import gzip
import re
import sys
import zlib

from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

USES = {"follow", "anchor", "archive", "snippet", "image", "translate", "train", "input"}

path, expected = sys.argv[1], int(sys.argv[2])


def datatrove(record):
    """What datatrove makes of a record (pipeline/readers/warc.py, process_record); None where it passes it over."""
    headers = record.rec_headers
    if record.rec_type not in ("response", "conversion"):
        return None
    kind = headers.get_header("WARC-Identified-Payload-Type")
    assert kind is not None, "it would guess the type from the text"
    if kind != "text/html" and (record.rec_type != "conversion" or kind != "text/plain"):
        return None
    text = record.content_stream().read().decode("UTF-8")
    document = {"text": text, "id": headers.get_header("WARC-Record-ID"), "url": headers.get_header("WARC-Target-URI")}
    return document | {"date": headers.get_header("WARC-Date")}


texts, kinds, denied = {}, [], 0
with open(path, "rb") as file:
    for record in ArchiveIterator(file, check_digests="raise"):
        kinds.append(record.rec_type)
        document = datatrove(record)
        if document is None:
            record.content_stream().read()
            continue
        assert re.fullmatch(r"<urn:uuid:[0-9a-f-]{36}>", document["id"]), document
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["date"]), document
        assert record.rec_headers.get_header("Content-Type") == "text/plain"
        assert not document["text"] or document["text"].endswith("\n")
        assert document["url"] not in texts, document["url"]
        words = record.rec_headers.get_header("X-Heedful-Denied")
        if words is not None:
            denied += 1
            assert set(words.split(", ")) <= USES, words
        texts[document["url"]] = document["text"]
assert kinds[0] == "warcinfo" and kinds.count("warcinfo") == 1, kinds
assert len(texts) == expected, (len(texts), expected)

count = 0
for record in FastIterator(open(path, "rb")):
    assert record.verify_block_digest(), record.record_id
    body = record.reader.read()
    assert len(body) == record.content_length
    if record.headers["WARC-Type"] == "conversion":
        assert texts[record.headers["WARC-Target-URI"]] == body.decode()
        count += 1
assert count == expected, (count, expected)

with open(path, "rb") as file:
    rest, members = file.read(), 0
whole = gzip.decompress(rest)
while rest:
    member = zlib.decompressobj(wbits=31)
    record = member.decompress(rest)
    assert member.eof and record.startswith(b"WARC/1.1\r\n") and record.endswith(b"\r\n\r\n")
    assert whole.startswith(record)
    whole, rest, members = whole[len(record):], member.unused_data, members + 1
assert members == expected + 1, members
print(f"{path}: {count} texts, {denied} of them with denials, read alike by warcio, by fastwarc and as datatrove reads")
