"""On Spark: executors of their own, and rows that are those of the program."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
from archives import archives, in_order, response
from conftest import Cli, corpus_pages, real_pages

import heedful

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession  # noqa: E402

from heedful import spark as heedful_spark  # noqa: E402

BOTS = ["FooBot", "BarBot"]


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master(os.environ.get("HEEDFUL_SPARK", "local-cluster[2,1,1024]"))
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.host": "127.0.0.1"}
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    pages = [*list(corpus_pages())[:600], *real_pages(60)]
    return archives(tmp_path_factory.mktemp("archives"), pages, 4)


def rows(df: DataFrame) -> list[dict[str, object]]:
    return in_order(df.toArrow().to_pylist())


def bots() -> list[str]:
    return [argument for bot in BOTS for argument in ("--bot", bot)]


def test_a_job_over_archives_has_the_programs_rows(
    session: SparkSession, files: list[Path], cli: Cli, tmp_path: Path
) -> None:
    manifest, out = tmp_path / "manifest.txt", tmp_path / "rows"
    manifest.write_text("# pages\n" + "\n".join(map(str, files)) + "\n\n")
    # A job does not look a site through for `data-pagefind-body` beforehand, as the program does.
    dialects = ["--dialects", "all,-pagefind-body"]
    arguments = [str(manifest), str(out), *bots(), *dialects, "--snapshot", "--partitions", "3"]
    assert heedful_spark.main(arguments) == 0
    expected = in_order(cli.rows(*files, *bots(), *dialects, "--snapshot"))
    assert len(expected) > 1000
    assert {row["verdict"]["enter"] for row in expected} == {True, False}
    assert rows(session.read.parquet(str(out))) == expected


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: object) -> None:
        pass


def test_archives_of_a_server(session: SparkSession, files: list[Path], cli: Cli) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(files[0].parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    asked = [files[0], files[-1]]
    names = session.createDataFrame([(base + file.name,) for file in asked], "archive string")
    given = rows(heedful_spark.filter_archives(names, "FooBot"))
    server.shutdown()
    expected = cli.rows(*asked, "--bot", "FooBot")
    for row in expected:
        if row["error"]:
            row["error"]["message"] = row["error"]["message"].replace(str(files[0].parent) + "/", base)
    assert given == in_order(expected)


def test_robots_of_the_users_own(session: SparkSession, files: list[Path], cli: Cli, tmp_path: Path) -> None:
    names = session.createDataFrame([(str(file),) for file in files], "archive string")
    shut = "User-agent: *\nDisallow: /*3$"
    mine = tmp_path / "robots.txt"
    mine.write_text(shut)
    given = rows(heedful_spark.filter_archives(names, "FooBot", robots=shut, require_robots=True))
    expected = cli.rows(*files, "--bot", "FooBot", "--robots", mine, "--require-robots")
    assert given == in_order(expected)


def test_a_table_of_pages(session: SparkSession, cli: Cli) -> None:
    lines = [*list(corpus_pages())[:300], {"url": "nowhere", "html": "x"}]
    for number, line in enumerate(lines):
        line["headers"] = {"X-Robots-Tag": "nofollow"} if number % 3 == 0 else {}
        line["other"] = number
    table = session.createDataFrame(lines, "url string, html string, headers map<string, string>, other int")
    given = rows(heedful_spark.filter_pages(table.repartition(3), BOTS, snapshot=True))
    assert session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "256"
    assert given == in_order(cli.rows(*bots(), "--snapshot", lines=lines))


Row: TypeAlias = tuple[str, str | None, int, dict[str, str], str]


def table_of_sites(session: SparkSession) -> DataFrame:
    """Pages and robots.txt files in all orders: sites that shut a folder, one that redirects to another, one whose answer is none."""
    rows: list[Row] = []
    for number in range(40):
        host = f"https://h{number}.example"
        pages: list[Row] = [(f"{host}/{path}{number}", f"<p>{path}word", 200, {}, f"id {path}{number}") for path in ("private/", "open/")]
        robots: Row | None = {
            0: (f"{host}/robots.txt", "User-agent: *\nDisallow: /private/", 200, {}, "robots"),
            1: (f"{host}/robots.txt", "", 302, {"Location": f"https://h{number - 1}.example/robots.txt"}, "robots"),
            2: (f"{host}/robots.txt", None, 200, {}, "robots"),
        }.get(number % 4)
        rows += [*pages, *([robots] if robots else [])][:: 1 if number % 8 < 4 else -1]
    rows.append(("https://h3.example/not/robots.txt", "<p>a page", 200, {}, "none"))
    columns = "URL string, html string, status int, headers map<string, string>, id string"
    return session.createDataFrame(rows, columns).repartition(5)


def test_a_robots_txt_of_a_table_is_heard(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    table = table_of_sites(session)
    found = heedful_spark.filter_pages(table, BOTS, keep=["id", "status"])
    given = [row.asDict(recursive=True) for row in found.collect()]
    assert len(given) == 2 * table.count()
    file = tmp_path / "pages.jsonl"
    lines = [{name.lower(): value for name, value in row.asDict().items()} for row in table.collect()]
    # A null is no key of JSON Lines.
    file.write_text("\n".join(json.dumps({name: value for name, value in line.items() if value is not None}) for line in lines))
    expected = {(row["url"], row["bot"]): row for row in cli.rows(*bots(), file) if row["error"] is None}
    assert {row["verdict"]["enter"] for row in expected.values()} == {True, False}
    pages = {(row["url"], row["bot"]): row for row in given if row["error"] is None}
    assert {key: row["verdict"]["enter"] for key, row in pages.items()} == {
        key: row["verdict"]["enter"] for key, row in expected.items()
    }
    entered = {key[0].removeprefix("https://") for key, row in pages.items() if row["verdict"]["enter"]}
    assert "h0.example/open/0" in entered and "h3.example/private/3" in entered
    assert not entered & {"h0.example/private/0", "h1.example/private/1", "h2.example/open/2"}
    assert {row["id"] for row in pages.values() if row["url"].endswith("/open/7")} == {"id open/7"}
    assert all(row["error"] for row in given if row["id"] == "robots")


def test_what_is_wrong_with_a_table_is_said_on_the_driver(session: SparkSession) -> None:
    table = session.createDataFrame([("https://a.example/", "<p>one", 1)], "url string, body string, excerpt int")
    with pytest.raises(heedful.Error, match="the table has no column `html`, but url, body, excerpt") as raised:
        heedful_spark.filter_pages(table, "FooBot")
    assert raised.value.kind == "setting"
    table = table.withColumnRenamed("body", "html")
    for name, told in (("id", "which the table has not"), ("excerpt", "which the rows have anyway")):
        with pytest.raises(heedful.Error, match=told):
            heedful_spark.filter_pages(table, "FooBot", keep=[name])


def test_an_archive_that_is_not_there_is_a_row(session: SparkSession, files: list[Path], tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.warc")
    names = session.createDataFrame([(str(files[0]),), (missing,)], "archive string")
    given = rows(heedful_spark.filter_archives(names, BOTS))
    failed = [row for row in given if row["error"] and missing in row["error"]["message"]]  # type: ignore[index]
    assert [row["bot"] for row in failed] == sorted(BOTS)
    assert len(given) > len(failed)


def test_an_archive_that_cannot_be_looked_through_ends_the_job(
    session: SparkSession, files: list[Path], tmp_path: Path
) -> None:
    # It could hold the robots.txt of the other one's pages.
    names = session.createDataFrame([(str(files[0]),), (str(tmp_path),)], "archive string")
    with pytest.raises(Exception, match="folder without archives"):
        rows(heedful_spark.filter_archives(names, BOTS))


def test_names_pages_of_all_archives_are_heard(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    head = "<head profile='http://example.org/xmdp/robots-profile#'>"
    classes = "<p>all <b class=robot1-noindex>one</b> <b class=robot2-noindex>two</b> <b class=robot3-noindex>three</b>"
    page = f"{head}<link rel=RobotExclusion.Names href=/names><link rel=RobotExclusion.Names href=/gone>{classes}"
    meta = "<meta name=RobotExclusion.RobotName{} content='{}'>".format
    lines = [
        {"url": "https://a.example/1", "html": page},
        {"url": "https://a.example/names", "html": meta(1, "FooBot") + meta(2, "B&auml;r &quot;Bot&quot;")},
        {"url": "https://b.example/1", "html": page.replace("/names", "https://a.example/names").replace("/gone", "/names")},
        {"url": "https://b.example/names", "html": meta(3, "FooBot")},
        {"url": "https://b.example/names", "html": meta(3, 'B\u00e4r "Bot"')},
        {"url": "https://c.example/1", "html": page.replace("/gone", "/mine")},
    ]
    files = [tmp_path / f"{number}.warc" for number in range(3)]
    for number, file in enumerate(files):
        pages = lines[number::3]
        file.write_bytes(b"".join(response(page["url"], page["html"].encode(), Content_Type="text/html") for page in pages))
    table = session.createDataFrame([(str(file),) for file in files], "archive string")
    mine = tmp_path / "mine.html"
    mine.write_text(meta(3, "BarBot"))
    given = {"https://c.example/mine": mine.read_text(), "https://a.example/names": meta(1, "BarBot").encode()}
    written = tmp_path / "more.html"
    written.write_bytes(given["https://a.example/names"])  # type: ignore[arg-type]
    bots = ["FooBot", 'B\u00e4r "Bot"', "BarBot"]
    found = rows(heedful_spark.filter_archives(table, bots, names=given))
    named = [f"--names=https://c.example/mine={mine}", f"--names=https://a.example/names={written}"]
    expected = cli.rows(*files, *(f"--bot={bot}" for bot in bots), *named)
    assert found == in_order(expected)
    phrases = {(row["url"], row["bot"]): row["phrases"] for row in found}
    assert phrases["https://b.example/1", "BarBot"] == ["all", "two three"]
    assert phrases["https://b.example/1", "FooBot"] == phrases["https://a.example/1", "FooBot"] == ["all", "two"]


QUERIES = ["one", "the", "two three", '"one two"', '"one two"~3', '"the of"~20', "title:one OR the", "anchor:link", "site:host3.example the"]


def answers(cli: Cli, index: Path) -> list[list[dict[str, object]]]:
    return [cli.run("search", "--format", "json", "-n", "1000", index, query) for query in QUERIES]


def test_shards_that_are_merged_are_the_programs_index(
    session: SparkSession, files: list[Path], cli: Cli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, out, shards = (tmp_path / name for name in ("manifest.txt", "rows", "shards"))
    manifest.write_text("\n".join(map(str, files)))
    arguments = [str(manifest), str(out), "--bot", "FooBot", "--snapshot", "--partitions", "3", "--shards", str(shards)]
    assert heedful_spark.main(arguments) == 0
    named = capsys.readouterr().out.split()
    assert 1 < len(named) <= 3
    # What an attempt that failed left does not count.
    (shards / "left-over").mkdir()
    written = session.read.parquet(str(out))
    assert rows(written.where("shard is null").drop("shard")) == in_order(cli.rows(*files, "--bot", "FooBot", "--snapshot"))
    listed = tmp_path / "shards.txt"
    listed.write_text("\n".join(named))
    merged, whole = tmp_path / "merged", tmp_path / "whole"
    cli.run("merge", "--quiet", f"@{listed}", "-o", merged)
    cli.run("index", "--quiet", "--bot", "FooBot", "--snapshot", "-o", whole, *files)
    found = answers(cli, whole)
    assert all(found[:2]) and any(found[3:])
    assert answers(cli, merged) == found
    for index in (whole, merged):
        assert cli.run("stats", "--check", "--format", "json", index) == []
        cli.run("compact", "--quiet", index)
    assert answers(cli, merged) == answers(cli, whole) == found
    counts = [cli.run("stats", "--format", "json", index)[0] for index in (whole, merged)]
    assert {name: counts[1][name] for name in ("pages", "anchors", "tombstones", "snapshots")} == {
        name: counts[0][name] for name in ("pages", "anchors", "tombstones", "snapshots")
    }


def test_what_pages_are_called(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    links = "<a href=/t#part>the target</a> <a href=/t rel=nofollow>not this</a> <a href=#here>nor this</a>"
    pages = [(f"https://h{number % 3}.example/{number}", links) for number in range(7)]
    pages.append(("https://other.example/", "<a href=https://h1.example/t>the target</a> <a href=https://h1.example/t>elsewhere</a>"))
    pages.append(("https://h1.example/t", "<p>itself"))
    table = session.createDataFrame(pages, "url string, html string")
    called = heedful_spark.anchors(heedful_spark.filter_pages(table, "FooBot"))
    given = {(row["text"], row["pages"]): row["hosts"] for row in called.where("target = 'https://h1.example/t'").collect()}
    assert given == {("the target", 3): 2, ("elsewhere", 1): 1}
    parted = [("https://h0.example/", "<a href=/t>one <b class=robots-noindex>x</b> two</a> <a href=/u data-nosnippet>three</a>")]
    called = heedful_spark.anchors(heedful_spark.filter_pages(session.createDataFrame(parted, "url string, html string"), "FooBot"))
    assert sorted((row["text"], row["show"]) for row in called.collect()) == [("one", True), ("three", False), ("two", True)]
    lines = tmp_path / "pages.jsonl"
    lines.write_text("\n".join(json.dumps({"url": url, "html": html}) for url, html in pages))
    cli.run("index", "--quiet", "--bot", "FooBot", "-o", tmp_path / "index", lines)
    known = cli.run("stats", "--format", "json", "--of", "https://h1.example/t", tmp_path / "index")[0]
    assert {(name["text"], name["pages"]) for name in known["names"]} == set(given)
