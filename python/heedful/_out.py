"""OUT of `python -m heedful.spark`: rows that come in groups of archives, and a list of the groups whose rows count.

Each group is an append by Spark's committer. Behind it the driver writes a list to OUT/_done: the archives, those of them that failed,
and the files that the append added. A file of rows that no list names is of a group that was not finished, or whose list was not
written. A job that goes on deletes it, and reads the group again. So no row is there twice, and none is missing.

A group whose rows would be others today is forgotten as a whole, with its rows: one with an archive that failed and can be had now, or
with pages that such an archive's robots.txt is about.

Spark opens OUT, so its own file systems are asked for it. Spark Connect does not lend them: there OUT is written without lists.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.utils import is_remote

from ._given import setting

_DONE = "_done"
_JOB = "job.json"
_SUCCESS = "_SUCCESS"
_UNMARKED = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}


class Out:
    """The folder, and what it has."""

    def __init__(self, spark: SparkSession, address: str, settings: Mapping[str, Any], *, is_resumed: bool) -> None:
        """Refuses, before the first task, what Spark could not write, and rows of a job with other settings."""
        self.spark, self.address = spark, address.rstrip("/")
        self.settings = dict(settings)
        self.done: list[dict[str, Any]] = []
        self.has_lists = not is_remote()
        if not self.has_lists:
            if is_resumed:
                raise setting("--resume: Spark Connect does not say what is in OUT")
            return
        self.jvm: Any = spark._jvm
        try:
            self.store = self._path("").getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
            self.is_begun = self.store.exists(self._path(""))
            if not self.is_begun:
                self.store.mkdirs(self._path(""))
                self.store.delete(self._path(""), False)
        except Py4JJavaError as error:
            told = error.java_exception.toString()
            if address.startswith("s3:") and "No FileSystem" in told:
                told += " (Hadoop spells it s3a://)"
            raise setting(f"OUT: nothing can be written to {address}: {told}") from error
        if self.is_begun and not is_resumed:
            raise setting(f"OUT: {address} is there already: name another, or go on with --resume")
        if self.is_begun:
            self._resume()

    def _resume(self) -> None:
        """Leaves the rows that count."""
        job = self._read(f"{_DONE}/{_JOB}")
        if job is None and not self._files():
            self.is_begun = False
            return
        if job is None:
            raise setting(f"OUT: {self.address} has no list of what is done, so --resume cannot go on with it: name another")
        for name, value in self.settings.items():
            if job.get(name) != value:
                raise setting(f"OUT: the rows in {self.address} were made with another --{name}: name another OUT")
        # One that was cut off while it was written does not count, nor any behind it.
        while (group := self._read(f"{_DONE}/{len(self.done):06}.json")) is not None:
            self.done.append(group)
        # Lists count as far as they follow each other. One further on would count again where that gap is filled.
        for name in self._lists()[len(self.done) :]:
            self.store.delete(self._path(f"{_DONE}/{name}"), False)
        self._clear()
        # Spark's committer would take in what is left there of a job that was killed.
        self.store.delete(self._path("_temporary"), True)

    def _clear(self) -> None:
        """Deletes the rows that no list names."""
        counted = {name for group in self.done for name in group["files"]}
        for name in self._files() - counted:
            self.store.delete(self._path(name), True)

    def forget(self, archives: Collection[str]) -> None:
        """Forgets the groups that have any of these, and deletes their rows."""
        wanted = set(archives)
        groups = [at for at, group in enumerate(self.done) if not wanted.isdisjoint(group["archives"])]
        if not groups:
            return
        self.store.delete(self._path(_SUCCESS), False)
        for at in groups:
            # The list goes first: rows without one are deleted by whoever goes on.
            self.done[at] = {"archives": [], "failed": {}, "files": []}
            self._write(f"{_DONE}/{at:06}.json", json.dumps(self.done[at]))
        self._clear()

    def groups_with(self, archives: Collection[str]) -> set[str]:
        """All archives of the groups that have any of these."""
        wanted = set(archives)
        return {name for group in self.done if not wanted.isdisjoint(group["archives"]) for name in group["archives"]}

    def archives(self) -> set[str]:
        """Those whose rows count."""
        return {name for group in self.done for name in group["archives"]}

    def failed(self) -> dict[str, str]:
        """Those that gave no rows, or not all, and why."""
        return {name: reason for group in self.done for name, reason in group["failed"].items()}

    def append(self, rows: DataFrame, archives: Sequence[str]) -> None:
        """The rows of a group, and then its list."""
        if not self.has_lists:
            rows.write.mode("append" if self.done else "error").parquet(self.address)
            self.done.append({"archives": list(archives), "failed": {}})
            return
        if not self.is_begun:
            self._write(f"{_DONE}/{_JOB}", json.dumps(self.settings))
            self.is_begun = True
        self.store.delete(self._path(_SUCCESS), False)
        before = self._files()
        rows.write.options(**_UNMARKED).mode("append").parquet(self.address)
        files = sorted(self._files() - before)
        group = {"archives": list(archives), "failed": self._failed(files, archives), "files": files}
        self._write(f"{_DONE}/{len(self.done):06}.json", json.dumps(group))
        self.done.append(group)

    def end(self, base: str) -> int:
        """Marks that all is there, and writes a manifest of the archives that failed beside OUT. Returns how many these are."""
        if not self.has_lists:
            return 0
        retry = self._path("").suffix(".retry.txt")
        failed = self.failed()
        if failed:
            lines = ["# Archives that failed. The robots.txt files of the others are heard with --robots-from MANIFEST."]
            for name, reason in failed.items():
                lines += [f"# {' '.join(reason.split())}", name.removeprefix(base)]
            self._write_to(retry, "\n".join(lines) + "\n")
        else:
            self.store.delete(retry, False)
        self._write(_SUCCESS, "")
        return len(failed)

    def _failed(self, files: Sequence[str], archives: Sequence[str]) -> dict[str, str]:
        """The archives of a group that have a row with their error."""
        rows = self.spark.read.parquet(*(f"{self.address}/{name}" for name in files)) if files else None
        if rows is None:
            return {}
        told = rows.where("url = '' and error.kind = 'io'").select("error.message").distinct()
        # The row has the name in front of the reason.
        reasons = {message[: len(name)]: message[len(name) + 2 :] for message, name in _named(told.collect(), archives)}
        return {name: reasons[name] for name in archives if name in reasons}

    def _files(self) -> set[str]:
        """The files that Spark reads as rows."""
        if not self.store.exists(self._path("")):
            return set()
        names = (status.getPath().getName() for status in self.store.listStatus(self._path("")))
        return {name for name in names if not name.startswith(("_", "."))}

    def _lists(self) -> list[str]:
        """The lists of groups, in their order."""
        names = (status.getPath().getName() for status in self.store.listStatus(self._path(_DONE)))
        return sorted(name for name in names if name.endswith(".json") and name != _JOB)

    def _path(self, name: str) -> Any:
        path = self.jvm.org.apache.hadoop.fs.Path(self.address)
        return self.jvm.org.apache.hadoop.fs.Path(path, name) if name else path

    def _read(self, name: str) -> dict[str, Any] | None:
        """An object that was written whole, or None."""
        if not self.store.exists(self._path(name)):
            return None
        stream = self.store.open(self._path(name))
        try:
            read: dict[str, Any] = json.loads(self.jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        except ValueError:
            return None
        finally:
            stream.close()
        return read

    def _write(self, name: str, text: str) -> None:
        self._write_to(self._path(name), text)

    def _write_to(self, path: Any, text: str) -> None:
        stream = self.store.create(path, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()


def _named(rows: Sequence[Any], archives: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Messages, each with the longest name of an archive that it begins with."""
    for (message,) in rows:
        names = [name for name in archives if message.startswith(f"{name}: ")]
        if names:
            yield message, max(names, key=len)
