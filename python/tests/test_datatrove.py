"""In datatrove, where it is installed."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from archives import archives
from conftest import Cli, corpus_pages

pytest.importorskip("datatrove")
from datatrove.data import Document  # noqa: E402

from heedful.datatrove import PageFilter, PageReader  # noqa: E402


def test_the_reader_gives_what_may_be_used_for_training(tmp_path: Path, cli: Cli) -> None:
    *files, robots = archives(tmp_path, list(corpus_pages())[:400], 2)
    reader = PageReader(str(tmp_path), "FooBot", links=True, robots_from=[str(robots)], glob_pattern="pages-*.warc")
    documents = list(pickle.loads(pickle.dumps(reader)).run())
    expected = {
        row["url"]: row for row in cli.rows(*files, robots, "--bot", "FooBot") if row["error"] is None and row["verdict"]["train"]
    }
    # The robots.txt of one host stands among the pages, and this reader was told to look elsewhere.
    ours = {document.id: document for document in documents if "//host7." not in document.id}
    with_text = {url: row for url, row in expected.items() if row["phrases"] and "//host7." not in url}
    assert set(ours) == set(with_text) and len(ours) > 100
    for url, row in with_text.items():
        # The same text, in lines: no line runs on where a phrase of the page ends. A line may end inside of a word, where
        # HTML leaves out the end tag of a block.
        assert "".join(ours[url].text.split()) == "".join(" ".join(row["phrases"]).split())
        assert len(ours[url].text.splitlines()) >= len(row["phrases"])
        assert ours[url].metadata["links"] == [link["url"] for link in row["links"] if link["follow"]]


def test_documents_have_the_lines_of_the_page(tmp_path: Path) -> None:
    html = "<nav>Menu</nav><h1>one</h1><p>two <!--noindex-->leak<!--/noindex--> three<table><tr><td>4<td>5</table>"
    url = "https://example.com/"
    (tmp_path / "pages.jsonl").write_text(json.dumps({"url": url, "html": html}))
    settings = {"landmarks": "none"}
    reader = PageReader(str(tmp_path), "FooBot", settings=settings)
    read = [document.text for document in reader.run()]
    kept = Document(html, "1", metadata={"url": url})
    assert PageFilter("FooBot", settings=settings).filter(kept) is True
    assert read == [kept.text] == ["one\n\ntwo\nthree\n\n4\t5"]


def test_the_filter_heeds_headers() -> None:
    step = PageFilter("FooBot", use="train", settings={"conventions": "all"})
    html = "<p>one <!--noindex-->two<!--/noindex--> three"
    url = "https://example.com/"
    kept = Document(html, "1", metadata={"url": url})
    assert step.filter(kept) is True and kept.text == "one\nthree"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"headers": {"X-Robots-Tag": "noai"}}, "no_train"),
        ({"robots": "User-agent: *\nDisallow: /"}, "robots_txt"),
        ({"url": "nowhere"}, "error_url"),
    ]
    for metadata, reason in cases:
        dropped = Document(html, "2", metadata={"url": url, **metadata})
        assert step.filter(dropped) == (False, reason) and dropped.text == html


def test_what_is_not_understood_is_told_with_the_arguments_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="^use: one of enter, index, .* is wanted, not 'noindex'"):
        PageFilter("FooBot", use="noindex")
    with pytest.raises(ValueError, match="^use: "):
        PageReader(str(tmp_path), "FooBot", use="noindex")
    with pytest.raises(TypeError, match="^robots_from: a list of texts is wanted, not str"):
        PageReader(str(tmp_path), "FooBot", robots_from="robots.warc")
