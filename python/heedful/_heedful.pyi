from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyarrow
from _typeshed import SupportsItems

_Headers: TypeAlias = Iterable[tuple[str, str | Sequence[str]]] | SupportsItems[str, str | Sequence[str]]

class Error(Exception):
    """Error of this package. Its text is for people, `kind` for programs."""

    kind: str
    """Kind of the error, as in the JSON: limit, ambiguous, url, input, internal, io or setting."""

class Filter:
    """The rules to obey, the bots, and the limits. A filter may be shared between threads, and pickled.

    bot: NAME or NAME=ALIAS,...; with a list of bots, each page is parsed once for all.
    conventions: the conventions to obey, as in the option --conventions: seed, web, all or none, then +name, -name.
    deny, deny_elements, deny_regions: denials of your own, as in --deny, --deny-element and --deny-region: tuples of (words, pattern),
    (words, selector) and (words, open, close).
    convention_files: texts of convention files. names: Names pages by URL, each as one capture or a list of captures.
    licences: RSL documents by URL. profile: URI of the Robot Exclusion Profile.
    at: time as of which pages are judged, an aware datetime. By default it is the current time.
    snapshots: True to record what Page.snapshot needs. limits: limits of a page by name, as in heedful::Limits.
    robots_mode: mode in which each robots.txt is interpreted, as in --mode: rfc9309, google, 1994, 1996, spiderline or lycos.
    landmarks: the landmarks whose text is read, as in --landmarks: main, navigation, banner, contentinfo, complementary, search, form, and
    none for text in none of them, as "main,none" or "all,-navigation".
    blocks: True for Page.blocks in rows and in the JSON too, under the key blocks.
    """

    def __new__(
        cls,
        bot: str | Sequence[str],
        *,
        conventions: str = "web",
        deny: Sequence[tuple[str, str]] | None = None,
        deny_elements: Sequence[tuple[str, str]] | None = None,
        deny_regions: Sequence[tuple[str, str, str]] | None = None,
        convention_files: Sequence[str] | None = None,
        names: Mapping[str, str | bytes | Sequence[str | bytes]] | None = None,
        licences: Mapping[str, str | bytes] | None = None,
        profile: str | None = None,
        at: datetime | None = None,
        snapshots: bool = False,
        limits: Mapping[str, int] | None = None,
        robots_mode: str | None = None,
        landmarks: str = "all",
        blocks: bool = False,
    ) -> Self: ...
    def page(
        self,
        html: str | bytes,
        *,
        url: str,
        headers: _Headers | None = None,
        status: int | None = None,
        robots: str | bytes | None = None,
        date: str | None = None,
    ) -> Page:
        """Returns the page for the first bot. A str is taken as decoded; the character set of bytes is detected.

        robots: text of a robots.txt for this page. Raises Error if nothing of the page may be used, which includes pages with a
        status other than 2xx.
        """

    def pages(
        self,
        html: str | bytes,
        *,
        url: str,
        headers: _Headers | None = None,
        status: int | None = None,
        robots: str | bytes | None = None,
        date: str | None = None,
    ) -> list[Page]:
        """Returns the page for each bot. The page is parsed once."""

    def open(self, url: str) -> Pass:
        """Opens a pass over a page whose bytes arrive in pieces."""

    def filter_batch(
        self,
        batch: pyarrow.RecordBatch,
        *,
        robots: pyarrow.RecordBatch | None = None,
        keep: Iterable[str] = (),
    ) -> pyarrow.RecordBatch:
        """Filters the rows of a batch. Returns a row for each row and bot, in their order.

        A row whose url is that of a robots.txt applies to all pages of its site in the batch, before and after it. Its own result is
        a row with error. robots: rows of other batches, whose robots.txt files apply too, as survey_batch returns them.

        keep: names of columns of the batch to copy, after the columns of the result.

        Columns of the batch: url and html (text or bytes). Optional: headers (a map, a list of objects with name and value, a list
        of pairs, or JSON), status, date, robots, robots_status. Others are ignored. Columns of the result: the keys of the program's
        JSON, nested. A page that fails gives a row with error.
        """

