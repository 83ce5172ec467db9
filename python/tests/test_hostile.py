"""What callers do that nobody means well: arguments of every type, threads, forks, and very many pages.

HEEDFUL_PAGES=100000 pytest tests/test_hostile.py -k memory -s: memory over so many pages, and what it was.
"""

from __future__ import annotations

import copy
import inspect
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pytest
from conftest import Cli, corpus_pages

import heedful

URL = "https://site.example/dir/page"
PAGE = "<title>Rye</title><p>one <b class=robots-noindex>two</b> <a href=/a rel=nofollow>three</a> <!--noindex-->four"
RULES = "User-agent: *\nDisallow: /shut\nCrawl-delay: 2\nVisit-time: 0100-0200\nSitemap: https://site.example/map.xml\n"

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


class OwnError(Exception):
    """An exception of the caller's own."""


class Raising:
    """Raises the caller's own exception at whatever is asked."""

    def raising(self) -> NoReturn:
        raise OwnError

    __iter__ = __fspath__ = __index__ = __bool__ = __len__ = items = raising


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
WRONG: list[Any] = [
    *(None, True, 0, -1, 2**16, 2**70, 1.5, float("nan"), ..., object(), int, len, print, Raising(), ENDLESS),
    *("", "\ud800", "a\0b", "é" * 1000, b"", b"\xff\0", bytearray(b"x"), memoryview(b"x")),
    *([], [None], [[]], [("a",)], ["\ud800"], {}, {1: 2}, {"a": None}, {"a": 1}, {"a"}, range(3), iter([1])),
    *(datetime(2026, 1, 1), datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    *(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=23))), datetime(9999, 12, 31, tzinfo=timezone(-timedelta(hours=23)))),
    *(heedful.Filter("FooBot"), heedful.RobotsTxt(""), pa.table({"url": [URL]}), pa.RecordBatch.from_pylist([])),
    *(pa.RecordBatch.from_pylist([row]) for row in ({"url": 1, "html": 2.0}, {"url": None, "html": None}, {"url": URL})),
]


def callables(folder: Path) -> Iterator[tuple[str, Callable[[], Callable[..., Any]], dict[str, Any]]]:
    """Every public function and method: its name, how to have it, and good values for its arguments."""
    inputs = folder / "pages.jsonl"
    inputs.write_text(json.dumps({"url": URL, "html": PAGE}) + "\n")
    filter = heedful.Filter("FooBot", snapshots=True)
    page, robots, census = filter.page(PAGE, url=URL), heedful.RobotsTxt(RULES), heedful.census([inputs], filter)
    batch = pa.RecordBatch.from_pylist([{"url": URL, "html": PAGE}])
    writer = heedful.Writer(folder / "index", filter)
    good = {"bot": "FooBot", "html": PAGE, "url": URL, "batch": batch, "batches": [batch], "filter": filter, "inputs": [inputs]}
    good |= {"text": "one two", "body": RULES, "json": census.json(), "page": page, "robots": robots, "name": "a", "value": "b"}
    good |= {"piece": "one", "folder": folder / "other", "others": census}
    made: dict[str, Callable[[], Any]] = {
        "Filter": lambda: filter,
        "Pass": lambda: filter.open(URL),
        "Page": lambda: page,
        "RobotsTxt": lambda: robots,
        "Ruling": lambda: robots.ruling("FooBot", URL),
        "Writer": lambda: writer,
        "Census": lambda: census,
    }
    for name in heedful.__all__:
        if name != "Error" and inspect.signature(getattr(heedful, name)).parameters:
            yield name, partial(getattr, heedful, name), good
    for name, make in made.items():
        for method in dir(make()):
            if not method.startswith("_") and callable(getattr(make(), method)):
                yield f"{name}.{method}", partial(method_of, make, method), good


def method_of(make: Callable[[], Any], method: str) -> Callable[..., Any]:
    """The method of a new object."""
    found: Callable[..., Any] = getattr(make(), method)
    return found


