from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyarrow
from _typeshed import SupportsItems

_Headers: TypeAlias = Iterable[tuple[str, str | Sequence[str]]] | SupportsItems[str, str | Sequence[str]]

class Error(Exception):
    """What went wrong."""

    kind: str
    """As in the JSON: limit, ambiguous, url, input, internal, io or setting."""

class Filter:
    """What is obeyed, for whom, and within which limits. It may be shared between threads, and pickled.

    bot: NAME or NAME=ALIAS,...; a list of them has each page read once for all.
    conventions: as --conventions of the program: seed, web, all or none, then +name, -name.
    deny, deny_elements, deny_regions: (words, pattern), (words, selector), (words, open, close), as --deny and its like.
    convention_files: texts of convention files. names: Names pages by URL, or several captures of each. licences: RSL documents by URL.
    profile: the profile's URI.
    at: the clock for pages that expire, an aware datetime; else the machine's.
    snapshots: keeps what Page.snapshot is made of. limits: bounds of a page by name, as in heedful::Limits.
    robots_mode: how each robots.txt is read, as --mode of the program: rfc9309, google, 1994, 1996, spiderline or lycos.
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
        """The page for the first bot. Text counts as decoded before; of bytes the character set is found.

        robots is the text of a robots.txt for this page. Raises Error where nothing of the page may be used; a status that is
        not 2xx is such a page.
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
        """The page for each bot, read once."""

    def open(self, url: str) -> Pass:
        """Begins a page that comes in pieces."""

    def filter_batch(
        self,
        batch: pyarrow.RecordBatch,
        *,
        robots: pyarrow.RecordBatch | None = None,
        keep: Iterable[str] = (),
    ) -> pyarrow.RecordBatch:
        """A row for each row and bot, in their order.

        A row whose url is that of a robots.txt is heard for the pages of its site, wherever it stands in the batch, and is a row with
        error. robots: rows of other batches, of which the robots.txt files are heard too, as survey_batch finds them.

        keep: columns of the batch that the rows have too, as they are, behind their own.

        In: columns url and html (text or bytes), and as may be headers (a map, a list of groups with name and value, a list of
        pairs, or JSON), status, date, robots, robots_status; others are not read. Out: the keys of the program's JSON, nested.
        A page that fails is a row with error.
        """

class Pass:
    """One pass over one page: robots.txt and headers first, then the bytes in pieces of any size, then the end.

    It stays on the thread that opened it. A context manager too.
    """

    def robots_txt(self, robots: RobotsTxt) -> None: ...
    def header(self, name: str, value: str) -> None: ...
    def cut_short(self) -> None:
        """The last bytes of the page are known to be missing: it is withheld if it breaks off before its head is closed."""

    def write(self, piece: str | bytes) -> None:
        """Text counts as decoded before: give it from the first piece to the last."""

    def end(self) -> Page: ...
    def end_each(self) -> list[Page]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

class Page:
    """What one bot may have of a page. Names are those of the JSON."""

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
        """What a search result may show at most: text that may be shown, within max_snippet, with `[...]` at short gaps."""

    @property
    def shown_title(self) -> str: ...
    @property
    def input(self) -> str:
        """What may be given to a model as material for an answer, within max_snippet, with `[...]` at short gaps."""

    @property
    def lang(self) -> str | None:
        """The language of the root element, or else the only one of Content-Language; None where the page may not be indexed."""

    @property
    def canonical(self) -> str | None:
        """The URL that the page names for itself; None where it may not be indexed."""

    @property
    def content_type(self) -> str | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def fetched(self) -> datetime | None: ...
    @property
    def kept_out(self) -> Ruling | None:
        """The answer of the robots.txt that keeps the page out, with its rule; None where the page entered."""

    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

class Verdict:
    """What is said of the whole page, after derivation."""

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
    """Who said it, and where: no line where it does not stand in the page. origin: rule, record, header, page, operator or input."""

    line: int | None
    column: int | None
    convention: str
    directive: str
    origin: str

class Link:
    """A link, and what may be done with it."""

    url: str
    kind: str
    rel: list[str]
    text: str
    """Empty where something excluded stands among the phrases."""
    phrases: list[str]
    show: bool
    """Whether its text may be shown, as with a search result."""
    input: bool
    """Whether its text may be given to a model as material for an answer."""
    follow: bool
    anchor: bool
    why_not_follow: Directive | None
    why_not_anchor: Directive | None

class Exclusion:
    """What was withheld, in bytes of the page as decoded, and by whom."""

    use: str
    start: int
    end: int
    directive: Directive

class Note:
    """What looked wrong."""

    kind: str
    line: int | None
    column: int | None
    message: str
    convention: str | None

class RobotsTxt:
    """A site's robots.txt; with status, what a response of that status and body means."""

    def __new__(cls, body: str | bytes, status: int | None = None) -> Self: ...
    @staticmethod
    def tdmrep(body: str | bytes) -> RobotsTxt:
        """A tdmrep.json, for Pass.robots_txt: what it reserves is denied, and it keeps nobody out."""

    def allowed(self, bot: str, url: str) -> bool: ...
    def ruling(self, bot: str, url: str, *, at: datetime | None = None, last: datetime | None = None) -> Ruling:
        """With at (the clock) or last (when the bot fetched last), also when it may fetch next. Aware datetimes."""

    def next_fetch(self, bot: str, *, at: datetime | None = None, last: datetime | None = None) -> datetime:
        """The first moment, at or later, at which the bot may fetch, if it fetched at last: by the times of visit, the delay, and the
        slowest rate that holds then. at: now, unless given."""

    def pause(self, bot: str, *, at: datetime | None = None) -> float:
        """The seconds that the bot is asked to let pass between two fetches at that moment."""

    @property
    def sitemaps(self) -> list[str]: ...

