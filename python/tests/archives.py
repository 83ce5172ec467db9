"""Archives made for a test: pages of several hosts in some files, their robots.txt files in others."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def record(kind: str, url: str, content: bytes) -> bytes:
    """One WARC record."""
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content + b"\r\n\r\n"


def response(url: str, body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """A record of a response."""
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()), "", ""]
    return record("response", url, "\r\n".join(lines).encode() + body)


def members(records: Iterable[bytes]) -> list[bytes]:
    """Records as `.warc.gz` has them: each a gzip member of its own."""
    return [gzip.compress(content, mtime=0) for content in records]


def damaged(packed: bytes, start: int) -> bytes:
    """Packed bytes, of which some cannot be unpacked."""
    return packed[:start] + b"\xff" * 40 + packed[start + 40 :]


def archives(folder: Path, pages: Iterable[dict[str, Any]], files: int) -> list[Path]:
    """Pages over so many archives and ten hosts, some with headers; one more archive has what robots.txt files there are."""
    bodies: list[list[bytes]] = [[] for _ in range(files)]
    for number, page in enumerate(pages):
        url = f"https://host{number % 10}.example/{number}"
        headers = {"Content_Type": "text/html; charset=utf-8"}
        if number % 17 == 0:
            headers["X_Robots_Tag"] = "noindex" if number % 2 else "otherbot: nofollow, nosnippet"
        status = "404 Not Found" if number % 101 == 100 else "200 OK"
        bodies[number % files].append(response(url, page["html"].encode("utf-8", "replace"), status, **headers))
    rules = b"User-agent: *\nDisallow: /*5$\n\nUser-agent: FooBot\nDisallow: /*7$\n"
    robots = [
        response("https://host0.example/robots.txt", rules, Content_Type="text/plain"),
        response("https://host1.example/robots.txt", b"", "404 Not Found"),
        response("https://host2.example/robots.txt", b"", "503 Service Unavailable"),
        response("https://host3.example/robots.txt", b"", "301 Moved", Location="https://host4.example/robots.txt"),
        response("https://host4.example/robots.txt", b"", "302 Found", Location="https://elsewhere.example/robots.txt"),
        response("https://elsewhere.example/robots.txt", rules, Content_Type="text/plain"),
        response("https://host5.example/robots.txt", b"", "301 Moved", Location="https://nowhere.example/robots.txt"),
        record("mystery", "https://host6.example/robots.txt", b""),
    ]
    # One of them stands among pages, in another archive than most of its host's.
    bodies[0].append(response("https://host7.example/robots.txt", rules, Content_Type="text/plain"))
    paths = [folder / f"pages-{number}.warc" for number in range(files)]
    for path, body in zip(paths, bodies, strict=True):
        path.write_bytes(b"".join(body))
    known = folder / "robots.warc"
    known.write_bytes(b"".join(robots))
    return [*paths, known]


def in_order(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that can be compared whatever the order they came in."""
    return sorted(rows, key=lambda row: (row["url"], row["bot"], str(row["error"])))
