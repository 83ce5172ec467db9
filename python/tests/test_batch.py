"""Batches of rows, and whole inputs as batches: what they say is what the program says."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import heedful
import pyarrow as pa
import pytest
from archives import record
from conftest import CORPUS, Cli, corpus_pages, real_pages

TEXT = pa.string()


def batch(rows: list[dict[str, Any]], **types: pa.DataType) -> pa.RecordBatch:
    """Rows as a batch; a column is of the type that is given for it, or is text."""
    names = {name: None for row in rows for name in row}
    arrays = [pa.array([row.get(name) for row in rows], types.get(name, TEXT)) for name in names]
    return pa.RecordBatch.from_arrays(arrays, list(names))


def filtered(rows: list[dict[str, Any]], **types: pa.DataType) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = heedful.Filter("FooBot").filter_batch(batch(rows, **types)).to_pylist()
    return answers


@pytest.mark.parametrize(("conventions", "landmarks"), [("web", "main,none"), ("all", "all")])
def test_rows_are_those_of_the_program(cli: Cli, conventions: str, landmarks: str) -> None:
    lines = [*corpus_pages(), *real_pages(200)]
    assert len(lines) > 1000
    bots = ["FooBot", "BarBot"]
    filter = heedful.Filter(bots, conventions=conventions, snapshots=True, blocks=True, landmarks=landmarks)
    answers = filter.filter_batch(batch(lines)).to_pylist()
    options = ["--conventions", conventions, "--landmarks", landmarks, "--snapshot", "--blocks"]
    expected = cli.rows("--bot", "FooBot", "--bot", "BarBot", *options, "--jobs", "1", lines=lines)
    assert len(answers) == len(expected) == 2 * len(lines)
    for answer, row in zip(answers, expected, strict=True):
        if row["error"]:
            assert answer["error"] == row["error"] and answer["phrases"] == []
        else:
            assert answer == row


def test_blocks_are_null_where_nobody_asks() -> None:
    rows = batch([{"url": "https://example.com/", "html": "<h1>one</h1>two"}, {"url": "nowhere", "html": "<p>three"}])
    plain = heedful.Filter("FooBot").filter_batch(rows)
    asked = heedful.Filter("FooBot", blocks=True).filter_batch(rows)
    assert plain.schema == asked.schema and plain.column("blocks").null_count == 2
    kinds = [blocks and [block["kind"] for block in blocks] for blocks in asked.column("blocks").to_pylist()]
    assert kinds == [["heading", "paragraph"], None]
    assert plain.drop_columns(["blocks"]) == asked.drop_columns(["blocks"])


def test_whole_inputs_have_a_column_of_their_text(tmp_path: Path) -> None:
    lines = [
        {"url": "https://example.com/", "html": "<h1>one</h1><p>two <!--noindex-->leak<!--/noindex--> three"},
        {"url": "nowhere", "html": "<p>four"},
    ]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    filter = heedful.Filter(["FooBot", "BarBot"])
    rows = heedful.read([path], filter, text=True).read_all()
    assert rows.column_names[-1] == "text"
    assert rows.column("text").to_pylist() == ["one\n\ntwo\nthree"] * 2 + [None] * 2
    plain = heedful.read([path], filter).read_all()
    assert "text" not in plain.column_names and rows.drop_columns(["text"]) == plain
    path.write_text("")
    assert heedful.read([path], filter, text=True).read_all().schema == rows.schema


def test_keys_are_those_of_a_page() -> None:
    page = heedful.Filter("FooBot").page("<p>one", url="https://example.com/").to_dict()
    assert filtered([{"url": "https://example.com/", "html": "<p>one"}]) == [page]


def test_a_row_that_fails_is_a_row() -> None:
    rows: list[dict[str, Any]] = [
        {"url": "https://a.example/", "html": "<p>one"},
        {"url": "nowhere", "html": "<p>two"},
        {"url": None, "html": "<p>three"},
        {"url": "https://a.example/4", "html": None},
        {"url": "https://a.example/5", "html": "<p>five", "status": "404"},
        {"url": "https://a.example/6", "html": "<p>six", "status": "none"},
        {"url": "https://a.example/robots.txt", "html": "User-agent: *"},
        {"url": "https://a.example/8", "html": "<p>eight", "headers": "no JSON"},
        {"url": "https://a.example/9", "html": "<p>nine"},
    ]
    answers = filtered(rows)
    kinds = [answer["error"] and answer["error"]["kind"] for answer in answers]
    assert kinds == [None, "url", "url", "input", "input", "input", "input", "input", None]
    assert [answer["phrases"] for answer in answers if answer["error"]] == [[]] * 7
    assert "status 404" in answers[4]["error"]["message"] and "`headers`" in answers[7]["error"]["message"]
    assert answers[8]["phrases"] == ["nine"]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
)
def test_html_of_every_kind(kind: pa.DataType) -> None:
    is_text = "string" in str(kind)
    html = "<p>caf\u00e9" if is_text else "<meta charset=windows-1252><p>caf\u00e9".encode("windows-1252")
    answer = filtered([{"url": "https://a.example/", "html": html}], html=kind)
    assert answer[0]["phrases"] == ["café"]


PAIRS = [("Content-Type", "text/html"), ("X-Robots-Tag", "noindex")]


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        (PAIRS, pa.map_(TEXT, TEXT)),
        ([(name, [value]) for name, value in PAIRS], pa.map_(TEXT, pa.list_(TEXT))),
        ([{"name": name, "value": value} for name, value in PAIRS], pa.list_(pa.struct([("name", TEXT), ("value", TEXT)]))),
        ([{"value": value, "key": name} for name, value in PAIRS], pa.large_list(pa.struct([("value", TEXT), ("key", TEXT)]))),
        ([list(pair) for pair in PAIRS], pa.list_(pa.list_(TEXT))),
        (json.dumps(PAIRS), TEXT),
        (json.dumps(dict(PAIRS)), TEXT),
    ],
)
def test_headers_of_every_kind(headers: Any, kind: pa.DataType) -> None:
    rows = [
        {"url": "https://a.example/1", "html": "<p>one", "headers": headers},
        {"url": "https://a.example/2", "html": "<p>two", "headers": None},
    ]
    assert [answer["phrases"] for answer in filtered(rows, headers=kind)] == [[], ["two"]]


def test_headers_that_could_be_overlooked_are_refused() -> None:
    row = {"url": "https://a.example/", "html": "<p>one", "headers": 7}
    with pytest.raises(heedful.Error, match="^headers: a map, .* or JSON is wanted, not Int64"):
        filtered([row], headers=pa.int64())
    columns = [pa.array(["https://a.example/"]), pa.array(["<p>one"]), pa.array(["[]"]), pa.array(["[]"])]
    twice = pa.RecordBatch.from_arrays(columns, ["url", "html", "headers", "Headers"])
    with pytest.raises(heedful.Error, match="twice"):
        heedful.Filter("FooBot").filter_batch(twice)
    misspelt = pa.RecordBatch.from_arrays(columns[:3], ["url", "html", "header"])
    with pytest.raises(heedful.Error, match="`header` is not read; did you mean `headers`"):
        heedful.Filter("FooBot").filter_batch(misspelt)
    nested = pa.array([{"headers": "[]"}], pa.struct([("headers", TEXT)]))
    misplaced = pa.RecordBatch.from_arrays([*columns[:2], nested], ["url", "html", "response"])
    with pytest.raises(heedful.Error, match="`response.headers` is not read"):
        heedful.Filter("FooBot").filter_batch(misplaced)
    with pytest.raises(heedful.Error, match="^there is no column `html`, but url$"):
        heedful.Filter("FooBot").filter_batch(batch([{"url": "https://a.example/"}]))
    shape = pa.list_(pa.struct([("what", TEXT), ("value", TEXT)]))
    odd = {"url": "https://a.example/", "html": "<p>one", "headers": [{"what": "X-Robots-Tag", "value": "noindex"}]}
    assert filtered([odd], headers=shape)[0]["error"]["kind"] == "input"


def test_robots_of_a_row() -> None:
    shut = "User-agent: *\nDisallow: /"
    rows: list[dict[str, Any]] = [
        {"url": "https://a.example/1", "html": "one", "robots": shut, "robots_status": 200},
        {"url": "https://a.example/2", "html": "two", "robots": shut, "robots_status": 404},
        {"url": "https://a.example/3", "html": "three", "robots": None, "robots_status": 500},
        {"url": "https://a.example/4", "html": "four", "robots": None, "robots_status": None},
    ]
    entered = [answer["verdict"]["enter"] for answer in filtered(rows, robots_status=pa.int32())]
    assert entered == [False, True, False, True]


SHUT = "User-agent: *\nDisallow: /private/"


def test_a_row_that_is_a_robots_txt_is_heard(cli: Cli, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"url": "https://a.example/private/1", "html": "one"},
        {"url": "https://a.example/robots.txt", "html": SHUT},
        {"url": "https://a.example/private/2", "html": "two"},
        {"url": "https://a.example/3", "html": "three"},
        {"url": "https://b.example/private/4", "html": "four"},
        {"url": "https://c.example/robots.txt", "html": "", "status": 301, "headers": {"location": "https://a.example/robots.txt"}},
        {"url": "https://c.example/private/5", "html": "five"},
        {"url": "https://d.example/robots.txt", "html": None},
        {"url": "https://d.example/6", "html": "six"},
        {"url": "https://e.example/robots.txt", "html": "User-agent: *", "headers": "no JSON"},
        {"url": "https://e.example/7", "html": "seven"},
    ]
    for row in rows:
        row["headers"] = json.dumps(row["headers"]) if isinstance(row.get("headers"), dict) else row.get("headers")
    kinds = {"status": pa.int32()}
    answers = filtered(rows, **kinds)
    assert [answer["url"] for answer in answers] == [row["url"] for row in rows]
    entered = {answer["url"][8:]: answer["verdict"]["enter"] for answer in answers if answer["error"] is None}
    assert entered == {
        "a.example/private/1": False,
        "a.example/private/2": False,
        "a.example/3": True,
        "b.example/private/4": True,
        "c.example/private/5": False,
        "d.example/6": False,
        "e.example/7": False,
    }
    program = [{**row, "headers": json.loads(row["headers"])} if row["headers"] else row for row in rows[:7]]
    file = tmp_path / "pages.jsonl"
    file.write_text("\n".join(map(json.dumps, program)))
    expected = {row["url"]: row for row in cli.rows("--bot", "FooBot", file)}
    assert {answer["url"]: answer for answer in answers[:7] if answer["error"] is None} == expected
    # The pages may be in one batch, and the robots.txt files in another.
    files = heedful.survey_batch(batch(rows, **kinds))
    assert [(row["site"][8:], row["leads_to"]) for row in files.to_pylist()] == [
        ("a.example", None),
        ("c.example", "https://a.example"),
        ("d.example", None),
        ("e.example", None),
    ]
    pages = batch([row for row in rows if "robots.txt" not in row["url"]])
    apart = heedful.Filter("FooBot").filter_batch(pages, robots=files).to_pylist()
    assert apart == [answer for answer in answers if answer["error"] is None]
    assert all(row["verdict"]["enter"] for row in heedful.Filter("FooBot").filter_batch(pages).to_pylist())


def test_dates_may_be_timestamps() -> None:
    moment = datetime(2026, 1, 1, tzinfo=timezone.utc)
    rows = [{"url": "https://a.example/1", "html": "one", "date": moment}]
    assert filtered(rows, date=pa.timestamp("us", "Europe/Berlin"))[0]["error"] is None


def test_an_empty_batch() -> None:
    answer = heedful.Filter("FooBot").filter_batch(batch([{"url": "", "html": ""}]).slice(0, 0))
    assert answer.num_rows == 0 and answer.schema.names[0] == "url"


def test_inputs_are_read_as_by_the_program(cli: Cli) -> None:
    site = CORPUS / "site"
    url = "https://site.example/"
    rows = heedful.read([site], heedful.Filter("FooBot"), url=url, rows=7).read_all().to_pylist()
    assert len(rows) > 20
    assert rows == cli.rows(site, "--url", url, "--bot", "FooBot")
    shut = heedful.read([site], heedful.Filter("FooBot"), url=url, robots="User-agent: *\nDisallow: /").read_all()
    assert not any(row["verdict"]["enter"] for row in shut.to_pylist())


def test_a_stream_may_be_left(tmp_path: Path) -> None:
    reader = heedful.read([CORPUS / "site"], heedful.Filter("FooBot"), url="https://site.example/", rows=1)
    assert reader.read_next_batch().num_rows == 1
    del reader
    with pytest.raises(heedful.Error):
        heedful.read([tmp_path / "missing.warc"], heedful.Filter("FooBot"))


def test_damage_is_a_row(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"url": "https://a.example/", "html": "one"}\nnonsense\n{"url": "https://a.example/3", "html": "three"}\n')
    rows = heedful.read([file], heedful.Filter("FooBot")).read_all().to_pylist()
    assert [row["error"] and row["error"]["kind"] for row in rows] == [None, "input", None]


def test_sites_of_an_archive(tmp_path: Path) -> None:
    file = tmp_path / "some.warc"
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one"
    moved = b"HTTP/1.1 301 Moved\r\nLocation: https://b.example/robots.txt\r\n\r\n"
    shut = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /"
    file.write_bytes(
        record("response", "https://a.example/1", page)
        + record("response", "https://a.example/2", page)
        + record("response", "https://a.example/robots.txt", moved)
        + record("response", "https://b.example/robots.txt", shut)
        + record("mystery", "https://c.example/robots.txt", b"")
        + record("resource", "https://d.example/robots.txt", b"")
        + record("response", "https://c.example/", page)
        + record("response", "https://d.example/", page)
    )
    filter = heedful.Filter("FooBot")
    found = heedful.survey([file], filter).to_pylist()
    assert [(row["site"], row["robots"] is None, row["leads_to"]) for row in found] == [
        ("https://a.example", True, None),
        ("https://a.example", False, "https://b.example"),
        ("https://b.example", False, None),
        ("https://c.example", False, None),
        ("https://d.example", False, None),
        ("https://c.example", True, None),
        ("https://d.example", True, None),
    ]
    known = tmp_path / "robots.warc"
    known.write_bytes(b"".join(row["robots"] for row in found if row["robots"]))
    own = heedful.read([file], filter).read_all().to_pylist()
    assert own == heedful.read([file], filter, robots_from=[known]).read_all().to_pylist()
    assert [row["verdict"]["enter"] for row in own if row["error"] is None] == [False, False, False, True]
    none = tmp_path / "none.warc"
    none.write_bytes(b"")
    alone = heedful.read([file], filter, robots_from=[none]).read_all().to_pylist()
    assert all(row["verdict"]["enter"] for row in alone if row["error"] is None)
    pages = tmp_path / "pages.jsonl"
    pages.write_text('{"url": "https://a.example/", "html": "one"}')
    with pytest.raises(heedful.Error, match="no archive"):
        heedful.survey([pages], filter)


def table_of_own_columns() -> pa.RecordBatch:
    """Rows with columns of one's own, one of which is read too; the last three rows are no pages."""
    urls = ["https://a.example/1", "https://a.example/1", "nowhere", "https://a.example/robots.txt", "https://a.example/5"]
    return pa.RecordBatch.from_arrays(
        [
            pa.array(["<p>one", "<p>two", "<p>three", "", "<p>five"]),
            pa.array(urls),
            pa.array([7, None, 9, 10, 11], pa.int16()),
            pa.array([{"a": [1]}, None, {"a": []}, {"a": [2, 3]}, {"a": None}], pa.struct([("a", pa.list_(pa.int64()))])),
            pa.array(["x", "y", "x", None, "y"]).dictionary_encode(),
            pa.array([200, None, 200, 200, 404], pa.int32()),
        ],
        schema=pa.schema(
            [
                ("html", TEXT),
                ("url", TEXT),
                pa.field("crawl.id", pa.int16(), metadata={"of": "mine"}),
                ("own", pa.struct([("a", pa.list_(pa.int64()))])),
                ("kind", pa.dictionary(pa.int32(), TEXT)),
                ("status", pa.int32()),
            ]
        ),
    )


