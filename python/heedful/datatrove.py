"""heedful in datatrove: a reader of archives that keeps what their headers say, and a filter of documents that are HTML.

    from heedful.datatrove import PageReader
    pipeline = [PageReader("s3://commoncrawl/...", "FooBot", glob_pattern="*/warc/*.warc.gz"), ...]

datatrove's own WarcReader keeps no headers, so what X-Robots-Tag and Content-Type say is lost behind it: where you can, begin with
PageReader. PageFilter is for documents that came another way; it heeds headers in the metadata, as a list of pairs or a mapping.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.readers.base import BaseDiskReader

from . import Error, Filter, read
from ._given import USES, given, names, one_of


class PageReader(BaseDiskReader):  # type: ignore[misc]
    """Reads WARC, ARC or JSON Lines: a document for each page that `bot` may have under `use`, with its text as Page.text has it.

    Pages that may not be used for training are kept out: `use` is `train` unless another is named.
    The robots.txt files in an archive are heard for its own pages; those of other archives, from the files in robots_from instead.
    With require_robots, pages of sites without a robots.txt are kept out.
    Metadata: url, bot, and with links=True the links that may be followed. What is kept out is counted by reason.
    Settings of the filter are given as `settings`; all else is as for datatrove's readers.
    """

    name = "🕷 heedful"

    def __init__(
        self,
        data_folder: Any,
        bot: str,
        *,
        use: str = "train",
        links: bool = False,
        require_robots: bool = False,
        robots_from: Sequence[str] | None = None,
        settings: dict[str, Any] | None = None,
        **reader: Any,
    ) -> None:
        one_of("use", use, USES)
        given("require_robots", require_robots, bool, "True or False")
        super().__init__(data_folder, **reader)
        self.filter = Filter(bot, **(settings or {}))
        self.use = use
        self.links = links
        self.require_robots = require_robots
        self.robots_from = None if robots_from is None else names("robots_from", robots_from)

    def read_file(self, filepath: str) -> Iterator[Document]:
        """One archive, copied to this machine first."""
        with tempfile.NamedTemporaryFile(suffix=filepath.rsplit("/", 1)[-1][-40:]) as copy:
            with self.data_folder.open(filepath, "rb") as remote:
                shutil.copyfileobj(remote, copy, 1 << 20)
            copy.flush()
            batches = read([copy.name], self.filter, robots_from=self.robots_from, require_robots=self.require_robots, text=True)
            for batch in batches:
                for number, row in enumerate(batch.to_pylist()):
                    document = self._document(row, filepath, number)
                    if document:
                        yield document

    def _document(self, row: dict[str, Any], filepath: str, number: int) -> Document | None:
        reason = _reason(row["error"] and row["error"]["kind"], row["verdict"], self.use)
        if reason:
            self.stat_update(f"dropped_{reason}")
            return None
        data = {"text": row["text"], "id": row["url"], "url": row["url"], "bot": row["bot"]}
        if self.links:
            data["links"] = [link["url"] for link in row["links"] if link["follow"]]
        document: Document | None = self.get_document_from_dict(data, filepath, number)
        return document


class PageFilter(BaseFilter):  # type: ignore[misc]
    """Drops documents that `bot` may not have under `use`, and leaves of the others' HTML what may be had, as text.

    A document is HTML in its text, with a url in its metadata, and as may be headers and robots (the text of a robots.txt).
    """

    name = "🕷 heedful"

    def __init__(
        self,
        bot: str,
        *,
        use: str = "train",
        settings: dict[str, Any] | None = None,
        exclusion_writer: Any = None,
    ) -> None:
        one_of("use", use, USES)
        super().__init__(exclusion_writer)
        self.bot_filter = Filter(bot, **(settings or {}))
        self.use = use

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Whether it is kept, or why not. What is dropped keeps its text, for the exclusion writer."""
        metadata = doc.metadata
        try:
            page = self.bot_filter.page(
                doc.text, url=metadata["url"], headers=metadata.get("headers"), robots=metadata.get("robots")
            )
        except Error as error:
            return False, f"error_{error.kind}"
        reason = _reason(None, page.to_dict()["verdict"], self.use)
        if reason:
            return False, reason
        doc.text = page.text
        return True


def _reason(error: str | None, verdict: dict[str, Any], use: str) -> str | None:
    """Why a page is dropped."""
    if error:
        return f"error_{error}"
    if not verdict["enter"]:
        return "robots_txt"
    return None if verdict[use] else f"no_{use}"
