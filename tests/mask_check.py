"""A mask has as many answers as warcio finds records, and the reader of docs/mask.md reads its compact form.

Usage: mask_check.py HEEDFUL ARCHIVE... (needs warcio). Two archives of the pages of corpus/site, which warcio writes, are
checked too: their pages are responses, so they have answers of every kind. Archives that warcio itself cannot read to their
end are refused.
"""

import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

ROOT = Path(__file__).resolve().parent.parent


def reader():
    """The reader as the page has it."""
    page = (ROOT / "docs" / "mask.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.S)
    names = {}
    exec(code.group(1), names)  # noqa: S102
    return names["answers"]


def records(path):
    """The number of records, by warcio."""
    with open(path, "rb") as file:
        return sum(1 for _ in ArchiveIterator(file, no_record_parse=True))


def made(path, gzip):
    """An archive as crawlers write it: of each page of the site a request, its response and metadata; one unchanged page."""
    with open(path, "wb") as file:
        writer = WARCWriter(file, gzip=gzip)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "test"}))
        for page in sorted((ROOT / "corpus" / "site").rglob("*.html")):
            url = "https://site.example/" + page.relative_to(ROOT / "corpus" / "site").as_posix()
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "site.example")], is_http_request=True)
            body = page.read_bytes()
            writer.write_record(writer.create_warc_record(url, "request", http_headers=asked))
            writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head))
            writer.write_record(writer.create_warc_record(url, "metadata", payload=io.BytesIO(b"time: 1")))
        writer.write_record(writer.create_revisit_record(url, "sha1:" + "A" * 32, url, "2026-01-01T00:00:00Z"))
    return path


def check(heedful, answers, path):
    """The kinds of a mask's answers, which are as many as there are records."""
    with tempfile.TemporaryDirectory() as folder:
        lines, packed = Path(folder, "out.jsonl"), Path(folder, "out.mask")
        for out in (lines, packed):
            subprocess.run([heedful, "mask", path, "-q", "-o", out], check=True)
        found = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
        read = [(answer["kind"], answer["allow"]) for answer in answers(packed)]
    expected = records(path)
    assert len(found) == expected, f"{path}: {len(found)} answers, {expected} records"
    assert read == [(answer["kind"], answer["allow"]) for answer in found], f"{path}: its compact form"
    print(f"{path}: {expected} records, as many answers")
    return {answer["kind"] for answer in found}


def main(heedful, archives):
    answers = reader()
    for path in archives:
        check(heedful, answers, path)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("made.warc", "made.warc.gz"):
            kinds = check(heedful, answers, made(Path(folder, name), name.endswith(".gz")))
            assert kinds == {"page", "none", "unknown"}, kinds


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