@pytest.mark.parametrize("bots", [["FooBot"], ["FooBot", "BarBot"]])
def test_columns_of_ones_own_are_kept(bots: list[str]) -> None:
    rows, keep = table_of_own_columns(), ["own", "crawl.id", "kind", "status"]
    filter = heedful.Filter(bots)
    plain, kept = filter.filter_batch(rows), filter.filter_batch(rows, keep=keep)
    assert kept.schema.names == [*plain.schema.names, *keep]
    assert kept.select(plain.schema.names) == plain
    given = rows.to_pylist()
    assert [[row[name] for name in keep] for row in kept.to_pylist()] == [
        [row[name] for name in keep] for row in given for _ in bots
    ]
    assert [row["error"] is None for row in kept.to_pylist()[:: len(bots)]] == [True, True, False, False, False]
    for name in keep:
        assert kept.schema.field(name).equals(rows.schema.field(name), check_metadata=True)
    # A part of a batch begins where it begins, and an empty one has the columns.
    assert filter.filter_batch(rows.slice(2), keep=["crawl.id"]).column("crawl.id").to_pylist()[:: len(bots)] == [9, 10, 11]
    assert filter.filter_batch(rows.slice(0, 0), keep=keep).schema == kept.schema


@pytest.mark.parametrize(
    ("keep", "told"),
    [
        (["id"], "keep: there is no column `id`, but html, url, crawl.id, own, kind, status"),
        (["url"], "keep: the result has a column `url` of its own"),
        (["own", "own"], "keep: `own` is named twice"),
    ],
)
def test_what_cannot_be_kept_is_told(keep: list[str], told: str) -> None:
    with pytest.raises(heedful.Error, match="^" + told) as raised:
        heedful.Filter("FooBot").filter_batch(table_of_own_columns(), keep=keep)
    assert raised.value.kind == "setting"
    twice = pa.RecordBatch.from_arrays([pa.array(["x"])] * 4, ["url", "html", "id", "id"])
    with pytest.raises(heedful.Error, match="^keep: the column `id` is there twice"):
        heedful.Filter("FooBot").filter_batch(twice, keep=["id"])


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("url", "^url: text is wanted, not Int64"),
        ("html", "^html: text or bytes is wanted, not Int64"),
        ("status", "^status: a number is wanted, not List"),
        ("date", "^date: RFC 3339 or a timestamp is wanted, not List"),
    ],
)
def test_columns_of_another_type_are_refused(column: str, told: str) -> None:
    odd = pa.array([[1]]) if column in ("status", "date") else pa.array([1])
    columns = {"url": pa.array(["https://a.example/"]), "html": pa.array(["x"]), column: odd}
    with pytest.raises(heedful.Error, match=told):
        heedful.Filter("FooBot").filter_batch(pa.RecordBatch.from_pydict(columns))
    good = batch([{"url": "https://a.example/", "html": "x"}])
    with pytest.raises(heedful.Error, match="^robots: " + told[1:]):
        heedful.Filter("FooBot").filter_batch(good, robots=pa.RecordBatch.from_pydict(columns))


