"""Where archives are stored: how an address is spelled, how what stands there becomes a file of this machine, and what trouble a store
can make.

Spark's users write addresses as Hadoop's file systems spell them, and pyarrow opens them under other names. One table has both.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import os
import random
import re
import shutil
import socket
import ssl
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from pyarrow import fs

from ._given import setting

RANGE = 8 << 20
"""So many bytes of an archive are asked for at a time; an object store counts, and answers, each request."""

PAUSES = (1.0, 2.0, 4.0)
"""Seconds between attempts, where trouble may pass. Spark's own attempts come on top."""

LONGEST_PAUSE = 60.0
"""A server that asks for a longer pause (Retry-After) gets this one."""

SILENCE = 120
"""After so many seconds without a byte a connection counts as broken."""

NOT_THERE = "it is not there"
REFUSED = "the store refuses it"

_PASSING = {429, 500, 502, 503, 504}

_FILE, _HTTP = "open", "urllib"
_AZURE, _GCS, _HDFS, _S3 = "AzureFileSystem", "GcsFileSystem", "HadoopFileSystem", "S3FileSystem"


class _Spelling(NamedTuple):
    """How addresses of a scheme look, what opens them, and how that spells them."""

    scheme: str
    pattern: str
    opener: str
    address: str
    form: str = "SCHEME://PLACE/PATH"


_BLOB = "SCHEME://CONTAINER@ACCOUNT.blob.core.windows.net/PATH"

_SPELLINGS = (
    _Spelling("file", r"file:/+(.*)", _FILE, r"/\1"),
    # Databricks mounts it on all machines.
    _Spelling("dbfs", r"dbfs:/+(.*)", _FILE, r"/dbfs/\1"),
    _Spelling("http", r"(http://.+)", _HTTP, r"\1"),
    _Spelling("https", r"(https://.+)", _HTTP, r"\1"),
    _Spelling("s3", r"s3://(.+)", _S3, r"s3://\1"),
    _Spelling("s3a", r"s3a://(.+)", _S3, r"s3://\1"),
    _Spelling("s3n", r"s3n://(.+)", _S3, r"s3://\1"),
    _Spelling("gs", r"gs://(.+)", _GCS, r"gs://\1"),
    _Spelling("gcs", r"gcs://(.+)", _GCS, r"gs://\1"),
    _Spelling("abfs", r"abfs://(.+)", _AZURE, r"abfs://\1"),
    _Spelling("abfss", r"abfss://(.+)", _AZURE, r"abfss://\1"),
    # pyarrow reads the container from in front of the host only if the host is the other of the account's two.
    _Spelling("wasb", r"wasb://([^/@]+@[^/@]+)\.blob\.(core\.windows\.net/.+)", _AZURE, r"abfs://\1.dfs.\2", _BLOB),
    _Spelling("wasbs", r"wasbs://([^/@]+@[^/@]+)\.blob\.(core\.windows\.net/.+)", _AZURE, r"abfss://\1.dfs.\2", _BLOB),
    _Spelling("hdfs", r"hdfs:(/.+)", _HDFS, r"hdfs:\1"),
    _Spelling("viewfs", r"viewfs:(/.+)", _HDFS, r"viewfs:\1"),
    # What is none of these, through a package that a user installs.
    _Spelling("fsspec", r"(fsspec\+.+)", "FSSpecHandler", r"\1"),
)
_BY_SCHEME = {spelling.scheme: spelling for spelling in _SPELLINGS}
# A single letter is a drive of Windows.
_SCHEME = re.compile(r"([a-z][a-z0-9.-]+)(\+[a-z0-9.+-]+)?:(?=/)", re.IGNORECASE)

# What pyarrow has of an answer with 403 is its text.
_REFUSALS = re.compile(r"AWS Error ACCESS_DENIED|PERMISSION_DENIED|Azure Error: \[(Authorization|InsufficientAccountPermissions)")


class Absent(Exception):
    """An archive cannot be had: it is not there, or the store refuses it. That costs this archive alone, and another attempt would
    say the same. Other things that are missing, as room for a copy, are other errors.
    """


