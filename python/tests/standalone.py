"""A real Spark cluster on loopback: a worker and its executor are killed in the middle of a job, and no row is lost or doubled.

    python tests/standalone.py [--pages N]

Starts a master and two workers with Spark's own launcher, and the job of `python -m heedful.spark`. As soon as a task of the second
stage has begun to write, kill -9 goes to one worker, its executor and its Python processes. Rows must be those of a plain
read of the same archives. Ends with 1 if they are not, or if the job was over before anything could be killed.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as parquet
import pyspark
from archives import archives, in_order
from conftest import corpus_pages

import heedful

SPARK = Path(pyspark.__file__).parent
ENVIRONMENT = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK)}
DEADLINE = 900


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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=40_000)
    count = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = list(corpus_pages())
        pages = (corpus[number % len(corpus)] for number in range(count))
        files = archives(folder, pages, 24)
        manifest, out = folder / "manifest.txt", folder / "rows"
        manifest.write_text("\n".join(map(str, files)))
        url = f"spark://127.0.0.1:{free_port()}"
        launcher = str(SPARK / "bin" / "spark-class")
        master = "org.apache.spark.deploy.master.Master"
        worker = "org.apache.spark.deploy.worker.Worker"
        processes = [
            launched(folder, "master", launcher, master, "--host", "127.0.0.1", "--port", url.rsplit(":", 1)[1], "--webui-port", "0")
        ]
        try:
            waited("the master", lambda: "I have been elected leader" in (folder / "master.log").read_text(errors="replace"))
            for number in range(2):
                options = ["--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--work-dir", str(folder / f"work-{number}")]
                processes.append(launched(folder, f"worker-{number}", launcher, worker, *options, "--webui-port", "0", url))
            waited("two workers", lambda: (folder / "master.log").read_text(errors="replace").count("Registering worker") == 2)
            ENVIRONMENT["PYSPARK_SUBMIT_ARGS"] = (
                f"--master {url} --conf spark.executor.memory=700m --conf spark.sql.shuffle.partitions=4 "
                "--conf spark.ui.enabled=false pyspark-shell"
            )
            arguments = ["-m", "heedful.spark", str(manifest), str(out), "--bot", "FooBot", "--partitions", "24"]
            job = launched(folder, "job", sys.executable, *arguments)
            processes.append(job)
            waited("a task that writes", lambda: job.poll() is not None or any(out.glob("_temporary/**/*.parquet")))
            if job.poll() is not None:
                print((folder / "job.log").read_text(errors="replace")[-3000:])
                print("the job was over before a worker could be killed: give more --pages")
                return 1
            victims = family(processes[2].pid)
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            print(f"killed a worker and what was below it: {len(victims)} processes")
            waited("the job", lambda: job.poll() is not None)
            if job.returncode:
                print((folder / "job.log").read_text(errors="replace")[-3000:])
                return 1
            lost = (folder / "master.log").read_text(errors="replace").count("Removing worker")
            given = in_order(parquet.read_table(out).to_pylist())
            expected = in_order(heedful.read(files, heedful.Filter("FooBot")).read_all().to_pylist())
            print(f"workers lost: {lost}; rows: {len(given)}, of a plain read: {len(expected)}; equal: {given == expected}")
            return 0 if lost == 1 and given == expected else 1
        finally:
            for process in processes:
                for pid in family(process.pid):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass


if __name__ == "__main__":
    sys.exit(main())
