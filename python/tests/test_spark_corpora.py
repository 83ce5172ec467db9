"""A run over forty archives, on Spark: whatever goes wrong with some of them, the rows are those of the program, and what is lost is named.

The archives are in a store on loopback that speaks S3. Two executors read them, in processes of their own. Around that: how tasks are
cut, a driver that is killed, archives that must be there, and data sets.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from archives import damaged, in_order, members, response
from conftest import Cli
from stores import Store, store

import heedful

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as f  # noqa: E402

from heedful import _archives  # noqa: E402
from heedful import spark as heedful_spark  # noqa: E402

BOT = ["--bot", "FooBot"]
LARGE, DEADLY = "23.warc.gz", "25.warc.gz"
EMPTY, MISSING, SHUT = "07.warc.gz", "09.warc.gz", "11.warc.gz"
PRIVATE = b"User-agent: *\nDisallow: /private/"


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of the executors."""
    return tmp_path_factory.mktemp("copies")


@pytest.fixture(scope="module")
def session(copies: Path) -> Iterator[SparkSession]:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "AWS_EC2_METADATA_DISABLED": "true"}
    builder = SparkSession.builder.master(os.environ.get("HEEDFUL_SPARK", "local-cluster[2,1,1024]"))
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.executorEnv.TMPDIR": str(copies),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def page(url: str, at: int) -> bytes:
    """A page of some kB, which does not pack; one of seven may not be indexed, and one of five not be trained on."""
    noise = random.Random(url).randbytes(1500).hex()
    head = "<meta name=robots content=noindex>" if at % 7 == 0 else "<meta name=robots content=noai>" if at % 5 == 0 else ""
    return response(url, f"{head}<title>{at}</title><p>{noise}".encode(), Content_Type="text/html")


def robots(host: int, status: str = "200 OK", body: bytes = PRIVATE, **headers: str) -> bytes:
    return response(f"https://h{host}.example/robots.txt", body, status, Content_Type="text/plain", **headers)


def whole(at: int) -> bytes:
    """An archive without trouble: pages of all eight hosts, and perhaps a robots.txt."""
    count = 60 if f"{at:02}.warc.gz" == LARGE else 6
    numbers = [at * 100 + number for number in range(count)]
    records = [page(f"https://h{number % 8}.example/{'private' if number % 3 == 0 else 'open'}/{number}", number) for number in numbers]
    # That of the third host leads to the second one, whose own is in an archive that is lost at first; as is that of the fourth one.
    files = {30: robots(0), 31: robots(3, "301 Moved", b"", Location="https://h1.example/robots.txt"), 9: robots(2), 11: robots(1)}
    return b"".join(members([*records, *([files[at]] if at in files else [])]))


def stored(server: Store) -> dict[str, bytes]:
    """Forty archives, and each kind of trouble. Returns what is there once the lost ones are mended."""
    objects = {f"{at:02}.warc.gz": whole(at) for at in range(40)}
    first = members([page("https://h0.example/open/300", 300)])[0]
    objects["03.warc.gz"] = damaged(objects["03.warc.gz"], len(first) + 60)
    objects["05.warc.gz"] = objects["05.warc.gz"][:-100]
    server.objects |= {name: content for name, content in objects.items() if name != MISSING}
    server.objects[EMPTY] = b""
    server.statuses[SHUT] = 403
    server.troubles |= {"13.warc.gz": [(500, "")] * 2, "15.warc.gz": [(503, "1")], "16.warc.gz": [(429, "1"), (502, "")]}
    server.breaks["19.warc.gz"] = 1
    server.delays["21.warc.gz"] = 0.5
    return objects


def address(server: Store, name: str) -> str:
    return server.s3(name).replace("s3://", "s3a://")


def expected(
    cli: Cli, folder: Path, objects: dict[str, bytes], named: Callable[[str], str], statuses: tuple[int, ...] = (0,)
) -> list[dict[str, Any]]:
    """The program's rows of the same archives, under the names that they have in the store."""
    folder.mkdir()
    for name, content in objects.items():
        (folder / name).write_bytes(content)
    rows = cli.rows(*(folder / name for name in objects), *BOT, statuses=statuses)
    for row in rows:
        for name in objects:
            if row["error"]:
                row["error"]["message"] = row["error"]["message"].replace(str(folder / name), named(name))
    return in_order(rows)


def written(session: SparkSession, out: Path) -> list[dict[str, Any]]:
    return in_order(session.read.parquet(str(out)).toArrow().to_pylist())


def allowed(rows: list[dict[str, Any]]) -> Counter[tuple[str, bool, bool, bool]]:
    """How often each URL is there, and what is allowed."""
    return Counter((row["url"], *(row["verdict"][use] for use in ("enter", "index", "train"))) for row in rows)


