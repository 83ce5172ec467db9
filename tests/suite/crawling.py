"""A proxy on loopback that serves the site of each case to a crawler, and keeps what the crawler asked for.

Each case has hosts of its own: `https://site.example/a` is `http://site.example.c7.test/a` for case 7, also in its page. The
crawler is started at `/suite-start` there, which links to the page of the case: no crawler asks whether it may fetch the
page that its user names. The bot's name in the case becomes the name that the crawler listens to.
"""

import base64
import re
import threading
from collections import defaultdict
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from reading import is_named

ABSOLUTE = re.compile(rb"https?://([a-zA-Z0-9.-]*[a-zA-Z0-9])")
OURS = re.compile(r"^http://([a-zA-Z0-9.-]+)\.c(\d+)\.test")
START = "/suite-start"
# Where a bot is named: in a line of robots.txt, in a header.
IN_ROBOTS = re.compile(rb"(?im)^([^:#\r\n]*agent[^:#\r\n]*:)([^#\r\n]*)")
IN_HEAD = re.compile(rb"()([^,:;]+[:;])")
SEEN = {"page", "page_b64", "robots", "robots_b64", "robots_status"}
UNSEEN = {"tdmrep", "rsl", "now"}


class Sites:
    """The sites of all cases; a context that serves them."""

    def __init__(self, cases, token):
        self.cases = cases
        self.token = token
        self.asked = defaultdict(list)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"sites": self}))
        self.server.daemon_threads = True
        self.proxy = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def numbers(self):
        """The cases that can be asked by a crawl."""
        return [number for number, case in enumerate(self.cases) if is_crawled(case)]

    def url(self, number):
        return self.moved(self.cases[number]["url"].encode(), number).decode()

    def start(self, number):
        return urlsplit(self.url(number))._replace(path=START, query="", fragment="").geturl()

    def moved(self, data, number, named=None):
        """Data of a case with its hosts; `named` finds where the name of a bot may stand in it."""
        data = ABSOLUTE.sub(rb"http://\1.c%d.test" % number, data)
        if not named:
            return data
        name = re.compile(re.escape(self.cases[number]["bot"].encode()), re.I)
        return named.sub(lambda found: found[1] + name.sub(self.token.encode(), found[2]), data)

    def answer(self, number):
        """Whether the crawler came to the page, and where it went from there."""
        case, asked = self.cases[number], self.asked[number]
        uses = {"enter": bool(asked)}
        if not asked or not {"page", "page_b64"} & set(case):
            return {"uses": uses}
        scheme = case["url"].split(":")[0]
        links = [OURS.sub(rf"{scheme}://\1", url) for url in asked[1:]]
        if b"href" in part(case, "page").lower():
            uses["follow"] = bool(links)
        return {"uses": uses, "links": {"follow": links}}

    def response(self, url):
        """The status, headers and content at a URL."""
        target = urlsplit(url)
        ours = OURS.match(url)
        if not ours:
            return 404, [], b""
        number = int(ours.group(2))
        case = self.cases[number]
        if target.path == START:
            return 200, [], f'<!DOCTYPE html><title>Start</title><a href="{escape(self.url(number))}">on</a>'.encode()
        if target.path == "/robots.txt":
            status = case.get("robots_status", 200 if {"robots", "robots_b64"} & set(case) else 404)
            return status, [("Content-Type", "text/plain")], self.moved(part(case, "robots"), number, IN_ROBOTS)
        self.asked[number].append(url)
        if len(self.asked[number]) > 1:
            return 200, [], b"<!DOCTYPE html><title>Beyond</title>"
        head = [(name, self.moved(value.encode(), number, IN_HEAD).decode()) for name, value in case.get("head", [])]
        return 200, head, self.moved(part(case, "page"), number) or b"<!DOCTYPE html><title>Page</title>"


class Handler(BaseHTTPRequestHandler):
    sites = None

    def do_GET(self):
        status, head, content = self.sites.response(self.path)
        self.send_response(status)
        for name, value in head if any(name.lower() == "content-type" for name, _ in head) else [*head, ("Content-Type", "text/html")]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def is_crawled(case):
    """True if a crawl can show it: robots.txt itself may always be fetched, and is not asked for as a page."""
    parts = urlsplit(case["url"])
    is_address = parts.scheme in ("http", "https") and parts.path != "/robots.txt"
    can_be_sent = all(f"{name}{value}".isprintable() and f"{name}{value}".isascii() for name, value in case.get("head", []))
    return bool(SEEN & set(case)) and not UNSEEN & set(case) and is_address and can_be_sent and not is_named(case)


def part(case, name):
    if name + "_b64" in case:
        return base64.b64decode(case[name + "_b64"])
    return case.get(name, "").encode()
