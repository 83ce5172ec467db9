//! Counts and lists the contents of an index, and looks up the state of one URL.
//!
//! All counts and lists are those of the commit that the searcher shows. Deleted documents are
//! ignored. Only functions with a parameter `now` leave out pages that have expired.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use tantivy::query::{BooleanQuery, Occur};
use tantivy::schema::{Field, Term, Value};
use tantivy::{DocAddress, DocId, SegmentReader, TantivyDocument};

use crate::folded::FoldedIndex;
use crate::gone::Gone;
use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::packed::unpack;
use crate::schema::{DocumentKind, captured_of, column, unchanged_at};
use crate::statistics::{count, each};
use crate::stored::text;
use crate::time::{clock, time};
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::columns::{AnchorChoice, AnchorColumns, AnchorEntry, has_expired};
use super::search::Search;

/// Counts of the pages, anchor texts, tombstones and snapshots of an index at one commit.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Gone, Index};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let html = b"<p>Rye: see <a href=/oats>oats</a>";
/// writer.add(&filter.page("https://example.com/rye", &[], html)?)?;
/// writer.remove("https://example.com/oats", Gone::Status(410), "")?;
/// writer.commit()?;
///
/// let stats = index.stats()?;
/// assert_eq!((stats.pages(), stats.anchors(), stats.tombstones()), (1, 1, 1));
/// assert_eq!((stats.hosts(), stats.snapshots()), (1, 0));
/// assert_eq!(stats.fetched(), None); // `Writer::add_captured` stores times
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    pages: u64,
    hosts: u64,
    anchors: u64,
    tombstones: u64,
    snapshots: u64,
    snapshot_bytes: u64,
    /// Earliest and latest capture time of the pages, in seconds since 1970. None if no page has a
    /// known capture time.
    #[serde(skip)]
    fetched: Option<(i64, i64)>,
}

impl Stats {
    /// Number of indexed pages, including expired pages.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Number of distinct hosts of the indexed pages.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }

    /// Number of anchor texts. Equal texts count once for each pair of linking page and link
    /// target.
    pub fn anchors(&self) -> u64 {
        self.anchors
    }

    /// Number of tombstones: URLs that are known but not indexed.
    pub fn tombstones(&self) -> u64 {
        self.tombstones
    }

    /// Number of indexed pages that have a snapshot.
    pub fn snapshots(&self) -> u64 {
        self.snapshots
    }

    /// Size of all snapshot files in bytes. It includes bytes that
    /// [`Index::compact`](crate::Index::compact) would free.
    pub fn snapshot_bytes(&self) -> u64 {
        self.snapshot_bytes
    }

    /// Earliest and latest capture time of the pages, in this order. None if no page has a known
    /// capture time.
    pub fn fetched(&self) -> Option<(SystemTime, SystemTime)> {
        let (first, last) = self.fetched?;
        time(first).zip(time(last))
    }
}

/// An anchor text, with the URLs of the linking page and of the link's target.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::Index;
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let html = b"<p>See <a href=/rye>Dark bread</a>";
/// writer.add(&filter.page("https://example.com/", &[], html)?)?;
/// writer.commit()?;
///
/// let anchors = index.search()?.anchors()?;
/// assert_eq!(anchors[0].source(), "https://example.com/");
/// assert_eq!(anchors[0].target(), "https://example.com/rye"); // not indexed itself
/// assert_eq!(anchors[0].text(), "dark bread");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Anchor {
    source: String,
    target: String,
    text: String,
}

impl Anchor {
    /// URL of the page that contains the link.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// URL of the link's target, which need not be indexed.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Words of the anchor text, case-folded. Empty if the text may not be shown.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// State of a URL in an index: an indexed page, or known but not indexed.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Gone, Index, UrlState};
///
/// let folder = tempfile::tempdir()?;
/// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
/// let mut writer = index.writer(1)?;
/// writer.remove("https://example.com/", Gone::Status(404), "")?;
/// writer.commit()?;
///
/// match index.search()?.known("https://example.com/", None)? {
///     Some(UrlState::Gone { reason, .. }) => assert_eq!(reason, Gone::Status(404)),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlState {
    /// The URL is an indexed page.
    Page {
        /// True if the index has a snapshot of the page.
        has_snapshot: bool,
        /// Canonical URL that the page declares. None if it declares none.
        canonical: Option<String>,
    },
    /// The URL is known but not indexed, or its page has expired.
    Gone {
        /// Reason why the URL is not indexed.
        reason: Gone,
        /// Text of the statement that excludes the URL from the index. Empty if no statement
        /// excludes the URL.
        why: String,
    },
}

