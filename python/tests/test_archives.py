"""Archives as the tasks of Spark read them: every byte as it is stored, and an error where one is missing."""

from __future__ import annotations

import gzip
import io
import os
import random
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from archives import damaged, members, response
from stores import Store, store

import heedful

pytest.importorskip("pyspark")
from heedful import _archives  # noqa: E402

SCHEMES = ["http", "s3"]
FILTER = heedful.Filter("FooBot")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    # Without it the client looks for a machine of Amazon's around it.
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with store() as server:
        yield server


def address(server: Store, scheme: str, name: str) -> str:
    return server.s3(name) if scheme == "s3" else server.http(name)


def copied(archive: str) -> bytes:
    with _archives.local(archive) as path:
        return Path(path).read_bytes()


def surveyed(*archives: str) -> list[pa.RecordBatch]:
    """What the first stage finds; it has nothing of an archive that is not there."""
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
        with _archives.local(archive) as path:
            assert path.endswith("x.warc.gz")
        assert [batch.num_rows for batch in surveyed(archive)] == [1]


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_a_connection_that_breaks_off_is_an_error(server: Store, framing: str) -> None:
    server.framing = framing
    server.objects["x.warc.gz"] = content = b"".join(members(pages(300)))
    archive = server.http("x.warc.gz")
    assert copied(archive) == content
    server.breaks["x.warc.gz"] = 2
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


def resolved(monkeypatch: pytest.MonkeyPatch, file: io.BytesIO) -> None:
    """pyarrow.fs, which opens this file whatever is asked for."""

    def opened(*_: Any, **__: Any) -> pa.NativeFile:
        return pa.PythonFile(file, "r")

    filesystem = SimpleNamespace(open_input_file=opened, open_input_stream=opened)
    resolver = SimpleNamespace(from_uri=lambda uri: (filesystem, uri))
    monkeypatch.setattr(_archives, "fs", SimpleNamespace(FileSystem=resolver))


def test_a_file_that_ends_before_the_size_that_its_file_system_tells_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved(monkeypatch, io.BytesIO(b"x" * 200))
    assert copied("hdfs://host/x.warc") == b"x" * 200
    resolved(monkeypatch, Short(b"x" * 200))
    with pytest.raises(OSError, match="100 of 200 bytes"):
        surveyed("hdfs://host/x.warc")


def test_only_the_opening_of_an_archive_says_that_it_is_not_there(
    server: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server.statuses |= {"gone.warc": 410, "shut.warc": 403}
    file = tmp_path / "file.warc"
    file.write_bytes(pages(1)[0])
    local = [str(tmp_path / "none.warc"), f"file://{tmp_path}/none.warc", f"file:{tmp_path}/none.warc", f"{file}/none.warc"]
    for archive in (*local, server.http("none.warc"), server.http("gone.warc"), server.s3("none.warc")):
        assert surveyed(archive) == [], archive
        with pytest.raises(_archives.NotThere):
            copied(archive)
    for archive in (server.http("shut.warc"), server.s3("shut.warc"), f"nosuch://{file}"):
        with pytest.raises(Exception) as raised:
            surveyed(archive)
        assert not isinstance(raised.value, _archives.NotThere)
    resolved(monkeypatch, Gone(b"x" * 200))
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
    with pytest.raises(FileNotFoundError, match="No usable temporary directory") as raised:
        surveyed(archive)
    assert raised.value.__notes__ == [f"The archive is {archive}"]
