//! Counts and lists the contents of an index, and looks up the state of one URL.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use tantivy::query::{BooleanQuery, Occur};
use tantivy::schema::{Field, Term, Value};
use tantivy::{DocAddress, DocId, SegmentReader, TantivyDocument};

use crate::gone::Gone;
use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::packed::unpack;
use crate::schema::{DocumentKind, captured_of, column, seen_at};
use crate::statistics::{count, each};
use crate::stored::text;
use crate::time::{clock, time};
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::anchors::AnchorColumns;
use super::search::Search;

/// The counts of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    pages: u64,
    hosts: u64,
    anchors: u64,
    tombstones: u64,
    snapshots: u64,
    snapshot_bytes: u64,
    /// The first and the last time at which a page was fetched, in seconds.
    #[serde(skip)]
    fetched: Option<(i64, i64)>,
}

impl Stats {
    /// The number of pages that a search can find.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The number of hosts that the pages are from.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }

    /// The number of names that pages give to others. Each text counts once for each source and
    /// target.
    pub fn anchors(&self) -> u64 {
        self.anchors
    }

    /// The number of URLs that are known not to be indexed.
    pub fn tombstones(&self) -> u64 {
        self.tombstones
    }

    /// The number of pages with a snapshot.
    pub fn snapshots(&self) -> u64 {
        self.snapshots
    }

    /// The size of all snapshot files, with the bytes that
    /// [`Index::compact`](crate::Index::compact) would free.
    pub fn snapshot_bytes(&self) -> u64 {
        self.snapshot_bytes
    }

    /// The first and the last time at which one of the pages was fetched, as far as that is known.
    pub fn fetched(&self) -> Option<(SystemTime, SystemTime)> {
        let (first, last) = self.fetched?;
        time(first).zip(time(last))
    }
}

/// A name that a page gives to another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Anchor {
    source: String,
    target: String,
    text: String,
}

impl Anchor {
    /// The page that gives the name.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The page that is named; it need not be in the index.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The words of the name, folded; empty if they may not be shown.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The state of a URL in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlState {
    /// The URL is a page that a search can find.
    Page {
        /// True if the page has a snapshot.
        has_snapshot: bool,
        /// The canonical URL that the page gives for itself.
        canonical: Option<String>,
    },
    /// The URL is known not to be indexed.
    Gone {
        /// The reason why it is not indexed.
        reason: Gone,
        /// The statement that caused it, if there was one.
        why: String,
    },
}

impl Index {
    /// Counts what the last commit holds.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn stats(&self) -> Result<Stats> {
        let search = self.search()?;
        catch_panics(&self.folder, || search.stats())
    }
}