impl Index {
    /// Counts the pages, anchor texts, tombstones and snapshots of the index at its last commit.
    ///
    /// For an example see [`Stats`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    pub fn stats(&self) -> Result<Stats> {
        let search = self.search()?;
        catch_panics(&self.folder, || search.stats())
    }
}

impl Search {
    /// Returns the URLs of the pages that have expired at `time`, sorted. Until these pages are
    /// removed, searches still find them. A query with [`Query::now`](super::Query::now) leaves
    /// expired pages out.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000); // 2023
    /// let filter = Filter::new(Bot::new("FooBot")?).now(then);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let html = b"<meta name=robots content='unavailable_after: 2024-01-01'><p>Rye";
    /// writer.add(&filter.page("https://example.com/", &[], html)?)?;
    /// writer.commit()?;
    ///
    /// let search = index.search()?;
    /// assert!(search.expired(then)?.is_empty());
    /// assert_eq!(search.expired(SystemTime::now())?, ["https://example.com/"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Returns the languages that pages declare, the most frequent language first. Each language
    /// has its number of pages. The number is exact, and includes expired pages. A language is the
    /// primary subtag of a language tag (RFC 5646) in lower case, such as `de`.
    /// [`Query::language`](super::Query::language) accepts this form.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// for (url, html) in [
    ///     ("https://example.com/a", "<html lang=en-GB><p>Rye"),
    ///     ("https://example.com/b", "<html lang=de><p>Roggen"),
    ///     ("https://example.com/c", "<html lang=de-AT><p>Roggen"),
    /// ] {
    ///     writer.add(&filter.page(url, &[], html.as_bytes())?)?;
    /// }
    /// writer.commit()?;
    /// assert_eq!(index.search()?.languages()?, [("de".to_owned(), 2), ("en".to_owned(), 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn languages(&self) -> Result<Vec<(String, u64)>> {
        catch_panics(&self.index.folder, || self.count_languages())
    }

    fn count_languages(&self) -> Result<Vec<(String, u64)>> {
        let field = self.index.fields.primary_language;
        let mut languages: Vec<(String, u64)> = Vec::new();
        for name in self.terms_in(field, "") {
            let name = name?;
            if languages.last().is_some_and(|(last, _)| *last == name) {
                continue;
            }
            let term = Term::from_field_text(field, &name);
            let pages = count(&self.searcher, &term).in_index(&self.index)?;
            languages.push((name, pages));
        }
        // The sort is stable: languages with equally many pages stay in the order of the alphabet.
        languages.sort_by_key(|(_, pages)| Reverse(*pages));
        Ok(languages)
    }

    /// Returns the state of a URL at the time `now`. Returns None if the index does not know the
    /// URL. If `now` is None, no page has expired.
    ///
    /// For an example see [`UrlState`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
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
        let Some(gone) = self.one(fields.tombstone_url, &key)? else {
            return Ok(None);
        };
        let document = self.document(gone)?;
        Ok(Some(UrlState::Gone {
            reason: Gone::parse(&text(&document, fields.reason)),
            why: text(&document, fields.why),
        }))
    }

    /// Returns the second URL of the page or tombstone whose first URL is `url`. A tombstone is a
    /// URL that is known but not indexed. For example, the page of a folder may have the folder's
    /// URL and a second URL that ends in `index.html`. Returns None if there is no second URL.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    /// use url::Url;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let mut pass = filter.open("https://example.com/")?;
    /// pass.also_at(&Url::parse("https://example.com/index.html")?);
    /// pass.write(b"<p>Rye")?;
    /// writer.add(&pass.end()?)?;
    /// writer.commit()?;
    /// let second = index.search()?.also_at("https://example.com/")?;
    /// assert_eq!(second.as_deref(), Some("https://example.com/index.html"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn also_at(&self, url: &str) -> Result<Option<String>> {
        catch_panics(&self.index.folder, || self.read_also_at(&Key::parse(url)))
    }

    fn read_also_at(&self, key: &Key<'_>) -> Result<Option<String>> {
        let fields = &self.index.fields;
        let found = match self.one(fields.url, key)? {
            Some(page) => Some(page),
            None => self.one(fields.tombstone_url, key)?,
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let url = text(&self.document(found)?, fields.also_at);
        Ok((!url.is_empty()).then_some(url))
    }

    /// Returns the part of a page's title that may be shown. Returns None if no indexed page has
    /// this URL, or if the page has expired at `now`.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<title>Rye</title>")?)?;
    /// writer.commit()?;
    /// let search = index.search()?;
    /// assert_eq!(search.title("https://example.com/", None)?.as_deref(), Some("Rye"));
    /// assert_eq!(search.title("https://example.com/oats", None)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn title(&self, url: &str, now: Option<SystemTime>) -> Result<Option<String>> {
        catch_panics(&self.index.folder, || {
            let page = self.page_at(&Key::parse(url), now)?;
            Ok(page.map(|(_, document)| text(&document, self.index.fields.shown_title)))
        })
    }

    /// Returns the time at which a URL was last fetched or found unchanged. Returns None if the
    /// index does not know the URL, or has no time for it. `url` must be in normal form.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    /// let page = filter.page("https://example.com/", &[], b"<p>Rye")?;
    /// writer.add_captured(&page, Some(then))?;
    /// writer.commit()?;
    /// assert_eq!(index.search()?.fetched("https://example.com/")?, Some(then));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fetched(&self, url: &str) -> Result<Option<SystemTime>> {
        self.latest(url, |segment, document| {
            captured_of(segment, document).max(unchanged_at(segment, document))
        })
    }

    /// Returns the time at which the stored content of a URL was fetched. A later fetch that found
    /// the content unchanged does not change this time. Returns None if the time is not known.
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

    /// Returns all anchor texts with the URLs of their source pages and link targets, sorted.
    /// Anchor texts of expired pages are included. The list of a large index may not fit in memory.
    ///
    /// For an example see [`Anchor`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    pub fn anchors(&self) -> Result<Vec<Anchor>> {
        catch_panics(&self.index.folder, || self.read_anchors())
    }

    fn read_anchors(&self) -> Result<Vec<Anchor>> {
        let mut urls = HashMap::new();
        for url in self.iter_urls("") {
            let url = url?;
            urls.insert(id(&Key::from_stored(&url)), url);
        }
        let mut anchors = Vec::new();
        self.each_anchor(AnchorChoice::All, |anchor| {
            let called = unpack(anchor.text);
            for source in anchor.sources {
                let source = urls.get(source).cloned().unwrap_or_default();
                anchors.push(Anchor {
                    source,
                    target: anchor.url.to_owned(),
                    text: called.clone(),
                });
            }
            Ok(())
        })?;
        anchors.sort_unstable();
        Ok(anchors)
    }

    /// Returns the anchor texts of links to a page, each with the number of linking pages. The most
    /// frequent text is first. Texts that may not be shown are left out. Links from pages that have
    /// expired at `now` are left out too.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// for url in ["https://a.example/", "https://b.example/"] {
    ///     let html = b"<a href=https://example.com/rye>Dark bread</a>";
    ///     writer.add(&filter.page(url, &[], html)?)?;
    /// }
    /// writer.commit()?;
    /// let names = index.search()?.anchor_texts("https://example.com/rye", None)?;
    /// assert_eq!(names, [("dark bread".to_owned(), 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn anchor_texts(&self, url: &str, now: Option<SystemTime>) -> Result<Vec<(String, u64)>> {
        catch_panics(&self.index.folder, || self.read_names(url, now.map(clock)))
    }

    fn read_names(&self, url: &str, now: Option<i64>) -> Result<Vec<(String, u64)>> {
        let target = id(&Key::parse(url));
        let mut names: HashMap<String, u64> = HashMap::new();
        self.each_anchor(AnchorChoice::Of(target), |anchor| {
            if !anchor.text.is_empty() && !has_expired(anchor.expires, now) {
                *names.entry(unpack(anchor.text)).or_default() += anchor.sources.len() as u64;
            }
            Ok(())
        })?;
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_unstable_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        Ok(names)
    }

    /// Counts the pages, anchor texts, tombstones and snapshots of this search's commit, without
    /// deleted documents.
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
        }
        for index in self.anchors.folded().indexes() {
            let superseded = self.anchors.superseded(&self.searcher);
            let superseded = superseded.in_index(&self.index)?;
            for (_, segment) in index.segments() {
                for document in 0..segment.documents() {
                    for (_, sources) in segment.sources(document) {
                        let standing = sources.iter().filter(|id| !superseded.contains(id));
                        anchors += standing.count() as u64;
                    }
                }
            }
        }
        Ok(anchors)
    }

    /// Calls `take` for each anchor text that `choice` includes. Each entry names only the source
    /// pages for which the text is still valid. The text is empty if it may not be shown.
    pub(crate) fn each_anchor(
        &self,
        choice: AnchorChoice,
        mut take: impl FnMut(&AnchorEntry<'_>) -> Result<()>,
    ) -> Result<()> {
        self.each_unfolded_anchor(choice, &mut take)?;
        for index in self.anchors.folded().indexes() {
            self.each_folded_anchor(index, choice, &mut take)?;
        }
        Ok(())
    }

    /// Calls `take` for each anchor text in `choice` that is stored with its source page. These are
    /// the anchor texts that no compaction has collected by link target.
    fn each_unfolded_anchor(
        &self,
        choice: AnchorChoice,
        take: &mut impl FnMut(&AnchorEntry<'_>) -> Result<()>,
    ) -> Result<()> {
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            let Some(columns) = AnchorColumns::open(segment) else {
                continue;
            };
            for document in segment.doc_ids_alive() {
                let is_wanted = |target| choice.has(document, target);
                if !columns.targets(document).any(is_wanted) {
                    continue;
                }
                let Some(source) = columns.source(document) else {
                    continue;
                };
                let stored = self.document(DocAddress::new(ordinal, document))?;
                for name in columns.anchor_texts(document, &stored, &self.index.fields) {
                    if is_wanted(name.target) {
                        take(&AnchorEntry {
                            target: name.target,
                            vote: name.vote,
                            text: &name.text,
                            url: &name.url,
                            expires: columns.expires(document),
                            spoken: columns.spoken(document),
                            sources: &[source],
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Calls `take` for each anchor text in `choice` that `index` contains. `index` has anchor
    /// texts that a compaction collected by link target. Source pages for which a text is no longer
    /// valid are left out.
    fn each_folded_anchor(
        &self,
        index: &FoldedIndex,
        choice: AnchorChoice,
        take: &mut impl FnMut(&AnchorEntry<'_>) -> Result<()>,
    ) -> Result<()> {
        let superseded = self.anchors.superseded(&self.searcher);
        let superseded = superseded.in_index(&self.index)?;
        for (ordinal, (_, segment)) in (0..).zip(index.segments()) {
            let documents = match choice {
                AnchorChoice::Of(target) => segment.documents_of(target, 0),
                AnchorChoice::All | AnchorChoice::Sample(_) => 0..segment.documents(),
            };
            for document in documents {
                if !choice.has(document, segment.target(document)) {
                    continue;
                }
                let (texts, url) = index.texts(ordinal, document).in_index(&self.index)?;
                for (text, (vote, mut sources)) in texts.iter().zip(segment.sources(document)) {
                    sources.retain(|source| !superseded.contains(source));
                    if !sources.is_empty() {
                        take(&AnchorEntry {
                            target: segment.target(document),
                            vote,
                            text,
                            url: &url,
                            expires: segment.expires(document),
                            spoken: segment.spoken(document),
                            sources: &sources,
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the address of an indexed page's document, and the document. Returns None if the URL
    /// is not an indexed page, or the page has expired at `now`.
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

    /// True if a page has expired at `now`. If `now` is None, no page has expired.
    fn has_expired(&self, page: &TantivyDocument, now: Option<SystemTime>) -> bool {
        let expires = page
            .get_first(self.index.fields.expires)
            .and_then(|value| value.as_i64());
        has_expired(expires, now.map(clock))
    }

    /// Returns the address of the document whose `field` contains the URL `key`. At most one
    /// document has this URL in that field. Returns None if no document has it.
    pub(crate) fn one(&self, field: Field, key: &Key<'_>) -> Result<Option<DocAddress>> {
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