def called(function: Callable[..., Any], changed: str, value: object, good: dict[str, Any]) -> object:
    """Calls it with this value for one argument. Gives what was raised, or None."""
    positional, named = [], {}
    for parameter in inspect.signature(function).parameters.values():
        is_wanted = parameter.default is parameter.empty
        given = value if parameter.name == changed else good.get(parameter.name)
        if parameter.name != changed and not is_wanted:
            continue
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            positional.append(given)
        else:
            named[parameter.name] = given
    try:
        result = function(*positional, **named)
        if isinstance(result, pa.RecordBatchReader):
            result.read_all()
        elif isinstance(result, Iterator):
            list(result)
    # A panic is no Exception.
    except BaseException as error:
        return error
    return None


def test_every_argument_of_every_type_is_taken_or_refused(tmp_path: Path) -> None:
    names, count = set(), 0
    for name, function, good in callables(tmp_path):
        for argument in inspect.signature(function()).parameters:
            wrong = called(function(), argument, object(), good)
            assert isinstance(wrong, TypeError), f"{name}({argument}=object()): {wrong!r}"
            assert argument in str(wrong) or name == "Census.merge", f"{name}: {wrong}"
            for value in WRONG:
                raised = called(function(), argument, value, good)
                fits = raised is None or isinstance(raised, TypeError | ValueError | OverflowError | heedful.Error)
                own = isinstance(raised, OwnError) and isinstance(value, Raising)
                # A function is a callback of progress, and what it raises is the caller's.
                assert fits or own, f"{name}({argument}={value!r}): {raised!r}"
                count += 1
        names.add(name)
    assert {"Filter", "read", "mask_batch", "words", "Filter.page", "Pass.write", "RobotsTxt.ruling", "Writer.add"} <= names
    assert count > 3000, count


def test_a_time_before_1970_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="^at: a datetime with tzinfo, from 1970 on, is wanted, not 1066-10-14"):
        heedful.Filter("FooBot", at=datetime(1066, 10, 14, tzinfo=UTC))


def broken_text(cell: bytes) -> pa.Array:
    """A column of text whose bytes are no UTF-8, as a file of Parquet may have it: Arrow does not look."""
    return pa.array([cell], pa.binary()).view(pa.string())


def test_text_that_is_no_utf8_is_read_as_that_of_a_response() -> None:
    filter = heedful.Filter("FooBot")
    url, html = pa.array([URL]), pa.array(["<p>one"])
    broken_map = pa.MapArray.from_arrays([0, 1], broken_text(b"X-Robots-Tag"), broken_text(b"noindex, \xff"))
    name = broken_text(b"<p>one \xff two")
    lists = pa.ListArray.from_arrays([0, 2], pa.concat_arrays([broken_text(b"X-Robots-Tag"), broken_text(b"\xe2noindex, none")]))
    cases: list[tuple[dict[str, pa.Array], list[str]]] = [
        ({"url": url, "html": name}, ["one \ufffd two"]),
        ({"url": url, "html": pa.DictionaryArray.from_arrays(pa.array([0]), name)}, ["one \ufffd two"]),
        ({"url": url, "html": name.cast(pa.large_string())}, ["one \ufffd two"]),
        ({"url": url, "html": broken_text(b"<meta name=robots content=noindex>\xf0\x9f")}, []),
        ({"url": broken_text(b"https://site.example/\xff"), "html": html}, ["one"]),
        ({"url": url, "html": html, "headers": broken_text(b'{"X-Robots-Tag": "noindex, \xff"}')}, []),
        ({"url": url, "html": html, "headers": broken_map}, []),
        ({"url": url, "html": html, "headers": pa.ListArray.from_arrays([0, 1], lists)}, []),
        ({"url": url, "html": html, "robots": broken_text(b"\xff\nUser-agent: *\nDisallow: /dir")}, []),
        ({"url": url, "html": html, "date": broken_text(b"\xff")}, ["one"]),
        ({"url": url, "html": html, "status": broken_text(b"200\xff")}, []),
    ]
    for columns, phrases in cases:
        batch = pa.RecordBatch.from_pydict(columns)
        assert filter.filter_batch(batch).to_pylist()[0]["phrases"] == phrases, columns
        allowed = heedful.mask_batch(batch, filter, use="index").to_pylist()[0]["allow"]["index"]
        # Of a page that is denied, no phrase is there, and the mask denies it too.
        assert allowed is bool(phrases), columns
        heedful.survey_batch(batch)
        assert heedful.census_batch(batch, filter).pages <= 1
    rules = pa.RecordBatch.from_pydict(
        {"url": pa.array(["https://site.example/robots.txt"]), "html": broken_text(b"\xff\nUser-agent: *\nDisallow: /")}
    )
    rows = filter.filter_batch(pa.RecordBatch.from_pydict({"url": url, "html": html}), robots=rules).to_pylist()
    assert rows[0]["verdict"]["enter"] is False