impl Search {
    /// The URLs of all pages, in order.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn urls(&self) -> Result<Vec<String>> {
        catch_panics(&self.index.folder, || {
            self.listed(self.index.fields.url, "")
        })
    }

    /// The URLs of the pages that begin with this text, in order.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn urls_under(&self, beginning: &str) -> Result<Vec<String>> {
        catch_panics(&self.index.folder, || {
            self.listed(self.index.fields.url, beginning)
        })
    }

    /// The URLs that are known not to be indexed, in order.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn gone(&self) -> Result<Vec<String>> {
        catch_panics(&self.index.folder, || {
            self.listed(self.index.fields.gone, "")
        })
    }

    /// The URLs of the pages that have expired at `time`, in order.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn expired(&self, time: SystemTime) -> Result<Vec<String>> {
        catch_panics(&self.index.folder, || self.read_expired(time))
    }

    fn read_expired(&self, time: SystemTime) -> Result<Vec<String>> {
        let fields = &self.index.fields;
        let pages = Box::new(fields.all_of(DocumentKind::Page));
        let expired = Box::new(fields.expired(time));
        let both = BooleanQuery::new(vec![(Occur::Must, pages), (Occur::Must, expired)]);
        let found = self
            .searcher
            .search(&both, &tantivy::collector::DocSetCollector);
        let mut urls = Vec::new();
        for address in found.in_index(&self.index)? {
            urls.push(text(&self.document(address)?, fields.url));
        }
        urls.sort_unstable();
        Ok(urls)
    }

    /// Looks up what is known of a URL at `now`.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn known(&self, url: &str, now: Option<SystemTime>) -> Result<Option<UrlState>> {
        catch_panics(&self.index.folder, || self.read_known(url, now))
    }

    fn read_known(&self, url: &str, now: Option<SystemTime>) -> Result<Option<UrlState>> {
        let key = Key::parse(url);
        let fields = &self.index.fields;
        if let Some(page) = self.one(fields.url, &key)? {
            let document = self.document(page)?;
            if self.has_expired(&document, now) {
                return Ok(Some(UrlState::Gone {
                    reason: Gone::Expired,
                    why: String::new(),
                }));
            }
            let canonical = text(&document, fields.canonical);
            return Ok(Some(UrlState::Page {
                has_snapshot: self.spot(&key)?.is_some(),
                canonical: (!canonical.is_empty()).then_some(canonical),
            }));
        }
        let Some(gone) = self.one(fields.gone, &key)? else {
            return Ok(None);
        };
        let document = self.document(gone)?;
        Ok(Some(UrlState::Gone {
            reason: Gone::parse(&text(&document, fields.reason)),
            why: text(&document, fields.why),
        }))
    }

    /// Another URL of a page, or of a URL that is gone: that of an `index.html` next to its
    /// folder's.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn also_at(&self, url: &str) -> Result<Option<String>> {
        catch_panics(&self.index.folder, || self.read_also_at(&Key::parse(url)))
    }

    fn read_also_at(&self, key: &Key<'_>) -> Result<Option<String>> {
        let fields = &self.index.fields;
        let found = match self.one(fields.url, key)? {
            Some(page) => Some(page),
            None => self.one(fields.gone, key)?,
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let url = text(&self.document(found)?, fields.also_at);
        Ok((!url.is_empty()).then_some(url))
    }

    /// The title of a page, as far as it may be shown. Returns None if the URL is no page, or has
    /// expired at `now`.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn title(&self, url: &str, now: Option<SystemTime>) -> Result<Option<String>> {
        catch_panics(&self.index.folder, || {
            let page = self.page_at(&Key::parse(url), now)?;
            Ok(page.map(|(_, document)| text(&document, self.index.fields.shown_title)))
        })
    }

    /// The time at which a URL was fetched last, or found unchanged, as far as the index knows.
    /// Returns None if it is not known.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn fetched(&self, url: &str) -> Result<Option<SystemTime>> {
        self.latest(url, |segment, document| {
            captured_of(segment, document).max(seen_at(segment, document))
        })
    }

    /// The time at which the content of a URL was fetched. Later fetches may have found it
    /// unchanged.
    #[doc(hidden)]
    pub fn captured(&self, url: &str) -> Result<Option<SystemTime>> {
        self.latest(url, captured_of)
    }

    fn latest(
        &self,
        url: &str,
        time_of: impl Fn(&SegmentReader, DocId) -> Option<i64>,
    ) -> Result<Option<SystemTime>> {
        catch_panics(&self.index.folder, || {
            let owned = self.index.fields.owned_by(&Key::of_normal(url));
            let mut latest = None;
            for segment in self.searcher.segment_readers() {
                for document in self.documents(segment, &owned)? {
                    latest = latest.max(time_of(segment, document));
                }
            }
            Ok(latest.and_then(time))
        })
    }

    /// All names that pages give to others, in order. It includes those of expired pages. An index
    /// may hold very many.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn anchors(&self) -> Result<Vec<Anchor>> {
        catch_panics(&self.index.folder, || self.read_anchors())
    }

    fn read_anchors(&self) -> Result<Vec<Anchor>> {
        let mut urls = HashMap::new();
        for url in self.urls()? {
            urls.insert(id(&Key::kept(&url)), url);
        }
        let mut anchors = Vec::new();
        self.each_anchor(
            |_, _| true,
            |columns, address, sources| {
                let document = self.document(address)?;
                for name in columns.names(address.doc_id, &document, &self.index.fields) {
                    let called = unpack(&name.called);
                    for source in &sources {
                        let source = urls.get(source).cloned().unwrap_or_default();
                        anchors.push(Anchor {
                            source,
                            target: name.url.clone(),
                            text: called.clone(),
                        });
                    }
                }
                Ok(())
            },
        )?;
        anchors.sort_unstable();
        Ok(anchors)
    }

    /// The names that others give to a page, if they may be shown. Each text comes once, with its
    /// number of pages, the most frequent first.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn names(&self, url: &str, now: Option<SystemTime>) -> Result<Vec<(String, u64)>> {
        catch_panics(&self.index.folder, || self.read_names(url, now.map(clock)))
    }

    fn read_names(&self, url: &str, now: Option<i64>) -> Result<Vec<(String, u64)>> {
        let target = id(&Key::parse(url));
        let mut names: HashMap<String, u64> = HashMap::new();
        let wanted = |columns: &AnchorColumns, document: DocId| {
            columns.targets(document).any(|other| other == target)
                && !columns.has_expired(document, now)
        };
        self.each_anchor(wanted, |columns, address, sources| {
            let all = columns.names(address.doc_id, &self.document(address)?, &self.index.fields);
            for name in &all {
                if name.target == target && !name.called.is_empty() {
                    *names.entry(unpack(&name.called)).or_default() += sources.len() as u64;
                }
            }
            Ok(())
        })?;
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_unstable_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        Ok(names)
    }

    /// Counts the documents that are not deleted.
    pub(crate) fn stats(&self) -> Result<Stats> {
        let mut hosts = HashSet::new();
        for segment in self.searcher.segment_readers() {
            hosts.extend(hosts_of(segment).in_index(&self.index)?);
        }
        Ok(Stats {
            pages: self.statistics.pages(),
            hosts: hosts.len() as u64,
            anchors: self.count_anchors()?,
            tombstones: self.count(DocumentKind::Gone)?,
            snapshots: self.count_snapshots()?,
            snapshot_bytes: self.payload.snapshots.iter().map(|file| file.length).sum(),
            fetched: self.read_fetched(),
        })
    }

    fn read_fetched(&self) -> Option<(i64, i64)> {
        let mut fetched: Option<(i64, i64)> = None;
        for segment in self.searcher.segment_readers() {
            let fast = segment.fast_fields();
            let (Ok(id), Ok(captured)) = (fast.u64(column::ID), fast.i64(column::CAPTURED)) else {
                continue;
            };
            for document in segment.doc_ids_alive() {
                if id.first(document).is_none() {
                    continue;
                }
                let Some(time) = captured.first(document) else {
                    continue;
                };
                fetched = match fetched {
                    Some((first, last)) => Some((first.min(time), last.max(time))),
                    None => Some((time, time)),
                };
            }
        }
        fetched
    }

    pub(super) fn count(&self, kind: DocumentKind) -> Result<u64> {
        count(&self.searcher, &self.index.fields.kind_of(kind)).in_index(&self.index)
    }

    fn count_anchors(&self) -> Result<u64> {
        let mut anchors = 0;
        for segment in self.searcher.segment_readers() {
            let Some(columns) = AnchorColumns::open(segment) else {
                continue;
            };
            for kind in [DocumentKind::Anchor, DocumentKind::Unshown] {
                let documents = self.documents(segment, &self.index.fields.kind_of(kind))?;
                for document in documents {
                    anchors += columns.targets(document).count() as u64;
                }
            }
            for document in
                self.documents(segment, &self.index.fields.kind_of(DocumentKind::Folded))?
            {
                for living in columns.living(&self.searcher, &self.superseded, document) {
                    living.in_index(&self.index)?;
                    anchors += 1;
                }
            }
        }
        Ok(anchors)
    }

    /// Passes each anchor document that is wanted and still holds to the caller, with its sources.
    pub(crate) fn each_anchor(
        &self,
        wanted: impl Fn(&AnchorColumns, DocId) -> bool,
        mut take: impl FnMut(&AnchorColumns, DocAddress, Vec<u64>) -> Result<()>,
    ) -> Result<()> {
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            let Some(columns) = AnchorColumns::open(segment) else {
                continue;
            };
            for document in segment.doc_ids_alive() {
                if columns.targets(document).next().is_none() || !wanted(&columns, document) {
                    continue;
                }
                let living = columns.living(&self.searcher, &self.superseded, document);
                let living = living
                    .collect::<tantivy::Result<Vec<_>>>()
                    .in_index(&self.index)?;
                if !living.is_empty() {
                    take(&columns, DocAddress::new(ordinal, document), living)?;
                }
            }
        }
        Ok(())
    }

    /// The page of a URL and its address, unless it has expired at `now`.
    pub(super) fn page_at(
        &self,
        key: &Key<'_>,
        now: Option<SystemTime>,
    ) -> Result<Option<(DocAddress, TantivyDocument)>> {
        let Some(page) = self.one(self.index.fields.url, key)? else {
            return Ok(None);
        };
        let document = self.document(page)?;
        Ok((!self.has_expired(&document, now)).then_some((page, document)))
    }

    /// True if a page has expired.
    fn has_expired(&self, page: &TantivyDocument, now: Option<SystemTime>) -> bool {
        let expires = page
            .get_first(self.index.fields.expires)
            .and_then(|value| value.as_i64());
        now.zip(expires)
            .is_some_and(|(now, expires)| expires < clock(now))
    }

    /// The only document that has a key.
    pub(super) fn one(&self, field: Field, key: &Key<'_>) -> Result<Option<DocAddress>> {
        let term = Term::from_field_text(field, key.as_str());
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            if let Some(document) = self.documents(segment, &term)?.first() {
                return Ok(Some(DocAddress::new(ordinal, *document)));
            }
        }
        Ok(None)
    }

    pub(super) fn documents(&self, segment: &SegmentReader, term: &Term) -> Result<Vec<DocId>> {
        let mut documents = Vec::new();
        each(segment, term, |document| documents.push(document)).in_index(&self.index)?;
        Ok(documents)
    }

    fn listed(&self, field: Field, beginning: &str) -> Result<Vec<String>> {
        let mut listed = Vec::new();
        for segment in self.searcher.segment_readers() {
            listed.extend(terms_of(segment, field, beginning).in_index(&self.index)?);
        }
        listed.sort_unstable();
        Ok(listed)
    }
}

