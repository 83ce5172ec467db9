//! Table of all limits of the program. Exceeding a limit is an error that names it, and what
//! exceeds it is not used.
//!
//! A row has a name, a default, a unit, a meaning, and the scope of the loss: the thing that is
//! lost when the limit is exceeded. The struct, its setters, their documentation and the output of
//! `heedful limits` are generated from these rows, so that none can be forgotten. No ordinary input
//! reaches the defaults. With them, a machine with 512 MB of memory gets through any input.
//! Exceeding a limit of the scope `Nothing` is no error.

use crate::error::{Error, ErrorKind, Result};
use crate::lenient::near::hint;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
/// Maximum value of the limit `query_depth`. The query parser recurses once for each level of a
/// query, so a greater depth may overflow the stack.
pub const MOST_DEPTH: u64 = 50;
/// Maximum value of the limit `redirects`. Each redirect is followed by a recursive call, so a
/// greater number may overflow the stack.
pub const MOST_REDIRECTS: u64 = 100;

/// A limit of heedful: its name, default, unit and meaning, and what is lost if it is exceeded. The
/// table [`LIMITS`] has one row of this type for each limit.
///
/// # Examples
///
/// ```
/// use heedful_base::limits::{LIMITS, LimitScope, Limits};
///
/// let limit = LIMITS.iter().find(|limit| limit.name() == "page_bytes").unwrap();
/// assert_eq!(limit.format_value(limit.default()), "16 MiB");
/// assert_eq!(limit.scope(), LimitScope::Page);
/// assert_eq!(limit.value(&Limits::default().page_bytes(10)), 10);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    name: &'static str,
    default: u64,
    scope: LimitScope,
    unit: Unit,
    meaning: &'static str,
    get: fn(&Limits) -> u64,
    set: fn(&mut Limits, u64),
}

/// The thing that is lost when a limit is exceeded.
///
/// # Examples
///
/// ```
/// use heedful_base::limits::{LIMITS, LimitScope};
///
/// // Limits that stop a run in the middle of an input.
/// let of_input: Vec<_> = LIMITS
///     .iter()
///     .filter(|limit| limit.scope() == LimitScope::Input)
///     .map(|limit| limit.name())
///     .collect();
/// assert_eq!(of_input, ["manifest_bytes", "temporary_bytes", "mask_bytes", "list_ratio"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitScope {
    /// The page is lost: nothing of it is used.
    Page,
    /// The record of an archive, the JSON line or the table row is lost: nothing of it is used.
    Record,
    /// The rest of the input is lost: nothing is read behind the place that exceeds the limit.
    Input,
    /// The site is lost: all its pages are denied.
    Site,
    /// The answer to a search query is lost: the query gets an error instead.
    Query,
    /// The request to the HTTP service is lost: it is refused.
    Request,
    /// No page, input or request is lost, and no error occurs. Data beyond the limit is left out,
    /// or handled as [`Limit::meaning`] says.
    Nothing,
}

crate::display!(LimitScope);

impl LimitScope {
    /// Name of this scope in lower case, as in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Record => "record",
            Self::Input => "input",
            Self::Site => "site",
            Self::Query => "query",
            Self::Request => "request",
            Self::Nothing => "nothing",
        }
    }
}

/// Unit of a limit's value.
///
/// # Examples
///
/// ```
/// use heedful_base::limits::{LIMITS, Unit};
///
/// let unit = |name| LIMITS.iter().find(|limit| limit.name() == name).unwrap().unit();
/// assert_eq!(unit("page_bytes"), Unit::Bytes);
/// assert_eq!(unit("links"), Unit::Count);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The limit is a number of bytes.
    Bytes,
    /// The limit is a plain number: a ratio, a number of seconds, or a count of the things that the
    /// limit's meaning names.
    Count,
}

crate::display!(Limit);

impl Limit {
    /// Name of the limit, as in its setter in [`Limits`], in `--limit NAME=N` and in error
    /// messages.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Value of the limit in [`Limits::default`].
    pub fn default(&self) -> u64 {
        self.default
    }

    /// The thing that is lost when this limit is exceeded.
    pub fn scope(&self) -> LimitScope {
        self.scope
    }

    /// Unit of the limit's value.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Description of what the limit bounds, as `heedful limits` prints it.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim()
    }

    /// Value of this limit in `limits`.
    pub fn value(&self, limits: &Limits) -> u64 {
        (self.get)(limits)
    }

    /// Formats `value` for people, in the unit of this limit. Bytes are given in the largest of
    /// GiB, MiB and KiB that divides them: `64 MiB`. Other values are plain numbers: `4096`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::limits::LIMITS;
    ///
    /// let limit = LIMITS.iter().find(|limit| limit.name() == "line_bytes").unwrap();
    /// assert_eq!(limit.format_value(64 << 20), "64 MiB");
    /// assert_eq!(limit.format_value(1000), "1000");
    /// ```
    pub fn format_value(&self, value: u64) -> String {
        if self.unit == Unit::Bytes {
            for (size, name) in [(1 << 30, "GiB"), (MIB, "MiB"), (KIB, "KiB")] {
                if value >= size && value.is_multiple_of(size) {
                    return format!("{} {name}", value / size);
                }
            }
        }
        value.to_string()
    }
}

