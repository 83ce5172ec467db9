"""heedful in Scrapy: pages as they may be used, links that may be followed, and the crawl as lines that the program reads.

    ADDONS = {"heedful.scrapy.Addon": 500}
    HEEDFUL_BOT = "FooBot"
    HEEDFUL_OUTPUT = "crawl-%(time)s.jsonl"

A spider middleware filters, since only there a page stands beside the requests that it leads to.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Self
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.robotstxt import RobotParser as Parser
from scrapy.settings import BaseSettings
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.python import to_unicode
from w3lib.url import canonicalize_url

from . import Error, Link, Page, RobotsTxt
from ._crawl import Redirects, Responses, bot_of, filter_of, headers_of, is_site_file, kept_out, status_of

__all__ = ["Addon", "Pages", "Redirects", "Refused", "Responses", "RobotParser"]


class Addon:
    """Sets all parts. A setting of the project's own stays."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        settings.set("ROBOTSTXT_PARSER", RobotParser, "addon")
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", Pages, 950)
        # Behind the unpacking of bodies (590), and before a META refresh is followed (580).
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", Responses, 585)
        # Before a redirect is followed (600).
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", Redirects, 605)


class RobotParser(Parser):
    """A robots.txt as heedful reads it, for HEEDFUL_BOT or else for the product token of the user agent."""

    def __init__(self, crawler: Crawler, body: bytes) -> None:
        self._crawler, self._robots = crawler, RobotsTxt(body)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        return cls(crawler, robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        url = to_unicode(url)
        ruling = self._robots.ruling(bot_of(self._crawler.settings, user_agent), url)
        if not ruling.allowed:
            self._crawler.signals.send_catch_log(kept_out, url=url, rule=ruling.rule)
        return ruling.allowed

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return self._robots.ruling(bot_of(self._crawler.settings, user_agent), "/").crawl_delay


class Refused(IgnoreRequest):
    """Nothing of a page may be used, so no spider sees it."""


class Pages(BaseSpiderMiddleware):
    """Gives spiders `response.meta["heedful"]`, and drops requests for links that may not be followed.

    It is a Page. That of a file that is no HTML has no text, and says by its headers what may be done with the file. It is None
    where the status is not 2xx, and for a robots.txt.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._filter = filter_of(crawler.settings)
        self._denied: WeakKeyDictionary[Response, dict[str, str]] = WeakKeyDictionary()

    def process_spider_input(self, response: Response) -> None:
        is_page = 200 <= response.status < 300 and not is_site_file(response.url)
        response.meta["heedful"] = page = self._page(response) if is_page else None
        if page:
            self._denied[response] = _denied(page)
            self._count("pages")
            for use in ("index", "follow"):
                if not getattr(page.verdict, use):
                    self._count(f"pages/no{use}")

    def process_spider_exception(self, response: Response, exception: Exception) -> tuple[()] | None:
        return () if isinstance(exception, Refused) else None

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        if "heedful" in request.meta:
            # Copied from a response: it is of another page, and cannot be kept on disk.
            request = request.replace(meta={key: value for key, value in request.meta.items() if key != "heedful"})
        denied = self._denied.get(response) if response else None
        if not response or not denied:
            return request
        url = self._key(request.url)
        why = denied.get(url) or denied.get("")
        # A page that is asked for once more is not followed to.
        if not why or url == self._key(response.url):
            return request
        self._count(f"requests/dropped/{why}")
        return None

    def _page(self, response: Response) -> Page:
        body, headers = response.body, headers_of(response)
        if not isinstance(response, HtmlResponse):
            body, headers = b"", [header for header in headers if header[0].lower() != "content-type"]
        try:
            return self._filter.page(body, url=response.url, headers=headers, status=status_of(response))
        except Error as error:
            self._count(f"pages/refused/{error.kind}")
            raise Refused(str(error)) from error

    def _key(self, url: str) -> str:
        """A URL as it stands in a page that links there, in the form in which Scrapy compares URLs."""
        with suppress(Error):
            url = self._filter.page(b"", url=url).url
        return canonicalize_url(url)

    def _count(self, what: str) -> None:
        self.crawler.stats.inc_value(f"heedful/{what}")


def _denied(page: Page) -> dict[str, str]:
    """The links that may not be followed, each with the convention that says so. The page's own statement is under ""."""
    denied = {canonicalize_url(link.url): _convention(link) for link in page.links if not link.follow}
    for link in page.links if denied else ():
        if link.follow:
            denied.pop(canonicalize_url(link.url), None)
    if not page.verdict.follow:
        found = (exclusion.directive.convention for exclusion in page.exclusions if exclusion.use == "follow")
        denied[""] = next(found, "page")
    return denied


def _convention(link: Link) -> str:
    return link.why_not_follow.convention if link.why_not_follow else "page"
