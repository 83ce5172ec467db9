//! Parses an RSL document, and decides the uses of pages that it denies (docs/semantics.md, section
//! 6.3).
//!
//! Source: Really Simple Licensing 1.0, sections 3.1 to 3.7. A `content` names pages by a pattern,
//! as robots.txt does, and the `content` with the most specific matching pattern decides. Its
//! `license`s are alternatives. A use by models is denied if there are licences and none grants it
//! unconditionally. A licence does not grant a use that it prohibits or does not list. Nor does it
//! grant a use on a condition: a payment, certain users or places, or a server that must be asked
//! first. `index` is denied only if it is prohibited. It is allowed if it is merely not mentioned,
//! since a licence for models says nothing about search.
//!
//! An RSL document that cannot be read denies all uses by models, since its conditions are not
//! known. Entities and DTDs are not resolved. This file never fetches anything.

use std::fmt;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use crate::policy::{Use, Uses};
use heedful_base::address::Key;
use heedful_robots::PageUrl;

use super::operator::Denial;

/// Maximum number of bytes of an RSL document that are read.
const READ: usize = 500 << 10;
/// Maximum number of `content` elements of an RSL document that are used.
const CONTENTS: usize = 10_000;

const MODELS: Uses = Uses::new(&[Use::Train, Use::Input]);

/// An RSL document, reduced to the uses of pages that it denies.
///
/// ```
/// use heedful::{Use, Licence};
///
/// let licence = Licence::read(br#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/news/">
///     <license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#);
/// let page = url::Url::parse("https://site.example/news/1").unwrap();
/// assert!(licence.denies(&page).contains(Use::Train) && !licence.denies(&page).contains(Use::Input));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Licence {
    contents: Vec<LicenceContent>,
    trouble: Option<String>,
    is_absent: bool,
    /// Bytes of the document as they were received. `None` if they were not attached.
    sent: Option<Arc<[u8]>>,
}

/// Uses that one `content` element of an RSL document denies. The denial applies to pages that
/// match the element's pattern.
#[derive(Clone, Debug)]
struct LicenceContent {
    about: Denial,
    length: usize,
}

impl Licence {
    /// Parses the first 500 KiB of an RSL document. Parsing never fails: [`Licence::trouble`] tells
    /// what could not be read.
    pub fn read(xml: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&xml[..xml.len().min(READ)]);
        let mut reading = LicenceReading::default();
        let mut trouble = reading.parse(&text).err().or(reading.trouble.take());
        if xml.len() > READ {
            trouble = Some(format!("it is longer than {READ} bytes"));
        }
        if trouble.is_none() && !reading.is_rsl {
            trouble = Some("it is no RSL".to_owned());
        }
        Self {
            contents: reading.contents,
            trouble,
            ..Self::default()
        }
    }

    /// Returns the licence for a document that could not be fetched, for the reason `why`. This
    /// licence denies nothing, and a note on the page reports it.
    ///
    /// ```
    /// use heedful::{Licence, Url, Use};
    ///
    /// let page = Url::parse("https://site.example/news/1").unwrap();
    /// let absent = Licence::absent("404");
    /// assert!(absent.denies(&page).is_empty()); // nothing was licensed
    /// let unread = Licence::unread("503");
    /// assert!(unread.denies(&page).contains(Use::Train)); // its conditions are not known
    /// ```
    pub fn absent(why: impl Into<String>) -> Self {
        Self {
            trouble: Some(why.into()),
            is_absent: true,
            ..Self::default()
        }
    }

    /// Returns the licence for a document that exists and cannot be read, for the reason `why`.
    /// This licence denies all uses by models, and a note on the page reports it.
    pub fn unread(why: impl Into<String>) -> Self {
        Self {
            is_absent: false,
            ..Self::absent(why)
        }
    }

    /// Attaches the bytes of the RSL document as they were received, for evidence.
    #[doc(hidden)]
    pub fn with_bytes(mut self, bytes: &[u8]) -> Self {
        self.sent = Some(bytes.into());
        self
    }

    /// Returns the bytes of the RSL document as they were received. Returns `None` if no bytes were
    /// attached.
    #[doc(hidden)]
    pub fn sent(&self) -> Option<&[u8]> {
        self.sent.as_deref()
    }

    /// Returns the uses that the RSL document denies for the page at `url`. Only [`Use::Train`],
    /// [`Use::Input`] and [`Use::Index`] can be among them.
    pub fn denies(&self, url: &Url) -> Uses {
        self.denies_page(&PageUrl::new(url))
    }

    /// Returns the uses that the RSL document denies for a page. `page` is the page's URL, prepared
    /// for comparisons with patterns.
    #[doc(hidden)]
    pub fn denies_page(&self, page: &PageUrl<'_>) -> Uses {
        let mut denied = Uses::NONE;
        let mut longest = 0;
        for content in &self.contents {
            if content.length < longest || !content.about.is_about(page) {
                continue;
            }
            if content.length > longest {
                longest = content.length;
                denied = Uses::NONE;
            }
            denied = denied.union(content.about.denies);
        }
        if self.trouble.is_some() && !self.is_absent {
            denied.union(MODELS)
        } else {
            denied
        }
    }

    /// Returns the reason why a part of the RSL document could not be read. `None` if the whole
    /// document was read.
    ///
    /// ```
    /// use heedful::Licence;
    ///
    /// let licence = Licence::read(b"<rsl><content url='/'");
    /// assert!(licence.trouble().is_some()); // report this to the publisher
    /// ```
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }
}

