"""The responses of a Scrapy crawl as lines that the program reads: `heedful.scrapy.Responses` and `Redirects`.

Downloader middlewares write them, since neither a spider nor an item pipeline sees each robots.txt, redirect and 404.
"""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import BaseSettings
from scrapy.utils.python import to_unicode

from . import Filter, RobotsTxt, Writer, read

SHUT = b"User-agent: *\nDisallow: /"
MOST_REDIRECTS = 5
"""A robots.txt behind more of them keeps everybody out."""
kept_out = object()
"""The signal that robots.txt forbids a URL."""


class Responses:
    """Writes a line for each response to HEEDFUL_OUTPUT, and indexes them at the end as HEEDFUL_INDEX.

    A robots.txt has the meaning of its status, which Scrapy does not look at. One that cannot be fetched keeps everybody out.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler, self._filter = crawler, filter_of(crawler.settings)
        self._index: str | None = crawler.settings.get("HEEDFUL_INDEX")
        self._output: str | None = crawler.settings.get("HEEDFUL_OUTPUT")
        if self._index and not self._output:
            self._output = f"{self._index}-%(time)s.jsonl"
        self._file: BinaryIO | None = None
        crawler.signals.connect(self._received, signals.response_received)
        crawler.signals.connect(self._kept_out, kept_out)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        if not 300 <= response.status < 400 and not _is_robots(request):
            self.write(request, response)
        status = status_of(response)
        if _is_asked(request) and (status == 206 or not 200 <= status < 300):
            is_open = status != 206 and RobotsTxt(b"", status).allowed("heedful", "/")
            return response.replace(body=b"" if is_open else SHUT)
        return response

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        if not _is_asked(request):
            return None
        request.meta["dont_cache"] = True
        return Response(request.url, status=503)

    def write(self, request: Request, response: Response) -> None:
        """Writes a line for an answer to GET. The body of a file whose type says that it is no text is left out."""
        url = _first(request) if _is_robots(request) else response.url
        if not self._output or request.method != "GET" or not url.startswith("http"):
            return
        is_text = isinstance(response, TextResponse) or "Content-Type" not in response.headers or _is_robots(request)
        body = base64.b64encode(response.body if is_text else b"").decode()
        fetched = request.meta.get("cache_timestamp") if "cached" in response.flags else None
        self._line(url, fetched, status=status_of(response), headers=headers_of(response), html_b64=body)

    def _received(self, request: Request, response: Response) -> None:
        """Writes a robots.txt once all redirects and attempts are made, since one that failed would keep everybody out."""
        if _is_robots(request):
            self.write(request, response)

    def _kept_out(self, url: str, rule: str) -> None:
        """Writes a line for a URL that is not fetched. An index that has its page takes it out."""
        self._line(url, None, html="", robots=f"User-agent: *\n{rule}")

    def _line(self, url: str, fetched: float | None, **line: Any) -> None:
        if not self._output:
            return
        now = datetime.now(UTC)
        if not self._file:
            name = self._crawler.spider.name if self._crawler.spider else ""
            time = now.isoformat(timespec="seconds").replace(":", "-")
            self._file = Path(self._output % {"name": name, "time": time}).open("ab")
        date = datetime.fromtimestamp(fetched, UTC) if fetched else now
        self._file.write(json.dumps({"url": url, "date": date.isoformat(timespec="seconds"), **line}).encode() + b"\n")
        self._crawler.stats.inc_value("heedful/lines")

    def _closed(self) -> None:
        if self._file:
            self._file.close()
        if self._file and self._index:
            with Writer(self._index, self._filter) as writer:
                for _ in read([self._file.name], self._filter, writer=writer):
                    pass


class Redirects:
    """Has redirects written, which Scrapy follows before `Responses` sees them. A robots.txt is written as where they end."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        if not 300 <= response.status < 400:
            return response
        if _is_asked(request) and len(request.meta.get("redirect_urls", ())) >= MOST_REDIRECTS:
            return Response(request.url, status=503)
        responses = self._crawler.get_downloader_middleware(Responses)
        if responses and not _is_robots(request):
            responses.write(request, response)
        return response


def bot_of(settings: BaseSettings, agent: str | bytes) -> str:
    """HEEDFUL_BOT, or the product token of a user agent: FooBot of `FooBot/1.0 (+https://foo.example/bot)`."""
    agent = to_unicode(agent)
    product = agent.partition("/")[0].strip()
    # A browser's is refused, by an error that names the product that is meant.
    bot: str = settings.get("HEEDFUL_BOT") or (agent if product.lower() == "mozilla" else product)
    return bot


def filter_of(settings: BaseSettings) -> Filter:
    """By HEEDFUL_BOT, HEEDFUL_CONVENTIONS, and HEEDFUL_FILTER for what else a filter may be given."""
    bot = bot_of(settings, settings.get("ROBOTSTXT_USER_AGENT") or settings["USER_AGENT"])
    return Filter(bot, conventions=settings.get("HEEDFUL_CONVENTIONS", "web"), **settings.getdict("HEEDFUL_FILTER"))


def headers_of(response: Response) -> list[tuple[str, str]]:
    """Each line by itself, also those of one name."""
    headers = response.headers.items()
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, values in headers for value in values]


def status_of(response: Response) -> int:
    """The status; that of a part (206) for a body that is known to be cut short."""
    is_cut = 200 <= response.status < 300 and not {"dataloss", "download_stopped"}.isdisjoint(response.flags)
    return 206 if is_cut else response.status


def is_site_file(url: str) -> bool:
    """Whether a URL is that of a file about a site's pages."""
    return urlsplit(url).path in ("/robots.txt", "/.well-known/tdmrep.json")


def _first(request: Request) -> str:
    """The URL that redirects began at."""
    first: str = [*request.meta.get("redirect_urls", ()), request.url][0]
    return first


def _is_robots(request: Request) -> bool:
    return is_site_file(_first(request))


def _is_asked(request: Request) -> bool:
    """Whether Scrapy asks for a robots.txt to obey it."""
    return request.callback is NO_CALLBACK and bool(request.meta.get("dont_obey_robotstxt"))
