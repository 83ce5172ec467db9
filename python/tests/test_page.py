"""One page at a time."""

from __future__ import annotations

import doctest
import json
import pickle
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType
from typing import Any

import heedful
import pyarrow as pa
import pytest

URL = "https://example.com/"
MARKED = "one <!--noindex-->two<!--/noindex--> three <a href=/x rel=nofollow>four</a>"


def test_the_examples_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(__file__).resolve().parents[1]
    monkeypatch.chdir(package)
    pages = [package / "README.md", package.parent / "docs" / "crawlers.md"]
    for told in (doctest.testmod(heedful), *(doctest.testfile(str(page), module_relative=False) for page in pages)):
        assert told.failed == 0 and told.attempted > 3


def test_a_page() -> None:
    page = heedful.Filter("FooBot").page(MARKED, url=URL)
    assert (page.url, page.bot, page.phrases) == (URL, "FooBot", ["one", "three four"])
    assert [(link.url, link.follow, link.anchor) for link in page.links] == [(URL + "x", False, False)]
    why = page.links[0].why_not_follow
    assert why is not None and why.convention == "rel" and why.line == 1
    assert {exclusion.directive.directive for exclusion in page.exclusions} >= {"<!--noindex-->"}
    assert page.verdict.enter and page.verdict.index and page.snapshot is None
    assert json.loads(page.to_json()) == page.to_dict()
    assert page.to_dict()["phrases"] == page.phrases
    assert repr(page) == "<heedful.Page 'https://example.com/' for 'FooBot': 2 phrases, 1 link>"


def test_bytes_have_a_character_set_and_text_has_none() -> None:
    filter = heedful.Filter("FooBot")
    declared = '<meta charset="windows-1252"><p>caf'
    assert filter.page(declared.encode() + b"\xe9", url=URL).phrases == ["café"]
    assert filter.page(declared + "é", url=URL).phrases == ["café"]


@pytest.mark.parametrize(
    "headers",
    [
        [("X-Robots-Tag", "noindex")],
        (["X-Robots-Tag", "noindex"],),
        {"x-robots-tag": "noindex"},
        {"X-Robots-Tag": ["nofollow", "noindex"]},
        MappingProxyType({"X-Robots-Tag": "noindex"}),
        {"X-Robots-Tag": "noindex"}.items(),
    ],
)
def test_headers(headers: Any) -> None:
    page = heedful.Filter("FooBot").page("<p>one", url=URL, headers=headers)
    assert not page.verdict.index and page.phrases == []


@pytest.mark.parametrize("headers", ["ab", ["ab"], [("a", "b", "c")], [("a", 1)], 7])
def test_what_is_no_header_is_refused(headers: Any) -> None:
    with pytest.raises(TypeError):
        heedful.Filter("FooBot").page("<p>one", url=URL, headers=headers)


def test_robots_txt() -> None:
    page = heedful.Filter("FooBot").page("<p>one", url=URL, robots="User-agent: *\nDisallow: /")
    assert not page.verdict.enter and page.phrases == []
    old = heedful.Filter("FooBot", robots_mode="1994")
    assert not old.page("<p>one", url=URL, robots="User-agent: *\nAllow: /\nDisallow: /").verdict.enter
    assert heedful.Filter("FooBot").page("<p>one", url=URL, robots="User-agent: *\nAllow: /\nDisallow: /").verdict.enter
    robots = heedful.RobotsTxt(b"User-agent: FooBot\nDisallow: /a\nCrawl-delay: 2\nSitemap: https://example.com/s.xml")
    assert not robots.allowed("FooBot", URL + "a") and robots.allowed("BarBot", URL + "a")
    ruling = robots.ruling("FooBot", URL + "a")
    assert (ruling.allowed, ruling.line, ruling.rule, ruling.reason, ruling.crawl_delay) == (
        False,
        2,
        "Disallow: /a",
        "rule",
        2.0,
    )
    assert ruling.to_dict()["losing"] == [] and robots.sitemaps == ["https://example.com/s.xml"]
    assert not heedful.RobotsTxt(b"", status=503).allowed("FooBot", URL)


def test_several_bots_in_one_pass() -> None:
    pages = heedful.Filter(["FooBot", "BarBot=Baz"]).pages('<meta name="baz" content="noindex"><p>one', url=URL)
    assert [(page.bot, page.phrases) for page in pages] == [("FooBot", ["one"]), ("BarBot", [])]