impl Unit {
    /// Name of this unit in lower case, as in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:expr, $unit:ident, $scope:ident;)+) => {
        /// Values of all limits of heedful, in the unit that [`Limit::unit`] returns. Each limit
        /// has a default that no ordinary input reaches. [`LIMITS`] describes all limits.
        ///
        /// # Examples
        ///
        /// ```
        /// use heedful_base::limits::Limits;
        ///
        /// let limits = Limits::default().page_bytes(10).set("tokens", 1000)?;
        /// assert_eq!((limits.page_bytes, limits.tokens), (10, 1000));
        ///
        /// let error = Limits::default().set("page_byte", 10).unwrap_err();
        /// assert!(error.to_string().contains("did you mean `page_bytes`?"));
        /// # Ok::<(), heedful_base::error::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Limits {
            $(
                $(#[doc = $doc])+
                #[doc = ""]
                #[doc = concat!("Default: `", stringify!($default), "`.")]
                #[doc = ""]
                #[doc = "# Examples"]
                #[doc = ""]
                #[doc = "```"]
                #[doc = "# use heedful_base::limits::Limits;"]
                #[doc = concat!("let limits = Limits::default().", stringify!($name), "(7);")]
                #[doc = concat!("assert_eq!(limits.", stringify!($name), ", 7);")]
                #[doc = "```"]
                pub fn $name(mut self, limit: u64) -> Self {
                    self.$name = limit;
                    self
                }
            )+
        }

        /// Table that describes all limits, in the order in which `heedful limits` prints them.
        ///
        /// # Examples
        ///
        /// ```
        /// use heedful_base::limits::{LIMITS, Limits};
        ///
        /// // Limits that a user has changed.
        /// let limits = Limits::default().links(10);
        /// let changed = LIMITS.iter().filter(|limit| limit.value(&limits) != limit.default());
        /// assert!(changed.map(|limit| limit.name()).eq(["links"]));
        /// ```
        pub const LIMITS: &[Limit] = &[$(
            Limit {
                name: stringify!($name),
                default: $default,
                scope: LimitScope::$scope,
                unit: Unit::$unit,
                meaning: concat!($($doc),+),
                get: |limits| limits.$name,
                set: |limits, value| limits.$name = value,
            },
        )+];
    };
}

