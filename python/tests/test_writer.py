"""An index that Python writes, beside the program's."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import CORPUS, Cli

import heedful


def test_an_index_is_the_programs(cli: Cli, tmp_path: Path) -> None:
    site, mine, theirs = CORPUS / "site", tmp_path / "mine", tmp_path / "theirs"
    filter = heedful.Filter("FooBot", snapshots=True, deny=[("noindex", "/drafts/*")])
    with heedful.Writer(mine, filter) as writer:
        rows = heedful.read([site], filter, url="https://site.example/", writer=writer).read_all()
    assert rows.num_rows > 20
    of = ["--bot", "FooBot", "--deny", "noindex=/drafts/*", "--quiet", "-u", "https://site.example/"]
    cli.run("index", *of, "--snapshot", "-o", theirs, site)
    assert cli.run("stats", "--check", "--format", "json", mine) == []
    for arguments in (["stats"], ["search", "-n", "100", "rye"], ["search", "-n", "100", '"the bread"~5']):
        verb, *rest = arguments
        mine_says, theirs_says = (cli.run(verb, "--format", "json", index, *rest) for index in (mine, theirs))
        for said in (*mine_says, *theirs_says):
            said.pop("snapshot_bytes", None)
            said.pop("bytes", None)
        assert mine_says == theirs_says
    # The same terms: the program goes on with it.
    cli.run("index", *of, "-o", mine, site)


def test_a_later_robots_txt_holds_for_older_captures(cli: Cli, tmp_path: Path) -> None:
    filter = heedful.Filter("FooBot")
    page = {"url": "https://site.example/arch", "html": "<p>one"}
    crawls = [("2026-01-10", "User-agent: *\nDisallow:\n"), ("2026-02-10", "User-agent: *\nDisallow: /arch\n")]
    for number, (day, rules) in enumerate(crawls):
        robots = {"url": "https://site.example/robots.txt", "html": rules}
        lines = [json.dumps(line | {"date": f"{day}T00:00:00Z"}) for line in ([robots, page] if number == 0 else [robots])]
        (tmp_path / f"{number}.jsonl").write_text("\n".join(lines))
    for order, found in (([0], 1), ([0, 1], 0), ([0, 1, 0], 0), ([1, 0], 0)):
        index = tmp_path / f"index{order}"
        for number in order:
            with heedful.Writer(index, filter) as writer:
                heedful.read([tmp_path / f"{number}.jsonl"], filter, writer=writer).read_all()
        assert len(cli.run("search", "--format", "json", index, "one")) == found, order


def test_pages_one_by_one(cli: Cli, tmp_path: Path) -> None:
    filter = heedful.Filter("FooBot")
    page = filter.page("<p>one", url="https://site.example/1")
    noindex = filter.page("<meta name=robots content=noindex>two", url="https://site.example/2")
    with heedful.Writer(tmp_path / "index", filter) as writer:
        assert writer.add(page, date=datetime(2026, 1, 2, tzinfo=UTC))
        assert not writer.add(page, date=datetime(2026, 1, 1, tzinfo=UTC))
        assert not writer.add(noindex)
    assert [hit["url"] for hit in cli.run("search", "--format", "json", tmp_path / "index", "one")] == [page.url]
    assert cli.run("stats", "--format", "json", tmp_path / "index")[0]["tombstones"] == 1


def test_without_a_commit_nothing_has_happened(cli: Cli, tmp_path: Path) -> None:
    filter = heedful.Filter("FooBot")
    page = filter.page("<p>one", url="https://site.example/1")
    with pytest.raises(KeyError), heedful.Writer(tmp_path / "index", filter) as writer:
        writer.add(page)
        raise KeyError
    assert cli.run("stats", "--format", "json", tmp_path / "index")[0]["pages"] == 0
    with pytest.raises(heedful.Error, match="closed"):
        writer.add(page)


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    with pytest.raises(heedful.Error, match="one bot"):
        heedful.Writer(tmp_path / "index", heedful.Filter(["FooBot", "BarBot"]))
    with heedful.Writer(tmp_path / "index", heedful.Filter("FooBot")):
        with pytest.raises(heedful.Error, match="another program is writing"):
            heedful.Writer(tmp_path / "index", heedful.Filter("FooBot"))
    with heedful.Writer(tmp_path / "index", heedful.Filter("FooBot")) as writer:
        other = heedful.Filter("BarBot")
        with pytest.raises(heedful.Error, match="another bot"):
            writer.add(other.page("<p>one", url="https://site.example/1"))
        for settings in (other, heedful.Filter("FooBot", conventions="all"), heedful.Filter(["FooBot", "BarBot"])):
            with pytest.raises(heedful.Error, match="other settings"):
                heedful.read([CORPUS / "site"], settings, url="https://site.example/", writer=writer)
    with pytest.raises(heedful.Error, match="for the bot foobot"):
        heedful.Writer(tmp_path / "index", heedful.Filter("BarBot"))
