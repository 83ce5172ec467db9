"""What the way between Python and Rust costs: filter_batch against a loop in Rust over the same pages.

    python benches/boundary.py [PAGES.jsonl.gz ...]

Pages are those of the files that are named (`html`), or of the corpus, which are tiny. Works take turns, the best of seven rounds
counts, in processor time. Fails where batches of 256 rows cost more than 1.05 of the same loop in Rust. What the columns cost is
told beside: the last number is against a loop that makes none, and drops each page as it was read.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from conftest import htmls  # noqa: E402

from heedful import Filter, _heedful  # noqa: E402

ROUNDS = 7
BOUND = 1.05


def cost(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> int:
    pages = htmls(sys.argv[1:])
    rows = [{"url": f"https://pages.example/{number}", "html": html} for number, html in enumerate(pages)]
    size = sum(len(html) for html in pages) / 1e6
    filter = Filter("FooBot")
    table = pa.RecordBatch.from_pylist(rows)
    print(f"{len(rows)} pages, {size:.1f} million characters")
    print("| rows a batch | filter_batch | the same in Rust | ratio | no columns | ratio |\n|---|---|---|---|---|---|")
    worst = 0.0
    for count in (256, 16, 1):
        batches = [table.slice(start, count) for start in range(0, len(rows), count)]
        works: list[Callable[[], object]] = [
            lambda batches=batches: sum(filter.filter_batch(batch).num_rows for batch in batches),  # type: ignore[misc]
            lambda count=count: _heedful._loop(filter, table, count, True),  # type: ignore[misc]
            lambda count=count: _heedful._loop(filter, table, count, False),  # type: ignore[misc]
        ]
        rounds = [[cost(work) for work in works] for _ in range(ROUNDS)]
        crossing, columns, pages_alone = (min(seconds) for seconds in zip(*rounds, strict=True))
        ratio = crossing / columns
        worst = max(worst, ratio if count == 256 else 0.0)
        cells = f"{crossing:.3f} s | {columns:.3f} s | {ratio:.2f} | {pages_alone:.3f} s | {crossing / pages_alone:.2f}"
        print(f"| {count} | {cells} |")
    return 0 if worst <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