limits! {
    /// Bytes of one page, after decoding.
    page_bytes = 16 * MIB, Bytes, Page;
    /// Bytes of one tag, comment or doctype.
    tag_bytes = 4 * MIB, Bytes, Page;
    /// Attributes of one tag.
    attributes = 4096, Count, Page;
    /// Tags, comments and texts of one page.
    tokens = 20_000_000, Count, Page;
    /// Directives of one page.
    // A region or a link that has a directive counts as one.
    directives = 200_000, Count, Page;
    /// Different directives of one tag or header line.
    // The same number limits the names of bots that one page declares.
    statements = 256, Count, Page;
    /// Places of one page where the withheld uses change.
    exclusions = 500_000, Count, Page;
    /// Regions open at one place of a page.
    regions = 4096, Count, Page;
    /// Nesting depth of elements.
    // `html` and `body` count. Browsers have the same limit. The limits `depth`, `clones` and
    // `comparisons` apply only while a marked element is open, or if one follows.
    depth = 512, Count, Page;
    /// Elements created in one page, minus eight per start tag.
    clones = 10_000, Count, Page;
    /// Comparisons between formatting elements, minus 64 per start tag.
    // Each new formatting element (`b`, `font` ...) is compared with the open ones.
    comparisons = 1_000_000, Count, Page;
    /// Steps of filtering one page.
    // A step is a tag, a comment, or an open region or marked element that is checked at a place. A
    // thousand million steps take some seconds.
    work = 2_000_000_000, Count, Page;
    /// Bytes of tags buffered until the element tree is built.
    // The tree is built when an element is marked, or after these bytes.
    kept_bytes = 4 * MIB, Bytes, Nothing;
    /// Links of one page.
    links = 500_000, Count, Page;
    /// Bytes of one `noscript` element; a longer one counts as a denial.
    // These bytes are searched for META robots.
    noscript_bytes = 1024 * KIB, Bytes, Nothing;
    /// Notes of each kind that are stored; more are counted.
    notes = 100, Count, Nothing;

    /// Bytes of one stored record of an archive.
    // The HTTP head counts. A longer record is classified by its start, and a longer page is lost.
    record_bytes = 24 * MIB, Bytes, Record;
    /// Bytes of one JSON line, or of one object in an array.
    // A page in base64 fits, with its headers.
    line_bytes = 32 * MIB, Bytes, Record;
    /// Unpacked bytes of one data page in Parquet.
    table_page_bytes = 256 * MIB, Bytes, Record;
    /// Bytes of a record's head, or of the trailers of a response.
    head_bytes = 64 * KIB, Bytes, Record;
    /// Header lines of one response.
    headers = 512, Count, Record;
    /// Nested content codings of one body.
    codings = 4, Count, Record;
    /// Unpacked page bytes per input byte, plus four times `page_bytes`.
    // A page that exceeds the ratio is lost only if all pages of its input together exceed it too,
    // by more than four times `page_bytes`. The archives of one WACZ share this allowance.
    unpacked_ratio = 100, Count, Record;
    /// Tags per input byte, plus `page_bytes` / 64 tags.
    // Compressed pages may have many tags in few bytes, and tags cost the most time. A page over
    // the ratio is lost only if all pages of its input together are over it too, by more than
    // `page_bytes` / 64 tags.
    tag_ratio = 1, Count, Record;
    /// Unpacked bytes per byte of a gzip member, zstd frame or Parquet page.
    // The compression of gzip cannot exceed the default.
    member_ratio = 1100, Count, Record;
    /// Rows per byte of a Parquet row group, plus 100,000 rows.
    // The groups of a table may exceed the ratio by 100,000 rows in all.
    row_ratio = 1, Count, Record;
    /// Bytes of the window of one zstd frame.
    window_bytes = 128 * MIB, Bytes, Record;
    /// Bytes read again after damage, minus four times the input's bytes.
    // After that, nothing is read twice.
    reread_bytes = 64 * MIB, Bytes, Nothing;
    /// Unpacked bytes of one manifest or list of URLs.
    manifest_bytes = 256 * MIB, Bytes, Input;
    /// Bytes copied from one pipe to a temporary file.
    temporary_bytes = 16 * 1024 * MIB, Bytes, Input;
    /// Bytes of pages in memory; a larger page is processed alone.
    // The pages are read ahead, being filtered, or waiting for their turn. Data made of the pages
    // may take twice as much. Of an archive, so many bytes of pages are read once; further bytes
    // are read twice.
    bytes_under_way = 64 * MIB, Bytes, Nothing;
    /// Sites whose robots.txt a run stores.
    sites = 1_000_000, Count, Site;
    /// Different robots.txt responses of one site, redirect targets included.
    // Archives of many years have such responses.
    robots_answers = 256, Count, Site;
    /// Bytes of all robots.txt responses of one site.
    // They are in memory, since all are checked for each page.
    robots_site_bytes = 8 * MIB, Bytes, Site;
    /// Bytes of robots.txt files in memory; further files go to disk.
    robots_bytes = 128 * MIB, Bytes, Nothing;
    /// Bytes of the temporary file with robots.txt files.
    robots_file_bytes = 16 * 1024 * MIB, Bytes, Site;
    /// Seconds to fetch a robots.txt or tdmrep.json, redirects included.
    // After that, the site counts as unreachable.
    fetch_seconds = 15, Count, Nothing;
    /// Redirects from one robots.txt or tdmrep.json; a value above 100 means 100.
    // RFC 9309, section 2.3.1.2, requires five. After more, the site counts as unreachable.
    redirects = 5, Count, Nothing;
    /// Sites that a census counts separately.
    // They are those with the smallest hashes, for the confidence intervals.
    census_sites = 10_000, Count, Nothing;
    /// Unpacked bytes of one compact mask.
    // A record takes two bytes in the file, or far less, and its answer a hundred or more.
    mask_bytes = 16 * 1024 * MIB, Bytes, Input;
    /// Unpacked bytes per byte of a mask, feed or URL list.
    // The first 64 MiB do not count.
    list_ratio = 50, Count, Input;
    /// RSL licences that a run fetches.
    licences = 10_000, Count, Nothing;

    /// Bytes of one query.
    query_bytes = 4 * KIB, Bytes, Query;
    /// Opening parentheses and NOTs of one query; a value above 50 means 50.
    // The parser of queries recurses with each.
    query_depth = 50, Count, Query;
    /// Words of one phrase of a query.
    query_words = 64, Count, Query;
    /// Indexed words that match the prefix at a phrase's end.
    query_endings = 2048, Count, Query;
    /// Indexed words that match the stars and tildes of one query.
    // They are counted in each field. Further words, in alphabetical order, are left out with a
    // note.
    query_expansions = 8192, Count, Nothing;

    /// Bytes of one request body; unlimited for JSON Lines.
    // In a body of JSON Lines, `line_bytes` limits each line.
    body_bytes = 32 * MIB, Bytes, Request;
    /// Bytes of request and response bodies in memory.
    // A response may not be longer than this alone. The first 64 KiB of each body do not count.
    bodies_bytes = 256 * MIB, Bytes, Request;
    /// Requests handled at once.
    // Requests that wait for a core count. Requests whose body is still arriving do not.
    requests = 256, Count, Request;
    /// Connections at once; further connections wait.
    connections = 1024, Count, Nothing;
    /// Seconds for each step: receive head, receive body, wait for a CPU core.
    request_seconds = 30, Count, Request;
    /// Seconds without traffic until a connection is closed.
    // The client reads no byte of its response, and sends none of a stream.
    idle_seconds = 60, Count, Request;
}