class BrokenOff(OSError):
    """A copy has fewer bytes than its store promised."""


class NoRoom(OSError):
    """The temporary folder cannot take a copy: it has no room, or nothing can be written there. That is the machine's trouble, and
    not the archive's.
    """


class _Place(NamedTuple):
    """What opens an address, and how that spells it."""

    opener: str
    address: str

    def filesystem(self) -> tuple[Any, str]:
        """The file system of pyarrow, and the path in it."""
        if self.opener == _FILE:
            return fs.LocalFileSystem(), str(Path(self.address).absolute())
        filesystem, path = fs.FileSystem.from_uri(self.address)
        return filesystem, path


def check_addresses(what: str, addresses: list[str]) -> None:
    """Refuses what no task could open. `what` is the argument that has them."""
    for address in addresses:
        _place(address, what)


def _place(address: str, what: str = "archives") -> _Place:
    found = _SCHEME.match(address)
    if found is None:
        return _Place(_FILE, address)
    scheme = found[0][:-1]
    spelling = _BY_SCHEME.get(found[1].lower())
    if spelling is None:
        told = f"nothing opens `{scheme}:` here. Mount it on all machines and name the folder, or install its fsspec package"
        raise setting(f"{what}: {address}: {told} on all machines and write `fsspec+{scheme}://`")
    match = re.fullmatch(spelling.pattern, spelling.scheme + address[len(found[1]) :], re.DOTALL)
    if match is None:
        raise setting(f"{what}: {address}: an address of `{scheme}:` has the form {spelling.form}")
    if spelling.opener not in (_FILE, _HTTP) and spelling.opener not in vars(fs):
        told = f"this pyarrow is built without {spelling.opener}: install another build of it on all machines"
        raise setting(f"{what}: {address}: {told}")
    return _Place(spelling.opener, match.expand(spelling.address))


def local_path(address: str, what: str = "archives") -> str | None:
    """Where the file or folder stands on this machine, if it does."""
    place = _place(address, what)
    return place.address if place.opener == _FILE else None


def check_writable(what: str, folder: str) -> None:
    """Refuses a folder in which nothing can be written: it is made, and a file in it is written and deleted."""
    place = _place(folder, what)
    if place.opener == _HTTP:
        raise setting(f"{what}: {folder}: a web server takes no files. Name a folder, or an object store")
    try:
        filesystem, path = place.filesystem()
        marker = f"{path.rstrip('/')}/heedful-{uuid.uuid4().hex[:12]}"
        filesystem.create_dir(path)
        with filesystem.open_output_stream(marker) as file:
            file.write(b"heedful looks if it may write here\n")
        filesystem.delete_file(marker)
    except (OSError, ValueError) as error:
        raise setting(f"{what}: nothing can be written to {folder}: {error}") from error


def inside(folder: str, name: str) -> str:
    """The address of something in a folder; what an address has behind its path stays there."""
    if local_path(folder) is not None:
        return f"{folder.rstrip('/')}/{name}"
    path, mark, query = folder.partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{query}"


def put(folder: str, address: str) -> None:
    """Copies a folder of this machine to a store."""
    filesystem, path = _place(address).filesystem()
    fs.copy_files(folder, path, destination_filesystem=filesystem)


@contextlib.contextmanager
def local(archive: str) -> Iterator[str]:
    """The archive as a file of this machine: itself, or a copy that has every byte as it is stored."""
    place = _place(archive)
    if place.opener == _FILE:
        with _opening():
            Path(place.address).stat()
            if not os.access(place.address, os.R_OK):
                raise PermissionError(place.address)
        yield place.address
        return
    # A damaged archive is told by its name, so the copy has it, without what a URL has behind it.
    with temporary(Path(urlsplit(place.address).path).name[-40:]) as copy:
        _copied(place, copy)
        yield copy.name


@contextlib.contextmanager
def temporary(suffix: str) -> Iterator[IO[bytes]]:
    """A file in the temporary folder. It has no buffer, so what is written to it is there, or the writing fails."""
    # Where it cannot be made, the error has its path, or the folders that were tried.
    with contextlib.ExitStack() as stack:
        with _writing(""):
            file = stack.enter_context(tempfile.NamedTemporaryFile(suffix=suffix, buffering=0))
        yield file


