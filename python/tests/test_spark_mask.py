"""The mask on Spark is that of the program: an answer for each row and record, in their order, also where workers die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from archives import archives, response
from conftest import Cli, corpus_pages
from test_mask import ALL, BOTS, site_pages, told, written

import heedful

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as f  # noqa: E402

from heedful import _mask, _table  # noqa: E402
from heedful import spark as heedful_spark  # noqa: E402

SITE = site_pages()
COLUMN = ("kind", "reason", "digest", "robots", "robots_status", "law", "allow", "bots")
PAGES = "url string, html string, headers array<array<string>>"


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    # A task may fail three times.
    builder = SparkSession.builder.master("local[2,4]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
        # Workers start in the folder of the tests, where the sources are: the package is the installed one.
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        _table.BATCH: "5",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def table(session: SparkSession, lines: list[dict[str, Any]]) -> DataFrame:
    """Lines over three partitions, in their order."""
    rows = [(at, line["url"], line["html"], line.get("headers")) for at, line in enumerate(lines)]
    return session.createDataFrame(session.sparkContext.parallelize(rows, 3), f"at int, {PAGES}")


def masks(df: DataFrame) -> list[dict[str, Any]]:
    return [row["mask"] for row in df.toArrow().to_pylist()]


def column(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the column has of the program's answers."""
    return [{name: answer[name] for name in COLUMN} for answer in answers]


def test_a_mask_of_a_table_is_the_programs(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    expected = told(cli, written(SITE, tmp_path / "site.jsonl"), "--parts", uses=ALL)
    assert len(expected) == len(SITE) and {answer["kind"] for answer in expected} == {"page", "none"}
    pages = table(session, SITE)
    masked = heedful_spark.mask_pages(pages, BOTS, use=ALL, parts=True)
    assert masked.columns == [*pages.columns, "mask"]
    found = masked.toArrow().to_pylist()
    assert [row["mask"] for row in found] == column(expected)
    assert [(row["at"], row["url"], row["html"]) for row in found] == [
        (at, line["url"], line["html"]) for at, line in enumerate(SITE)
    ]
    allowed = masked.where("mask.allow.index and mask.kind = 'page'").select("url").toArrow().to_pylist()
    assert [row["url"] for row in allowed] == [answer["url"] for answer in expected if answer["allow"]["index"]]


def test_order_is_kept_where_robots_are_too_many_to_send(
    session: SparkSession, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [{"url": f"https://s{at % 7}.example/{at}", "html": page["html"]} for at, page in enumerate(corpus_pages())][:60]
    lines += [{"url": f"https://s{at}.example/robots.txt", "html": f"User-agent: *\nDisallow: /{at}"} for at in range(5)]
    expected = column(told(cli, written(lines, tmp_path / "lines.jsonl")))
    monkeypatch.setattr(_table, "_BROADCAST", 0)
    threshold = "spark.sql.autoBroadcastJoinThreshold"
    before = session.conf.get(threshold)
    session.conf.set(threshold, "-1")
    masked = heedful_spark.mask_pages(table(session, lines), BOTS)
    assert masks(masked) == expected
    session.conf.set(threshold, str(before))
    assert [row["at"] for row in masked.select("at").collect()] == list(range(len(lines)))
    shut = [answer["bots"][0]["why"]["index"] for answer in expected]
    assert any(why and why["origin"] == "rule" for why in shut)


def test_each_row_has_an_answer_whatever_it_holds(session: SparkSession) -> None:
    rows = [
        ("https://a.example/1", "<p>one", "200", "[]", 1),
        ("https://a.example/2", "<p>two", "two hundred", None, 2),
        (None, "<p>three", None, None, 3),
        ("https://a.example/4", None, None, "{", None),
        ("https://a.example/robots.txt", "User-agent: *\nDisallow: /5", None, None, 5),
        ("https://a.example/5", "<p>five", None, None, 6),
        ("https://a.example/6", "<p>gone", "404", None, 7),
    ]
    given = session.createDataFrame(rows, "url string, html string, status string, headers string, `crawl.id` int")
    masked = heedful_spark.mask_pages(given, "FooBot", use=["train", "index"], digest=False, keep=["crawl.id", "url"])
    assert masked.columns == ["crawl.id", "url", "mask"]
    found = masked.toArrow().to_pylist()
    assert [(row["crawl.id"], row["url"]) for row in found] == [(row[4], row[0]) for row in rows]
    answers = [row["mask"] for row in found]
    assert [answer["kind"] for answer in answers] == ["page", "unknown", "unknown", "unknown", "none", "page", "none"]
    assert [answer["allow"] for answer in answers] == [{"index": at == 0, "train": at == 0} for at in range(7)]
    assert all(answer["digest"] is None for answer in answers)
    assert answers[1]["reason"] == "`status` cannot be read"


def test_what_is_wrong_is_said_on_the_driver(session: SparkSession) -> None:
    pages = table(session, SITE[:1])
    calls: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: heedful_spark.mask_pages("pages", "FooBot"), TypeError, "df: a Spark DataFrame is wanted, not str"),  # type: ignore[arg-type]
        (lambda: heedful_spark.mask_pages(pages, "FooBot", use=7), TypeError, "use: text or a list of texts"),  # type: ignore[arg-type]
        (lambda: heedful_spark.mask_pages(pages, "FooBot", parts=1), TypeError, "parts: True or False is wanted"),  # type: ignore[arg-type]
        (lambda: heedful_spark.mask_pages(pages, "FooBot", use="read"), heedful.Error, "`read` is nothing"),
        (lambda: heedful_spark.mask_pages(pages.drop("html"), "FooBot"), heedful.Error, "df: there is no column `html`"),
        (lambda: heedful_spark.mask_pages(pages, "FooBot", keep=["id"]), heedful.Error, "keep: there is no column `id`"),
        (
            lambda: heedful_spark.mask_pages(pages.withColumnRenamed("at", "Mask"), "FooBot"),
            heedful.Error,
            "keep: the result has a column `Mask` of its own",
        ),
        (lambda: heedful_spark.mask_archives(["x"], "FooBot"), TypeError, "archives: a Spark DataFrame is wanted"),  # type: ignore[arg-type]
        (lambda: heedful_spark.mask_archives(pages, "FooBot", digest=1), TypeError, "digest: True or False is wanted"),  # type: ignore[arg-type]
        (lambda: heedful_spark.mask_archives(pages, "FooBot", robots=7), TypeError, "robots: text or bytes is wanted"),  # type: ignore[arg-type]
    ]
    for call, kind, told_of in calls:
        with pytest.raises(kind, match="^" + told_of):
            call()