def test_a_bug_costs_its_own_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"url": f"https://site.example/{at}", "html": "<p>one"} for at in range(3)]
    inputs, batch = tmp_path / "pages.jsonl", pa.RecordBatch.from_pylist(lines)
    inputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setenv("HEEDFUL_PLANTED_BUG", "https://site.example/1")
    filter = heedful.Filter("FooBot")
    try:
        filter.page("<p>one", url="https://site.example/1")
        pytest.skip("a release build has no such bug")
    except heedful.Error as error:
        assert error.kind == "internal"
    for rows in (filter.filter_batch(batch).to_pylist(), heedful.read([inputs], filter).read_all().to_pylist()):
        assert [row["error"] and row["error"]["kind"] for row in rows] == [None, "internal", None]
    assert heedful.census([inputs], filter).pages == heedful.census_batch(batch, filter).pages == 2
    kinds = [row["kind"] for row in heedful.mask([inputs], filter).read_all().to_pylist()]
    assert kinds == ["page", "unknown", "page"]


def test_threads_share_all_that_may_be_shared() -> None:
    pages = [page for page in corpus_pages() if page["html"].isprintable()][:300]
    filter = heedful.Filter(["FooBot", "BarBot"], conventions="all", snapshots=True, at=datetime(2026, 1, 1, tzinfo=UTC))
    robots, batch = heedful.RobotsTxt(RULES), pa.RecordBatch.from_pylist(pages)
    one = heedful.census_batch(batch.slice(0, 10), filter)

    def asked(page: dict[str, Any]) -> object:
        try:
            found: Any = [each.to_dict() for each in filter.pages(page["html"], url=page["url"])]
        except heedful.Error as error:
            found = (error.kind, str(error))
        ruling = robots.ruling("FooBot", page["url"], at=datetime(2026, 1, 1, tzinfo=UTC)).to_dict()
        return found, ruling, heedful.words(page["html"]), (one + one).json(), one.html()

    def whole(_: int) -> object:
        return filter.filter_batch(batch).to_pylist(), heedful.mask_batch(batch, filter).to_pylist()

    alone, alone_whole = [asked(page) for page in pages], whole(0)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(asked, pages * 3)) == alone * 3
        assert list(threads.map(whole, range(8))) == [alone_whole] * 8
    # One page, read by all: its values are made when they are asked for.
    page = filter.page(PAGE, url=URL)
    expected = filter.page(PAGE, url=URL).to_json()
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: page.to_json(), range(200))) == {expected}


def test_threads_share_a_writer(cli: Cli, tmp_path: Path) -> None:
    filter = heedful.Filter("FooBot")
    pages = [filter.page(f"<p>rye number{at}", url=f"https://site.example/{at}") for at in range(200)]
    with heedful.Writer(tmp_path / "threads", filter) as writer, ThreadPoolExecutor(8) as threads:
        assert all(threads.map(writer.add, pages))
    with heedful.Writer(tmp_path / "alone", filter) as writer:
        assert all(map(writer.add, pages))
    for query in ("rye", "number7"):
        found = [
            {hit["url"] for hit in cli.run("search", "-n", "1000", "--format", "json", tmp_path / name, query)}
            for name in ("threads", "alone")
        ]
        assert found[0] == found[1] and len(found[0]) in (1, 200)
    assert cli.run("stats", "--check", "--format", "json", tmp_path / "threads") == []


def test_passes_that_other_threads_let_go_of_are_dropped() -> None:
    filter = heedful.Filter("FooBot")
    kept: list[heedful.Pass] = []
    thread = threading.Thread(target=lambda: kept.extend(filter.open(URL) for _ in range(100)))
    thread.start()
    thread.join()
    # Their thread has ended, and they with it.
    for use in (kept[0].end, lambda: kept[0].write("one")):
        with pytest.raises(RuntimeError, match="thread that opened it"):
            use()
    kept.clear()
    mine = [filter.open(URL) for _ in range(100)]
    thread = threading.Thread(target=mine.clear)
    thread.start()
    thread.join()
    assert filter.open(URL).end().phrases == []


