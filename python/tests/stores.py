"""Object stores for a test: a server on loopback that speaks as much HTTP and S3 as readers of archives need, and counts what is asked of
it. It can break off in the middle of an answer.
"""

from __future__ import annotations

import contextlib
import io
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUCKET = "crawl"


class Store(ThreadingHTTPServer):
    """Objects by name, under /crawl/."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.objects: dict[str, bytes] = {}
        self.statuses: dict[str, int] = {}
        """Answers that are no object, by its name."""
        self.breaks: dict[str, int] = {}
        """So many more answers to a GET break off in the middle."""
        self.troubles: dict[str, list[tuple[int, str]]] = {}
        """Answers that come first, by an object's name: statuses, and what their Retry-After says."""
        self.delays: dict[str, float] = {}
        """Seconds until an answer begins, by an object's name."""
        self.framing = "length"
        """`length`, `chunks`, or `close`: how an answer tells where it ends."""
        self.gets: list[int] = []
        """The bytes sent for each GET."""
        self.heads = 0
        self.is_shut = False
        """Whether nobody may write."""

    def http(self, name: str) -> str:
        """The address of an object for everybody."""
        return f"http://127.0.0.1:{self.server_port}/{BUCKET}/{name}"

    def s3(self, name: str) -> str:
        """The address of an object for pyarrow, with all that it must know."""
        return f"s3://key:secret@{BUCKET}/{name}?endpoint_override=127.0.0.1:{self.server_port}&scheme=http&region=here"


@contextlib.contextmanager
def store() -> Iterator[Store]:
    """A store while it serves."""
    server = Store()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def _unchunked(stream: io.BufferedIOBase) -> bytes:
    """What comes in chunks, without the lines around them."""
    content = b""
    while size := int(stream.readline().partition(b";")[0], 16):
        content += stream.read(size)
        stream.readline()
    while stream.readline().strip():
        pass
    return content


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Store

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.server.heads += 1
        self._answer(is_head=True)

    def do_GET(self) -> None:
        self._answer(is_head=False)

    def do_POST(self) -> None:
        """Begins and ends an object in parts; each has one here."""
        self._read()
        name = self.path.partition("?")[0].removeprefix(f"/{BUCKET}/")
        kind = "Initiate" if "uploadId" not in self.path else "Complete"
        ids = f"<Bucket>{BUCKET}</Bucket><Key>{name}</Key><UploadId>one</UploadId><ETag>one</ETag>"
        self._say(403 if self.server.is_shut else 200, f"<{kind}MultipartUploadResult>{ids}</{kind}MultipartUploadResult>")

    def do_PUT(self) -> None:
        content = self._read()
        if self.server.is_shut:
            self._say(403)
            return
        self.server.objects[self.path.partition("?")[0].removeprefix(f"/{BUCKET}/")] = content
        self._say(200, ETag='"one"')

    def do_DELETE(self) -> None:
        self.server.objects.pop(self.path.partition("?")[0].removeprefix(f"/{BUCKET}/"), None)
        self._say(204)

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        content = _unchunked(self.rfile)
        is_signed = self.headers.get("Content-Encoding") == "aws-chunked"
        return _unchunked(io.BytesIO(content)) if is_signed else content

    def _say(self, status: int, text: str = "", **headers: str) -> None:
        """An answer that is no object."""
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def _answer(self, is_head: bool) -> None:
        name = self.path.partition("?")[0].removeprefix(f"/{BUCKET}/")
        if name in self.server.delays:
            time.sleep(self.server.delays[name])
        if self.server.troubles.get(name):
            status, pause = self.server.troubles[name].pop(0)
            self._say(status, Retry_After=pause)
            return
        if name.strip("/") == BUCKET:
            # It is asked for itself, and for what it holds.
            self._say(200, "" if is_head else f"<ListBucketResult><Name>{BUCKET}</Name></ListBucketResult>")
            return
        content = self.server.objects.get(name)
        status = self.server.statuses.get(name, 200 if content is not None else 404)
        if content is None or status != 200:
            self._say(status)
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        part = content[int(asked[1]) : int(asked[2]) + 1] if asked else content
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {asked[1]}-{int(asked[1]) + len(part) - 1}/{len(content)}")
        self.send_header("ETag", '"one"')
        self.send_header("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
        framing = self.server.framing
        if framing == "length":
            self.send_header("Content-Length", str(len(part)))
        elif framing == "chunks":
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        if is_head:
            return
        is_broken = self.server.breaks.get(name, 0) > 0
        if is_broken:
            self.server.breaks[name] -= 1
        sent = part[: len(part) // 2] if is_broken else part
        self.server.gets.append(len(sent))
        with contextlib.suppress(ConnectionError):
            self.wfile.write(b"%x\r\n" % len(part) + sent if framing == "chunks" else sent)
            if framing == "chunks" and not is_broken:
                self.wfile.write(b"\r\n0\r\n\r\n")
        if is_broken or framing == "close":
            self.close_connection = True