def site_archive(folder: Path) -> Path:
    """The corpus's site as an archive."""
    file = folder / "site.warc"
    lines = [response(line["url"], line["html"].encode(), Content_Type=line["headers"][0][1]) for line in SITE]
    file.write_bytes(b"".join(lines))
    return file


def named(session: SparkSession, names: list[str]) -> DataFrame:
    return session.createDataFrame([(name,) for name in names], "archive string")


def test_a_mask_of_archives_is_the_programs(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    files = [*archives(tmp_path, list(corpus_pages())[:200], 3), site_archive(tmp_path)]
    expected = told(cli, *files, "--parts")
    names = named(session, list(map(str, files)))
    masked = heedful_spark.mask_archives(names, BOTS, parts=True, partitions=2)
    assert masked.toArrow().to_pylist() == expected
    assert masked.columns == list(expected[0])
    # Under another name, and beside one that is not there.
    urls = [f"file://{file}" for file in files]
    missing = str(tmp_path / "missing.warc")
    found = heedful_spark.mask_archives(named(session, [*urls[:2], missing, *urls[2:]]), BOTS, parts=True).toArrow().to_pylist()
    (failed,) = (answer for answer in found if answer["file"] == missing)
    assert found.index(failed) == sum(answer["file"] in map(str, files[:2]) for answer in expected)
    assert (failed["kind"], failed["at"], failed["url"]) == ("unknown", None, None)
    assert failed["reason"] == f"{missing}: it is not there"
    assert not any(failed["allow"].values()) and [bot["bot"] for bot in failed["bots"]] == BOTS
    found.remove(failed)
    assert found == [answer | {"file": f"file://{answer['file']}"} for answer in expected]


def test_robots_of_the_users_own(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    files = archives(tmp_path, list(corpus_pages())[:60], 2)
    mine = tmp_path / "robots.txt"
    mine.write_text("User-agent: *\nDisallow: /*3$\n")
    settings = {"robots": mine.read_bytes(), "require_robots": True, "digest": False}
    masked = heedful_spark.mask_archives(named(session, list(map(str, files))), BOTS, **settings)  # type: ignore[arg-type]
    expected = told(cli, *files, "--robots", mine, "--require-robots", "--no-digest")
    assert masked.toArrow().to_pylist() == expected


def dies_once(marker: Path) -> Callable[[], None]:
    """Kills the worker that calls it first, and nobody else. It goes to the workers by value."""
    driver, path = os.getpid(), str(marker)

    def die() -> None:
        if os.getpid() == driver:
            return
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    return die


def test_a_worker_that_is_killed_beside_the_mask_costs_no_answer(
    session: SparkSession, cli: Cli, tmp_path: Path
) -> None:
    marker = tmp_path / "killed"
    die = dies_once(marker)

    def through(url: str) -> str:
        if url.endswith("/members.html"):
            die()
        return url

    pages = table(session, SITE).withColumn("url", f.udf(through, "string", useArrow=False)("url"))
    expected = column(told(cli, written(SITE, tmp_path / "site.jsonl")))
    masked = heedful_spark.mask_pages(pages, BOTS)
    # What looks for robots.txt files reads the table too: only what dies behind it is of the mask.
    marker.unlink(missing_ok=True)
    assert masks(masked) == expected
    assert marker.exists()


def test_a_worker_that_is_killed_within_the_mask_costs_no_answer(
    session: SparkSession, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker, real = tmp_path / "killed", heedful.mask_batch
    die = dies_once(marker)

    def deadly(batch: pa.RecordBatch, **settings: Any) -> pa.RecordBatch:
        if any(url.endswith("/members.html") for url in batch.column("url").to_pylist()):
            die()
        return real(batch, **settings)

    monkeypatch.setattr(_mask, "mask_batch", deadly)
    expected = column(told(cli, written(SITE, tmp_path / "site.jsonl")))
    assert masks(heedful_spark.mask_pages(table(session, SITE), BOTS)) == expected
    assert marker.exists()


def test_a_worker_that_is_killed_within_an_archive_costs_no_answer(
    session: SparkSession, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker, real = tmp_path / "killed", heedful.mask
    die = dies_once(marker)

    def deadly(*inputs: Any, **settings: Any) -> Iterator[pa.RecordBatch]:
        for batch in real(*inputs, **settings | {"rows": 5}):
            yield batch
            die()

    monkeypatch.setattr(_mask, "mask", deadly)
    files = [*archives(tmp_path, list(corpus_pages())[:60], 2), site_archive(tmp_path)]
    masked = heedful_spark.mask_archives(named(session, list(map(str, files))), BOTS)
    assert masked.toArrow().to_pylist() == told(cli, *files)
    assert marker.exists()


def test_an_archive_that_cannot_be_read_to_its_end_ends_with_unknown(
    session: SparkSession, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = heedful.mask

    def torn(*inputs: Any, **settings: Any) -> Iterator[pa.RecordBatch]:
        batches = iter(real(*inputs, **settings | {"rows": 5}))
        yield next(batches)
        raise OSError("the disk is gone")

    monkeypatch.setattr(_mask, "mask", torn)
    file = site_archive(tmp_path)
    found = heedful_spark.mask_archives(named(session, [str(file)]), BOTS).toArrow().to_pylist()
    assert found[:-1] == told(cli, file)[:5]
    assert (found[-1]["kind"], found[-1]["reason"]) == ("unknown", f"{file}: the disk is gone")