/// Buffer for an RSL document that arrives in pieces.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct LicenceText(String);

impl LicenceText {
    /// Appends a piece of the RSL document. Does nothing if the buffer already has more than 500
    /// KiB, since this size alone shows that the document is too long.
    pub(crate) fn read(&mut self, text: &str) {
        if self.0.len() <= READ {
            self.0.push_str(text);
        }
    }

    #[doc(hidden)]
    pub fn end(self) -> Licence {
        Licence::read(self.0.as_bytes())
    }
}

/// Callback that returns the RSL document at an absolute URL.
type ResolveLicence = dyn Fn(&str) -> Option<Licence> + Send + Sync;

/// Source of RSL documents: a callback of the user, or none.
#[derive(Clone, Default)]
#[doc(hidden)]
pub struct Licences(Option<Arc<ResolveLicence>>);

impl Licences {
    pub(crate) fn new(resolve: impl Fn(&str) -> Option<Licence> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(resolve)))
    }

    /// Returns the absolute URL of `address`, resolved against `base`, and the RSL document at this
    /// URL. The document is `None` if it is not available. If `address` cannot be resolved, it is
    /// returned unchanged.
    #[doc(hidden)]
    pub fn resolve(&self, base: &Url, address: &str) -> (String, Option<Licence>) {
        let Ok(url) = base.join(address) else {
            return (address.to_owned(), None);
        };
        let key = Key::of_url(&url);
        let licence = self.find(key.as_str());
        (key.into(), licence)
    }

    /// Returns the RSL document at an absolute URL, if it is available.
    pub(crate) fn find(&self, url: &str) -> Option<Licence> {
        let resolve = self.0.as_ref()?;
        resolve(url)
    }
}

impl fmt::Debug for Licences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Licences")
    }
}

/// Conditions and uses of one `license` element. Until the element ends, some may be missing.
#[derive(Debug, Default)]
struct LicenceTerms {
    permits: Option<Uses>,
    prohibits: Uses,
    /// True if the licence depends on the user, the geographic place or a payment.
    is_conditional: bool,
}

impl LicenceTerms {
    fn grants(&self, usage: Use) -> bool {
        let is_permitted = self.permits.is_none_or(|permits| permits.contains(usage));
        is_permitted && !self.prohibits.contains(usage) && !self.is_conditional
    }
}

#[derive(Debug)]
struct OpenLicence {
    pattern: String,
    licences: Vec<LicenceTerms>,
    /// True if the `content` element is encrypted, or names a server that must be asked for a
    /// licence. In both cases the uses by models are denied, whatever the element's licences say.
    must_ask: bool,
}