def ended(child: Callable[[], object], seconds: float = 60) -> int:
    """Runs it in a forked child, and waits for its end. Gives 0, or 1 if it was refused as not its own."""
    with warnings.catch_warnings():
        # Python warns of forks amid threads, which is what is tried here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process == 0:
        status = 2
        try:
            child()
            status = 0
        except Exception as error:
            status = 1 if "process that opened it" in str(error) else 2
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(process, 9)
    os.waitpid(process, 0)
    pytest.fail("the child does not end")


def phrases_of(page: dict[str, str]) -> list[str]:
    """For children of multiprocessing."""
    return SHARED.page(page["html"], url=page["url"]).phrases


SHARED = heedful.Filter("FooBot")


@forks
def test_a_forked_child_works_and_ends(tmp_path: Path) -> None:
    inputs = tmp_path / "pages.jsonl"
    inputs.write_text("".join(json.dumps({"url": f"{URL}{at}", "html": PAGE}) + "\n" for at in range(200)))
    batch = pa.RecordBatch.from_pylist([{"url": URL, "html": PAGE}])

    def everything(name: str) -> None:
        assert SHARED.page(PAGE, url=URL).phrases == ["one", "three"]
        assert SHARED.filter_batch(batch).num_rows == 1
        assert heedful.read([inputs], SHARED, jobs=2).read_all().num_rows == 200
        assert heedful.mask([inputs], SHARED, jobs=2).read_all().num_rows == 200
        assert heedful.census([inputs], SHARED, jobs=2).pages == 200
        assert heedful.RobotsTxt(RULES).allowed("FooBot", URL)
        with heedful.Writer(tmp_path / name, SHARED) as writer:
            writer.add(SHARED.page(PAGE, url=URL))

    everything("parent")
    assert ended(lambda: everything("child")) == 0
    everything("parent again")

    # While other threads are in the library.
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            SHARED.page(PAGE * 50, url=URL)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert ended(lambda: heedful.Filter("BarBot").page(PAGE, url=URL)) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@forks
def test_multiprocessing_forks(tmp_path: Path) -> None:
    pages = [{"url": f"{URL}{at}", "html": f"<p>one {at}"} for at in range(100)]
    expected = [phrases_of(page) for page in pages]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(phrases_of, pages).get(60) == expected


@forks
def test_what_needs_its_own_threads_is_refused_in_a_forked_child(cli: Cli, tmp_path: Path) -> None:
    inputs = tmp_path / "pages.jsonl"
    inputs.write_text("".join(json.dumps({"url": f"{URL}{at}", "html": PAGE}) + "\n" for at in range(100)))
    writer = heedful.Writer(tmp_path / "index", SHARED)
    page = SHARED.page("<p>one", url=URL)
    assert writer.add(page)
    stream = heedful.read([inputs], SHARED, rows=10)
    stream.read_next_batch()

    def leave() -> None:
        with writer:
            pass

    assert ended(lambda: writer.add(page)) == 1
    assert ended(writer.commit) == 1
    assert ended(leave) == 1
    assert ended(writer.close) == 0
    assert ended(stream.read_next_batch) == 1
    # The parent's are as they were: nothing was taken away from them.
    assert stream.read_all().num_rows == 90
    assert writer.add(SHARED.page("<p>one", url=f"{URL}/2"))
    writer.commit()
    writer.close()
    assert len(cli.run("search", "--format", "json", tmp_path / "index", "one")) == 2
    assert cli.run("stats", "--check", "--format", "json", tmp_path / "index") == []


CHILD_THAT_EXITS = """
import os, sys, heedful
filter = heedful.Filter("FooBot")
writer = heedful.Writer(sys.argv[1], filter)
writer.add(filter.page("<p>one", url="https://site.example/"))
stream = heedful.read([sys.argv[2]], filter, rows=1)
if os.fork() == 0:
    sys.exit()  # Python lets go of all there is.
assert os.wait()[1] == 0
assert stream.read_all().num_rows == 50
writer.commit()
writer.close()
"""


