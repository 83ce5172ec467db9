//! Inserts marks into the start tags of a page. A mark is an attribute by which a convention denies
//! or allows content, such as `class="robots-noindex"`. Tests then check that the streaming filter
//! applies a mark to the same content as the finished tree.
//!
//! A mark is inserted before the tag's own attributes. So the tag's own `class` has no effect, as
//! HTML demands of a repeated attribute. An experiment changes one page in one or two places: it
//! inserts a denial, and possibly an allowance. The number of the tag selects one of the enabled
//! conventions.

use heedful::internals::charset::Charset;
use heedful::internals::convention::markers::{Marker, markers};
use heedful::{Conventions, Filter, Judged, PageEnd, Sink, TokenKind};
use heedful_base::error::Result;

/// A page into which marks can be inserted. A mark is an attribute by which a convention denies or
/// allows content, such as `class="robots-noindex"`.
#[derive(Debug)]
pub struct Injector {
    page: String,
    /// Byte offsets in the page at which the names of its start tags end, one per start tag.
    tags: Vec<usize>,
    /// Byte offset at which a declaration of the Robot Exclusion Profile can be inserted, and the
    /// text of the declaration. This text is an attribute of the page's `head` tag, or a new `head`
    /// tag.
    declaration: (usize, String),
    markers: Vec<Marker>,
}

/// A page into which marks were inserted. A mark is an attribute by which a convention denies or
/// allows content.
#[derive(Clone, Debug)]
pub struct Experiment {
    page: String,
    tags: Vec<usize>,
}

impl Experiment {
    /// Returns the source of the page with the inserted marks.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// Returns the numbers of the page's start tags into which marks were inserted.
    pub fn tags(&self) -> &[usize] {
        &self.tags
    }
}

/// Sink of a filter pass that collects the offsets of start tags.
#[derive(Default)]
struct Tags {
    tags: Vec<usize>,
    /// Byte offset of the first start tag other than `html`. A new `head` tag is inserted there if
    /// the page has none.
    first: Option<usize>,
    /// Byte offset at which the name of the first `head` tag ends.
    head: Option<usize>,
    end: usize,
}

impl Sink for Tags {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        if token.kind() == TokenKind::Start {
            let start = usize::try_from(token.start()).unwrap_or(usize::MAX);
            let end = start.saturating_add(token.name_end());
            if token.name() != "html" {
                self.first.get_or_insert(start);
            }
            match token.name() {
                "head" if self.head.is_none() => self.head = Some(end),
                "head" => {}
                _ => self.tags.push(end),
            }
        }
        self.end = usize::try_from(token.end()).unwrap_or(usize::MAX);
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

impl Injector {
    /// Decodes the page `bytes` and finds its start tags.
    ///
    /// # Errors
    /// Fails if the streaming filter refuses the page.
    pub fn new(filter: &Filter, bytes: &[u8], is_utf8: bool) -> Result<Self> {
        let page = Charset::from_headers(&[], is_utf8).decode_page(bytes);
        let plain = filter.clone().conventions(Conventions::parse("none")?);
        let mut pass = plain.open_with("https://site.example/", Tags::default())?;
        pass.assume_utf8();
        pass.write(page.as_bytes())?;
        let Tags {
            tags,
            first,
            head,
            end,
        } = pass.into_sink()?;
        let profile = format!(" profile=\"{}\"", filter.terms.profile.uri);
        let declaration = match head {
            Some(head) => (head, profile),
            None => (first.unwrap_or(end), format!("<head{profile}>")),
        };
        let markers = markers(&filter.terms.conventions);
        Ok(Self {
            page,
            tags,
            declaration,
            markers,
        })
    }

    /// Returns the number of start tags into which marks can be inserted. Returns 0 if no enabled
    /// convention has attributes for marks.
    pub fn tags(&self) -> usize {
        if self.markers.is_empty() {
            0
        } else {
            self.tags.len()
        }
    }

    /// Returns a copy of the page with a denial on one element. `tag` is the number of the
    /// element's start tag.
    pub fn deny(&self, tag: usize) -> Experiment {
        let marker = &self.markers[tag % self.markers.len()];
        Experiment {
            page: self.insert(&[(self.tags[tag], &marker.denies)]),
            tags: vec![tag],
        }
    }

    /// Returns a copy of the page with a denial on one element and an allowance on another. The
    /// copy also declares the Robot Exclusion Profile. Returns `None` if no enabled convention has
    /// an allowance.
    pub fn deny_and_allow(&self, denied: usize, allowed: usize) -> Option<Experiment> {
        let pairs: Vec<_> = self
            .markers
            .iter()
            .filter_map(|marker| Some((&marker.denies, marker.allows.as_ref()?)))
            .collect();
        let (denies, allows) = pairs.get((denied + allowed) % pairs.len().max(1))?;
        let (at, declaration) = &self.declaration;
        let page = self.insert(&[
            (*at, declaration),
            (self.tags[denied], denies),
            (self.tags[allowed], allows),
        ]);
        Some(Experiment {
            page,
            tags: vec![denied, allowed],
        })
    }

    fn insert(&self, changes: &[(usize, &str)]) -> String {
        let mut changes = changes.to_vec();
        changes.sort_unstable();
        let mut page = String::with_capacity(self.page.len() + 200);
        let mut from = 0;
        for (at, text) in changes {
            page.push_str(&self.page[from..at]);
            page.push_str(text);
            from = at;
        }
        page.push_str(&self.page[from..]);
        page
    }
}