def test_the_settings_of_ones_own() -> None:
    filter = heedful.Filter(
        "FooBot",
        conventions="none",
        deny=[("noindex", "/private/*")],
        deny_elements=[("noindex", ".menu")],
        deny_regions=[("noindex", "menu", "/menu")],
    )
    page = filter.page("one <!--menu-->two<!--/menu--><p class=menu>three</p><!--noindex-->four", url=URL)
    assert page.phrases == ["one", "four"]
    assert filter.page("one", url=URL + "private/x").phrases == []


def test_what_models_may_have() -> None:
    page = heedful.Filter("FooBot").page("<p>one <b data-nosnippet>two</b> three", url=URL)
    assert page.verdict.input and page.input == "one [...] three"
    page = heedful.Filter("FooBot").page("<meta name=robots content=noarchive><p>one", url=URL)
    assert not page.verdict.input and not page.verdict.train and page.input == "" and page.excerpt == "one"
    assert page.to_dict()["verdict"]["input"] is False


def test_reservations_and_licences() -> None:
    reserved = heedful.Filter("FooBot").open(URL + "a")
    reserved.robots_txt(heedful.RobotsTxt.tdmrep('[{"location": "/a", "tdm-reservation": 1}]'))
    reserved.write("<p>one")
    page = reserved.end()
    assert page.verdict.enter and not page.verdict.train and page.exclusions[0].directive.origin == "tdmrep"
    licence = "<rsl><content url='/'><license><prohibits type='usage'>ai-input</prohibits></license></content></rsl>"
    html = "<link rel=license type=application/rsl+xml href=/licence.xml><p>one"
    filter = heedful.Filter("FooBot", licences={URL + "licence.xml": licence})
    for known in (filter, pickle.loads(pickle.dumps(filter))):
        verdict = known.page(html, url=URL).verdict
        assert verdict.train and not verdict.input
    assert [note.kind for note in heedful.Filter("FooBot").page(html, url=URL).notes] == ["terms"]


def test_names_pages() -> None:
    head = "<head profile='http://example.org/xmdp/robots-profile#'><link rel=RobotExclusion.Names href=names>"
    html = head + "<p>one <b class=robot3-noindex>two</b> <b class=robot3-index>three</b>"
    name = "<meta charset=windows-1252><meta name=RobotExclusion.RobotName3 content='{}'>".format
    other = name("BarBot")
    cases: list[tuple[Any, list[str]]] = [
        (name("Füchsin"), ["one", "three"]),
        (name("Füchsin").encode("cp1252"), ["one", "three"]),
        (other, ["one two three"]),
        ([other, name("Füchsin")], ["one", "three"]),
        ([other, name("Füchsin").encode("cp1252")], ["one", "three"]),
        ([], ["one", "three"]),
    ]
    for captures, expected in cases:
        filter = heedful.Filter("Füchsin", names={URL + "names": captures})
        for made in (filter, pickle.loads(pickle.dumps(filter))):
            assert made.page(html, url=URL).phrases == expected


def test_the_clock_is_the_machines_or_what_is_given() -> None:
    expired = '<meta name="robots" content="unavailable_after: 2020-01-01T00:00:00Z"><p>one'
    assert heedful.Filter("FooBot").page(expired, url=URL).phrases == []
    before = heedful.Filter("FooBot", at=datetime(2019, 1, 1, tzinfo=timezone.utc)).page(expired, url=URL)
    assert before.phrases == ["one"]
    assert before.verdict.unavailable_after == datetime(2020, 1, 1, tzinfo=timezone.utc)


def test_a_snapshot() -> None:
    page = heedful.Filter("FooBot", snapshots=True, conventions="all").page(
        'one <p class="robots-noarchive">two</p>', url=URL, headers=[("Link", "<x>")]
    )
    assert page.snapshot is not None and "one" in page.snapshot


BREAD = (
    "<nav>Menu</nav><main><h2>Rye</h2><p>Dark <!--noindex-->2 EUR<!--/noindex--> bread<br>daily"
    "<ul><li>whole</ul><table><tr><td>500 g<td>3</table><img src=a alt=Loaf></main><footer>2026</footer>"
)