fn hosts_of(segment: &SegmentReader) -> tantivy::Result<Vec<String>> {
    let Ok(Some(column)) = segment.fast_fields().str(column::HOST) else {
        return Ok(Vec::new());
    };
    let mut seen = HashSet::new();
    for document in segment.doc_ids_alive() {
        seen.extend(column.term_ords(document));
    }
    let mut hosts = Vec::with_capacity(seen.len());
    for ordinal in seen {
        let mut host = String::new();
        column.ord_to_str(ordinal, &mut host)?;
        hosts.push(host);
    }
    Ok(hosts)
}

/// The terms of a segment with this beginning that at least one document has which is not deleted.
fn terms_of(
    segment: &SegmentReader,
    field: Field,
    beginning: &str,
) -> tantivy::Result<Vec<String>> {
    let inverted = segment.inverted_index(field)?;
    let mut terms = inverted
        .terms()
        .range()
        .ge(beginning.as_bytes())
        .into_stream()?;
    let mut found = Vec::new();
    while terms.advance() && terms.key().starts_with(beginning.as_bytes()) {
        let text = String::from_utf8_lossy(terms.key()).into_owned();
        let mut is_there = false;
        each(segment, &Term::from_field_text(field, &text), |_| {
            is_there = true;
        })?;
        if is_there {
            found.push(text);
        }
    }
    Ok(found)
}
