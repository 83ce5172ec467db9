//! A page becomes documents: one of its own, and one or two for the names it gives to other pages.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hasher;
use std::time::SystemTime;

use siphasher::sip::SipHasher13;
use tantivy::TantivyDocument;
use url::Url;

use crate::export::address::{LONGEST_URL, canonical, host_and_sites, key_of};
use crate::page::{Link, Page};
use crate::policy::{Facet, Origin, Says};

use super::confirm::Heard;
use super::packed;
use super::schema::{Fields, Kind};
use super::store::Spot;

/// What a document has besides texts.
const FEW_BYTES: usize = 128;

/// Why a URL is known and not in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(into = "String")]
#[non_exhaustive]
pub enum Gone {
    /// robots.txt keeps it out, or says that it may not be indexed.
    Robots,
    /// It may not be indexed.
    Noindex,
    /// The time is over up to which it might be.
    Expired,
    /// The site answers with this status.
    Status(u16),
    /// It is not HTML.
    NotHtml,
    /// Its end is missing, where a denial could stand.
    CutShort,
    /// It passes a limit, or has two readings.
    Unreadable,
    /// Its record is damaged.
    Damaged,
    /// It is as it was, but its headers ask for more than when it was read: it is to be fetched again.
    Changed,
    /// The user removed it.
    Removed,
}

impl Gone {
    const PLAIN: [Self; 9] = [
        Self::Robots,
        Self::Noindex,
        Self::Expired,
        Self::NotHtml,
        Self::CutShort,
        Self::Unreadable,
        Self::Damaged,
        Self::Changed,
        Self::Removed,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Robots => "robots.txt",
            Self::Noindex => "noindex",
            Self::Expired => "expired",
            Self::Status(_) => "status",
            Self::NotHtml => "not HTML",
            Self::CutShort => "cut short",
            Self::Unreadable => "unreadable",
            Self::Damaged => "damaged",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        let status = text.strip_prefix("status ").and_then(|status| status.parse().ok()).map(Self::Status);
        let plain = Self::PLAIN.into_iter().find(|reason| reason.word() == text);
        status.or(plain).unwrap_or(Self::Removed)
    }

    /// Why a page that may not be indexed may not, if so.
    pub(crate) fn of(page: &Page) -> Option<(Self, String)> {
        let policy = page.policy();
        if policy.allows(Facet::Index) {
            return None;
        }
        let why = policy.why(Facet::Index);
        let reason = match why.map(|said| (said.origin(), said.says())) {
            Some((Origin::Rule { .. } | Origin::Record { .. }, _)) => Self::Robots,
            Some((Origin::Input, _)) => Self::CutShort,
            Some((_, Says::UnavailableAfter(_))) => Self::Expired,
            _ => Self::Noindex,
        };
        Some((reason, why.map_or("", |directive| directive.text()).to_owned()))
    }
}

impl From<Gone> for String {
    fn from(reason: Gone) -> Self {
        reason.to_string()
    }
}

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            _ => f.write_str(self.word()),
        }
    }
}

/// The number by which anchors name a URL that is in normal form.
pub(super) fn id(key: &str) -> u64 {
    hash(&[key])
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = SipHasher13::new();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}

/// Makes documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Documents {
    pub(super) fields: Fields,
    pub(super) generation: u64,
}

impl Documents {
    pub(super) fn page(&self, key: &str, page: &Page, captured: Option<i64>) -> TantivyDocument {
        let fields = &self.fields;
        let text: usize = page.phrases().iter().map(String::len).sum();
        let mut document = self.of(Kind::Page, key, FEW_BYTES + 3 * text);
        self.add_captured(&mut document, captured);
        document.add_text(fields.url, key);
        document.add_u64(fields.id, id(key));
        document.add_u64(fields.generation, self.generation);
        let (host, sites) = host_and_sites(key);
        if let Some(host) = host {
            document.add_text(fields.host, host);
        }
        for site in sites {
            document.add_text(fields.site, site);
        }
        for (field, phrases) in [
            (fields.title, page.title()),
            (fields.headings, page.headings()),
            (fields.description, page.description()),
            (fields.body, page.phrases()),
            (fields.alt, page.alternative()),
        ] {
            if let Some(packed) = packed::pack(phrases.iter().map(String::as_str)) {
                document.add_text(field, packed);
            }
        }
        document.add_u64(fields.denied, denied(page));
        for facet in KEPT.into_iter().filter(|facet| !may_be_asked_for(page, *facet)) {
            document.add_text(fields.withheld, facet.name());
        }
        add_texts(&mut document, fields, page);
        if let Some(canonical) = canonical(page) {
            document.add_text(fields.canonical, canonical);
        }
        self.add_second_url(&mut document, page);
        self.add_expiry(&mut document, page.policy().unavailable_after());
        if let Some(characters) = page.policy().max_snippet() {
            document.add_u64(fields.max_snippet, u64::from(characters));
        }
        document
    }

