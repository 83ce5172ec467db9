"""A Scrapy crawl of a site on loopback, and what an index of it holds."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import heedful

pytest.importorskip("scrapy")
from scrapy import Spider  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402

from heedful.scrapy import RobotParser  # noqa: E402

AGENT = "FooBot/1.0 (+https://foo.example/bot)"

SPIDER = '''
import json, sys, warnings
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import ScrapyDeprecationWarning

warnings.simplefilter("error", ScrapyDeprecationWarning)
given = json.load(sys.stdin)
told = {"pages": {}}

class Site(scrapy.Spider):
    name = "site"

    async def start(self):
        for url in given["start"]:
            yield scrapy.Request(url.split()[-1], method="HEAD" if " " in url else "GET")

    def parse(self, response):
        page = response.meta["heedful"]
        assert page is None or page.url == response.url
        told["pages"][response.url] = page and {"index": page.verdict.index, "phrases": page.phrases}
        if isinstance(response, scrapy.http.HtmlResponse):
            # The answer is of this page: it is not handed on.
            yield from response.follow_all(css="a", meta={"heedful": page, "own": 1})
            # What is no link of the page may be asked for, unless the page says nofollow.
            yield from response.follow_all(response.css("[data-next]::attr(data-next)"))

process = AsyncCrawlerProcess({"ADDONS": {"heedful.scrapy.Addon": 500}, **given["settings"]})
crawler = process.create_crawler(Site)
process.crawl(crawler)
process.start()
told["stats"] = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith(("heedful", "log_count", "scheduler/un"))}
json.dump(told, sys.stdout)
'''

Answer = tuple[int, list[tuple[str, str]], bytes]


@dataclass
class Site:
    """A site on loopback. What it answers may change, and who asked for what is kept."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def says(self, path: str, body: str | bytes, *headers: tuple[str, str], status: int = 200) -> None:
        """Answers with HTML, unless the headers say otherwise."""
        kind = [] if any(name == "Content-Type" for name, _ in headers) else [("Content-Type", "text/html; charset=utf-8")]
        self.answers[path] = status, [*kind, *headers], body.encode() if isinstance(body, str) else body

    def robots(self, body: str, status: int = 200) -> None:
        self.says("/robots.txt", body, ("Content-Type", "text/plain"), status=status)


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            if self.path not in found.answers:
                self.close_connection = True
                return
            status, headers, body = found.answers[self.path]
            self.send_response(status)
            if not any(name == "Content-Length" for name, _ in headers):
                headers = [*headers, ("Content-Length", str(len(body)))]
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Site(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()


def crawl(folder: Path, *start: str, is_quiet: bool = True, **settings: Any) -> dict[str, Any]:
    """Crawls, in a process of its own, since a reactor runs once. A site that does not answer is a warning."""
    given = {"start": start, "settings": {"USER_AGENT": AGENT, "HEEDFUL_CONVENTIONS": "all", "RETRY_TIMES": 1, **settings}}
    done = subprocess.run(
        [sys.executable, "-c", SPIDER], input=json.dumps(given).encode(), capture_output=True, cwd=folder, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    told: dict[str, Any] = json.loads(done.stdout)
    assert not is_quiet or not {"log_count/ERROR", "log_count/WARNING"} & set(told["stats"]), done.stderr.decode()
    return told


def known(cli: Cli, index: Path, site: Site) -> dict[str, str]:
    """What an index says of each path: `page`, or why it is gone."""
    urls = cli.run("stats", "--list", "--format", "json", index)
    return {row["url"].removeprefix(site.url): row["reason"] or row["state"] for row in urls}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def first_day(site: Site) -> None:
    site.robots("User-agent: foobot\nDisallow: /shut/\n\nUser-agent: *\nDisallow: /nothing/")
    paths = ["/meta", "/header", "/nofollow", "/region", "/shut/x", "/latin", "/packed", "/a.pdf", "/b.pdf", "/untyped"]
    paths += ["/refresh", "/missing", "/moved", "/later", "/gone", "/old", "/private/x"]
    links = "".join(f"<a href={path}>to{path.replace('/', '-')}</a> " for path in paths)
    denied = f"<a href=/hidden?b=1&a=2#x rel=nofollow>h</a> <a href={site.url.replace('127.0.0.1', '127.1')}/host rel=nofollow>h</a>"
    both = "<a href=/both rel=nofollow>n</a> <a href=/both>b</a>"
    site.says("/", f"<p data-next=/unlinked>home {links} {denied} {both}")
    site.says("/meta", "<meta name=robots content=noindex><p>metaword <a href=/from-meta>m</a>")
    site.says("/header", "<p>headerword", ("X-Robots-Tag", "foobot: noindex"), ("X-Robots-Tag", "barbot: nofollow"))
    site.says("/nofollow", "<meta name=robots content=nofollow><p data-next=/beyond-too>nofollowword <a href=/beyond>b</a> <a href=#here>h</a>")
    site.says("/region", "<p>shownword <span class=robots-noindex>hiddenword</span> behindword")
    site.says("/latin", "<p>caféword".encode("latin-1"), ("Content-Type", "text/html; charset=iso-8859-1"))
    site.says("/packed", gzip.compress(b"<p>packedword"), ("Content-Encoding", "gzip"), ("Content-Type", "text/html"))
    site.says("/a.pdf", b"%PDF-1.7 \0\1", ("Content-Type", "application/pdf"), ("X-Robots-Tag", "noindex"))
    site.says("/b.pdf", b"%PDF-1.7 \0\1", ("Content-Type", "application/pdf"))
    site.answers["/untyped"] = 200, [], b"\x89PNG\r\n\x1a\n\0\0"
    site.says("/missing", "<p>missingword", status=404)
    site.says("/refresh", "<meta http-equiv=refresh content='0; url=/both'><p>refreshword")
    site.says("/moved", "", ("Location", "/both"), status=301)
    for path in ("/both", "/later", "/gone", "/old", "/private/x", "/from-meta", "/shut/x", "/beyond", "/beyond-too", "/hidden?b=1&a=2", "/host", "/unlinked"):
        site.says(path, f"<p>{path[1:].split('/')[0]}word")


def second_day(site: Site) -> None:
    site.robots("User-agent: foobot\nDisallow: /shut/\nDisallow: /private/")
    site.says("/later", "<meta name=foobot content=noindex><p>laterword")
    site.says("/gone", "<p>no more", status=410)
    site.says("/old", "", ("Location", "/both"), status=308)
    site.says("/both", "<p>bothword again")


FIRST = {
    **dict.fromkeys(["/", "/nofollow", "/region", "/latin", "/packed", "/both", "/later", "/gone", "/old"], "page"),
    **dict.fromkeys(["/private/x", "/from-meta", "/refresh", "/unlinked"], "page"),
    **dict.fromkeys(["/meta", "/header"], "noindex"),
    "/shut/x": "robots.txt",
}
SECOND = FIRST | {"/later": "noindex", "/gone": "status 410", "/old": "status 308", "/private/x": "robots.txt"}


def test_an_index_holds_what_it_may_after_each_crawl(site: Site, tmp_path: Path, cli: Cli) -> None:
    index, files = tmp_path / "index", [tmp_path / "1.jsonl", tmp_path / "2.jsonl"]
    own, pdfs = tmp_path / "own", [site.url + "/a.pdf", site.url + "/b.pdf"]
    for day, file, expected in zip((first_day, second_day), files, (FIRST, SECOND), strict=True):
        day(site)
        site.asked.clear()
        told = crawl(tmp_path, site.url + "/", HEEDFUL_OUTPUT=str(file), HEEDFUL_INDEX=str(own))
        cli.run("index", "--quiet", "--bot", "FooBot", "--conventions", "all", "-o", index, file)
        assert known(cli, index, site) == known(cli, own, site) == expected
        assert site.asked.count("/robots.txt") == 1 and site.asked.count("/") == 1
        for path in ("/shut/x", "/beyond", "/beyond-too", "/hidden?b=1&a=2", "/host"):
            assert path not in site.asked
        assert told["stats"]["heedful/lines"] == len(lines(file))
        assert {row["url"]: row["html_b64"] for row in lines(file) if row["url"].endswith(".pdf")} == dict.fromkeys(pdfs, "")
    assert "/private/x" not in site.asked
    for word, paths in (("shownword", {"/region"}), ("hiddenword", set()), ("caféword", {"/latin"}), ("packedword", {"/packed"})):
        hits = cli.run("search", "--format", "json", index, word)
        assert {hit["url"].removeprefix(site.url) for hit in hits} == paths
    assert [hit["url"] for hit in cli.run("search", "--format", "json", index, "bothword again")] == [site.url + "/both"]
    assert cli.run("search", "--format", "json", index, '"shownword behindword"') == []


def test_it_does_not_matter_where_robots_txt_stands(site: Site, tmp_path: Path, cli: Cli) -> None:
    first_day(site)
    crawl(tmp_path, site.url + "/", HEEDFUL_OUTPUT="crawl.jsonl")
    # As by a crawler that does not obey it: the page is there.
    private = {"url": site.url + "/shut/x", "status": 200, "html": "<p>shutword"}
    all_lines = [line for line in lines(tmp_path / "crawl.jsonl") if line["url"] != private["url"]] + [private]
    robots = [line for line in all_lines if line["url"].endswith("/robots.txt")]
    pages = [line for line in all_lines if line not in robots]
    assert len(robots) == 1 and len(pages) > 15
    for name, order in (("first", robots + pages), ("last", pages + robots), ("middle", pages[:8] + robots + pages[8:])):
        file, index = tmp_path / f"{name}.jsonl", tmp_path / name
        file.write_text("\n".join(map(json.dumps, order)))
        cli.run("index", "--quiet", "--bot", "FooBot", "--conventions", "all", "-o", index, file)
        assert known(cli, index, site) == FIRST


def test_a_spider_sees_what_may_be_used(site: Site, tmp_path: Path) -> None:
    first_day(site)
    site.says("/twice", "<p>one <div <p>two <select><xmp>")
    site.says("/start", "<a href=/twice>t</a> <a href=/>h</a>", ("Link", "</x>; rel=next"))
    told = crawl(tmp_path, site.url + "/start", site.url + "/robots.txt", JOBDIR="job")
    assert "scheduler/unserializable" not in told["stats"]
    pages = {url.removeprefix(site.url): page for url, page in told["pages"].items()}
    assert pages["/region"] == {"index": True, "phrases": ["shownword", "behindword"]}
    assert pages["/meta"] == {"index": False, "phrases": []} == pages["/header"]
    assert pages["/latin"]["phrases"] == ["caféword"]
    # A file that is no page is judged by its headers.
    assert pages["/a.pdf"] == {"index": False, "phrases": []} and pages["/b.pdf"] == {"index": True, "phrases": []}
    assert pages["/robots.txt"] is None
    # The markup has two readings, so nothing of it is used.
    assert "/twice" in site.asked and "/twice" not in pages
    stats = {name.removeprefix("heedful/"): value for name, value in told["stats"].items() if name.startswith("heedful")}
    assert stats == {
        "pages": len(pages) - 1,
        "pages/noindex": 3,
        "pages/nofollow": 1,
        "pages/refused/ambiguous": 1,
        "requests/dropped/rel": 2,
        "requests/dropped/meta": 2,
    }
    assert list(tmp_path.iterdir()) == [tmp_path / "job"]


def test_the_readme_is_true(site: Site, tmp_path: Path, cli: Cli) -> None:
    first_day(site)
    told = (Path(__file__).resolve().parents[1] / "README.md").read_text().split("\n## Scrapy\n")[1].split("\n## ")[0]
    spider, commands = (told.split(f"```{kind}\n")[1].split("```")[0] for kind in ("python", "sh"))
    assert spider.count("https://site.example/") == 1
    (tmp_path / "rye.py").write_text(spider.replace("https://site.example", site.url))
    folders = [str(Path(sys.executable).parent), str(cli.program.resolve().parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(folders)}
    done = subprocess.run(["bash", "-ec", commands], cwd=tmp_path, env=environment, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    # It follows links alone.
    assert known(cli, tmp_path / "index", site) == {path: state for path, state in FIRST.items() if path != "/unlinked"}
    items = {row["url"].removeprefix(site.url): row["phrases"] for row in lines(tmp_path / "items.jsonl")}
    # A file without text may be indexed too, if its headers say nothing else.
    assert set(items) == {path for path, state in FIRST.items() if state == "page"} - {"/refresh", "/unlinked"} | {"/b.pdf", "/untyped"}
    settings = {word.strip("`") for word in told.replace("|", " ").split() if word.startswith("`HEEDFUL_")}
    sources = "".join(path.read_text() for path in Path(heedful.__file__).parent.glob("*.py"))
    assert len(settings) == 5 and all(f'"{setting}"' in sources for setting in settings)


@pytest.mark.parametrize(
    ("status", "body", "is_open"),
    [
        (404, "User-agent: *\nDisallow: /", True),
        (403, "", True),
        (429, "", False),
        (503, "User-agent: *\nDisallow:", False),
        (None, "", False),
    ],
)
def test_a_robots_txt_means_what_its_status_means(
    site: Site, tmp_path: Path, cli: Cli, status: int | None, body: str, is_open: bool
) -> None:
    site.says("/", "<p>homeword")
    if status is not None:
        site.robots(body, status)
    crawl(tmp_path, site.url + "/", is_quiet=False, HEEDFUL_OUTPUT="crawl.jsonl")
    assert ("/" in site.asked) is is_open
    rows = lines(tmp_path / "crawl.jsonl")
    assert [row["status"] for row in rows if row["url"].endswith("robots.txt")] == [status or 503]
    cli.run("index", "--quiet", "--bot", "FooBot", "-o", tmp_path / "index", tmp_path / "crawl.jsonl")
    assert known(cli, tmp_path / "index", site) == {"/": "page" if is_open else "robots.txt"}


def test_a_robots_txt_that_came_at_the_second_attempt_counts(site: Site, tmp_path: Path, cli: Cli) -> None:
    class Once(dict[str, Answer]):
        def __getitem__(self, path: str) -> Answer:
            answer = super().__getitem__(path)
            if path == "/robots.txt" and site.asked.count(path) == 1:
                return 503, answer[1], answer[2]
            return answer

    site.answers = Once()
    site.says("/", "<p>homeword")
    site.robots("User-agent: *\nDisallow: /x")
    crawl(tmp_path, site.url + "/", is_quiet=False, HEEDFUL_OUTPUT="crawl.jsonl")
    assert site.asked == ["/robots.txt", "/robots.txt", "/"]
    cli.run("index", "--quiet", "--bot", "FooBot", "-o", tmp_path / "index", tmp_path / "crawl.jsonl")
    assert known(cli, tmp_path / "index", site) == {"/": "page"}


def test_a_robots_txt_is_where_its_redirects_end(site: Site, tmp_path: Path, cli: Cli) -> None:
    site.says("/", "<p>homeword <a href=/x/y>x</a> <a href=/z>z</a>")
    site.says("/z", "<p>zword")
    site.says("/robots.txt", "", ("Location", "/1"), status=302)
    site.says("/1", "", ("Location", "/rules.txt"), status=301)
    site.says("/rules.txt", "User-agent: foobot\nDisallow: /x/", ("Content-Type", "application/octet-stream"))
    crawl(tmp_path, site.url + "/", HEEDFUL_OUTPUT="crawl.jsonl", HEEDFUL_INDEX="index")
    robots, *_ = lines(tmp_path / "crawl.jsonl")
    body = base64.b64encode(site.answers["/rules.txt"][2]).decode()
    assert (robots["url"], robots["status"], robots["html_b64"]) == (site.url + "/robots.txt", 200, body)
    assert sorted(site.asked) == ["/", "/1", "/robots.txt", "/rules.txt", "/z"]
    assert known(cli, tmp_path / "index", site) == {"/": "page", "/z": "page", "/x/y": "robots.txt"}
    # In a circle.
    site.says("/1", "", ("Location", "/robots.txt"), status=301)
    crawl(tmp_path, site.url + "/", is_quiet=False, HEEDFUL_OUTPUT="circle.jsonl", HEEDFUL_INDEX="index")
    assert site.asked.count("/") == 1
    assert known(cli, tmp_path / "index", site) == {"/": "robots.txt", "/z": "page", "/x/y": "robots.txt"}


def test_a_body_that_is_cut_short_is_no_page(site: Site, tmp_path: Path, cli: Cli) -> None:
    site.robots("")
    site.says("/", "<p>one", ("Content-Length", "100"))
    told = crawl(tmp_path, site.url + "/", is_quiet=False, HEEDFUL_OUTPUT="crawl.jsonl", DOWNLOAD_FAIL_ON_DATALOSS=False)
    assert told["pages"] == {} and told["stats"]["heedful/pages/refused/input"] == 1
    assert [row["status"] for row in lines(tmp_path / "crawl.jsonl")] == [200, 206]


def test_an_answer_to_head_is_no_page(site: Site, tmp_path: Path) -> None:
    site.robots("")
    site.says("/", b"")
    crawl(tmp_path, f"HEAD {site.url}/", HEEDFUL_OUTPUT="crawl.jsonl")
    assert site.asked == ["/robots.txt", "/"]
    assert [row["url"] for row in lines(tmp_path / "crawl.jsonl")] == [site.url + "/robots.txt"]


def test_a_cached_answer_has_the_date_of_its_fetch(site: Site, tmp_path: Path) -> None:
    """An answer that there was not is not cached."""
    site.says("/", "<p>homeword")
    settings: dict[str, Any] = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path / "cache"), "is_quiet": False}
    crawl(tmp_path, site.url + "/", HEEDFUL_OUTPUT="1.jsonl", **settings)
    assert "/" not in site.asked
    site.robots("")
    crawl(tmp_path, site.url + "/", HEEDFUL_OUTPUT="2.jsonl", **settings)
    assert site.asked.count("/") == 1
    time.sleep(1.1)
    crawl(tmp_path, site.url + "/", HEEDFUL_OUTPUT="3.jsonl", **settings)
    assert site.asked.count("/") == 1
    assert lines(tmp_path / "3.jsonl") == lines(tmp_path / "2.jsonl") and len(lines(tmp_path / "2.jsonl")) == 2


@pytest.mark.parametrize(
    ("settings", "agent", "is_allowed"),
    [
        ({}, "FooBot/1.0", False),
        ({}, b"FooBot/2.0 (+https://foo.example/bot)", False),
        ({}, "BarBot", True),
        ({"HEEDFUL_BOT": "FooBot"}, "Mozilla/5.0 (compatible; FooBot/1.0)", False),
        ({"HEEDFUL_BOT": "BarBot=FooBot"}, "x", False),
        ({"HEEDFUL_BOT": "BarBot"}, "FooBot/1.0", True),
    ],
)
def test_the_parser_knows_the_bot(settings: dict[str, Any], agent: str | bytes, is_allowed: bool) -> None:
    crawler = get_crawler(Spider, settings)
    parser = RobotParser.from_crawler(crawler, b"\xef\xbb\xbfUser-agent: foobot\nDisallow: /x*y$\nCrawl-delay: 2.5")
    assert parser.allowed("https://site.example/x/y", agent) is is_allowed
    assert parser.allowed(b"https://site.example/x/yz", agent) is True
    assert parser.crawl_delay(agent) == (None if is_allowed else 2.5)


def test_a_user_agent_that_names_no_bot_is_refused() -> None:
    parser = RobotParser.from_crawler(get_crawler(Spider), b"")
    with pytest.raises(heedful.Error, match="give the product token alone: FooBot"):
        parser.allowed("https://site.example/", "Mozilla/5.0 (compatible; FooBot/1.0)")