def test_a_page_has_lines_and_blocks() -> None:
    page = heedful.Filter("FooBot").page(BREAD, url=URL)
    assert page.text == "Menu\nRye\n\nDark\nbread\ndaily\n\nwhole\n500 g\t3\n2026"
    told = [(block.kind, block.level, block.row, block.landmark, block.phrases) for block in page.blocks]
    assert told == [
        ("paragraph", None, None, "navigation", ["Menu"]),
        ("heading", 2, None, "main", ["Rye"]),
        ("paragraph", None, None, "main", ["Dark", "bread\ndaily"]),
        ("item", 1, None, "main", ["whole"]),
        ("cell", None, 1, "main", ["500 g"]),
        ("cell", None, 1, "main", ["3"]),
        ("alternative", None, None, "main", ["Loaf"]),
        ("paragraph", None, None, "contentinfo", ["2026"]),
    ]
    assert isinstance(page.blocks[1], heedful.Block)
    assert (page.blocks[1].line, page.blocks[1].column) == (1, BREAD.index("Rye") + 1)
    denied = heedful.Filter("FooBot").page("<meta name=robots content=noindex>" + BREAD, url=URL)
    assert (denied.text, denied.blocks) == ("", [])


def test_the_json_has_blocks_if_the_filter_says_so() -> None:
    plain, asked = heedful.Filter("FooBot"), heedful.Filter(["FooBot", "BarBot"], blocks=True)
    assert plain.page(BREAD, url=URL).to_dict()["blocks"] is None
    pickled = pickle.loads(pickle.dumps(asked))
    with asked.open(URL) as page_pass:
        page_pass.write(BREAD)
        pages = page_pass.end_each()
    for page in [*pages, *asked.pages(BREAD, url=URL), *pickled.pages(BREAD, url=URL)]:
        blocks = page.to_dict()["blocks"]
        assert len(blocks) == 8
        for block, row in zip(page.blocks, blocks, strict=True):
            assert row == {key: getattr(block, key) for key in row}


def test_text_is_taken_from_landmarks_alone() -> None:
    def text(landmarks: str) -> str:
        filter = heedful.Filter("FooBot", landmarks=landmarks)
        assert pickle.loads(pickle.dumps(filter)).page(BREAD, url=URL).text == filter.page(BREAD, url=URL).text
        return filter.page(BREAD, url=URL).text

    assert text("nav,contentinfo") == "Menu\n\n2026"
    assert text("all,-main") == text("nav,contentinfo")
    assert text("none") == ""
    assert text("all") == heedful.Filter("FooBot").page(BREAD, url=URL).text
    with pytest.raises(heedful.Error, match="`sidebar` is no landmark") as raised:
        text("sidebar")
    assert raised.value.kind == "setting"


def test_a_pass_in_pieces_is_the_page_at_once() -> None:
    filter = heedful.Filter("FooBot")
    whole = filter.page(MARKED.encode(), url=URL)
    with filter.open(URL) as page_pass:
        for at in range(len(MARKED)):
            page_pass.write(MARKED[at : at + 1].encode())
        page = page_pass.end()
    assert page.to_dict() == whole.to_dict()
    with pytest.raises(heedful.Error, match="over"):
        page_pass.write(b"more")
    with filter.open(URL) as page_pass:
        page_pass.robots_txt(heedful.RobotsTxt("User-agent: *\nDisallow: /"))
        page_pass.header("X-Robots-Tag", "nofollow")
        page_pass.write("<p>one")
        assert page_pass.end_each()[0].phrases == []


def test_errors_have_a_kind() -> None:
    filter = heedful.Filter("FooBot", limits={"page_bytes": 10})
    for kind, work in {
        "url": lambda: filter.page("x", url="nowhere"),
        "limit": lambda: filter.page("x" * 11, url=URL),
        "input": lambda: filter.page("x", url=URL, status=404),
        "setting": lambda: heedful.Filter("FooBot", conventions="no-such-convention"),
    }.items():
        with pytest.raises(heedful.Error) as caught:
            work()  # type: ignore[no-untyped-call]
        assert caught.value.kind == kind
    wrongs: list[dict[str, Any]] = [{"limits": {"no_such": 1}}, {"deny": [("nonsense", "/")]}, {"deny": [("noindex", "x")]}]
    for wrong in wrongs:
        with pytest.raises(heedful.Error):
            heedful.Filter("FooBot", **wrong)
    with pytest.raises(heedful.Error):
        heedful.Filter([])


