"""Archives as the tasks of Spark read them: every byte as it is stored, and an error where one is missing."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import accumulate, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from archives import damaged, members, response
from stores import Store, store

import heedful

pytest.importorskip("pyspark")
from heedful import _archives, _stores  # noqa: E402

SCHEMES = ["http", "s3"]
FILTER = heedful.Filter("FooBot")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    # Without it the client looks for a machine of Amazon's around it.
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(_stores, "PAUSES", (0.01, 0.02, 0.04))
    with store() as server:
        yield server


def address(server: Store, scheme: str, name: str) -> str:
    return server.s3(name) if scheme == "s3" else server.http(name)


def copied(archive: str) -> bytes:
    with _stores.local(archive) as path:
        return Path(path).read_bytes()


def surveyed(*archives: str) -> list[pa.RecordBatch]:
    """What the first stage finds."""
    return list(_archives._survey(iter([pa.RecordBatch.from_pydict({"archive": archives})]), FILTER))


def pages(count: int) -> list[bytes]:
    noise = random.Random(1)
    return [response(f"https://a.example/{at}", noise.randbytes(900).hex().encode(), Content_Type="text/html") for at in range(count)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_copy_has_each_byte_of_an_archive_as_it_is_stored(server: Store, scheme: str) -> None:
    whole = b"".join(members(pages(30)))
    stored = {
        "whole.warc.gz": whole,
        "damaged.warc.gz": damaged(whole, len(whole) // 2),
        "cut.warc.gz": whole[:-100],
        "empty.warc.gz": b"",
        "whole.warc": gzip.decompress(whole),
        "whole.warc.bz2": b"BZh9 is no bzip2",
        "whole.warc.zst": b"\x28\xb5\x2f\xfd is no frame",
    }
    server.objects |= stored
    for name, content in stored.items():
        assert copied(address(server, scheme, name)) == content, name


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_store_is_asked_for_large_ranges(server: Store, scheme: str) -> None:
    content = random.Random(1).randbytes(20_000_000)
    server.objects["x.warc.gz"] = content
    assert copied(address(server, scheme, "x.warc.gz")) == content
    assert sum(server.gets) == len(content)
    assert (len(server.gets), server.heads) == ((3, 1) if scheme == "s3" else (1, 0))


def test_a_damaged_archive_is_told_by_its_name_whatever_stands_behind_it(server: Store) -> None:
    (member,) = members(pages(1))
    server.objects["x.warc.gz"] = damaged(member, 20)
    for archive in (server.s3("x.warc.gz"), server.http("x.warc.gz?signature=" + "0" * 100)):
        with _stores.local(archive) as path:
            assert path.endswith("x.warc.gz")
        (found,) = surveyed(archive)
        assert found.column("absent").null_count == found.num_rows


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_a_connection_that_breaks_off_is_an_error(server: Store, framing: str) -> None:
    server.framing = framing
    server.objects["x.warc.gz"] = content = b"".join(members(pages(300)))
    archive = server.http("x.warc.gz")
    assert copied(archive) == content
    server.breaks["x.warc.gz"] = 3
    assert copied(archive) == content
    server.breaks["x.warc.gz"] = 8
    with pytest.raises(Exception, match="broke off|IncompleteRead"):
        copied(archive)
    with pytest.raises(Exception, match="broke off|IncompleteRead") as raised:
        surveyed(archive)
    assert raised.value.__notes__ == [f"The archive is {archive}"]
    assert copied(archive) == content


def test_an_answer_that_tells_no_length_is_an_error(server: Store) -> None:
    server.framing = "close"
    server.objects["x.warc.gz"] = b"".join(members(pages(3)))
    with pytest.raises(OSError, match="does not say how long it is"):
        surveyed(server.http("x.warc.gz"))


def test_an_object_store_that_breaks_off_is_asked_again_or_is_an_error(server: Store) -> None:
    server.objects["x.warc.gz"] = content = b"".join(members(pages(300)))
    server.breaks["x.warc.gz"] = 1
    assert copied(server.s3("x.warc.gz")) == content
    server.breaks["x.warc.gz"] = 1000
    with pytest.raises(OSError):
        surveyed(server.s3("x.warc.gz"))


class Short(io.BytesIO):
    """A file that ends before its size."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(max(0, min(size or 0, 100 - self.tell())))


class Gone(io.BytesIO):
    """A file that is taken away while it is read."""

    def read(self, size: int | None = -1) -> bytes:
        raise FileNotFoundError("gone")


def resolved(monkeypatch: pytest.MonkeyPatch, kind: Callable[[bytes], io.BytesIO]) -> None:
    """pyarrow.fs, which opens such a file whatever is asked for."""

    def opened(*_: Any, **__: Any) -> pa.NativeFile:
        return pa.PythonFile(kind(b"x" * 200), "r")

    filesystem = SimpleNamespace(open_input_file=opened, open_input_stream=opened)
    resolver = SimpleNamespace(from_uri=lambda uri: (filesystem, uri))
    monkeypatch.setattr(_stores, "fs", SimpleNamespace(FileSystem=resolver, HadoopFileSystem=None))