    pub(super) fn add_second_url(&self, document: &mut TantivyDocument, page: &Page) {
        if let Some(url) = page.also_at() {
            document.add_text(self.fields.also_at, url);
        }
    }

    /// What the page calls others: each text once for each target. What may not be shown is apart.
    pub(super) fn anchors(&self, owner: &str, page: &Page) -> Vec<TantivyDocument> {
        let host = Url::parse(owner).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let (mut seen, mut documents) = (HashSet::new(), Vec::new());
        let mut names = [(Kind::Anchor, Names::default()), (Kind::Unshown, Names::default())];
        for Named { target, called, may_show } in page.links().iter().filter_map(named) {
            let (target_id, vote) = (id(&target), hash(&[&host, &called]));
            if target == owner || !seen.insert((target_id, vote)) {
                continue;
            }
            let (kind, names) = &mut names[usize::from(!may_show)];
            names.add(target_id, vote, &called, &target);
            if names.votes.len() == packed::MOST_NAMES {
                documents.push(self.names(*kind, owner, page, &std::mem::take(names)));
            }
        }
        let rest = names.iter().filter(|(_, names)| !names.votes.is_empty());
        documents.extend(rest.map(|(kind, names)| self.names(*kind, owner, page, names)));
        documents
    }

    fn names(&self, kind: Kind, owner: &str, page: &Page, names: &Names) -> TantivyDocument {
        let mut document = self.of(kind, owner, FEW_BYTES + names.bytes());
        document.add_u64(self.fields.source, id(owner));
        names.fill(&mut document, &self.fields, kind != Kind::Unshown);
        self.add_expiry(&mut document, page.policy().unavailable_after());
        document
    }

    pub(super) fn gone(&self, key: &str, reason: Gone, why: &str, captured: Option<i64>) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = self.of(Kind::Gone, key, FEW_BYTES);
        self.add_captured(&mut document, captured);
        document.add_text(fields.gone, key);
        document.add_u64(fields.gone_id, id(key));
        document.add_u64(fields.generation, self.generation);
        document.add_text(fields.reason, reason.to_string());
        document.add_text(fields.why, why);
        document
    }

    pub(super) fn confirmed(&self, key: &str, captured: Option<i64>, heard: &Heard) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = self.of(Kind::Confirmed, key, FEW_BYTES);
        self.add_captured(&mut document, captured);
        match heard {
            Heard::Gone(reason, why) => {
                document.add_text(fields.reason, reason.to_string());
                document.add_text(fields.why, why);
            }
            Heard::Asked(asked) => {
                document.add_u64(fields.denied, asked.denied);
                document.add_u64(fields.target, id(key));
                for facet in KEPT.into_iter().filter(|facet| asked.denies(*facet)) {
                    document.add_text(fields.withheld, facet.name());
                }
                if let Some(characters) = asked.max_snippet {
                    document.add_u64(fields.max_snippet, characters);
                }
                if let Some(time) = asked.expires {
                    document.add_i64(fields.expires, time);
                }
            }
        }
        document
    }

    pub(super) fn copy(&self, owner: &str, spot: Spot) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = self.of(Kind::Copy, owner, FEW_BYTES);
        for (field, value) in [(fields.file, spot.file), (fields.offset, spot.offset), (fields.length, spot.length)] {
            document.add_u64(field, value);
        }
        document
    }

    /// A document that will need about so many bytes.
    fn of(&self, kind: Kind, owner: &str, bytes: usize) -> TantivyDocument {
        let mut document = TantivyDocument::with_capacity(bytes);
        document.add_text(self.fields.kind, kind.name());
        document.add_text(self.fields.owner, owner);
        document
    }

    fn add_captured(&self, document: &mut TantivyDocument, captured: Option<i64>) {
        if let Some(captured) = captured {
            document.add_i64(self.fields.captured, captured);
        }
    }

    fn add_expiry(&self, document: &mut TantivyDocument, expires: Option<SystemTime>) {
        if let Some(time) = expires {
            document.add_i64(self.fields.expires, seconds(time));
        }
    }
}