def test_a_filter_can_be_pickled() -> None:
    filter = heedful.Filter(["FooBot=Foo", "BarBot"], conventions="none", deny_elements=[("noindex", ".menu")])
    again = pickle.loads(pickle.dumps(filter))
    html = "one <p class=menu>two</p> <!--noindex-->three"
    assert again.page(html, url=URL).to_dict() == filter.page(html, url=URL).to_dict()
    assert repr(again) == repr(filter) == "<heedful.Filter for FooBot, BarBot>"


def test_threads_share_a_filter() -> None:
    filter = heedful.Filter("FooBot")
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(filter.page(MARKED, url=URL).phrases)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["one", "three four"]] * 8


def test_what_may_be_shown_and_joined() -> None:
    html = "<title>Rye</title>one <b data-nosnippet>two</b> three <a href=/a>four <i class=robots-noindex></i>five</a>"
    page = heedful.Filter("FooBot").page(html, url=URL, headers={"X-Robots-Tag": "max-snippet: 20"})
    assert (page.shown_title, page.excerpt) == ("Rye", "one [...] three four")
    link = page.links[0]
    assert (link.text, link.phrases, link.show) == ("", ["four", "five"], True)
    row = page.to_dict()
    assert (row["shown_title"], row["excerpt"]) == (page.shown_title, page.excerpt)
    assert (row["links"][0]["phrases"], row["links"][0]["show"]) == (link.phrases, link.show)


def test_what_a_page_and_its_response_say_of_it() -> None:
    filter = heedful.Filter("FooBot")
    html = "<html lang=de><link rel=canonical href=/y#z><p>one"
    headers = {"Content-Type": "text/html; charset=utf-8"}
    page = filter.page(html, url=URL, headers=headers, status=203, date="2026-11-01T10:00:00Z")
    fetched = datetime(2026, 11, 1, 10, tzinfo=timezone.utc)
    assert (page.lang, page.status, page.fetched) == ("de", 203, fetched)
    assert page.canonical is not None and page.canonical.endswith("/y")
    about = page.to_dict()["about"]
    assert about == {
        "lang": "de",
        "canonical": page.canonical,
        "content_type": "text/html; charset=utf-8",
        "status": 203,
        "date": "2026-11-01T10:00:00Z",
        "robots": "absent",
        "robots_status": None,
    }
    assert filter.page("<meta name=robots content=noindex>" + html, url=URL).lang is None
    assert filter.page("one", url=URL).fetched is None


def test_a_page_that_is_kept_out_names_the_rule() -> None:
    reading = heedful.Filter("FooBot").open("https://example.com/private/x")
    reading.robots_txt(heedful.RobotsTxt("User-agent: *\nDisallow: /private/"))
    page = reading.end()
    assert not page.verdict.enter and page.kept_out is not None
    assert (page.kept_out.line, page.kept_out.rule) == (2, "Disallow: /private/")
    assert page.to_dict()["kept_out"]["group"] == "*"
    assert heedful.Filter("FooBot").page("one", url=URL).kept_out is None


def test_words_are_those_of_the_index() -> None:
    assert heedful.words("Dark RYE, don't! 3.14 \u00c4rger " + "x" * 256) == ["dark", "rye", "don't", "3.14", "\u00e4rger"]


def test_when_a_bot_may_fetch() -> None:
    robots = heedful.RobotsTxt("User-agent: *\nDisallow: /private/\nCrawl-delay: 30\nVisit-time: 0600-0845")
    at = datetime(2026, 1, 1, 7, 0, tzinfo=timezone.utc)
    assert robots.next_fetch("FooBot", at=at) == at and robots.pause("FooBot", at=at) == 30.0
    later = at.replace(second=30)
    ruling = robots.ruling("FooBot", URL, at=at, last=at)
    assert (ruling.next_fetch, ruling.pause) == (later, 30.0)
    assert (ruling.to_dict()["next_fetch"], ruling.to_dict()["pause"]) == ("2026-01-01T07:00:30Z", 30.0)
    evening = at.replace(hour=20)
    assert robots.next_fetch("FooBot", at=evening) == at.replace(day=2, hour=6)
    for asked in (robots.ruling("FooBot", URL), robots.ruling("FooBot", URL + "private/x", at=at)):
        assert asked.next_fetch is None and asked.pause is None and asked.to_dict()["pause"] is None