def deadly(marker: Path, archive: str) -> Callable[..., Iterator[pa.RecordBatch]]:
    """heedful.read, which kills its executor once, in the middle of an archive. It goes to the workers by value."""
    path, read = str(marker), heedful.read

    def parent(process: int) -> int:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("PPid:")).split()[1])

    def reading(inputs: list[str], *arguments: Any, **settings: Any) -> Iterator[pa.RecordBatch]:
        for batch in read(inputs, *arguments, **settings):
            yield batch
            if not inputs[0].endswith(archive) or os.path.exists(path):
                continue
            # The worker is of a process of Python, and that of the executor.
            executor = parent(os.getppid())
            Path(path).write_text(Path(f"/proc/{executor}/cmdline").read_text())
            os.kill(executor, signal.SIGKILL)

    return reading


class Room(threading.Thread):
    """Watches how many bytes are in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.most, self.is_over = folder, 0, False

    def run(self) -> None:
        while not self.is_over:
            held = 0
            for file in self.folder.iterdir():
                with contextlib.suppress(FileNotFoundError):
                    held += file.stat().st_size
            self.most = max(self.most, held)
            time.sleep(0.002)


def test_forty_archives_with_all_kinds_of_trouble(
    session: SparkSession,
    copies: Path,
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    manifest, out, marker = tmp_path / "manifest.txt", tmp_path / "rows", tmp_path / "killed"
    room = Room(copies)
    with store() as server:
        objects = stored(server)

        def named(name: str) -> str:
            return address(server, name)

        manifest.write_text("\n".join(map(named, objects)))
        arguments = [str(manifest), str(out), *BOT, "--partitions", "8", "--group", "20"]
        room.start()
        with monkeypatch.context() as patch:
            patch.setattr(heedful_spark, "read", deadly(marker, DEADLY))
            assert heedful_spark.main(arguments) == 0
        room.is_over = True
        assert "CoarseGrainedExecutorBackend" in marker.read_text()
        assert not any(server.troubles.values()) and not any(server.breaks.values())
        # A copy on each core, the robots.txt files that it needs, and what the executor that was killed had.
        sizes = sorted(map(len, objects.values()))
        assert len(objects[LARGE]) > 8 * sizes[-2] and len(objects[LARGE]) <= room.most
        assert room.most <= sum(sizes[-2:]) + len(objects[DEADLY]) + 3 * 2000

        lost = {EMPTY: "it is empty", MISSING: "it is not there", SHUT: "the store refuses it"}
        there = {name: content for name, content in objects.items() if name not in lost}
        given, rows = written(session, out), expected(cli, tmp_path / "there", there, named)
        failed = [row for row in given if row["error"] and row["error"]["kind"] == "io"]
        assert sorted(row["error"]["message"] for row in failed) == [f"{named(name)}: {reason}" for name, reason in lost.items()]
        given = [row for row in given if row not in failed]
        assert allowed(given) == allowed(rows) and len(rows) > 250
        assert given == rows
        # Nobody says here what the first and the second host forbid.
        assert any(row["verdict"]["enter"] and "h1.example/private/" in row["url"] for row in given)
        lines = (tmp_path / "rows.retry.txt").read_text().splitlines()
        assert lines[1:] == [part for name, reason in lost.items() for part in (f"# {reason}", named(name))]
        assert f"3 of 40 archives failed, and are named in {out}.retry.txt, each with its reason" in capsys.readouterr().err

        # Nothing is mended, so nothing is read again but by the first stage.
        gets = len(server.gets)
        assert heedful_spark.main([*arguments, "--resume"]) == 0
        assert len(server.gets) - gets == sum(map(bool, there.values()))
        assert "3 of 40 archives failed" in capsys.readouterr().err

        server.objects |= objects
        server.statuses.clear()
        assert heedful_spark.main([*arguments, "--resume"]) == 0
        assert "archives failed" not in capsys.readouterr().err
        rows = expected(cli, tmp_path / "mended", objects, named)
        given = written(session, out)
        assert allowed(given) == allowed(rows)
        assert given == rows
        entered = [row["url"] for row in given if row["verdict"]["enter"] and "/private/" in row["url"]]
        assert {url[8:10] for url in entered} == {f"h{host}" for host in range(4, 8)}
        assert not (tmp_path / "rows.retry.txt").exists() and (out / "_SUCCESS").exists()

        archives = session.createDataFrame([(named(name),) for name in objects], "archive string")
        masked = heedful_spark.mask_archives(archives, "FooBot", use="index,train", partitions=8).toArrow().to_pylist()
    files = [tmp_path / "mended" / name for name in objects]
    answers = cli.run("mask", "--quiet", "--use", "index,train", *BOT, *files)
    assert [(Path(answer["file"]).name.partition("?")[0], answer["url"], answer["kind"], answer["allow"]) for answer in masked] == [
        (Path(answer["file"]).name, answer["url"], answer["kind"], answer["allow"]) for answer in answers
    ]


def test_tasks_have_about_as_many_bytes_each(session: SparkSession, tmp_path: Path) -> None:
    with store() as server:
        server.objects |= {f"{at:02}.warc.gz": whole(at) for at in range(16, 28)}
        sizes = [len(content) for content in server.objects.values()]
        names = [server.http(name) for name in server.objects]
        found = _archives.looked_through(session.createDataFrame([(name,) for name in names], "archive string"), "FooBot", 3)
        jobs = found.jobs(names, 3).select(f.spark_partition_id().alias("task"), "archive").collect()
    assert [found.sizes[name] for name in names] == sizes
    assert {row["archive"]: row["task"] for row in jobs} == dict(zip(names, _archives.cut(sizes, 3), strict=True))
    tasks = Counter(row["task"] for row in jobs)
    large = next(row["task"] for row in jobs if row["archive"].endswith(LARGE))
    assert len(tasks) == 3 and tasks[large] == 1


def test_a_row_without_html_costs_only_itself(session: SparkSession) -> None:
    rows = [(f"https://a.example/{at}", None if at == 2 else f"<p>{at}") for at in range(5)]
    rows.append((None, "<p>5"))  # type: ignore[arg-type]
    rows.append((None, None))  # type: ignore[arg-type]
    table = session.createDataFrame(rows, "url string, html string").coalesce(1)
    filtered = [(row["url"], row["phrases"]) for row in heedful_spark.filter_pages(table, "FooBot").where("error is null").collect()]
    assert sorted(filtered) == [(f"https://a.example/{at}", [str(at)]) for at in (0, 1, 3, 4)]
    assert heedful_spark.filter_pages(table, "FooBot").where("error is not null").count() == 3
    masked = heedful_spark.mask_pages(table, "FooBot").collect()
    assert [(row["url"], row["html"]) for row in masked] == rows
    assert [row["mask"]["kind"] for row in masked] == ["page", "page", "unknown", "page", "page", "unknown", "unknown"]
    assert heedful_spark.census_pages(table, "FooBot").pages == 4


def named_in(server: Store, manifest: Path) -> list[str]:
    """A manifest of eight archives, one of which is not there, and the arguments for a job over them."""
    server.objects |= {f"{at:02}.warc.gz": whole(at) for at in range(28, 36) if at != 34}
    manifest.write_text("\n".join(f"{at:02}.warc.gz" for at in range(28, 36)))
    return [*BOT, "--base", server.http("")]


def test_a_driver_that_is_killed_between_commits_loses_nothing(
    session: SparkSession, cli: Cli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, out = tmp_path / "manifest.txt", tmp_path / "rows"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))}
    conf = "--master local[1] --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 pyspark-shell"
    with store() as server:
        arguments = [str(manifest), str(out), *named_in(server, manifest), "--group", "1"]
        command = [sys.executable, "-m", "heedful.spark", *arguments]
        environment = inherited | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": conf}
        # A session of its own, so that the JVM of the driver dies with it.
        with (tmp_path / "log").open("wb") as log:
            driver = subprocess.Popen(
                command, cwd=tempfile.gettempdir(), env=environment, stdout=log, stderr=log, start_new_session=True
            )
            until = time.monotonic() + 120
            while not (out / "_done" / "000001.json").exists():
                assert driver.poll() is None and time.monotonic() < until, (tmp_path / "log").read_text()[-3000:]
                time.sleep(0.01)
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
        groups = len(list((out / "_done").glob("0*.json")))
        assert 2 <= groups < 8 and not (out / "_SUCCESS").exists()
        assert heedful_spark.main([*arguments, "--resume"]) == 0
        told = capsys.readouterr().err
        rows = expected(cli, tmp_path / "there", dict(server.objects), server.http, statuses=(0, 1))
        missing = server.http("34.warc.gz")
    given = written(session, out)
    failed = [row for row in given if row["error"] and row["error"]["kind"] == "io"]
    assert [row["error"]["message"] for row in failed] == [f"{missing}: it is not there"]
    assert [row for row in given if row not in failed] == rows
    assert f"1 of 8 archives failed, and are named in {out}.retry.txt" in told
    assert (tmp_path / "rows.retry.txt").read_text().splitlines()[1:] == ["# it is not there", "34.warc.gz"]
    assert (out / "_SUCCESS").exists()


def test_a_list_that_is_torn_makes_those_behind_it_count_no_more(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    manifest, out = tmp_path / "manifest.txt", tmp_path / "rows"
    with store() as server:
        arguments = [str(manifest), str(out), *named_in(server, manifest), "--group", "3"]
        assert heedful_spark.main(arguments) == 0
        lists = sorted((out / "_done").glob("0*.json"))
        # The archive that is not there is a group of its own.
        assert len(lists) == 4
        lists[1].write_text(lists[1].read_text()[:20])
        for checksum in (out / "_done").glob(".*.crc"):
            checksum.unlink()
        gets = len(server.gets)
        assert heedful_spark.main([*arguments, "--resume"]) == 0
        assert len(server.gets) - gets == 7 + 4
        rows = expected(cli, tmp_path / "there", dict(server.objects), server.http, statuses=(0, 1))
    given = written(session, out)
    assert [row for row in given if not (row["error"] and row["error"]["kind"] == "io")] == rows
    assert len(given) == len(rows) + 1


def test_archives_that_are_required_end_the_job(session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest, out = tmp_path / "manifest.txt", tmp_path / "rows"
    with store() as server:
        arguments = [str(manifest), str(out), *named_in(server, manifest)]
        server.statuses["29.warc.gz"] = 403
        assert heedful_spark.main([*arguments, "--require-archives"]) == 2
        told = capsys.readouterr().err
        assert "error: require_archives: 2 of 8 archives cannot be had, so what they forbid would not be heard\n" in told
        assert f"\n  {server.http('29.warc.gz')}: the store refuses it\n  {server.http('34.warc.gz')}: it is not there\n" in told
        assert not out.exists() and len(server.gets) == 6
        names = session.createDataFrame([(server.http("34.warc.gz"),)], "archive string")
        for call in (heedful_spark.filter_archives, heedful_spark.census_archives, heedful_spark.mask_archives, heedful_spark.text_archives):
            with pytest.raises(heedful.Error, match="^require_archives: 1 of 1 archives cannot be had"):
                call(names, "FooBot", require_archives=True)
        server.statuses.clear()
        server.objects["34.warc.gz"] = whole(34)
        assert heedful_spark.main([*arguments, "--require-archives"]) == 0
        assert "archives failed" not in capsys.readouterr().err
        # What a job heard before, and cannot hear now, ends it; what it has to read is not read.
        del server.objects["30.warc.gz"]
        server.objects["36.warc.gz"] = whole(36)
        with manifest.open("a") as file:
            file.write("\n36.warc.gz")
        assert heedful_spark.main([*arguments, "--resume"]) == 2
        assert "--resume: " in (told := capsys.readouterr().err) and "30.warc.gz: it is not there" in told


def test_a_data_set_has_what_may_be_trained_on(session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest, out = tmp_path / "manifest.txt", tmp_path / "texts"
    with store() as server:
        arguments = [str(manifest), str(out), *named_in(server, manifest), "--text"]
        assert heedful_spark.main([*arguments, "--require-robots"]) == 0
        assert capsys.readouterr().err.splitlines()[-1].endswith(" texts; 1 failed")
        names = session.createDataFrame([(server.http(name),) for name in server.objects], "archive string")
        indexed = heedful_spark.text_archives(names, "FooBot", use="index").where("error is null").collect()
        for wrong in (["--use", "read"], ["--shards", str(tmp_path)]):
            with pytest.raises(SystemExit):
                heedful_spark.main([*arguments, *wrong])
        assert heedful_spark.main([*arguments, "--require-robots", "--resume", "--use", "index"]) == 2
        assert "were made with another --text" in capsys.readouterr().err
        files = [tmp_path / name for name in server.objects]
        for file in files:
            file.write_bytes(server.objects[file.name])
    given = session.read.parquet(str(out))
    assert given.columns == ["url", "bot", "title", "text", "error"]
    texts = {row["url"]: row["text"] for row in given.where("error is null").collect()}
    whole_rows = heedful.read(files, heedful.Filter("FooBot"), require_robots=True, text=True).read_all().to_pylist()
    assert texts == {row["url"]: row["text"] for row in whole_rows if row["error"] is None and row["verdict"]["train"]}
    # The sites without a robots.txt are kept out, and that whose robots.txt is nowhere.
    assert {url[8:10] for url in texts} == {"h0"}
    numbers = [int(url.rpartition("/")[2]) for url in texts]
    assert not any("/private/" in url for url in texts) and not any(number % 5 == 0 and number % 7 for number in numbers)
    rows = heedful.read(files, heedful.Filter("FooBot")).read_all().to_pylist()
    assert sorted(row["url"] for row in indexed) == sorted(row["url"] for row in rows if row["error"] is None and row["verdict"]["index"])
    with pytest.raises(ValueError, match="^use: one of enter, index, "):
        heedful_spark.text_archives(names, "FooBot", use="read")