@forks
def test_a_forked_child_lets_go_of_nothing(cli: Cli, tmp_path: Path) -> None:
    inputs, index = tmp_path / "pages.jsonl", tmp_path / "index"
    inputs.write_text("".join(json.dumps({"url": f"{URL}{at}", "html": PAGE}) + "\n" for at in range(50)))
    done = subprocess.run([sys.executable, "-P", "-c", CHILD_THAT_EXITS, index, inputs], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(cli.run("search", "--format", "json", index, "one")) == 1


def test_what_can_be_pickled_and_what_cannot() -> None:
    filter = heedful.Filter("FooBot", licences={URL: b"<rsl/>"}, names={URL: ["a", b"b"]}, limits={"depth": 9}, at=datetime.now(UTC))
    page, robots = filter.page(PAGE, url=URL), heedful.RobotsTxt(RULES)
    census = heedful.census_batch(pa.RecordBatch.from_pylist([{"url": URL, "html": PAGE}]), filter)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(filter, protocol))
        assert again.page(PAGE, url=URL).to_dict() == page.to_dict()
        assert pickle.loads(pickle.dumps(census, protocol)) == census
    for again in (copy.copy(filter), copy.deepcopy(filter)):
        assert again.page(PAGE, url=URL).to_dict() == page.to_dict()
    for other in (page, robots, robots.ruling("FooBot", URL), filter.open(URL), page.links[0], page.verdict):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(other)
    # A process of a pool sends its exception to the one that waits.
    with pytest.raises(heedful.Error) as raised:
        filter.page(PAGE, url="none")
    error = pickle.loads(pickle.dumps(raised.value))
    assert (type(error), error.kind, str(error)) == (heedful.Error, "url", str(raised.value))


MEMORY = """
import sys, threading
import pyarrow as pa
import heedful

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

pages, filter = int(sys.argv[1]), heedful.Filter(["FooBot", "BarBot"], snapshots=True)
html = sys.argv[2] + "<p>words <a href=/x>in</a> a list</p>" * 4
done, first = 0, 0
while done < pages:
    for at in range(done, done + 100):
        url = f"https://s{at}.example/{at}"
        page, _ = filter.pages(html, url=url, headers={f"X-{at}": "a", "X-Robots-Tag": "noarchive"}, robots=f"User-agent: b{at}")
        page.to_dict(), page.links, page.blocks, page.excerpt
        heedful.RobotsTxt(f"User-agent: b{at}\\nDisallow: /{at}").ruling(f"b{at}", url).to_dict()
    for at in range(done + 100, done + 110):
        try:
            filter.page(html, url=f"none {at}")
        except heedful.Error:
            pass
    left = []
    thread = threading.Thread(target=lambda: left.extend(filter.open(f"https://s{at}.example/") for at in range(50)))
    thread.start()
    thread.join()
    left += [filter.open(f"https://s{at}.example/") for at in range(40)]
    for unfinished in left[50:]:
        unfinished.write(html)
    thread = threading.Thread(target=left.clear)
    thread.start()
    thread.join()
    for start in range(done + 200, done + 1000, 100):
        rows = [{"url": f"https://t{at}.example/{at}", "html": html} for at in range(start, start + 100)]
        filter.filter_batch(pa.RecordBatch.from_pylist(rows)).to_pylist()
    done += 1000
    if done == pages // 5:
        first = resident()
print(first, resident())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel says it here alone")
def test_memory_does_not_grow_with_the_number_of_pages() -> None:
    """Resident memory after a fifth of the pages and after all of them: at most 16 MB lie between, whatever their number."""
    pages = int(os.environ.get("HEEDFUL_PAGES", "20000"))
    command = [sys.executable, "-P", "-c", MEMORY, str(pages), PAGE]
    # Less noise: what allocators keep for later depends on threads and on the clock.
    environment = os.environ | {"MALLOC_ARENA_MAX": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    first, last = map(int, done.stdout.split())
    print(f"{first} KB after {pages // 5:,} pages, {last} KB after {pages:,}")
    assert first > 0 and last - first < 16_000, f"{first} KB after {pages // 5}, {last} KB after {pages}"