/// What an index keeps in mind of a page besides that it may be found; the order is stored.
const KEPT: [Facet; 8] = [
    Facet::Follow,
    Facet::Anchor,
    Facet::Archive,
    Facet::Snippet,
    Facet::Input,
    Facet::Train,
    Facet::Translate,
    Facet::Image,
];

/// Whether a page is found where this is needed. What a hit shows holds only what may be shown, or given to a model, so of
/// these a part of the page will do; of its other uses all of it is asked.
fn may_be_asked_for(page: &Page, facet: Facet) -> bool {
    match facet {
        Facet::Archive | Facet::Train | Facet::Translate | Facet::Image => page.allows_throughout(facet),
        _ => page.policy().allows(facet),
    }
}

/// What a hit shows. What may be given to a model is hardly ever another text than what may be shown.
fn add_texts(document: &mut TantivyDocument, fields: &Fields, page: &Page) {
    let shown = [page.shown_title(), page.showable()];
    if page.policy().allows(Facet::Input) {
        let given = [(fields.input_title, page.input_title()), (fields.input, page.material())];
        for ((field, text), _) in given.into_iter().zip(&shown).filter(|((_, text), shown)| text != *shown) {
            document.add_text(field, text);
        }
    }
    for (field, text) in [fields.shown_title, fields.excerpt].into_iter().zip(shown) {
        document.add_text(field, text);
    }
}

/// What of that the page as a whole denies, as bits.
pub(super) fn denied(page: &Page) -> u64 {
    KEPT.into_iter().filter(|facet| !page.policy().allows(*facet)).map(bit).sum()
}

pub(super) fn bit(facet: Facet) -> u64 {
    KEPT.iter().position(|kept| *kept == facet).map_or(0, |at| 1 << at)
}

/// What pages are called: of each its id, the vote, and at the same place among the texts the packed name and the URL.
#[derive(Default)]
pub(super) struct Names {
    targets: Vec<u64>,
    votes: Vec<u64>,
    called: String,
    /// One a line.
    urls: String,
}

impl Names {
    pub(super) fn add(&mut self, target: u64, vote: u64, called: &str, url: &str) {
        self.targets.push(target);
        self.votes.push(vote);
        self.called.push_str(called);
        if !self.urls.is_empty() {
            self.urls.push(LINE);
        }
        self.urls.push_str(url);
    }

    fn bytes(&self) -> usize {
        16 * self.votes.len() + 2 * self.called.len() + self.urls.len()
    }

    /// Puts them into a document; their text is stored only where it may be shown.
    pub(super) fn fill(&self, document: &mut TantivyDocument, fields: &Fields, may_show: bool) {
        for (field, ids) in [(fields.target, &self.targets), (fields.vote, &self.votes)] {
            for id in ids {
                document.add_u64(field, *id);
            }
        }
        document.add_text(fields.target_urls, &self.urls);
        document.add_text(fields.anchor, &self.called);
        if may_show {
            document.add_text(fields.called, &self.called);
        }
    }
}

/// Stands between URLs, and in none.
pub(super) const LINE: char = '\n';

/// A link that earns its target a name.
struct Named<'a> {
    target: Cow<'a, str>,
    /// The name, packed.
    called: String,
    may_show: bool,
}

fn named(link: &Link) -> Option<Named<'_>> {
    if !link.may_follow() || !link.may_credit() {
        return None;
    }
    let target = Some(key_of(link)).filter(|target| target.len() <= LONGEST_URL)?;
    let called = packed::pack_words(link.phrases(), packed::MOST_WORDS)?;
    Some(Named { target, called, may_show: link.may_show() })
}

/// What is before this has expired at `now`: a page expires a part of a second early rather than late.
pub(super) fn clock(now: SystemTime) -> i64 {
    let whole = seconds(now);
    let is_whole = now.duration_since(std::time::UNIX_EPOCH).is_ok_and(|since| since.subsec_nanos() == 0);
    if is_whole { whole } else { whole.saturating_add(1) }
}

/// Whole seconds since 1970, rounded down.
pub(super) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds - 1),
    }
}
