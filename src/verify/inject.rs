//! Puts class names on elements, to see whether stream and tree take the same content for theirs.
//!
//! The class goes before what the tag had: a class that was there no longer counts, as HTML has it. An experiment changes one page in one place, or in two: a denial, and an allowance somewhere behind it.

use crate::charset::Charset;
use crate::dialect::Dialects;
use crate::error::Result;
use crate::filter::Filter;
use crate::lex::TileKind;
use crate::sink::Sink;
use crate::walk::Judged;

/// A page, and where its start tags are.
#[derive(Debug)]
pub struct Injector {
    page: String,
    /// Where each start tag's name ends.
    tags: Vec<usize>,
    /// Where a page can declare the profile, and how: in its `head` tag, or by one of its own.
    declaration: (usize, String),
}

/// A changed page.
#[derive(Clone, Debug)]
pub struct Experiment {
    page: String,
    tags: Vec<usize>,
}

impl Experiment {
    /// The changed page.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// Which start tags were changed, by their number in the page.
    pub fn tags(&self) -> &[usize] {
        &self.tags
    }
}

const DENY: &str = " class=\"robots-noindex robots-nofollow\"";
const ALLOW: &str = " class=\"robots-index robots-follow\"";

/// Finds start tags.
#[derive(Default)]
struct Tags {
    tags: Vec<usize>,
    /// Where the first start tag that is not `html` begins, and the name of the first `head` ends.
    first: Option<usize>,
    head: Option<usize>,
    end: usize,
}

impl Sink for Tags {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        if tile.kind() == TileKind::Start {
            let start = usize::try_from(tile.start()).unwrap_or(usize::MAX);
            let end = start.saturating_add(1 + tile.name().len());
            if tile.name() != "html" {
                self.first.get_or_insert(start);
            }
            match tile.name() {
                "head" if self.head.is_none() => self.head = Some(end),
                "head" => {}
                _ => self.tags.push(end),
            }
        }
        self.end = usize::try_from(tile.end()).unwrap_or(usize::MAX);
        Ok(())
    }
}

impl Injector {
    /// A page to be changed; its bytes are decoded here.
    ///
    /// # Errors
    /// When the stream refuses the page.
    pub fn new(filter: &Filter, bytes: &[u8], is_utf8: bool) -> Result<Self> {
        let mut charset = Charset::new();
        if is_utf8 {
            charset.set_utf8();
        }
        let mut page = String::new();
        let mut append = |decoded: &str| -> Result<()> {
            page.push_str(decoded);
            Ok(())
        };
        charset.write(bytes, &mut append)?;
        charset.end(&mut append)?;
        let plain = filter.clone().dialects(Dialects::parse("none")?);
        let mut pass = plain.open_with("https://site.example/", Tags::default())?;
        pass.is_utf8();
        pass.write(page.as_bytes())?;
        let Tags { tags, first, head, end } = pass.into_sink()?;
        let profile = format!(" profile=\"{}\"", filter.terms().profile.uri);
        let declaration = match head {
            Some(head) => (head, profile),
            None => (first.unwrap_or(end), format!("<head{profile}>")),
        };
        Ok(Self { page, tags, declaration })
    }

    /// How many start tags there are.
    pub fn tags(&self) -> usize {
        self.tags.len()
    }

    /// A denial on one element.
    pub fn deny(&self, tag: usize) -> Experiment {
        Experiment { page: self.with(&[(self.tags[tag], DENY)]), tags: vec![tag] }
    }

    /// A denial on one element and an allowance on another, in a page that declares the profile.
    pub fn deny_and_allow(&self, denied: usize, allowed: usize) -> Experiment {
        let (at, declaration) = &self.declaration;
        let page = self.with(&[(*at, declaration), (self.tags[denied], DENY), (self.tags[allowed], ALLOW)]);
        Experiment { page, tags: vec![denied, allowed] }
    }

    fn with(&self, changes: &[(usize, &str)]) -> String {
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
