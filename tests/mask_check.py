"""A mask has as many answers as warcio finds records, and the reader of docs/mask.md reads its compact form.

Usage: mask_check.py HEEDFUL ARCHIVE... (needs warcio). Archives that warcio itself cannot read to their end are refused.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

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


def main(heedful, archives):
    answers = reader()
    for path in archives:
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


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