def crawl(order: str) -> list[pa.RecordBatch]:
    """A crawl of two sites in batches of two rows, with the robots.txt files first, last, or in between."""
    pages = [(f"https://{host}.example/{path}/{at}", f"<p>{path}word") for at in range(3) for host in "ab" for path in ("private", "open")]
    files = [
        ("https://a.example/robots.txt", SHUT, 200, None),
        ("https://b.example/robots.txt", "", 301, '{"location": "https://a.example/robots.txt"}'),
    ]
    rows: list[tuple[str, str, int | None, str | None]] = [(url, html, None, None) for url, html in pages]
    at = {"first": 0, "between": 5, "last": len(rows)}[order]
    rows[at:at] = files
    names = ["url", "html", "status", "headers"]
    return [
        batch([dict(zip(names, row, strict=True)) | {"id": str(at + more)} for more, row in enumerate(rows[at : at + 2])], status=pa.int32())
        for at in range(0, len(rows), 2)
    ]


def entered(batches: Any) -> set[str]:
    return {row["url"] for batch in batches for row in batch.to_pylist() if row["verdict"]["enter"] and row["error"] is None}


@pytest.mark.parametrize("order", ["first", "between", "last"])
def test_robots_txt_of_other_batches_are_heard(order: str) -> None:
    filter, batches = heedful.Filter("FooBot"), crawl(order)
    allowed = {f"https://{host}.example/open/{at}" for host in "ab" for at in range(3)}
    for given in (batches, tuple(batches), pa.Table.from_batches(batches)):
        answers = list(heedful.filter_batches(given, filter, keep=["id"]))
        assert entered(answers) == allowed
        assert [row["id"] for answer in answers for row in answer.to_pylist()] == [str(at) for at in range(14)]
    files = heedful.survey_batch(pa.Table.from_batches(batches).combine_chunks().to_batches()[0])
    for robots in (files, [heedful.survey_batch(batch) for batch in batches], map(heedful.survey_batch, batches), pa.Table.from_batches([files])):
        rows = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
        assert entered(heedful.filter_batches(rows, filter, robots=robots)) == allowed
    # What comes once: those that came before, and those of the same batch.
    late = {url for url in entered(heedful.filter_batches(iter(batches), filter)) if "private" in url}
    assert len(late) == {"first": 0, "between": 2, "last": 6}[order]