def test_a_file_that_ends_before_the_size_that_its_file_system_tells_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved(monkeypatch, io.BytesIO)
    assert copied("hdfs://host/x.warc") == b"x" * 200
    resolved(monkeypatch, Short)
    with pytest.raises(OSError, match="100 of 200 bytes"):
        surveyed("hdfs://host/x.warc")


def absent(archive: str) -> list[str | None]:
    """Why the first stage passes an archive over, if it does."""
    return [reason for found in surveyed(archive) for reason in found.column("absent").to_pylist()]


def test_only_the_opening_of_an_archive_says_that_it_cannot_be_had(
    server: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server.statuses |= {"gone.warc": 410, "shut.warc": 403, "teapot.warc": 418}
    file = tmp_path / "file.warc"
    file.write_bytes(pages(1)[0])
    here = [str(tmp_path / "none.warc"), f"file://{tmp_path}/none.warc", f"file:{tmp_path}/none.warc", f"{file}/none.warc"]
    missing = [*here, server.http("none.warc"), server.http("gone.warc"), server.s3("none.warc")]
    for archive in missing:
        assert absent(archive) == [_stores.NOT_THERE], archive
    shut = [server.http("shut.warc"), server.s3("shut.warc")]
    for archive in shut:
        assert absent(archive) == [_stores.REFUSED], archive
    for archive in (*missing, *shut):
        with pytest.raises(_stores.Absent):
            copied(archive)
    for archive in (server.http("teapot.warc"), f"nosuch://{file}"):
        with pytest.raises(Exception) as raised:
            surveyed(archive)
        assert not isinstance(raised.value, _stores.Absent)
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        assert absent(str(file)) == [_stores.REFUSED]
    resolved(monkeypatch, Gone)
    with pytest.raises(FileNotFoundError):
        surveyed("hdfs://host/x.warc")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_full_temporary_disk_is_an_error(server: Store, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server.objects["x.warc.gz"] = b"".join(members(pages(300)))
    archive = address(server, scheme, "x.warc.gz")
    # A disk with room for the beginning.
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            surveyed(archive)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    # And one with none: tempfile says so with the error of a file that is not there.
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [os.devnull])
    with pytest.raises(_stores.NoRoom, match="^nothing can be written to the temporary folder: .*No usable temporary directory") as raised:
        surveyed(archive)
    assert raised.value.__notes__ == [f"The archive is {archive}"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_temporary_folder_that_cannot_be_written_is_an_error_of_its_own(
    server: Store, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.objects["x.warc.gz"] = b"".join(members(pages(3)))
    # Nobody may make files there, not even root. The system calls that a file that is not there.
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    told = "^nothing can be written to the temporary folder: .*/proc/.*TMPDIR names another"
    with pytest.raises(_stores.NoRoom, match=told):
        surveyed(address(server, scheme, "x.warc.gz"))
    with pytest.raises(_stores.NoRoom, match=told), _archives.known_as([b"x"]):
        pass
    assert not server.gets
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(_stores.NoRoom, match="temporary folder /dev: .*No space left"):
        _stores.written([b"x"], full)


def test_one_archive_at_a_time_is_in_the_temporary_folder(server: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server.objects |= {f"{at}.warc.gz": b"".join(members(pages(at))) for at in range(1, 5)}
    held: list[list[int]] = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def surveying(archives: list[str], filter: heedful.Filter) -> pa.RecordBatch:
        held.append([file.stat().st_size for file in tmp_path.iterdir()])
        return heedful.survey(archives, filter)

    monkeypatch.setattr(_archives, "survey", surveying)
    surveyed(*map(server.s3, server.objects))
    assert held == [[len(content)] for content in server.objects.values()]
    assert list(tmp_path.iterdir()) == []


def most(sizes: list[int], tasks: list[int]) -> int:
    """The bytes of the largest task."""
    return max(sum(size for size, at in zip(sizes, tasks, strict=True) if at == task) for task in set(tasks))


def test_tasks_are_cut_by_bytes() -> None:
    assert _archives.cut([], 3) == []
    assert _archives.cut([1] * 8, 4) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert _archives.cut([0] * 3, 5) == [0, 1, 2]
    noise = random.Random(1)
    for _ in range(300):
        sizes = [noise.choice([0, 1, 5, 10, 100]) for _ in range(noise.randrange(1, 9))]
        count = noise.randrange(1, 9)
        tasks = _archives.cut(sizes, count)
        # Neighbours share a task, and all tasks have work.
        assert tasks == sorted(tasks) and set(tasks) == set(range(min(count, len(sizes)))), (sizes, count)
        every = product(*([[0, 1]] * (len(sizes) - 1)))
        others = [list(accumulate(steps, initial=0)) for steps in every if sum(steps) < count]
        assert most(sizes, tasks) == min(most(sizes, other) for other in others), (sizes, count)
    # One archive ten times as large as the others is a task by itself.
    sizes = [1] * 17 + [10] + [1] * 22
    tasks = _archives.cut(sizes, 8)
    assert tasks.count(tasks[17]) == 1 and most(sizes, tasks) == 10


def opens(address: str) -> tuple[str, str]:
    place = _stores._place(address)
    return place.opener, place.address


def test_an_address_means_what_sparks_users_mean_by_it() -> None:
    assert opens("/crawl/x.warc") == opens("file:/crawl/x.warc") == opens("file:///crawl/x.warc") == ("open", "/crawl/x.warc")
    assert opens("dbfs:/crawl/x.warc") == opens("dbfs:///crawl/x.warc") == ("open", "/dbfs/crawl/x.warc")
    # No schemes: a path with a colon, and a drive.
    assert opens("crawl:1/x.warc")[1] == "crawl:1/x.warc" and opens("c:/x.warc")[1] == "c:/x.warc"
    for scheme in ("s3", "s3a", "s3n", "S3A"):
        assert opens(f"{scheme}://crawl/x.warc?region=here") == ("S3FileSystem", "s3://crawl/x.warc?region=here")
    for scheme in ("gs", "gcs"):
        assert opens(f"{scheme}://crawl/x.warc") == ("GcsFileSystem", "gs://crawl/x.warc")
    for scheme, host in (("wasbs", "blob"), ("abfss", "dfs")):
        address = f"{scheme}://crawl@mine.{host}.core.windows.net/x/y.warc"
        assert opens(address) == ("AzureFileSystem", "abfss://crawl@mine.dfs.core.windows.net/x/y.warc")
        filesystem, path = _stores._place(address).filesystem()
        assert (filesystem.type_name, path) == ("abfs", "crawl/x/y.warc")
    assert opens("hdfs:///x.warc") == ("HadoopFileSystem", "hdfs:///x.warc")
    assert opens("fsspec+memory://x.warc") == ("FSSpecHandler", "fsspec+memory://x.warc")


def test_what_nothing_opens_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {
        "oss://crawl/x.warc": "archives: oss://crawl/x.warc: nothing opens `oss:` here. Mount it .* `fsspec\\+oss://`",
        "wasbs://crawl@mine.example/x.warc": "archives: .*: an address of `wasbs:` has the form .*CONTAINER@ACCOUNT",
        "s3a:/x.warc": "archives: s3a:/x.warc: an address of `s3a:` has the form SCHEME://PLACE/PATH",
    }
    for address, told in wrong.items():
        with pytest.raises(heedful.Error, match=f"^{told}") as raised:
            _stores.check_addresses("archives", ["/x.warc", address])
        assert raised.value.kind == "setting"
    monkeypatch.setattr(_stores, "fs", SimpleNamespace())
    with pytest.raises(heedful.Error, match="built without S3FileSystem"):
        _stores.check_addresses("archives", ["s3://crawl/x.warc"])


def test_trouble_that_may_pass_is_tried_again(server: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    server.objects["x.warc.gz"] = content = b"".join(members(pages(30)))
    archive = server.http("x.warc.gz")
    for status in (429, 500, 502, 503, 504):
        server.troubles["x.warc.gz"] = [(status, "")] * 3
        assert copied(archive) == content, status
        server.troubles["x.warc.gz"] = [(status, "")] * 4
        with pytest.raises(OSError, match=str(status)):
            surveyed(archive)
    server.troubles["x.warc.gz"] = [(501, "")]
    with pytest.raises(OSError, match="501"):
        copied(archive)
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    server.troubles["x.warc.gz"] = [(503, "7"), (429, "86400"), (503, soon)]
    assert copied(archive) == content
    assert waited[:2] == [7, _stores.LONGEST_PAUSE] and 20 < waited[2] <= 30
    # Nobody listens.
    waited.clear()
    with pytest.raises(OSError, match="refused"):
        copied("http://127.0.0.1:9/x.warc.gz")
    assert len(waited) == len(_stores.PAUSES)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_copy_that_has_no_room_is_not_begun(server: Store, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server.objects["x.warc.gz"] = b"x" * 12_345
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    folder = re.escape(tempfile.gettempdir())
    with pytest.raises(_stores.NoRoom, match=f"{folder} has 1,000 bytes free, and the archive has 12,345") as raised:
        surveyed(address(server, scheme, "x.warc.gz"))
    assert raised.value.__notes__
    assert not server.gets or scheme == "http"


def test_a_folder_that_cannot_be_written_is_refused(server: Store, tmp_path: Path) -> None:
    _stores.check_writable("shards", str(tmp_path / "new" / "folder"))
    assert list((tmp_path / "new" / "folder").iterdir()) == []
    _stores.check_writable("shards", server.s3("new/folder"))
    assert [content for content in server.objects.values() if content] == []
    (tmp_path / "file").write_bytes(b"")
    server.is_shut = True
    for folder, told in (
        (str(tmp_path / "file"), "nothing can be written to .*file: "),
        (server.s3("other"), "nothing can be written to s3://.*ACCESS_DENIED"),
        (server.http("other"), "a web server takes no files"),
        ("oss://crawl/other", "nothing opens `oss:`"),
    ):
        with pytest.raises(heedful.Error, match=f"^shards: .*{told}") as raised:
            _stores.check_writable("shards", folder)
        assert raised.value.kind == "setting"