class Pass:
    """Pass over one page: robots.txt and headers first, then the bytes in pieces of any size, then the end.

    A pass stays on the thread that opened it. It is a context manager too.
    """

    def robots_txt(self, robots: RobotsTxt) -> None: ...
    def header(self, name: str, value: str) -> None: ...
    def cut_short(self) -> None:
        """Records that the end of the page is known to be missing. The page is denied if it breaks off before its head is closed."""

    def write(self, piece: str | bytes) -> None:
        """Writes the next piece of the page. A str is taken as decoded, so pass str for all pieces or for none."""

    def end(self) -> Page: ...
    def end_each(self) -> list[Page]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

class Page:
    """The parts of a page that one bot may use. Attributes have the names of the JSON's keys."""

    @property
    def url(self) -> str: ...
    @property
    def bot(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def title(self) -> list[str]: ...
    @property
    def description(self) -> list[str]: ...
    @property
    def headings(self) -> list[str]: ...
    @property
    def phrases(self) -> list[str]: ...
    @property
    def text(self) -> str:
        """Text of the body with line breaks: paragraphs have a blank line around them, and tabs separate the cells of a row. A line
        ends where something was withheld."""

    @property
    def blocks(self) -> list[Block]:
        """Paragraphs, headings, list items, table cells and alternative texts, in the order of the page."""

    @property
    def alt(self) -> list[str]: ...
    @property
    def links(self) -> list[Link]: ...
    @property
    def exclusions(self) -> list[Exclusion]: ...
    @property
    def notes(self) -> list[Note]: ...
    @property
    def snapshot(self) -> str | None: ...
    @property
    def excerpt(self) -> str:
        """Longest text that a search result may show: within max_snippet, with `[...]` at short gaps."""

    @property
    def shown_title(self) -> str: ...
    @property
    def input(self) -> str:
        """Text that may be given to a model as material for an answer: within max_snippet, with `[...]` at short gaps."""

    @property
    def lang(self) -> str | None:
        """Language of the root element, otherwise the only one in Content-Language. None if the page may not be indexed."""

    @property
    def canonical(self) -> str | None:
        """Canonical URL that the page names for itself. None if the page may not be indexed."""

    @property
    def content_type(self) -> str | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def fetched(self) -> datetime | None: ...
    @property
    def kept_out(self) -> Ruling | None:
        """Ruling of the robots.txt that denies the page, with its rule. None if no robots.txt denies it."""

    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

class Verdict:
    """Policy of the page as a whole, with the denials that follow from others."""

    enter: bool
    index: bool
    follow: bool
    anchor: bool
    archive: bool
    snippet: bool
    image: bool
    translate: bool
    train: bool
    input: bool
    max_snippet: int | None
    max_image_preview: str | None
    max_video_preview: int | None
    unavailable_after: datetime | None

class Directive:
    """Directive, with its source and place. line is None if the directive is not in the page.

    origin: rule, record, header, page, operator or input.
    """

    line: int | None
    column: int | None
    convention: str
    directive: str
    origin: str

class Block:
    """Block of a page's text, with its place: where its text begins."""

    kind: str
    """paragraph, heading, item, cell, preformatted, quote, caption, choice or alternative."""
    level: int | None
    """Level of a heading, or the number of lists around an item."""
    row: int | None
    """Number of the table row, counted from 1 in the page."""
    landmark: str | None
    """The innermost landmark around the block: main, navigation, banner, contentinfo, complementary, search or form."""
    line: int
    column: int
    phrases: list[str]
    """Its phrases, at least one. A phrase ends where something was withheld."""

class Link:
    """Link, with the uses that are allowed for it."""

    url: str
    kind: str
    rel: list[str]
    text: str
    """Anchor text. Empty if something excluded is among its phrases."""
    phrases: list[str]
    show: bool
    """True if the anchor text may be shown, as in a search result."""
    input: bool
    """True if the anchor text may be given to a model as material for an answer."""
    follow: bool
    anchor: bool
    why_not_follow: Directive | None
    why_not_anchor: Directive | None

class Exclusion:
    """Withheld part of a page, as byte offsets in the decoded page, with the directive that denies it."""

    use: str
    start: int
    end: int
    directive: Directive

class Note:
    """Note on markup that looks wrong."""

    kind: str
    line: int | None
    column: int | None
    message: str
    convention: str | None

class RobotsTxt:
    """Parsed robots.txt of a site. With status, body is that of a response with this HTTP status."""

    def __new__(cls, body: str | bytes, status: int | None = None) -> Self: ...
    @staticmethod
    def tdmrep(body: str | bytes) -> RobotsTxt:
        """Parses a tdmrep.json, for Pass.robots_txt. It denies uses of reserved pages, and denies no fetch."""

    def allowed(self, bot: str, url: str) -> bool: ...
    def ruling(self, bot: str, url: str, *, at: datetime | None = None, last: datetime | None = None) -> Ruling:
        """Returns the ruling on a URL. With at (the current time) or last (the time of the bot's last fetch), it has the time of the next
        fetch. Both are aware datetimes."""

    def next_fetch(self, bot: str, *, at: datetime | None = None, last: datetime | None = None) -> datetime:
        """Returns the earliest time, at or later, at which the bot may fetch. last is the time of its last fetch. The times of visit, the
        delay and the slowest rate at that time decide. at: the current time by default."""

    def pause(self, bot: str, *, at: datetime | None = None) -> float:
        """Returns the minimum number of seconds between two fetches of the bot at the time at."""

    @property
    def sitemaps(self) -> list[str]: ...

class Ruling:
    """Ruling of a robots.txt for one bot on one URL."""

    allowed: bool
    line: int | None
    rule: str | None
    group: str | None
    reason: str
    crawl_delay: float | None
    next_fetch: datetime | None
    """Time of the next fetch. None if no time was passed, or the URL is denied."""
    pause: float | None
    """Minimum number of seconds between two fetches at next_fetch."""
    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

class Writer:
    """Writes an index that the program searches, merges and purges: `heedful search FOLDER ...`.

    folder: created if it is missing; an index in it must have been written with the same settings. filter: the filter of all pages
    to add, for one bot; with snapshots=True their snapshots are stored. threads: number of threads, each of which may use 100 MB.
    Pages are visible after a commit. As a context manager, the writer commits at the end unless an exception was raised. A folder has
    one writer at a time. Threads may share a writer. A forked process may not use it: there each method raises Error.
    """

    def __new__(cls, folder: str | PathLike[str], filter: Filter, *, threads: int = 1) -> Self: ...
    def add(self, page: Page, *, date: datetime | None = None) -> bool:
        """Adds a page in place of everything that is stored for its URL, unless that is of a later date.

        date: time at which the page was fetched. Returns True if the page is in the index. Of a page that may not be indexed, only the
        decision is stored.
        """

    def commit(self) -> None: ...
    def close(self) -> None:
        """Releases the folder. Pages that are not committed are lost."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

def read(
    inputs: Sequence[str | PathLike[str]],
    filter: Filter,
    *,
    url: str | None = None,
    headers: _Headers | None = None,
    robots: str | bytes | None = None,
    robots_from: Sequence[str | PathLike[str]] | None = None,
    require_robots: bool = False,
    writer: Writer | None = None,
    jobs: int = 1,
    rows: int = 256,
    progress: bool | Callable[[int, int], object] = False,
    text: bool = False,
) -> pyarrow.RecordBatchReader:
    """Filters whole inputs (WARC, JSON Lines, folders ...). Returns a stream of batches: the rows of `heedful filter`, in its order.

    robots: a robots.txt for every page, in addition to those in the inputs. robots_from: inputs whose robots.txt files and Names
    pages of the Robot Exclusion Profile apply in place of those in the inputs.
    writer: a writer to whose index the pages are added. Only you commit it. After the last page, those pages are removed which the
    robots.txt files of the inputs now deny, and an older capture does not add them again.

    progress: True for a line on standard error, or a callback of two numbers: the bytes read so far, and those of all inputs. It is
    called at the start, after each batch on the thread that requests it, and at the end with equal numbers. An exception that it
    raises ends the stream. This call itself searches the inputs for robots.txt files.

    text: True for a last column text, with Page.text. It is null in a row with error.
    """

class Census:
    """Counts of publishers' statements: how often each convention is used, for which uses, on how many pages and sites, and how much
    text is withheld. It has no text, no URL and no name of a site.
    """

    @staticmethod
    def parse(json: str | bytes) -> Census:
        """Parses the output of json() or `heedful census -o`. Raises Error for the output of another version."""

    def merge(self, *others: Census) -> Census:
        """Returns the census of all pages together, bit for bit. Raises Error if a census was made with other settings."""

    def __add__(self, other: Census) -> Census: ...
    def json(self) -> str:
        """Returns the census in the format of `heedful census -o`. Equal censuses give equal texts."""

    def html(self) -> str:
        """Returns an HTML page with plots, as `heedful census --html` writes it."""

    @property
    def pages(self) -> int:
        """Number of pages."""

    @property
    def sites(self) -> int:
        """Number of sites. It is an estimate if there are more than the limit census_sites."""

def census(
    inputs: Sequence[str | PathLike[str]],
    filter: Filter,
    *,
    url: str | None = None,
    headers: _Headers | None = None,
    robots: str | bytes | None = None,
    robots_from: Sequence[str | PathLike[str]] | None = None,
    require_robots: bool = False,
    jobs: int = 1,
) -> Census:
    """Counts the pages of whole inputs, as `heedful census` does. The arguments are those of read.

    The filter has the conventions that are obeyed. All conventions are counted.
    """

def census_batch(
    batch: pyarrow.RecordBatch, filter: Filter, *, robots: pyarrow.RecordBatch | None = None
) -> Census:
    """Counts the pages in the rows of a batch. The arguments batch and robots are those of Filter.filter_batch."""

def mask(
    inputs: Sequence[str | PathLike[str]],
    filter: Filter,
    *,
    use: str | Sequence[str] = "index,archive,input,train",
    parts: bool = False,
    digest: bool = True,
    url: str | None = None,
    headers: _Headers | None = None,
    robots: str | bytes | None = None,
    robots_from: Sequence[str | PathLike[str]] | None = None,
    require_robots: bool = False,
    jobs: int = 1,
    rows: int = 256,
    progress: bool | Callable[[int, int], object] = False,
) -> pyarrow.RecordBatchReader:
    """Makes the mask of whole inputs: the allowed uses of each record. Returns a stream of batches, in the order of `heedful mask`.

    Each record of an archive, line, row or file has one answer, however damaged it is. A record that cannot be parsed is `unknown`, one
    that is no page is `none`, and all uses of both are denied.

    use: the requested uses, as "index,train" or a list: index, follow, anchor, archive, snippet, image, translate, train, input.
    parts: True to list the uses that a page allows but not for all its parts. digest: False to leave out the digests of pages.
    The other arguments are those of read.

    Columns are the keys of the program's JSON, nested. allow and why have a field for each requested use. The field in why is null if
    no directive decided.
    """

def mask_batch(
    batch: pyarrow.RecordBatch,
    filter: Filter,
    *,
    use: str | Sequence[str] = "index,archive,input,train",
    parts: bool = False,
    digest: bool = True,
    robots: pyarrow.RecordBatch | None = None,
) -> pyarrow.RecordBatch:
    """Makes the mask of a batch of rows. Returns an answer for each row, in their order, with the columns of mask.

    The arguments batch and robots are those of Filter.filter_batch. A row whose url is that of a robots.txt applies to the pages of its
    site, and is no page itself. `at` is the number of the row, from 1.
    """

def survey(inputs: Sequence[str | PathLike[str]], filter: Filter) -> pyarrow.RecordBatch:
    """Returns the contents of archives that affect pages in other archives, for a run on many machines.

    A row for a site has the columns site, robots and leads_to. robots is a WARC record with the meaning of the site's robots.txt (null
    for a site that has pages). leads_to is the site to whose robots.txt it redirects. If a convention uses Names pages, a row for such
    a page has the columns page, its URL, and names: META elements with its meaning for Filter(names=...), or null if the page cannot
    be parsed.
    """

def survey_batch(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """Returns the contents of rows that affect pages in other batches: robots.txt files, as rows for Filter.filter_batch(robots=...).

    Columns: site; leads_to, the site to whose robots.txt it redirects; and url, html, status, headers (as JSON) and date of the row.
    """

def words(text: str) -> list[str]:
    """Splits a phrase into folded words, as heedful's own index does. Words of more than 255 bytes are left out.

    Call it for one phrase at a time, and leave a gap of positions between two phrases.
    """

def _passed_over(filter: Filter, what: str | None) -> Census: ...
def _site(url: str | None) -> str | None: ...
def _sites(batch: pyarrow.RecordBatch) -> list[str]: ...
def _loop(filter: Filter, batch: pyarrow.RecordBatch, rows: int, has_columns: bool) -> int: ...