impl Limits {
    /// Lowers the limits of data that is held in memory, so that a run fits into `memory` bytes. No
    /// limit is raised.
    ///
    /// One half of the memory is for the index. The other half is for pages that are being read and
    /// filtered. These pages take about eight times their bytes, as stored bytes, unpacked bytes,
    /// and data made from them. So `bytes_under_way` becomes at most 1/8 of this half, which is
    /// 1/16 of `memory`.
    ///
    /// While a page is added to the index, both halves have data of the page. In all, this data
    /// takes up to 25 times the bytes of the page. So `page_bytes` becomes at most 1/32 of
    /// `memory`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    ///
    /// let limits = Limits::default().fit_memory(64 << 20);
    /// assert_eq!(limits.page_bytes, 2 << 20);
    /// assert_eq!(limits.tokens, Limits::default().tokens);
    /// assert_eq!(Limits::default().page_bytes(10).fit_memory(64 << 20).page_bytes, 10);
    /// ```
    pub fn fit_memory(self, memory: u64) -> Self {
        Self {
            page_bytes: self.page_bytes.min(memory / 32),
            links: self.links.min(memory / 2048),
            record_bytes: self.record_bytes.min(memory / 24),
            line_bytes: self.line_bytes.min(memory / 16),
            table_page_bytes: self.table_page_bytes.min(memory / 8),
            window_bytes: self.window_bytes.min(memory / 8),
            bytes_under_way: self.bytes_under_way.min(memory / 16),
            robots_bytes: self.robots_bytes.min(memory / 8),
            ..self
        }
    }

    /// Sets the limit `name` to `value`.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`] if no limit has this name. The message suggests the limit with the
    /// nearest name.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    ///
    /// assert_eq!(Limits::default().set("links", 10)?.links, 10);
    /// assert!(Limits::default().set("link", 10).is_err());
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn set(mut self, name: &str, value: u64) -> Result<Self> {
        let limit = row(name).ok_or_else(|| unknown(name))?;
        (limit.set)(&mut self, value);
        Ok(self)
    }
}

impl Error {
    /// Creates the error for exceeding the limit `name`, whose value is `limit`. The error also
    /// names what is lost when the limit is exceeded, such as the page or the input
    /// ([`LimitScope`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::{Error, ErrorKind};
    ///
    /// let error = Error::limit("manifest_bytes", 10);
    /// assert!(matches!(error.kind(), ErrorKind::Limit { of: "input", limit: 10, .. }));
    /// ```
    pub fn limit(name: &'static str, limit: u64) -> Self {
        let of = row(name).map_or(LimitScope::Page, |row| row.scope).name();
        ErrorKind::Limit { of, name, limit }.into()
    }
}

/// Creates the error for exceeding the limit `name`. The value of the limit is taken from `limits`.
///
/// # Examples
///
/// ```
/// use heedful_base::limits::{Limits, exceeded};
///
/// let error = exceeded("links", &Limits::default().links(10));
/// assert_eq!(error.to_string(), "the page passes the limit `links` of 10");
/// ```
pub fn exceeded(name: &'static str, limits: &Limits) -> Error {
    Error::limit(name, row(name).map_or(0, |row| row.value(limits)))
}

/// Returns the row of [`LIMITS`] for the limit `name`. Returns `None` if no limit has this name.
fn row(name: &str) -> Option<&'static Limit> {
    LIMITS.iter().find(|limit| limit.name == name)
}

/// Creates the error about `name`, which no limit has. The message suggests the limit with the
/// nearest name.
fn unknown(name: &str) -> Error {
    let hint = hint(name, LIMITS.iter().map(|limit| limit.name));
    Error::setting(format!(
        "there is no limit `{name}`;{hint} `heedful limits` lists them"
    ))
}

/// Converts the value of a limit to a `usize`. A value that is too great for a `usize` becomes
/// `usize::MAX`.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_base::limits::size(4096), 4096);
/// ```
pub fn size(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