class Ruling:
    """What it says to one bot of one URL."""

    allowed: bool
    line: int | None
    rule: str | None
    group: str | None
    reason: str
    crawl_delay: float | None
    next_fetch: datetime | None
    """Where a time was asked for, and the bot may fetch at all."""
    pause: float | None
    """In seconds, at next_fetch."""
    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

class Writer:
    """Writes an index that the program searches, merges and purges: `heedful search FOLDER ...`.

    folder: made if it is not there; an index in it must have been made by the same settings. filter: of one bot, and the one that
    pages are read with; with snapshots=True they are kept. threads: each may use 100 MB. Nothing is seen before a commit; as a context manager it commits
    at the end, unless an exception came. Only one writer at a time.
    """

    def __new__(cls, folder: str | PathLike[str], filter: Filter, *, threads: int = 1) -> Self: ...
    def add(self, page: Page, *, date: datetime | None = None) -> bool:
        """Adds a page in place of all that its URL brought in, unless something later was said of it.

        date: when it was fetched. Returns whether the page is in; of one that may not be indexed it is kept that it is known.
        """

    def commit(self) -> None: ...
    def close(self) -> None:
        """Gives the folder back. What was not committed is lost."""

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
) -> pyarrow.RecordBatchReader:
    """Whole inputs (WARC, JSON Lines, folders ...) as a stream of batches: the rows of `heedful filter`, in its order.

    robots is a robots.txt for every page, besides those found in the inputs; with robots_from, those found there count instead,
    and so do Names pages of the Robot Exclusion Profile.
    What an input says of a URL goes into the writer's index too; it is committed by nobody but you. Once all is read, pages that the
    robots.txt files among the inputs keep out by now are removed, and an older capture does not bring them back.

    progress: True for a line on the standard error stream; or a function, which is called with the bytes that were read so far and
    those of all inputs: at the start, behind each batch on the thread that asks for it, and at the end with both alike. What it raises
    ends the stream. The inputs are looked through for robots.txt files before, within this call.
    """

class Census:
    """Counts of what publishers say: how often each convention is used, of what, on how many pages and sites, and how much text that
    withholds. It holds counts alone: no text, no address and no name of a site.
    """

    @staticmethod
    def parse(json: str | bytes) -> Census:
        """Reads what json() or `heedful census -o` wrote. Raises Error for what another version wrote."""

    def merge(self, *others: Census) -> Census:
        """The census of all of their pages, bit for bit. Raises Error where they were made with other settings."""

    def __add__(self, other: Census) -> Census: ...
    def json(self) -> str:
        """As `heedful census -o` writes it. Equal censuses are equal texts."""

    def html(self) -> str:
        """A page with plots, as `heedful census --html` writes it."""

    @property
    def pages(self) -> int:
        """The number of pages."""

    @property
    def sites(self) -> int:
        """The number of sites, which is an estimate where there are more than the limit census_sites keeps."""

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
    """The census of whole inputs, as `heedful census` makes it. Arguments are those of read.

    The filter says what is obeyed; all conventions are counted.
    """

def census_batch(
    batch: pyarrow.RecordBatch, filter: Filter, *, robots: pyarrow.RecordBatch | None = None
) -> Census:
    """The census of the rows of a batch, which are those of Filter.filter_batch; robots as there."""

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
    """What each record of whole inputs may be used for, as a stream of batches: the answers of `heedful mask`, in its order.

    There is one answer for each record of an archive, line, row or file, however damaged. One that cannot be read is `unknown`, one that
    is no page is `none`, and both are denied everything.

    use: the uses to ask about, as "index,train" or a list: index, follow, anchor, archive, snippet, image, translate, train, input.
    parts: tells also which uses a page allows but not for all of its parts. digest: False leaves the digests of pages out.
    Other arguments are those of read.

    Columns are the keys of the program's JSON, nested. allow and why have a field for each use; where no directive decided on it,
    why has null.
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
    """An answer for each row of a batch, in their order, whatever it holds; columns as of mask.

    Rows, and robots, are as for Filter.filter_batch. A row whose url is that of a robots.txt is heard for the pages of its site, and is no
    page itself. `at` is the number of the row, from 1.
    """

def survey(inputs: Sequence[str | PathLike[str]], filter: Filter) -> pyarrow.RecordBatch:
    """What archives have for pages that may stand in others, for a run on many machines.

    Sites: columns site; robots, a WARC record that says what the one found says (null for a site that has pages); leads_to, the
    site whose robots.txt it redirects to. Names pages, where a convention asks for them: columns page, its URL; names, METAs that
    say what it does, for Filter(names=...) (null where it cannot be read).
    """

def survey_batch(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """What rows have for pages in other batches: their robots.txt files, as rows for Filter.filter_batch(robots=...).

    Columns: site; leads_to, the site whose robots.txt it redirects to; url, html, status, headers (JSON), as they came.
    """

def words(text: str) -> list[str]:
    """The words of a phrase as heedful's own index has them, folded; one of more than 255 bytes is left out.

    Give it one phrase at a time, and leave a gap of positions between two of them.
    """

def _passed_over(filter: Filter, what: str | None) -> Census: ...
def _site(url: str | None) -> str | None: ...
def _sites(batch: pyarrow.RecordBatch) -> list[str]: ...
def _loop(filter: Filter, batch: pyarrow.RecordBatch, rows: int, has_columns: bool) -> int: ...
