//! Every bound of the program, in one table. Passing a bound is an error that names it, and nothing
//! is used of what passes it.
//!
//! A row has a name, a default, a meaning, and the thing that is lost when it is passed. The
//! struct, its setters, their documentation and the program's output are made of these rows, so
//! none can be forgotten. The defaults are chosen so that no ordinary input reaches them. With
//! them, a machine with 512 MB of memory gets through any input. A row of `Nothing` is no error.

use crate::error::{Error, ErrorKind, Result};
use crate::lenient::near::hint;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
/// The maximum of `query_depth`, which are followed by recursion.
pub const MOST_DEPTH: u64 = 50;
/// The maximum of `redirects`, which are followed by recursion.
pub const MOST_REDIRECTS: u64 = 100;

/// One row of the table.
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

/// The thing that is lost when a limit is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitScope {
    /// The page: none of it is used.
    Page,
    /// The record, line or row: none of it is used.
    Record,
    /// The input: nothing after the place is read.
    Input,
    /// The site: none of its pages is let in.
    Site,
    /// The query: it is not answered.
    Query,
    /// The request to the service: it is refused.
    Request,
    /// Nothing is lost: what exceeds the limit is left out or handled in another way.
    Nothing,
}

crate::display!(LimitScope);

impl LimitScope {
    /// The name, in lower case.
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

/// The unit in which a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Things of the kind that the limit names.
    Count,
}

crate::display!(Limit);

impl Limit {
    /// The name of the limit: that of the setter of [`Limits`], of `--limit NAME=N`, and in the
    /// error.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The value unless another is set.
    pub fn default(&self) -> u64 {
        self.default
    }

    /// The thing that is lost when the limit is passed.
    pub fn scope(&self) -> LimitScope {
        self.scope
    }

