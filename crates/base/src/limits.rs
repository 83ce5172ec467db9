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
/// Maximum of the limit `query_depth`: the parser of queries recurses that deep.
pub const MOST_DEPTH: u64 = 50;
/// Maximum of the limit `redirects`: redirects are followed by recursion.
pub const MOST_REDIRECTS: u64 = 100;

/// Row of the table [`LIMITS`].
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

/// Thing that is lost when a limit is exceeded.
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
    /// The page: nothing of it is used.
    Page,
    /// The record, line or row: nothing of it is used.
    Record,
    /// The input: nothing is read behind the place that exceeds the limit.
    Input,
    /// The site: all its pages are denied.
    Site,
    /// The query: it gets an error in place of an answer.
    Query,
    /// The request to the service: it is refused.
    Request,
    /// Nothing: what exceeds the limit is left out, or handled as the limit's meaning says.
    Nothing,
}

crate::display!(LimitScope);

impl LimitScope {
    /// Name of the scope in lower case, as in the JSON output.
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
    /// Number of bytes.
    Bytes,
    /// A plain number (a count of what the limit's description names, or a ratio), as opposed to
    /// bytes or a time.
    Count,
}

crate::display!(Limit);

impl Limit {
    /// Name of the limit: that of its setter in [`Limits`], in `--limit NAME=N` and in errors.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Value of the limit in [`Limits::default`].
    pub fn default(&self) -> u64 {
        self.default
    }

    /// Thing that is lost when the limit is exceeded.
    pub fn scope(&self) -> LimitScope {
        self.scope
    }