def test_progress_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in range(2)]
    for file in files:
        file.write_text("".join(f'{{"url": "https://a.example/{number}", "html": "<p>one"}}\n' for number in range(500)))
    size = sum(file.stat().st_size for file in files)
    told: list[tuple[int, int]] = []
    filter = heedful.Filter("FooBot")
    rows = heedful.read(files, filter, rows=100, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, size)]
    assert rows.read_all() == heedful.read(files, filter, rows=100).read_all()
    assert [total for _, total in told] == [size] * 12
    assert told == sorted(told) and told[-1] == (size, size) and told[-2] != told[-1]
    assert capfd.readouterr().err == ""
    heedful.read(files, filter, rows=100, progress=True).read_all()
    error = capfd.readouterr().err
    assert error.startswith("\rheedful:   0%, 0.0 of 0.1 MB read\r") and error.endswith("\rheedful: 100%, 0.1 of 0.1 MB read\n")
    heedful.read(files, filter, progress=False).read_all()
    assert capfd.readouterr().err == ""


def test_what_a_progress_function_raises_is_the_callers(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(f'{{"url": "https://a.example/{number}", "html": "<p>one"}}\n' for number in range(500)))

    def stop(done: int, total: int) -> None:
        if done:
            raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        heedful.read([file], heedful.Filter("FooBot"), rows=10, progress=stop).read_all()
