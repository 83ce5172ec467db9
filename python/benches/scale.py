"""What a Spark job over archives costs with one core and with two, and what it makes; docs/scale.md reckons with these figures.

    python benches/scale.py [--megabytes N] [PAGES.jsonl.gz ...]

Pages are those of the files that are named (`html`), again and again under other URLs and hosts with another word in each, or of the
corpus. They go into gzipped archives, with a robots.txt for each host in one of their own. The job of `python -m heedful.spark` runs on
a cluster of one executor, with a core and with two; processor time is that of all its processes. The shards are merged by the
program. Fails where two cores cost more than 1.2 of one, or where the rows are not the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import pyarrow.parquet as parquet  # noqa: E402
from archives import response  # noqa: E402
from conftest import ROOT, htmls  # noqa: E402
from standalone import family  # noqa: E402

BOUND = 1.2
ARCHIVES = 16
HOSTS = 2000
TICK = os.sysconf("SC_CLK_TCK")


def written(folder: Path, pages: list[str], megabytes: int) -> tuple[list[Path], int, int]:
    """Archives of so many megabytes of HTML; how many pages, and bytes of HTML."""
    paths = [folder / f"{number:03}.warc.gz" for number in range(ARCHIVES)]
    files = [gzip.open(path, "wb", compresslevel=5) for path in paths]
    count = size = 0
    while size < megabytes * 1_000_000:
        html = pages[count % len(pages)].encode("utf-8", "replace") + b"<p>word%d" % count
        url = f"https://host{count % HOSTS}.example/{count // HOSTS}/page"
        files[count % ARCHIVES].write(response(url, html, Content_Type="text/html; charset=utf-8"))
        count, size = count + 1, size + len(html)
    for file in files:
        file.close()
    robots = folder / "robots.warc.gz"
    with gzip.open(robots, "wb") as known:
        for number in range(HOSTS):
            rules = b"User-agent: *\nDisallow: /%d/\n" % (number % 40)
            known.write(response(f"https://host{number}.example/robots.txt", rules, Content_Type="text/plain"))
    return [*paths, robots], count, size


def spent(pid: int) -> int:
    """Processor time of a process itself, in ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def run(command: list[str], cluster: str | None = None) -> tuple[float, float, list[str]]:
    """Seconds of the clock, and of the processor by all that it started; the words it says."""
    settings = "--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=8 --conf spark.eventLog.enabled=true --conf spark.eventLog.compress=false"
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    if cluster:
        log = Path(command[-1]).parent / f"log-{Path(command[-1]).name}"
        log.mkdir()
        environment["PYSPARK_SUBMIT_ARGS"] = f"--master {cluster} {settings} --conf spark.eventLog.dir=file://{log} pyspark-shell"
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
    ticks: dict[int, int] = {}
    while process.poll() is None:
        for pid in family(process.pid):
            try:
                ticks[pid] = spent(pid)
            except (OSError, IndexError):
                continue
        time.sleep(0.05)
    seconds = time.monotonic() - begin
    assert process.returncode == 0, command
    assert process.stdout is not None
    return seconds, sum(ticks.values()) / TICK, process.stdout.read().split()


def under(path: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def shuffled(log: Path) -> int:
    """Bytes that tasks handed to others."""

    def events() -> Iterator[dict[str, Any]]:
        for file in log.rglob("*"):
            if file.is_file() and not file.name.startswith("."):
                yield from map(json.loads, file.read_text().splitlines())

    tasks = (event for event in events() if event.get("Event") == "SparkListenerTaskEnd")
    return sum(task["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"] for task in tasks)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--megabytes", type=int, default=600)
    given = parser.parse_args()
    program = os.environ.get("HEEDFUL", str(ROOT / "target" / "release" / "heedful"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files, count, size = written(folder, htmls(given.pages), given.megabytes)
        packed = sum(file.stat().st_size for file in files)
        print(f"{count} pages, {size / 1e6:.0f} MB of HTML, {packed / 1e6:.0f} MB in {len(files)} archives")
        manifest = folder / "manifest.txt"
        manifest.write_text("\n".join(map(str, files)))
        print("| job | clock, s | processor, s | MB of HTML a processor second |\n|---|---|---|---|")
        costs: dict[str, float] = {}
        for what, more in (("rows", []), ("rows and shards", ["--shards", str(folder / "shards")])):
            for cores in (1, 2):
                out = folder / f"{'shards' if more else 'rows'}-{cores}"
                job = [sys.executable, "-m", "heedful.spark", str(manifest), "--bot", "FooBot", "--partitions", "8", *more, str(out)]
                seconds, processor, named = run(job, f"local-cluster[1,{cores},1024]")
                costs[f"{what}, {cores}"] = processor
                print(f"| {what}, {cores} core{'s' * (cores > 1)} | {seconds:.0f} | {processor:.0f} | {size / 1e6 / processor:.1f} |", flush=True)
        shards = [Path(shard) for shard in named]
        plain = [program, "filter", "--format", "json", "--quiet", "--bot", "FooBot", "--jobs", "1", *map(str, files)]
        _, processor, _ = run(["sh", "-c", '"$@" > /dev/null', "sh", *plain])
        print(f"| heedful filter, 1 thread | | {processor:.0f} | {size / 1e6 / processor:.1f} |")
        seconds, processor, _ = run([program, "merge", "--quiet", *map(str, shards), "-o", str(folder / "merged")])
        small = sum(map(under, shards))
        merged = under(folder / "merged")
        print(f"merge: {len(shards)} shards of {small / 1e6:.0f} MB in all, {seconds:.1f} s, {processor:.1f} s of processor, {merged / 1e6:.0f} MB")
        table = parquet.read_table(folder / "rows-1", columns=["url", "verdict"])
        print(
            f"per page: HTML {size / count:.0f} bytes, archives {packed / count:.0f}, rows {under(folder / 'rows-1') / count:.0f}, "
            f"shards {small / count:.0f}, shuffled {shuffled(folder / 'log-rows-2') / count:.0f}"
        )
        ratios = [costs[f"{what}, 2"] / costs[f"{what}, 1"] for what in ("rows", "rows and shards")]
        print(f"processor time with two cores: {ratios[0]:.2f} and {ratios[1]:.2f} of that with one")
        same = table.num_rows == count and parquet.read_table(folder / "rows-2", columns=["url"]).num_rows == count
        return 0 if same and max(ratios) <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
