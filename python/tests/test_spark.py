"""On Spark: executors of their own, and rows that are those of the program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import date, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
from archives import archives, damaged, in_order, members, response
from conftest import Cli, corpus_pages, real_pages
from stores import Store, store

import heedful

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession  # noqa: E402

from heedful import spark as heedful_spark  # noqa: E402
from heedful._out import Out  # noqa: E402

BOTS = ["FooBot", "BarBot"]


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "AWS_EC2_METADATA_DISABLED": "true"}
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
    conventions = ["--conventions", "all,-pagefind-body"]
    options = [*bots(), *conventions, "--snapshot", "--blocks", "--landmarks", "main,none"]
    assert heedful_spark.main([str(manifest), str(out), *options, "--partitions", "3"]) == 0
    expected = in_order(cli.rows(*files, *options))
    assert len(expected) > 1000
    assert {row["verdict"]["enter"] for row in expected} == {True, False}
    assert rows(session.read.parquet(str(out))) == expected


def test_a_census_of_archives_is_the_programs(session: SparkSession, files: list[Path], cli: Cli) -> None:
    names = session.createDataFrame([(str(file),) for file in files], "archive string")
    (expected,) = cli.run("census", "--format", "json", "--quiet", *bots(), *files)
    census = heedful_spark.census_archives(names, BOTS, partitions=3)
    assert json.loads(census.json()) == expected
    assert census.pages > 300
    missing = session.createDataFrame([("/nowhere.warc",)], "archive string")
    outcomes = json.loads(heedful_spark.census_archives(missing, BOTS).json())["outcomes"]
    assert outcomes == {"archive-missing": 1}


def test_a_census_of_a_table_is_the_programs(session: SparkSession, cli: Cli, tmp_path: Path) -> None:
    lines = [{"url": f"https://s{at % 7}.example/{at}", "html": page["html"]} for at, page in enumerate(corpus_pages())]
    lines = [*lines[:300], {"url": "https://s3.example/robots.txt", "html": "User-agent: *\nDisallow: /1"}]
    file = tmp_path / "pages.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    (expected,) = cli.run("census", "--format", "json", "--quiet", *bots(), file)
    table = session.createDataFrame(lines, "url string, html string").repartition(5)
    census = heedful_spark.census_pages(table, BOTS)
    assert json.loads(census.json()) == expected
    assert {row["row"] for row in expected["rows"]} >= {"kept-out", "said", "withheld"}


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


PRIVATE = [f"https://a.example/{path}/{number}" for number in range(20) for path in ("private", "open")]


def packed(urls: list[str]) -> list[bytes]:
    return members(response(url, f"<p>{url}".encode(), Content_Type="text/html") for url in urls)


def stored(server: Store) -> list[str]:
    """Archives of a site that shuts a folder, each with trouble: the robots.txt stands behind what is damaged."""
    rules = members([response("https://a.example/robots.txt", b"User-agent: *\nDisallow: /private/", Content_Type="text/plain")])
    pages, others = packed(PRIVATE), packed([f"https://b.example/{number}" for number in range(20)])
    server.objects |= {
        "cut.warc.gz": b"".join(pages)[:-30],
        "damaged.warc.gz": damaged(b"".join(others), len(b"".join(others[:10])) + 60) + rules[0],
        "headless.warc.gz": damaged(pages[0], 20),
        "empty.warc.gz": b"",
    }
    return list(server.objects)


def in_place(server: Store, folder: Path, bot: str, named: Callable[[str], str]) -> list[dict[str, object]]:
    """The rows of the same archives as files of this machine."""
    for name, content in server.objects.items():
        (folder / name).write_bytes(content)
    expected = heedful.read([folder / name for name in server.objects], heedful.Filter(bot)).read_all().to_pylist()
    for row in expected:
        if row["error"]:
            name = next(name for name in server.objects if name in row["error"]["message"])
            row["error"]["message"] = row["error"]["message"].replace(str(folder / name), named(name))
            # Here it is one that another run may find with records.
            if not server.objects[name]:
                row["error"] = {"kind": "io", "message": f"{named(name)}: it is empty"}
    return in_order(expected)


def test_a_damaged_archive_of_an_object_store_costs_its_record(session: SparkSession, tmp_path: Path) -> None:
    with store() as server:
        names = session.createDataFrame([(server.s3(name),) for name in stored(server)], "archive string")
        given = rows(heedful_spark.filter_archives(names, "FooBot"))
        expected = in_place(server, tmp_path, "FooBot", server.s3)
    assert given == expected
    assert sum(row["error"] is not None for row in given) == 4
    entered = {str(row["url"]) for row in given if row["verdict"]["enter"]}  # type: ignore[index]
    assert not any("private" in url for url in entered)
    # All pages but the one that is cut off, and the one that is damaged.
    assert len(entered) == 19 + 19


def test_a_connection_that_breaks_off_does_not_let_in_what_robots_txt_forbids(session: SparkSession, tmp_path: Path) -> None:
    with store() as server:
        names = session.createDataFrame([(server.http(name),) for name in stored(server)], "archive string")
        # Spark tries again, in each stage.
        server.breaks["damaged.warc.gz"] = 1
        given = rows(heedful_spark.filter_archives(names, "FooBot"))
        assert server.breaks["damaged.warc.gz"] == 0
        assert given == in_place(server, tmp_path, "FooBot", server.http)
        server.breaks["damaged.warc.gz"] = 1000
        with pytest.raises(Exception, match="the connection broke off: .* bytes came\n.*damaged.warc.gz"):
            rows(heedful_spark.filter_archives(names, "FooBot"))


def test_robots_of_the_users_own(session: SparkSession, files: list[Path], cli: Cli, tmp_path: Path) -> None:
    names = session.createDataFrame([(str(file),) for file in files], "archive string")
    shut = "User-agent: *\nDisallow: /*3$"
    mine = tmp_path / "robots.txt"
    mine.write_text(shut)
    given = rows(heedful_spark.filter_archives(names, "FooBot", robots=shut, require_robots=True))
    expected = cli.rows(*files, "--bot", "FooBot", "--robots", mine, "--require-robots")
    # The program has the rules from a file, and says so; what an archive answers has its place in both.
    for row in expected:
        if row["kept_out"] and (row["kept_out"]["source"] or {}).get("kind") == "file":
            row["kept_out"]["source"] = None
    assert given == in_order(expected)


def test_a_table_of_pages(session: SparkSession, cli: Cli) -> None:
    lines = [*list(corpus_pages())[:300], {"url": "nowhere", "html": "x"}]
    for number, line in enumerate(lines):
        line["headers"] = {"X-Robots-Tag": "nofollow"} if number % 3 == 0 else {}
        line["other"] = number
    table = session.createDataFrame(lines, "url string, html string, headers map<string, string>, other int")
    given = rows(heedful_spark.filter_pages(table.repartition(3), BOTS, snapshot=True, blocks=True, landmarks="all,-nav"))
    assert session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "256"
    options = [*bots(), "--snapshot", "--blocks", "--landmarks", "all,-nav"]
    assert given == in_order(cli.rows(*options, lines=lines))


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


@pytest.mark.parametrize("place", ["first", "last", "in another partition"])
def test_no_private_page_enters_wherever_its_robots_txt_stands(session: SparkSession, place: str) -> None:
    pages = [(f"https://site.example/{path}/{number}", f"<p>{path}word") for number in range(6) for path in ("private", "open")]
    robots, kind = ("https://site.example/robots.txt", "User-agent: *\nDisallow: /private/"), "url string, html string"
    rows = [robots, *pages] if place == "first" else [*pages, robots]
    given = session.createDataFrame(rows, kind).coalesce(1)
    if place == "in another partition":
        given = session.createDataFrame(session.sparkContext.parallelize(rows, len(rows)), kind)
    entered = heedful_spark.filter_pages(given, "FooBot").where("verdict.enter and error is null")
    assert {row["url"] for row in entered.collect()} == {url for url, _ in pages if "/open/" in url}


def test_columns_of_ones_own_are_kept(session: SparkSession) -> None:
    kind = "url string, html string, `crawl.id` long, other array<struct<a: date, b: map<string, int>>>, date timestamp, gone binary"
    rows = [
        ("https://a.example/", "<p>one", 1, [(date(2026, 1, 1), {"x": 1})], datetime(2026, 1, 1, 12), b"x"),
        ("https://a.example/", "<p>two", None, [], None, None),
        ("nowhere", "<p>three", 3, None, None, b""),
    ]
    table = session.createDataFrame(rows, kind)
    keep = ["other", "crawl.id", "date"]
    found = heedful_spark.filter_pages(table, BOTS, keep=keep)
    assert found.columns == [*heedful_spark.schema().names, *keep]
    assert {name: found.schema[name].dataType for name in keep} == {name: table.schema[name].dataType for name in keep}
    given = [row.asDict(recursive=True) for row in found.collect()]
    own = [[row[name] for name in keep] for row in table.select(*(f"`{name}`" for name in keep)).collect()]
    expected = [values for row in own for values in [[[part.asDict() for part in row[0]] if row[0] else row[0], *row[1:]]] * 2]
    assert [[row[name] for name in keep] for row in given] == expected
    assert [row["error"] is None for row in given] == [True] * 4 + [False] * 2
    assert [row["phrases"] for row in given[::2]] == [["one"], ["two"], []]


def test_what_is_wrong_with_a_table_is_said_on_the_driver(session: SparkSession) -> None:
    table = session.createDataFrame([("https://a.example/", "<p>one", 1, 2)], "url string, body string, Excerpt int, own int")
    with pytest.raises(heedful.Error, match="^df: there is no column `html`, but url, body, Excerpt, own: see") as raised:
        heedful_spark.filter_pages(table, "FooBot")
    assert raised.value.kind == "setting"
    table = table.withColumnRenamed("body", "html")
    for keep, told in (
        (["id"], "there is no column `id`, but url, html, Excerpt, own"),
        (["Excerpt"], "the result has a column `Excerpt` of its own"),
        (["url"], "the result has a column `url` of its own"),
        (["own", "own"], "`own` is named twice"),
    ):
        with pytest.raises(heedful.Error, match="^keep: " + told):
            heedful_spark.filter_pages(table, "FooBot", keep=keep)
    for columns, told in (
        ("url string, html int", "html: text or bytes is wanted, not Int32"),
        ("url string, html string, headers int", "headers: a map, .* or JSON is wanted, not Int32"),
        ("url string, html string, status array<int>, date timestamp", "status: a number is wanted, not List"),
        ("url string, html string, HTML string", "df: a column is there twice: html, HTML"),
    ):
        with pytest.raises(heedful.Error, match="^" + told):
            heedful_spark.filter_pages(session.createDataFrame([], columns), "FooBot")


def test_arguments_are_named_on_the_driver(session: SparkSession) -> None:
    table = session.createDataFrame([("https://a.example/", "<p>one")], "url string, html string")
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: heedful_spark.filter_pages("pages", "FooBot"), "df: a Spark DataFrame is wanted, not str"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_pages(table, 7), "bot: text or a list of texts is wanted, not int"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_pages(table, "FooBot", keep="url"), "keep: a list of texts is wanted, not str"),
        (lambda: heedful_spark.filter_pages(table, "FooBot", deny="x"), "deny: a list of pairs of texts, .*, not str"),
        (lambda: heedful_spark.filter_pages(table, "FooBot", snapshot=1), "snapshot: True or False is wanted, not int"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_archives(table, "FooBot", require_robots=1), "require_robots: True or False is wanted, not int"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_archives(["x"], "FooBot"), "archives: a Spark DataFrame is wanted, not list"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_archives(table, "FooBot", robots=7), "robots: text or bytes is wanted, not int"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_archives(table, "FooBot", partitions="3"), "partitions: a number is wanted, not str"),  # type: ignore[arg-type]
        (lambda: heedful_spark.filter_archives(table, "FooBot", shards=7), "shards: a path .* is wanted, not int"),  # type: ignore[arg-type]
        (lambda: heedful_spark.anchors(None), "rows: a Spark DataFrame is wanted, not None"),  # type: ignore[arg-type]
        (lambda: heedful_spark.shards(None), "rows: a Spark DataFrame is wanted, not None"),  # type: ignore[arg-type]
    ]
    for call, told in wrong:
        with pytest.raises(TypeError, match="^" + told):
            call()


def alone(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """This Python in a process of its own, where nobody says which Python the workers take."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))}
    own = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": "--master local[1] --conf spark.ui.enabled=false pyspark-shell"}
    # Not in the folder of the sources: the package is the installed one.
    elsewhere, variables = tempfile.gettempdir(), inherited | own | environment
    return subprocess.run([sys.executable, *arguments], cwd=elsewhere, env=variables, capture_output=True, text=True, check=False)


