//! Every bound there is, in one struct. Passing one is an error that names it, and nothing of that page is emitted.

/// The bounds of one pass. Each has a default that no ordinary page reaches.
///
/// | name | default | bounds |
/// |---|---|---|
/// | `page_bytes` | 64 MiB | bytes of one page, after decoding |
/// | `tag_bytes` | 4 MiB | bytes of one tag, comment or doctype |
/// | `attributes` | 4,096 | attributes of one tag |
/// | `open_elements` | 100,000, about | elements left open where the tokenizer cannot begin anew: in svg or `select` that is never closed |
/// | `tiles` | 20,000,000 | tags, comments and pieces of text of one page |
/// | `directives` | 200,000 | directives heard in one page, regions and links with a directive included |
/// | `statements` | 256 | different directives of one tag or header line; names of bots that one page gives |
/// | `exclusions` | 500,000 | places of one page where what is withheld changes |
/// | `regions` | 4,096 | regions open at once |
/// | `depth` | 512 | elements inside each other, `html` and `body` included; a browser stops there too. Matters where the page marks elements |
/// | `clones` | 10,000 | elements that HTML makes without a tag of their own, on top of 8 for each start tag. Matters likewise |
/// | `comparisons` | 1,000,000 | comparisons of formatting elements (`b`, `font` ...) with those that are open, on top of 64 for each start tag. Matters likewise |
/// | `kept_bytes` | 4 MiB | bytes kept of the tags of a page, to find out later what its elements contain; where they are more, that is found out from its beginning on. No error |
/// | `links` | 500,000 | links of one page |
/// | `noscript_bytes` | 1 MiB | bytes of one `noscript` element that are searched for META robots |
/// | `notes` | 100 | notes kept of each kind; the rest are counted. No error |
///
/// ```
/// use heedful::{Bot, Filter, Limits};
/// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().page_bytes(10));
/// let error = filter.page("https://example.com/", b"<p>too long a page").unwrap_err();
/// assert_eq!(error.to_string(), "the page passes the limit `page_bytes` of 10");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    pub(crate) page_bytes: u64,
    pub(crate) tag_bytes: usize,
    pub(crate) attributes: usize,
    pub(crate) open_elements: usize,
    pub(crate) tiles: u64,
    pub(crate) directives: usize,
    pub(crate) statements: usize,
    pub(crate) exclusions: usize,
    pub(crate) regions: usize,
    pub(crate) depth: u32,
    pub(crate) clones: u64,
    pub(crate) comparisons: u64,
    pub(crate) kept_bytes: usize,
    pub(crate) links: usize,
    pub(crate) noscript_bytes: usize,
    pub(crate) notes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            page_bytes: 64 << 20,
            tag_bytes: 4 << 20,
            attributes: 4096,
            open_elements: 100_000,
            tiles: 20_000_000,
            directives: 200_000,
            statements: 256,
            exclusions: 500_000,
            regions: 4096,
            depth: 512,
            clones: 10_000,
            comparisons: 1_000_000,
            kept_bytes: 4 << 20,
            links: 500_000,
            noscript_bytes: 1 << 20,
            notes: 100,
        }
    }
}

impl Limits {
    /// Bytes of one page, after decoding.
    pub fn page_bytes(mut self, limit: u64) -> Self {
        self.page_bytes = limit;
        self
    }

    /// Bytes of one tag, comment or doctype.
    pub fn tag_bytes(mut self, limit: usize) -> Self {
        self.tag_bytes = limit;
        self
    }

    /// Attributes of one tag.
    pub fn attributes(mut self, limit: usize) -> Self {
        self.attributes = limit;
        self
    }

    /// Elements left open where the tokenizer cannot begin anew, about.
    pub fn open_elements(mut self, limit: usize) -> Self {
        self.open_elements = limit;
        self
    }

    /// Tags, comments and pieces of text of one page.
    pub fn tiles(mut self, limit: u64) -> Self {
        self.tiles = limit;
        self
    }

    /// Directives heard in one page.
    pub fn directives(mut self, limit: usize) -> Self {
        self.directives = limit;
        self
    }

    /// Directives of one element about what it contains.
    pub fn statements(mut self, limit: usize) -> Self {
        self.statements = limit;
        self
    }

    /// Places of one page where what is withheld changes.
    pub fn exclusions(mut self, limit: usize) -> Self {
        self.exclusions = limit;
        self
    }

    /// Regions open at once.
    pub fn regions(mut self, limit: usize) -> Self {
        self.regions = limit;
        self
    }

    /// Elements inside each other.
    pub fn depth(mut self, limit: u32) -> Self {
        self.depth = limit;
        self
    }

    /// Elements that HTML makes without a tag of their own, on top of 8 for each start tag.
    pub fn clones(mut self, limit: u64) -> Self {
        self.clones = limit;
        self
    }

    /// Comparisons of formatting elements with those that are open, on top of 64 for each start tag.
    pub fn comparisons(mut self, limit: u64) -> Self {
        self.comparisons = limit;
        self
    }

    /// Bytes of a page kept until it is known whether it marks elements. With 0 the tree is followed from the start.
    pub fn kept_bytes(mut self, limit: usize) -> Self {
        self.kept_bytes = limit;
        self
    }

    /// Links of one page.
    pub fn links(mut self, limit: usize) -> Self {
        self.links = limit;
        self
    }

    /// Bytes of one `noscript` element that are searched for META robots.
    pub fn noscript_bytes(mut self, limit: usize) -> Self {
        self.noscript_bytes = limit;
        self
    }

    /// Notes kept of each kind.
    pub fn notes(mut self, limit: usize) -> Self {
        self.notes = limit;
        self
    }
}