def test_a_page_whose_end_is_missing() -> None:
    def phrases(html: str, conventions: str = "web") -> list[str]:
        with heedful.Filter("FooBot", conventions=conventions).open(URL) as page_pass:
            page_pass.cut_short()
            page_pass.write(html)
            page = page_pass.end()
            return page.title + page.phrases

    assert phrases("<title>one</title><meta name=") == [] and phrases("<title>one</title><p>two") == ["one", "two"]
    strict = "web,+cut-short"
    assert phrases("<p>one", strict) == [] and phrases("<p>one</html>", strict) == ["one"]


ROW = {"url": [URL], "html": ["x"]}

NOT_UNDERSTOOD: list[tuple[Callable[[heedful.Filter], object], str]] = [
    (lambda it: it.page(None, url=URL), "html: text or bytes is wanted, not None"),  # type: ignore[arg-type]
    (lambda it: it.page("x", url=None), "url: text is wanted, not None"),  # type: ignore[arg-type]
    (lambda it: it.page("x", url=URL, headers="X-Robots-Tag: noindex"), "headers: a mapping, as {.*}, or pairs .* is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: it.page("x", url=URL, headers=[("a", 1)]), "headers: .* the value of a header is wanted, not int"),  # type: ignore[list-item]
    (lambda it: it.page("x", url=URL, status="200"), "status: a number from 0 to 65535 is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: it.page("x", url=URL, robots=7), "robots: text or bytes is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: it.pages("x", url=URL, date=datetime.now()), "date: text is wanted, not datetime"),  # type: ignore[arg-type]
    (lambda it: it.open(7), "url: text is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: it.open(URL).header("a", 7), "value: text is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: it.open(URL).robots_txt(""), "robots: a heedful.RobotsTxt is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: it.open(URL).write(7), "piece: text or bytes is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: it.filter_batch(pa.table(ROW)), "batch: a pyarrow.RecordBatch is wanted, not Table: see its to_batches"),
    (lambda it: it.filter_batch(pa.RecordBatch.from_pydict(ROW), keep="url"), "keep: a list of texts is wanted, not str"),
    (lambda it: heedful.survey_batch(7), "batch: a pyarrow.RecordBatch is wanted, not int"),
    (lambda it: heedful.filter_batches(pa.RecordBatch.from_pydict(ROW), it), "batches: a pyarrow.Table, or .*, not RecordBatch"),
    (lambda it: heedful.filter_batches([], "FooBot"), "filter: a heedful.Filter is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: heedful.filter_batches([], it, robots=7), "robots: a pyarrow.Table, or .*, not int"),
    (lambda it: heedful.filter_batches([], it, keep="id"), "keep: a list of texts is wanted, not str"),
    (lambda it: heedful.read("pages.warc", it), "inputs: a list of paths, as .*, is wanted, not str"),
    (lambda it: heedful.read(["x"], it, robots_from="x"), "robots_from: a list of paths, as .*, is wanted, not str"),
    (lambda it: heedful.read(["x"], it, progress=7), "progress: True or a function of two numbers is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: heedful.read(["x"], it, jobs="2"), "jobs: a number from 0 is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: heedful.survey(["x"], "FooBot"), "filter: a heedful.Filter is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: heedful.words(None), "text: text is wanted, not None"),  # type: ignore[arg-type]
    (lambda it: heedful.Writer("x", "FooBot"), "filter: a heedful.Filter is wanted, not str"),  # type: ignore[arg-type]
    (lambda it: heedful.RobotsTxt(None), "body: text or bytes is wanted, not None"),  # type: ignore[arg-type]
    (lambda it: heedful.RobotsTxt("").allowed("FooBot", 7), "url: text is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: heedful.RobotsTxt("").pause("FooBot", at=datetime(2026, 1, 1)), "at: a datetime with tzinfo is wanted, not one without"),
    (lambda it: heedful.Filter(7), "bot: text or a list of texts is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: heedful.Filter("a", conventions=["web"]), "conventions: text is wanted, not list"),  # type: ignore[arg-type]
    (lambda it: heedful.Filter("a", deny=["noindex"]), "deny: a list of pairs of texts, as .*, is wanted, not str"),  # type: ignore[list-item]
    (lambda it: heedful.Filter("a", deny_regions=[("a", "b")]), "deny_regions: a list of texts by three, as .*, not 2 texts"),  # type: ignore[list-item]
    (lambda it: heedful.Filter("a", convention_files="x.toml"), "convention_files: a list of texts is wanted, not str"),
    (lambda it: heedful.Filter("a", names={"u": 7}), "names: u: text, bytes or a list of these is wanted, not int"),  # type: ignore[dict-item]
    (lambda it: heedful.Filter("a", licences=["u"]), "licences: a mapping .* is wanted, not list"),  # type: ignore[arg-type]
    (lambda it: heedful.Filter("a", limits={"page_bytes": "1"}), "limits: page_bytes: a number from 0 is wanted, not str"),  # type: ignore[dict-item]
    (lambda it: heedful.Filter("a", snapshots=1), "snapshots: True or False is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: heedful.Filter("a", blocks=1), "blocks: True or False is wanted, not int"),  # type: ignore[arg-type]
    (lambda it: heedful.Filter("a", landmarks=["main"]), "landmarks: text is wanted, not list"),  # type: ignore[arg-type]
    (lambda it: heedful.read(["x"], it, text="yes"), "text: True or False is wanted, not str"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "told"), NOT_UNDERSTOOD, ids=[told.split(" is")[0] for _, told in NOT_UNDERSTOOD])
def test_what_is_not_understood_is_told_with_the_arguments_name(call: Callable[[heedful.Filter], object], told: str) -> None:
    with pytest.raises(TypeError, match="^" + told):
        call(heedful.Filter("FooBot"))


def test_numbers_and_texts_that_are_out_of_range_are_told_too() -> None:
    it = heedful.Filter("FooBot")
    with pytest.raises(OverflowError, match="^status: a number from 0 to 65535 is wanted, not 70000"):
        it.page("x", url=URL, status=70_000)
    with pytest.raises(ValueError, match="^html: text is wanted: .*surrogates"):
        it.page("\ud800", url=URL)

    def headers() -> Iterator[tuple[str, str]]:
        raise KeyError("mine")
        yield "a", "b"

    # What the caller's own code raises stays what it is.
    with pytest.raises(KeyError, match="mine"):
        it.page("x", url=URL, headers=headers())


def test_a_bot_may_be_given_with_its_version() -> None:
    for name in ("FooBot", "FooBot/1.0", "foobot/2"):
        it = heedful.Filter(name)
        assert it.page("<meta name=foobot content=noindex><p>one", url=URL).phrases == []
        assert it.page("<p>one", url=URL, headers={"X-Robots-Tag": "foobot: noindex"}).phrases == []
        assert not it.page("<p>one", url=URL, robots="User-agent: FooBot\nDisallow: /").verdict.enter
        assert it.page("<meta name=barbot content=noindex><p>one", url=URL).phrases == ["one"]
    with pytest.raises(heedful.Error, match="User-Agent"):
        heedful.Filter("Mozilla/5.0 (compatible; FooBot/1.0)")


def test_pages_are_denied_by_a_file() -> None:
    own = "[[page]]\nurl = ['/private/', 'https://*.example/x']\ndeny = ['noindex']"
    filter = heedful.Filter("FooBot", convention_files=[own])
    assert filter.page("one", url="https://example.com/private/a").phrases == []
    assert filter.page("one", url="https://example.com/").phrases == ["one"]
    with pytest.raises(heedful.Error, match="^1:3: unknown field `pages`.* did you mean `page`?"):
        heedful.Filter("FooBot", convention_files=["[[pages]]"])


def test_a_pass_on_another_thread_is_an_exception_that_can_be_caught() -> None:
    taken = heedful.Filter("FooBot").open(URL)
    taken.write(b"<p>one ")
    raised: list[Exception] = []

    def write() -> None:
        for use in (lambda: taken.write(b"two"), taken.end):
            try:
                use()
            except Exception as error:
                raised.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert [type(error) for error in raised] == [RuntimeError, RuntimeError]
    assert "thread that opened it" in str(raised[0])
    taken.write(b"three")
    assert taken.end().phrases == ["one three"]

    # Let go of on another thread: it is over, and nothing is lost with it.
    left = [heedful.Filter("FooBot").open(URL)]
    thread = threading.Thread(target=left.clear)
    thread.start()
    thread.join()
    assert heedful.Filter("FooBot").page("<p>four", url=URL).phrases == ["four"]