@contextlib.contextmanager
def _writing(folder: str) -> Iterator[None]:
    """What is wrong with the temporary folder."""
    try:
        yield
    except OSError as error:
        place = f"the temporary folder {folder}".rstrip()
        raise NoRoom(f"nothing can be written to {place}: {error}: TMPDIR names another") from error


def written(parts: Iterable[bytes], file: IO[bytes]) -> None:
    """Writes all of the parts to a file of `temporary`."""
    for part in parts:
        rest = memoryview(part)
        while rest:
            with _writing(str(Path(file.name).parent)):
                rest = rest[file.write(rest) :]


def _copied(place: _Place, copy: IO[bytes]) -> None:
    """The whole of it, tried again where trouble may pass."""
    for pause in PAUSES:
        try:
            return _copied_once(place, copy)
        except Exception as error:
            if not _may_pass(error):
                raise
            time.sleep(_pause(error, pause))
    _copied_once(place, copy)


def _copied_once(place: _Place, copy: IO[bytes]) -> None:
    copy.seek(0)
    copy.truncate()
    remote, size = _opened(place)
    with remote:
        folder = Path(copy.name).parent
        free = shutil.disk_usage(folder).free
        if size is not None and free < size:
            raise NoRoom(f"the temporary folder {folder} has {free:,} bytes free, and the archive has {size:,}: TMPDIR names another")
        written(iter(lambda: remote.read(RANGE), b""), copy)
    if size is not None and copy.tell() != size:
        raise BrokenOff(f"the connection broke off: {copy.tell()} of {size} bytes came")


def _opened(place: _Place) -> tuple[Any, int | None]:
    """The stored bytes, and how many there are. None means that reading them fails where the end is missing."""
    with _opening():
        if place.opener == _HTTP:
            return _answered(place.address)
        filesystem, path = place.filesystem()
        # Not as a stream: pyarrow unpacks those, and does not know their size.
        file = filesystem.open_input_file(path)
    return file, file.size()


def _answered(address: str) -> tuple[Any, int | None]:
    response = urllib.request.urlopen(address, timeout=SILENCE)
    # http.client raises where chunks are missing, and is silent where the rest of a length is.
    if response.length is None and not response.chunked:
        response.close()
        raise OSError("the server does not say how long it is, so a part could not be told from the whole")
    return response, response.length


@contextlib.contextmanager
def _opening() -> Iterator[None]:
    """Only the opening of an archive says that it cannot be had."""
    try:
        yield
    except OSError as error:
        status = error.code if isinstance(error, urllib.error.HTTPError) else None
        if status in (404, 410) or isinstance(error, FileNotFoundError | NotADirectoryError):
            raise Absent(NOT_THERE) from error
        if status == 403 or isinstance(error, PermissionError) or _REFUSALS.search(str(error)):
            raise Absent(REFUSED) from error
        raise


def _may_pass(error: BaseException) -> bool:
    """Whether another attempt may end otherwise. What pyarrow reads is tried again by its clients."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _PASSING
    if isinstance(error, urllib.error.URLError):
        return isinstance(error.reason, BaseException) and _may_pass(error.reason)
    broken = (BrokenOff, ConnectionError, TimeoutError, http.client.HTTPException, ssl.SSLEOFError, socket.gaierror)
    return isinstance(error, broken)


def _pause(error: BaseException, pause: float) -> float:
    """Seconds until the next attempt: as the server asks, or else about so many, so that tasks do not come back at once."""
    asked = error.headers.get("Retry-After", "") if isinstance(error, urllib.error.HTTPError) else ""
    seconds = pause * random.uniform(0.75, 1.25)
    if asked.strip().isdecimal():
        seconds = float(asked)
    elif asked:
        with contextlib.suppress(ValueError):
            when = email.utils.parsedate_to_datetime(asked)
            seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), LONGEST_PAUSE)