    /// Unit of the limit's value.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Description of what the limit bounds, for people.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim()
    }

    /// Value of this limit in `limits`.
    pub fn value(&self, limits: &Limits) -> u64 {
        (self.get)(limits)
    }

    /// Formats a value of this limit for people, bytes in the largest unit that divides them:
    /// `64 MiB`, `4096`.
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
    /// Name of the unit in lower case, as in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:expr, $unit:ident, $scope:ident;)+) => {
        /// Limits of a pass, of inputs and of a run. Each has a default that no ordinary input
        /// reaches. [`LIMITS`] is the table of all limits.
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

        /// Table of all limits, in the order of `heedful limits`.
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
    /// Tags, comments and pieces of text of one page.
    tokens = 20_000_000, Count, Page;
    /// Directives of one page. A region or a link that has a directive counts as one.
    directives = 200_000, Count, Page;
    /// Different directives of one tag or header line. The same number limits the names of bots
    /// that one page declares.
    statements = 256, Count, Page;
    /// Places of one page at which exclusions begin or end: the set of withheld uses changes there.
    exclusions = 500_000, Count, Page;
    /// Regions open at one place of a page.
    regions = 4096, Count, Page;
    /// Nesting depth of elements, `html` and `body` included; browsers have the same limit. Applies
    /// only while a marked element is open, or if one follows.
    depth = 512, Count, Page;
    /// Elements that HTML creates without a tag of their own. Eight for each start tag do not
    /// count. Applies only while a marked element is open, or if one follows.
    clones = 10_000, Count, Page;
    /// Comparisons of a new formatting element (`b`, `font` ...) with open ones. For each start
    /// tag, 64 do not count. Applies only while a marked element is open, or if one follows.
    comparisons = 1_000_000, Count, Page;
    /// Steps of filtering one page: its tags and comments, and for each place the open regions and
    /// marked elements that were checked. A thousand million steps take some seconds.
    work = 2_000_000_000, Count, Page;
    /// Bytes of a page's tags that are buffered until an element is marked, as only then the
    /// element tree is needed. After more bytes the tree is built at once.
    kept_bytes = 4 * MIB, Bytes, Nothing;
    /// Links of one page.
    links = 500_000, Count, Page;
    /// Bytes of one `noscript` element that are searched for META robots; a longer element is
    /// treated as a denial.
    noscript_bytes = 1024 * KIB, Bytes, Nothing;
    /// Notes of each kind that are stored; all others are only counted.
    notes = 100, Count, Nothing;

    /// Bytes of one stored record of an archive, HTTP head included; a longer record is classified
    /// by its start, and a longer page is lost.
    record_bytes = 24 * MIB, Bytes, Record;
    /// Bytes of one line of JSON, or of one object in an array. A page in base64 fits, with its
    /// headers.
    line_bytes = 32 * MIB, Bytes, Record;
    /// Bytes of one page of values in Parquet, unpacked.
    table_page_bytes = 256 * MIB, Bytes, Record;
    /// Bytes of the head of a record, or of the trailers of a chunked response.
    head_bytes = 64 * KIB, Bytes, Record;
    /// Header lines of one response.
    headers = 512, Count, Record;
    /// Content codings of one body, one inside the other.
    codings = 4, Count, Record;
    /// Unpacked bytes of pages for each byte of their input. A page that exceeds the ratio is lost
    /// only if all pages of its input together exceed it too, by more than four times `page_bytes`.
    /// The archives of one WACZ share this allowance.
    unpacked_ratio = 100, Count, Record;
    /// Tags for each byte of an input. Compressed pages may have many tags in few bytes, and tags
    /// cost the most time. A page over the ratio is lost only if all pages of its input together
    /// are over it too, by more than `page_bytes` / 64 tags.
    tag_ratio = 1, Count, Record;
    /// Unpacked bytes for each stored byte of a gzip member, a zstd frame or a page of values in
    /// Parquet; gzip cannot exceed the default.
    member_ratio = 1100, Count, Record;
    /// Rows of a row group in Parquet for each byte in which it is stored. The groups of a table
    /// may exceed it by a hundred thousand rows in all.
    row_ratio = 1, Count, Record;
    /// Window size of one zstd frame, in bytes.
    window_bytes = 128 * MIB, Bytes, Record;
    /// Bytes of an input that are read a second time after damage, in addition to four times its
    /// own bytes; after that, nothing is read twice.
    reread_bytes = 64 * MIB, Bytes, Nothing;
    /// Bytes of one list, unpacked: a manifest, which lists inputs, or a list of URLs.
    manifest_bytes = 256 * MIB, Bytes, Input;
    /// Bytes of one input from a pipe that are buffered in a temporary file.
    temporary_bytes = 16 * 1024 * MIB, Bytes, Input;
    /// Bytes of pages that a run has in memory at once: read ahead, being filtered, or waiting for
    /// their turn. A larger page is processed alone. Data made of the pages may take twice as much. Of
    /// an archive, so many bytes of pages are read once; what exceeds them is read twice.
    bytes_under_way = 64 * MIB, Bytes, Nothing;
    /// Sites whose robots.txt a run stores. All pages of further sites are denied.
    sites = 1_000_000, Count, Site;
    /// Different responses of one site to requests for its robots.txt, as archives of years have
    /// them; those of the sites to which it redirects count too.
    robots_answers = 256, Count, Site;
    /// Bytes in memory of all these responses of one site, since all are checked for each page.
    robots_site_bytes = 8 * MIB, Bytes, Site;
    /// Bytes of robots.txt files that a run has in memory; further files are in a temporary file.
    robots_bytes = 128 * MIB, Bytes, Nothing;
    /// Bytes of the temporary file with robots.txt files.
    robots_file_bytes = 16 * 1024 * MIB, Bytes, Site;
    /// Seconds in which a site must respond to a request for its robots.txt or tdmrep.json,
    /// redirects included; after that, it counts as not available.
    fetch_seconds = 15, Count, Nothing;
    /// Redirects that are followed from one robots.txt or tdmrep.json to another, at most 100: RFC
    /// 9309, section 2.3.1.2, asks for five. After more, the file counts as not available.
    redirects = 5, Count, Nothing;
    /// Sites of a census whose counts are stored separately, for its confidence intervals: those
    /// with the smallest hashes.
    census_sites = 10_000, Count, Nothing;
    /// Bytes of the answers of one compact mask, as they are unpacked. A record takes two bytes in the
    /// file, or far less, and its answer a hundred or more.
    mask_bytes = 16 * 1024 * MIB, Bytes, Input;
    /// Unpacked bytes for each byte of a packed mask of lines, a feed, or a list of URLs to be masked.
    /// The first 64 MiB do not count.
    list_ratio = 50, Count, Input;
    /// RSL licences that a run fetches. Further ones count as not available.
    licences = 10_000, Count, Nothing;

    /// Bytes of one query.
    query_bytes = 4 * KIB, Bytes, Query;
    /// Parentheses and NOTs of a query, at most 50: its parser recurses with each.
    query_depth = 50, Count, Query;
    /// Words of one phrase of a query.
    query_words = 64, Count, Query;
    /// Words of the index that match one prefix in a query.
    query_endings = 2048, Count, Query;
    /// Words of the index for which all words with a star or a tilde in one query stand, counted in
    /// each field. Further words, in alphabetical order, are left out with a note.
    query_expansions = 8192, Count, Nothing;

    /// Bytes of the body of one request to the service. In a body of JSON Lines, `line_bytes`
    /// limits each line, and the number of lines is not limited.
    body_bytes = 32 * MIB, Bytes, Request;
    /// Bytes of the bodies of all requests and responses that the service has in memory at once. A
    /// response may not be longer than this alone. The first 64 KiB of each body do not count.
    bodies_bytes = 256 * MIB, Bytes, Request;
    /// Requests that the service handles at once, those that wait for a core included. Requests
    /// whose body is still arriving do not count.
    requests = 256, Count, Request;
    /// Connections that the service has at once. Further ones wait to be accepted.
    connections = 1024, Count, Nothing;
    /// Seconds for each step of a request: its head arrives, its body arrives, and a core becomes
    /// free for it.
    request_seconds = 30, Count, Request;
    /// Seconds after which a connection is closed if nothing happens on it: the client reads no
    /// byte of its response, and sends none of a stream.
    idle_seconds = 60, Count, Request;
}

impl Limits {
    /// Lowers the limits of data held in memory, so that a run fits into `memory` bytes. No limit
    /// is raised.
    ///
    /// A page takes up to 25 times its bytes until it is in an index. The pages that are read and
    /// filtered have the half of the memory that the index does not use. They take about eight
    /// times their bytes: stored, unpacked, and as data made of them.
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
    /// [`ErrorKind::Setting`] if no limit has this name. The message suggests the nearest one.
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
    /// Creates the error for exceeding the limit `name` with the value `limit`. The limit's row in
    /// [`LIMITS`] gives the scope of the loss.
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

/// Creates the error for exceeding the limit `name`, with its value in `limits`.
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

/// Finds the row of a limit by its name.
fn row(name: &str) -> Option<&'static Limit> {
    LIMITS.iter().find(|limit| limit.name == name)
}

/// Creates the error for a name that no limit has, with the nearest name.
fn unknown(name: &str) -> Error {
    let hint = hint(name, LIMITS.iter().map(|limit| limit.name));
    Error::setting(format!(
        "there is no limit `{name}`;{hint} `heedful limits` lists them"
    ))
}

/// Converts a limit to a `usize`, or to `usize::MAX` if it is greater.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_base::limits::size(4096), 4096);
/// ```
pub fn size(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
