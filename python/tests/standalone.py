"""A real Spark cluster on loopback: tasks that die, or are run twice, and no row is lost or doubled.

    python tests/standalone.py [--pages N]

Starts a master and two workers with Spark's own launcher, and runs the job of `python -m heedful.spark` with --shards. In the middle of
the second stage, kill -9 goes to one worker, its executor and its Python processes. Then, with two workers again, one task has far
more to do than the others, and speculative execution runs it twice. Each time rows must be those of a plain read of the same
archives, and the shards that the rows name, merged, must hold as many pages as a plain index, though there are more shards. At last the
archives are masked, again with a worker that is killed: each answer must be the program's, in its order. Ends with 1 if something is
otherwise, or if nothing was killed or run twice. The program is the one that HEEDFUL names, or target/debug/heedful.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pyspark
from archives import archives, in_order
from conftest import ROOT, corpus_pages

import heedful

SPARK = Path(pyspark.__file__).parent
ENVIRONMENT = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK)}
DEADLINE = 900
TASKS = 24
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
SETTINGS = ("spark.executor.memory=700m", "spark.sql.shuffle.partitions=4", "spark.ui.enabled=false")
SPECULATION = ("spark.speculation=true", "spark.speculation.interval=50ms", "spark.speculation.quantile=0.5")
PROGRAM = os.environ.get("HEEDFUL", str(ROOT / "target" / "debug" / "heedful"))


def launched(folder: Path, name: str, *command: str) -> subprocess.Popen[bytes]:
    """A process of its own group, with its output in a file."""
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=ENVIRONMENT, cwd=folder, start_new_session=True)


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        port: int = any_port.getsockname()[1]
        return port


def family(pid: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found = [pid]
    for member in found:
        found += children.get(member, [])
    return found


def waited(what: str, is_so: object) -> None:
    begin = time.monotonic()
    while not is_so():  # type: ignore[operator]
        if time.monotonic() - begin > DEADLINE:
            raise SystemExit(f"{what}: not within {DEADLINE} s")
        time.sleep(0.2)


def said(verb: str, *arguments: str | Path) -> dict[str, Any]:
    """What the program says."""
    form = ["--format", "json"] if verb == "stats" else ["--quiet"]
    done = subprocess.run([PROGRAM, verb, *form, *arguments], check=True, capture_output=True).stdout
    return dict(json.loads(done or "{}"))


class Cluster:
    """A master and its workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        port = str(free_port())
        self.url = f"spark://127.0.0.1:{port}"
        self._launch("master", MASTER, "--host", "127.0.0.1", "--port", port, "--webui-port", "0")
        waited("the master", lambda: "I have been elected leader" in self.said())

    def _launch(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        self.processes.append(launched(self.folder, name, str(SPARK / "bin" / "spark-class"), *arguments))
        return self.processes[-1]

    def said(self) -> str:
        """What the master said."""
        return (self.folder / "master.log").read_text(errors="replace")

    def work(self) -> None:
        """One more worker, as if on a machine of its own: no task runs twice on one machine."""
        number = len(self.workers) + 1
        host = f"127.0.0.{number}"
        options = ["--cores", "1", "--memory", "1g", "--host", host, "--work-dir", str(self.folder / f"work-{number}")]
        self.workers.append(self._launch(f"worker-{number}", WORKER, *options, "--webui-port", "0", self.url))
        waited(f"worker {number}", lambda: self.said().count("Registering worker") == number)

    def job(self, name: str, files: list[Path], *settings: str) -> Job:
        """Begins to filter and index archives."""
        self._submit(*settings)
        job = Job(self.folder / name, files)
        self.processes.append(job.process)
        return job

    def mask(self, files: list[Path]) -> Masking:
        """Begins to mask archives."""
        self._submit()
        masking = Masking(self.folder / "masked", files)
        self.processes.append(masking.process)
        return masking

    def _submit(self, *settings: str) -> None:
        shown = [f"--conf {setting}" for setting in (*SETTINGS, *settings)]
        ENVIRONMENT["PYSPARK_SUBMIT_ARGS"] = " ".join(["--master", self.url, *shown, "pyspark-shell"])

    def end(self) -> None:
        """Nothing of it is left."""
        for process in self.processes:
            killed(process)


class Job:
    """A job under way."""

    def __init__(self, folder: Path, files: list[Path]) -> None:
        folder.mkdir()
        self.folder, self.files, self.shards = folder, files, folder / "shards"
        (folder / "manifest.txt").write_text("\n".join(map(str, files)))
        where = ["manifest.txt", "rows", "--shards", "shards"]
        command = [sys.executable, "-m", "heedful.spark", *where, "--bot", "FooBot", "--partitions", str(TASKS)]
        self.process = launched(folder, "job", *command)

    def attempts(self) -> int:
        """Shards of all attempts."""
        return len(list(self.shards.iterdir())) if self.shards.exists() else 0

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def is_right(self) -> bool:
        """Whether it ends with what a plain read gives."""
        waited("the job", self.is_over)
        if self.process.returncode:
            print((self.folder / "job.log").read_text(errors="replace")[-3000:])
            return False
        rows = parquet.read_table(self.folder / "rows").to_pylist()
        named = sorted(row["shard"] for row in rows if row["shard"])
        given = in_order({k: v for k, v in row.items() if k != "shard"} for row in rows if not row["shard"])
        filter = heedful.Filter("FooBot")
        with heedful.Writer(self.folder / "plain", filter) as writer:
            expected = in_order(heedful.read(self.files, filter, writer=writer).read_all().to_pylist())
        pages = said("stats", self.folder / "plain")["pages"]
        said("merge", *named, "-o", self.folder / "merged")
        held = said("stats", self.folder / "merged")["pages"]
        print(f"{self.folder.name}: {len(given)} rows, {len(expected)} of a plain read; equal: {given == expected}")
        print(f"{self.attempts()} shards, of which {len(named)} count; {held} pages in them, {pages} in a plain index")
        return given == expected and held == pages and self.attempts() > len(named) == min(TASKS, len(self.files))


MASKING = """
import sys, time
from pathlib import Path
from pyspark.sql import SparkSession
from heedful.spark import mask_archives
names, out = Path(sys.argv[1]).read_text().split(), sys.argv[2]
session = SparkSession.builder.getOrCreate()
given = session.createDataFrame(session.sparkContext.parallelize([(name,) for name in names], len(names)), "archive string")
Path(out + ".begun").touch()
table = mask_archives(given, ["FooBot", "BarBot"]).toArrow()
import json
Path(out).write_text("".join(json.dumps(row, sort_keys=True) + chr(10) for row in table.to_pylist()))
"""


class Masking:
    """A mask of archives under way."""

    def __init__(self, folder: Path, files: list[Path]) -> None:
        folder.mkdir()
        self.folder, self.files, self.out = folder, files, folder / "mask.jsonl"
        (folder / "manifest.txt").write_text("\n".join(map(str, files)))
        self.process = launched(folder, "job", sys.executable, "-c", MASKING, "manifest.txt", str(self.out))

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def has_begun(self) -> bool:
        return Path(f"{self.out}.begun").exists()

    def is_right(self) -> bool:
        """Whether it ends with the program's answers, in their order."""
        waited("the mask", self.is_over)
        if self.process.returncode:
            print((self.folder / "job.log").read_text(errors="replace")[-3000:])
            return False
        command = [PROGRAM, "mask", "--quiet", "--bot", "FooBot", "--bot", "BarBot", *map(str, self.files)]
        expected = []
        for line in subprocess.run(command, check=True, capture_output=True).stdout.splitlines():
            answer = json.loads(line)
            for bot in answer["bots"]:
                bot["why"] = dict.fromkeys(answer["allow"]) | bot["why"]
            expected.append(json.dumps(answer, sort_keys=True))
        given = self.out.read_text().splitlines()
        print(f"mask: {len(given)} answers, {len(expected)} of the program; equal: {given == expected}")
        return given == expected and len(given) > 0


def reads(process: subprocess.Popen[bytes], files: list[Path]) -> bool:
    """Whether a process below this one has one of the files open."""
    for pid in family(process.pid):
        for file in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                if file.readlink() in files:
                    return True
    return False


def masked(cluster: Cluster, files: list[Path]) -> bool:
    """Masks archives, and kills a worker in the middle of one."""
    masking = cluster.mask(files)
    waited("a task that masks", lambda: masking.is_over() or masking.has_begun() and reads(cluster.workers[-1], files))
    if masking.is_over():
        print("the mask was over before a worker could be killed: give more --pages")
        return False
    print(f"killed a worker and what was below it: {killed(cluster.workers[-1])} processes")
    return masking.is_right()


def writes(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Whether a process, or one below it, has a file open in a folder."""
    for pid in family(process.pid):
        for file in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                if str(file.readlink()).startswith(str(folder)):
                    return True
    return False


def killed(process: subprocess.Popen[bytes]) -> int:
    """Kills a process and all below it, and says how many."""
    victims = family(process.pid)
    for pid in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(victims)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=40_000)
    count = parser.parse_args().pages
    corpus = list(corpus_pages())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        even = archives(folder, (corpus[number % len(corpus)] for number in range(count)), TASKS - 1)
        cluster = Cluster(folder)
        try:
            cluster.work()
            cluster.work()
            job = cluster.job("killed", even)
            waited("a task of the first worker that writes", lambda: job.is_over() or writes(cluster.workers[0], job.shards))
            if job.is_over():
                print("the job was over before a worker could be killed: give more --pages")
                return 1
            print(f"killed a worker and what was below it: {killed(cluster.workers[0])} processes")
            is_right = job.is_right()
            print(f"workers lost: {cluster.said().count('Removing worker')}")
            cluster.work()
            # One task has far more to do than the others.
            large = "".join(f"<p>some words {number} <a href=/{number}>link {number}</a>" for number in range(10_000))
            (folder / "large").mkdir()
            slow = archives(folder / "large", ({"html": large} for _ in range(400)), 1)
            is_right = cluster.job("speculative", [slow[0], *even[1:4]], *SPECULATION).is_right() and is_right
            return 0 if masked(cluster, even) and is_right else 1
        finally:
            cluster.end()


if __name__ == "__main__":
    sys.exit(main())