impl OpenLicence {
    fn denies(&self) -> Uses {
        let mut denied = Uses::NONE;
        for usage in MODELS.iter() {
            let is_granted = self.licences.iter().any(|terms| terms.grants(usage));
            if self.must_ask || !self.licences.is_empty() && !is_granted {
                denied = denied.union(Uses::new(&[usage]));
            }
        }
        let prohibits_index = |terms: &LicenceTerms| terms.prohibits.contains(Use::Index);
        if self.licences.iter().any(prohibits_index) {
            denied = denied.union(Uses::new(&[Use::Index]));
        }
        denied
    }
}

/// Kind of a list of uses in a `license` element: permitted or prohibited uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LicenceTerm {
    Permits,
    Prohibits,
}

#[derive(Debug, Default)]
struct LicenceReading {
    is_rsl: bool,
    contents: Vec<LicenceContent>,
    content: Option<OpenLicence>,
    terms: Option<LicenceTerms>,
    open_list: Option<LicenceTerm>,
    list_text: String,
    /// Number of elements of the RSL document that are open in the parser.
    depth: usize,
    /// Reason why a part of the document could not be read, although the parser continued.
    trouble: Option<String>,
}

impl LicenceReading {
    fn parse(&mut self, text: &str) -> Result<(), String> {
        let mut reader = Reader::from_str(text);
        loop {
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    self.end_content();
                    return Err(format!("it breaks off as XML ({error})"));
                }
            };
            match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    self.start(&tag);
                }
                Event::Empty(tag) => {
                    self.start(&tag);
                    self.end(&lower_name(tag.local_name().as_ref()));
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    self.end(&lower_name(tag.local_name().as_ref()));
                }
                Event::Text(text) => self.list_text.push_str(&text),
                Event::CData(text) => self.list_text.push_str(&text),
                Event::GeneralRef(reference) => match unescape(&format!("&{};", &*reference)) {
                    Ok(text) => self.list_text.push_str(&text),
                    Err(_) if self.open_list.is_some() => self.note_unreadable("an entity"),
                    Err(_) => {}
                },
                Event::Eof if self.depth > 0 => {
                    self.end_content();
                    return Err("it breaks off as XML".to_owned());
                }
                Event::Eof => return Ok(()),
                _ => {}
            }
            if self.contents.len() > CONTENTS {
                return Err(format!("it has more than {CONTENTS} contents"));
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let attributes = self.attributes(tag);
        let kind = find_attribute(&attributes, "type").unwrap_or_default();
        let kind = kind.to_ascii_lowercase();
        match &*lower_name(tag.local_name().as_ref()) {
            "rsl" => self.is_rsl = true,
            "content" => {
                self.is_rsl = true;
                self.check_nesting(self.content.is_some(), "content");
                self.end_content();
                let server = find_attribute(&attributes, "server").unwrap_or_default();
                let encrypted = find_attribute(&attributes, "encrypted").unwrap_or_default();
                let is_encrypted = !matches!(&*encrypted.to_ascii_lowercase(), "" | "false" | "0");
                let must_ask = !server.is_empty() || is_encrypted;
                let pattern = find_attribute(&attributes, "url").unwrap_or("/");
                self.content = Some(OpenLicence {
                    pattern: pattern.to_owned(),
                    licences: Vec::new(),
                    must_ask,
                });
            }
            "license" if self.content.is_some() => {
                self.check_nesting(self.terms.is_some(), "license");
                self.end_licence();
                self.terms = Some(LicenceTerms::default());
            }
            "permits" if kind == "usage" => self.begin_usage_list(LicenceTerm::Permits),
            "prohibits" if kind == "usage" => self.begin_usage_list(LicenceTerm::Prohibits),
            "permits" | "prohibits" => self.set_conditional(),
            "payment" if !matches!(&*kind, "" | "free") => self.set_conditional(),
            "amount" | "standard" | "custom" => self.set_conditional(),
            _ => {}
        }
    }

    /// Returns the attributes of a tag as pairs of local name and value. An attribute that is no
    /// valid XML is left out, and recorded as trouble.
    fn attributes(&mut self, tag: &BytesStart<'_>) -> Vec<(String, String)> {
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            if let Ok(attribute) = attribute
                && let Some(value) = attribute_value(&attribute.value)
            {
                let name = lower_name(attribute.key.local_name().as_ref());
                attributes.push((name, value));
            } else {
                self.note_unreadable("an attribute");
            }
        }
        attributes
    }

    fn note_unreadable(&mut self, what: &str) {
        self.trouble
            .get_or_insert_with(|| format!("{what} cannot be read"));
    }

    /// Records as trouble that an element is inside another element of its kind. The meaning of the
    /// inner element is then unclear. `is_open` is true if another element of this kind is open.
    /// Otherwise nothing is recorded.
    fn check_nesting(&mut self, is_open: bool, name: &str) {
        if is_open {
            self.trouble
                .get_or_insert_with(|| format!("a {name} stands in another one"));
        }
    }

    fn begin_usage_list(&mut self, term: LicenceTerm) {
        self.list_text.clear();
        self.open_list = Some(term);
    }

    /// Records that the open `license` element has a condition.
    fn set_conditional(&mut self) {
        if let Some(terms) = &mut self.terms {
            terms.is_conditional = true;
        }
    }

    fn end(&mut self, name: &str) {
        match (name, self.open_list.take()) {
            ("permits" | "prohibits", Some(term)) => self.end_usage_list(term),
            ("license", _) => self.end_licence(),
            ("content", _) => self.end_content(),
            (_, open) => self.open_list = open,
        }
    }

    fn end_usage_list(&mut self, term: LicenceTerm) {
        let is_separator = |c: char| matches!(c, ',' | ';' | '|') || c.is_whitespace();
        let mut uses = Uses::NONE;
        for word in self.list_text.split(is_separator) {
            uses = uses.union(word_uses(word));
        }
        let Some(terms) = &mut self.terms else { return };
        match term {
            LicenceTerm::Permits => {
                terms.permits = Some(terms.permits.unwrap_or_default().union(uses));
            }
            LicenceTerm::Prohibits => terms.prohibits = terms.prohibits.union(uses),
        }
    }

    fn end_licence(&mut self) {
        if let (Some(content), Some(terms)) = (&mut self.content, self.terms.take()) {
            content.licences.push(terms);
        }
    }

    fn end_content(&mut self) {
        self.end_licence();
        let Some(content) = self.content.take() else {
            return;
        };
        let pattern = match content.pattern.as_str() {
            "" => "/".to_owned(),
            path if path.starts_with(['/', '*']) || path.contains("://") => path.to_owned(),
            path => format!("/{path}"),
        };
        // A star at the front stands for everything before it, including the slash of the path.
        let pattern = if pattern.starts_with('*') {
            format!("/{pattern}")
        } else {
            pattern
        };
        let Ok(about) = Denial::new(content.denies(), &pattern) else {
            return self.note_unreadable("the url of a content");
        };
        let length = match pattern.split_once("://") {
            Some((_, rest)) => match rest.find('/') {
                Some(path) => rest.len() - path,
                None => 1,
            },
            None => pattern.len(),
        };
        self.contents.push(LicenceContent { about, length });
    }
}

/// Returns the decoded value of an XML attribute, or `None` if it cannot be decoded.
fn attribute_value(value: &str) -> Option<String> {
    let value = unescape(value).ok()?;
    Some(value.trim().to_owned())
}

fn find_attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let (_, value) = attributes.iter().find(|(known, _)| known == name)?;
    Some(value)
}

fn lower_name(local: &str) -> String {
    local.to_ascii_lowercase()
}

/// Returns the uses for which a word of the RSL usage vocabulary stands. Empty for an unknown word.
fn word_uses(word: &str) -> Uses {
    match &*word.to_ascii_lowercase() {
        "all" => MODELS.union(Uses::new(&[Use::Index])),
        "ai-all" => MODELS,
        "ai-train" | "train-ai" => Uses::new(&[Use::Train]),
        "ai-input" | "ai-index" => Uses::new(&[Use::Input]),
        "search" => Uses::new(&[Use::Index]),
        _ => Uses::NONE,
    }
}