    /// The unit in which the limit counts.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// A description of what the limit bounds.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim()
    }

    /// The value of this limit in `limits`.
    pub fn value(&self, limits: &Limits) -> u64 {
        (self.get)(limits)
    }

    /// Formats a value of this limit for people: `64 MiB`, `4096`.
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
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:expr, $unit:ident, $scope:ident;)+) => {
        /// The bounds of a pass, of what is read and of a run. Each has a default that no ordinary
        /// input reaches. [`LIMITS`] is their table.
        ///
        /// ```
        /// use heedful_base::limits::Limits;
        /// let limits = Limits::default().page_bytes(10).set("tokens", 1000)?;
        /// assert_eq!((limits.page_bytes, limits.tokens), (10, 1000));
        /// assert!(Limits::default().set("page_byte", 10).unwrap_err().to_string().contains("did you mean `page_bytes`?"));
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
                pub fn $name(mut self, limit: u64) -> Self {
                    self.$name = limit;
                    self
                }
            )+
        }

        /// The table of all limits.
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
    /// Elements left open where the tokenizer cannot begin anew, about: in svg or `select` that is
    /// never closed.
    open_elements = 100_000, Count, Page;
    /// Tags, comments and pieces of text of one page.
    tokens = 20_000_000, Count, Page;
    /// Directives heard in one page, regions and links with a directive included.
    directives = 200_000, Count, Page;
    /// Different directives of one tag or header line; names of bots that one page gives.
    statements = 256, Count, Page;
    /// Places of one page where what is withheld changes.
    exclusions = 500_000, Count, Page;
    /// Regions open at once.
    regions = 4096, Count, Page;
    /// Elements inside each other, `html` and `body` included; a browser stops there too. Matters
    /// where the page marks elements.
    depth = 512, Count, Page;
    /// Elements that HTML makes without a tag of their own, on top of 8 for each start tag. Matters
    /// where the page marks elements.
    clones = 10_000, Count, Page;
    /// Comparisons of formatting elements (`b`, `font` ...) with those that are open, on top of 64
    /// for each start tag. Matters where the page marks elements.
    comparisons = 1_000_000, Count, Page;
    /// Steps that a page costs: its tags and comments, and for each place the regions and marked
    /// elements that had to be looked at round it. A thousand million take some seconds.
    work = 2_000_000_000, Count, Page;
    /// Bytes kept of the tags of a page, to find out later what its elements contain; where they
    /// are more, that is found out from its beginning on.
    kept_bytes = 4 * MIB, Bytes, Nothing;
    /// Links of one page.
    links = 500_000, Count, Page;
    /// Bytes of one `noscript` element that are searched for META robots; a longer one is taken to
    /// deny.
    noscript_bytes = 1024 * KIB, Bytes, Nothing;
    /// Notes kept of each kind; the rest are counted.
    notes = 100, Count, Nothing;

    /// Bytes of one record of an archive with its HTTP head, as it is stored there; of a longer one
    /// the beginning says what it is, and a page is given up.
    record_bytes = 24 * MIB, Bytes, Record;
    /// Bytes of one line of JSON, or one object of an array. A page in base64, with its headers,
    /// fits.
    line_bytes = 32 * MIB, Bytes, Record;
    /// Bytes of one page of values in Parquet, unpacked.
    table_page_bytes = 256 * MIB, Bytes, Record;
    /// Bytes of the head of a record, or of a response's lines behind its last chunk.
    head_bytes = 64 * KIB, Bytes, Record;
    /// Header lines of one response.
    headers = 512, Count, Record;
    /// Codings of one body, one inside the other.
    codings = 4, Count, Record;
    /// Bytes that pages may be unpacked to for each byte of the input that they are in. Asked only
    /// of a page that is packed tighter than that, and only when the input has given so much in
    /// all, and four times `page_bytes` besides, which the archives of one WACZ share.
    unpacked_ratio = 100, Count, Record;
    /// Tags of pages for each byte of the input that they are in, likewise: asked only of a page
    /// that has more than that, and only when the input has given so many in all, and a
    /// sixty-fourth of `page_bytes` besides. What is dear and packed costs more than its bytes.
    tag_ratio = 1, Count, Record;
    /// Bytes for each byte that it is stored in, of all that a gzip member or zstd frame holds, and
    /// of pages of values in Parquet: gzip cannot pass it.
    member_ratio = 1100, Count, Record;
    /// Rows of a group in Parquet for each byte that it is stored in; a hundred thousand more are
    /// read.
    row_ratio = 1, Count, Record;
    /// Bytes that one zstd frame may want to look back.
    window_bytes = 128 * MIB, Bytes, Record;
    /// Bytes of an input that are read a second time behind damage, besides four times as many as
    /// it has; then reading goes on where it is.
    reread_bytes = 64 * MIB, Bytes, Nothing;
    /// Bytes of a manifest.
    manifest_bytes = 256 * MIB, Bytes, Input;
    /// Bytes that one input from a pipe is kept in, in a temporary file.
    temporary_bytes = 16 * 1024 * MIB, Bytes, Input;
    /// Bytes of pages that a run has in memory at once, read ahead, filtered and waiting for their
    /// turn. A larger page goes alone. What is made of them may be twice as much.
    bytes_under_way = 64 * MIB, Bytes, Nothing;
    /// Sites whose robots.txt a run keeps. Where there are more, those that it does not keep are
    /// shut.
    sites = 1_000_000, Count, Site;
    /// Different answers of one site to the question for its robots.txt, as archives of years have
    /// them; those of the sites that it redirects to count too.
    robots_answers = 256, Count, Site;
    /// Bytes of these answers, as they are held: they are asked together, for each page.
    robots_site_bytes = 8 * MIB, Bytes, Site;
    /// Bytes of robots.txt files that a run holds in memory; the others are in a temporary file.
    robots_bytes = 128 * MIB, Bytes, Nothing;
    /// Bytes of that temporary file.
    robots_file_bytes = 16 * 1024 * MIB, Bytes, Site;
    /// Seconds that a site has to answer for one of its files, redirects included; then it counts
    /// as one that does not answer.
    fetch_seconds = 15, Count, Nothing;
    /// Redirects that are followed from one file of a site to another, 100 at the most: RFC 9309,
    /// section 2.3.1.2, asks for five. Behind more there is no answer.
    redirects = 5, Count, Nothing;
    /// Sites of a census whose counts are kept apart, for its intervals: those with the smallest
    /// hashes.
    census_sites = 10_000, Count, Nothing;
    /// RSL licences that a run asks for. More are told as not to be had.
    licences = 10_000, Count, Nothing;

    /// Bytes of a query.
    query_bytes = 4 * KIB, Bytes, Query;
    /// Parentheses and NOTs of a query, 50 at the most: its parser recurses with each.
    query_depth = 50, Count, Query;
    /// Words of one phrase of a query.
    query_words = 64, Count, Query;
    /// Words of the index that a prefix in a query may stand for.
    query_endings = 2048, Count, Query;

    /// Bytes of the body of one request to the service. Of JSON Lines, `line_bytes` bounds each
    /// line, and nothing their number.
    body_bytes = 32 * MIB, Bytes, Request;
    /// Bytes of all bodies that the service has in memory at once, those of answers until they were
    /// taken included, and of one answer. The first 64 KiB of each do not count.
    bodies_bytes = 256 * MIB, Bytes, Request;
    /// Requests that the service answers at once, those that wait for a core included. Their bodies
    /// have arrived.
    requests = 256, Count, Request;
    /// Connections that the service has at once. More wait to be accepted.
    connections = 1024, Count, Nothing;
    /// Seconds in which the head of a request must arrive, and then its body; and those that it may
    /// wait for a core.
    request_seconds = 30, Count, Request;
    /// Seconds in which a client takes none of its answer, or in a stream sends nothing, before its
    /// connection is closed.
    idle_seconds = 60, Count, Request;
}

impl Limits {
    /// Lowers what is held at once to what fits into a run with `memory` bytes. Nothing is raised.
    /// A page takes up to 25 times its bytes until it is in an index. The pages under way have the
    /// half of the memory that the index does not use. They take about eight times their bytes: as
    /// stored, unpacked, and as made of them.
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

    /// Sets the limit of this name.
    ///
    /// # Errors
    /// Fails if no limit has this name. The message suggests the nearest.
    pub fn set(mut self, name: &str, value: u64) -> Result<Self> {
        let limit = row(name).ok_or_else(|| unknown(name))?;
        (limit.set)(&mut self, value);
        Ok(self)
    }
}

impl Error {
    /// The error for a passed limit of this value. What is lost is in the limit's row.
    pub fn limit(name: &'static str, limit: u64) -> Self {
        let of = row(name).map_or(LimitScope::Page, |row| row.scope).name();
        ErrorKind::Limit { of, name, limit }.into()
    }
}

/// The error for a passed limit, with its value in `limits`.
pub fn exceeded(name: &'static str, limits: &Limits) -> Error {
    Error::limit(name, row(name).map_or(0, |row| row.value(limits)))
}

fn row(name: &str) -> Option<&'static Limit> {
    LIMITS.iter().find(|limit| limit.name == name)
}

fn unknown(name: &str) -> Error {
    let hint = hint(name, LIMITS.iter().map(|limit| limit.name));
    Error::setting(format!(
        "there is no limit `{name}`;{hint} `heedful limits` lists them"
    ))
}

/// A limit as a length in memory.
pub fn size(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