def test_workers_are_of_the_python_that_begins_the_job(tmp_path: Path) -> None:
    pages = tmp_path / "pages.warc"
    moved = response("https://a.example/robots.txt", b"User-agent: *\nDisallow: /2", Content_Type="text/plain")
    texts = {"1": b"<p>one", "2": b"<p>two", "3": b"<meta name=robots content=noindex>"}
    pages.write_bytes(moved + b"".join(response(f"https://a.example/{at}", html, Content_Type="text/html") for at, html in texts.items()))
    (tmp_path / "manifest.txt").write_text(f"{pages}\n{tmp_path / 'missing.warc'}\n")
    # The first python3 that is found has neither heedful nor pyarrow.
    (tmp_path / "python3").write_text("#!/bin/sh\necho 'another python3' >&2\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = alone("-m", "heedful.spark", str(tmp_path / "manifest.txt"), str(tmp_path / "rows"), "-b", "FooBot", PATH=path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr.splitlines()[-1] == "4 rows: 2 let in, 1 to be indexed, 1 failed"


@pytest.mark.parametrize(
    ("master", "becomes"), [("local", "local[1,4]"), ("local[2]", "local[2,4]"), ("local[*]", "local[*,7]"), ("local[2,1]", "local[2,1]")]
)
def test_a_machine_by_itself_tries_as_often_as_a_cluster(master: str, becomes: str) -> None:
    failures = becomes[-2] if becomes != master else "4"
    conf = f"--master {master} --conf spark.ui.enabled=false --conf spark.task.maxFailures={failures} pyspark-shell"
    done = alone("-c", "from heedful.spark import session\nprint('is', session().sparkContext.master)", PYSPARK_SUBMIT_ARGS=conf)
    assert f"is {becomes}" in done.stdout.splitlines(), done.stderr[-3000:]


@pytest.mark.parametrize("said", ["nothing", "PYSPARK_PYTHON", "spark.pyspark.python"])
def test_whoever_says_which_python_workers_take_is_heard(said: str) -> None:
    code = "from heedful.spark import session\nprint('takes', session().sparkContext.pythonExec)"
    conf = "--master local[1] --conf spark.ui.enabled=false --conf spark.pyspark.python=of-the-settings pyspark-shell"
    environment = {"PYSPARK_PYTHON": {"PYSPARK_PYTHON": "of-the-environment"}, "spark.pyspark.python": {"PYSPARK_SUBMIT_ARGS": conf}}
    done = alone("-c", code, **environment.get(said, {}))
    expected = {"nothing": sys.executable, "PYSPARK_PYTHON": "of-the-environment", "spark.pyspark.python": "of-the-settings"}
    assert f"takes {expected[said]}" in done.stdout.splitlines(), done.stderr[-3000:]


def test_an_archive_that_is_not_there_is_a_row(session: SparkSession, files: list[Path], tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.warc")
    names = session.createDataFrame([(str(files[0]),), (missing,)], "archive string")
    given = rows(heedful_spark.filter_archives(names, BOTS))
    failed = [row for row in given if row["error"] and missing in row["error"]["message"]]  # type: ignore[index]
    assert [row["bot"] for row in failed] == sorted(BOTS)
    assert len(given) > len(failed)


def test_an_archive_that_its_store_refuses_is_a_row(session: SparkSession) -> None:
    with store() as server:
        server.objects["open.warc.gz"] = b"".join(packed(PRIVATE[:4]))
        server.statuses["shut.warc.gz"] = 403
        addresses = [server.http("open.warc.gz"), server.http("shut.warc.gz"), server.s3("shut.warc.gz")]
        names = session.createDataFrame([(address,) for address in addresses], "archive string")
        given = rows(heedful_spark.filter_archives(names, "FooBot"))
        census = json.loads(heedful_spark.census_archives(names, "FooBot").json())
    told = {row["error"]["message"] for row in given if row["error"]}  # type: ignore[index]
    assert told == {f"{address}: the store refuses it" for address in addresses[1:]}
    assert len(given) == 4 + 2
    assert census["outcomes"]["archive-missing"] == 2


def test_an_archive_that_breaks_off_in_the_second_stage_is_a_row(session: SparkSession) -> None:
    with store() as server:
        server.objects |= {name: b"".join(packed(PRIVATE[:4])) for name in ("good.warc.gz", "bad.warc.gz", "shut.warc.gz")}
        names = session.createDataFrame([(server.http(name),) for name in server.objects], "archive string")
        # The first stage is run here.
        filtered = heedful_spark.filter_archives(names, "FooBot", partitions=1)
        server.breaks["bad.warc.gz"] = 1000
        server.statuses["shut.warc.gz"] = 403
        given = rows(filtered)
    messages = sorted(str(row["error"]["message"]).partition("/crawl/")[2] for row in given if row["error"])  # type: ignore[index]
    assert [message.partition(":")[0] for message in messages] == ["bad.warc.gz", "shut.warc.gz"]
    assert "broke off" in messages[0] and messages[1].endswith(": the store refuses it")


def test_what_tasks_could_not_open_ends_the_job_on_the_driver(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    manifest, shut = tmp_path / "manifest.txt", str(tmp_path / "file" / "folder")
    manifest.write_text("oss://crawl/x.warc\n")
    out = str(tmp_path / "out")
    for arguments, told in (
        ([out], "archives: oss://crawl/x.warc: nothing opens `oss:` here"),
        ([out, "--shards", shut], f"shards: nothing can be written to {shut}: "),
        ([out, "--shards", "ftp://crawl/x"], "shards: ftp://crawl/x: nothing opens `ftp:` here"),
        ([shut], f"OUT: nothing can be written to {shut}: "),
        ([str(tmp_path)], f"OUT: {tmp_path} is there already"),
        (["s3://crawl/rows"], "OUT: nothing can be written to s3://crawl/rows: .*No FileSystem .*Hadoop spells it s3a://"),
    ):
        assert heedful_spark.main([str(manifest), *arguments, "-b", "FooBot"]) == 2
        assert re.match(f"error: {told}", capsys.readouterr().err), told
    assert not Path(out).exists()


def manifest_of(server: Store, file: Path) -> str:
    """A manifest of all objects; the robots.txt of their site is in the first."""
    rules = response("https://a.example/robots.txt", b"User-agent: *\nDisallow: /private/", Content_Type="text/plain")
    server.objects["rules.warc.gz"] = b"".join(members([rules]))
    server.objects |= {f"{at}.warc.gz": b"".join(packed(PRIVATE[at::4])) for at in range(4)}
    file.write_text("\n".join(server.objects))
    return str(file)


def entered(session: SparkSession, *outs: Path) -> list[str]:
    found = session.read.parquet(*map(str, outs)).where("verdict.enter")
    return sorted(row["url"] for row in found.collect())


OPEN = sorted(url for url in PRIVATE if "/open/" in url)


def test_a_job_that_goes_on_has_each_row_once(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows"
    with store() as server:
        base = ["-b", "FooBot", "--group", "2", "--base", server.http("")]
        arguments = [manifest_of(server, tmp_path / "manifest.txt"), str(out), *base]
        write = Out._write

        def torn(self: Out, name: str, text: str) -> None:
            # The second group is committed, and its list is cut off.
            write(self, name, text[:20] if name.endswith("000001.json") else text)
            if name.endswith("000001.json"):
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Out, "_write", torn)
            with pytest.raises(KeyboardInterrupt):
                heedful_spark.main(arguments)
        assert len(entered(session, out)) > 5 and not (out / "_SUCCESS").exists()
        # What Spark leaves of a job that was killed, and its committer would take in.
        left = out / "_temporary" / "0" / "task_1"
        left.mkdir(parents=True)
        (left / "part-00000-left.parquet").write_bytes(next(out.glob("part-*.parquet")).read_bytes())
        assert heedful_spark.main(arguments) == 2
        assert heedful_spark.main([*arguments, "--resume", "--snapshot"]) == 2
        told = capsys.readouterr().err
        assert "is there already: name another, or go on with --resume" in told
        assert "were made with another --snapshot" in told
        gets = len(server.gets)
        assert heedful_spark.main([*arguments, "--resume"]) == 0
        # The first stage reads all five again, the second one the three that are not done.
        assert len(server.gets) - gets == 5 + 3
        assert entered(session, out) == OPEN and (out / "_SUCCESS").exists()
        assert session.read.parquet(str(out)).where("error is null").count() == len(PRIVATE)
        # There is nothing to do, and then something.
        assert heedful_spark.main([*arguments, "--resume"]) == 0
        server.objects["more.warc.gz"] = b"".join(packed(["https://a.example/open/more", "https://a.example/private/more"]))
        Path(arguments[0]).write_text("\n".join(server.objects))
        assert heedful_spark.main([*arguments, "--resume"]) == 0
    assert entered(session, out) == sorted([*OPEN, "https://a.example/open/more"])
    assert not (tmp_path / "rows.retry.txt").exists()
    capsys.readouterr()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    assert heedful_spark.main([arguments[0], str(tmp_path / "other"), "-b", "FooBot", "--resume"]) == 2
    assert "has no list of what is done" in capsys.readouterr().err
    assert (tmp_path / "other" / "file").exists()


def test_archives_that_failed_are_a_manifest_for_the_next_run(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, again, retry = tmp_path / "rows", tmp_path / "again", tmp_path / "rows.retry.txt"
    with store() as server:
        manifest = manifest_of(server, tmp_path / "manifest.txt")
        server.statuses |= {"1.warc.gz": 403, "2.warc.gz": 404}
        # Damage is no failure of its archive.
        server.objects["0.warc.gz"] = damaged(server.objects["0.warc.gz"], len(server.objects["0.warc.gz"]) - 60)
        options = ["-b", "FooBot", "--base", server.http("")]
        assert heedful_spark.main([manifest, str(out), *options, "--group", "3"]) == 0
        lines = retry.read_text().splitlines()
        assert lines[1:] == ["# the store refuses it", "1.warc.gz", "# it is not there", "2.warc.gz"]
        server.statuses.clear()
        only = tmp_path / "only.txt"
        only.write_text("gone.warc.gz\n")
        assert heedful_spark.main([str(retry), str(again), *options, "--robots-from", str(only)]) == 2
        assert "gone.warc.gz: it is not there. What it forbids would not be heard" in capsys.readouterr().err
        assert not again.exists()
        assert heedful_spark.main([str(retry), str(again), *options, "--robots-from", manifest]) == 0
    assert not (tmp_path / "again.retry.txt").exists()
    urls = entered(session, out, again)
    assert set(urls) <= set(OPEN) and len(urls) >= len(OPEN) - 1


def test_shards_of_an_object_store(session: SparkSession, files: list[Path], cli: Cli, tmp_path: Path) -> None:
    names = session.createDataFrame([(str(file),) for file in files[:2]], "archive string")
    with store() as server:
        folder = server.s3("shards").replace("s3://", "s3a://")
        named = heedful_spark.shards(heedful_spark.filter_archives(names, "FooBot", shards=folder, partitions=2).persist())
        assert len(named) == 2
        for number, shard in enumerate(named):
            path, _, query = shard.removeprefix("s3a://key:secret@crawl/").partition("?")
            assert query == folder.partition("?")[2]
            for name, content in server.objects.items():
                # Objects whose name ends so are folders.
                if name.startswith(path + "/") and not name.endswith("/"):
                    file = tmp_path / str(number) / name.removeprefix(path + "/")
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(content)
            assert cli.run("stats", "--check", "--format", "json", tmp_path / str(number)) == []


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


QUERIES = ["one", "three", "two three", '"one two"', '"one two"~3', '"one three"~20', "title:one OR three", "anchor:link", "site:host3.example three"]


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
