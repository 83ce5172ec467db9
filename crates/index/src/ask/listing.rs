//! Lists the URLs of an index in order, from the dictionaries of its segments.
//!
//! A dictionary is sorted, so the lists of all segments are merged while they are read. A part of
//! the list is read at a time, so memory does not grow with the index.

use std::collections::BTreeSet;
use std::vec;

use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::termdict::TermMerger;
use tantivy::{DocAddress, DocSet, TERMINATED};
use url::{Position, Url};

use crate::open::IndexContext;
use crate::stored::text;
use crate::trouble::catch_panics;
use heedful_base::address::{authority, host_and_sites};
use heedful_base::error::Result;

use super::search::Search;

/// Number of URLs that [`Urls`] reads at once.
const PART: usize = 1024;

impl Search {
    /// Returns the URLs of all pages, sorted.
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
    /// for url in ["https://example.com/b", "https://example.com/a"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Rye")?)?;
    /// }
    /// writer.commit()?;
    ///
    /// let search = index.search()?;
    /// assert_eq!(search.urls()?, ["https://example.com/a", "https://example.com/b"]);
    /// assert_eq!(search.urls_under("https://example.com/b")?, ["https://example.com/b"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn urls(&self) -> Result<Vec<String>> {
        self.urls_under("")
    }

    /// Returns the URLs of the pages whose URL begins with `beginning`, sorted.
    ///
    /// For an example see [`Search::urls`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    pub fn urls_under(&self, beginning: &str) -> Result<Vec<String>> {
        self.iter_urls(beginning).collect()
    }

    /// Returns the URLs of the pages of a site, sorted. `site` is an origin (scheme, host and
    /// port), such as `https://example.com`. User names in URLs are ignored. If `site` is not a URL
    /// with a host, the list is empty.
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
    /// for url in ["https://example.com/a", "https://me@example.com/", "http://example.com/"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Rye")?)?;
    /// }
    /// writer.commit()?;
    /// let urls = index.search()?.urls_of_site("https://example.com")?;
    /// assert_eq!(urls, ["https://example.com/a", "https://me@example.com/"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn urls_of_site(&self, site: &str) -> Result<Vec<String>> {
        catch_panics(&self.index.folder, || self.read_urls_of_site(site))
    }

    fn read_urls_of_site(&self, site: &str) -> Result<Vec<String>> {
        let Ok(site) = Url::parse(site) else {
            return Ok(Vec::new());
        };
        let (Some(host), _) = host_and_sites(&site) else {
            return Ok(Vec::new());
        };
        let fields = &self.index.fields;
        let of_host = Term::from_field_text(fields.host, &host);
        let mut urls = Vec::new();
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            for document in self.documents(segment, &of_host)? {
                let page = self.document(DocAddress::new(ordinal, document))?;
                let url = text(&page, fields.url);
                if Url::parse(&url).is_ok_and(|url| url.origin() == site.origin()) {
                    urls.push(url);
                }
            }
        }
        urls.sort_unstable();
        Ok(urls)
    }

    /// Returns the first `most` sites of the pages, in the order of URLs. A site is an origin:
    /// scheme, host and port. URLs without an origin, such as `file:` URLs, are ignored. After the
    /// first URL of a site, the site's other URLs are skipped. So the running time depends only on
    /// the number of sites.
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
    /// for url in ["https://a.example/rye", "https://a.example/oats", "http://a.example/rye"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Grain")?)?;
    /// }
    /// writer.commit()?;
    /// let search = index.search()?;
    /// assert_eq!(search.sites(9)?, ["http://a.example", "https://a.example"]);
    /// assert_eq!(search.sites(1)?, ["http://a.example"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sites(&self, most: usize) -> Result<Vec<String>> {
        let mut sites = BTreeSet::new();
        let mut urls = self.iter_urls("");
        while sites.len() < most
            && let Some(url) = urls.next()
        {
            let Ok(url) = Url::parse(&url?) else {
                continue;
            };
            if url.origin().is_tuple() {
                sites.insert(authority(&url));
            }
            urls.skip_below(&url);
        }
        Ok(sites.into_iter().collect())
    }

    /// Returns the URLs that are known but not indexed, sorted.
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
    /// let html = b"<meta name=robots content=noindex><p>Rye";
    /// writer.add(&filter.page("https://example.com/", &[], html)?)?;
    /// writer.commit()?;
    /// assert_eq!(index.search()?.tombstone_urls()?, ["https://example.com/"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tombstone_urls(&self) -> Result<Vec<String>> {
        self.iter_tombstone_urls("").collect()
    }

    /// Iterates over the page URLs that begin with `beginning`, in order. If `beginning` is empty,
    /// the iterator yields the URLs of all pages. URLs are read while the iterator advances, so
    /// memory does not grow with the index.
    ///
    /// # Errors
    /// If the index is damaged, the iterator yields
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index), and then ends.
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
    /// for url in ["https://a.example/rye", "https://b.example/oats"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Grain")?)?;
    /// }
    /// writer.commit()?;
    /// let search = index.search()?;
    /// assert_eq!(search.iter_urls("").count(), 2);
    /// for url in search.iter_urls("https://b.example/") {
    ///     assert_eq!(url?, "https://b.example/oats");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter_urls(&self, beginning: &str) -> Urls<'_> {
        self.terms_in(self.index.fields.url, beginning)
    }

    /// Iterates over the tombstone URLs that begin with `beginning`, in order. A tombstone URL is
    /// known but not indexed. URLs are read while the iterator advances, so memory does not grow
    /// with the index.
    ///
    /// # Errors
    /// If the index is damaged, the iterator yields
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index), and then ends.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Gone, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let mut writer = index.writer(1)?;
    /// writer.remove("https://example.com/", Gone::Status(410), "")?;
    /// writer.commit()?;
    /// assert_eq!(index.search()?.iter_tombstone_urls("https://").count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter_tombstone_urls(&self, beginning: &str) -> Urls<'_> {
        self.terms_in(self.index.fields.tombstone_url, beginning)
    }

    /// Iterates over the tantivy terms of a text field, in order. Only terms that begin with
    /// `beginning` are included. A term is yielded once for each segment that has the term in a
    /// document. Deleted documents do not count.
    pub(crate) fn terms_in(&self, field: Field, beginning: &str) -> Urls<'_> {
        Urls {
            search: self,
            field,
            beginning: beginning.to_owned(),
            last: None,
            part: Vec::new().into_iter(),
            is_at_end: false,
        }
    }
}

/// Iterator over URLs of an index, in order. Created by [`Search::iter_urls`] and
/// [`Search::iter_tombstone_urls`].
#[derive(Debug)]
#[must_use]
pub struct Urls<'a> {
    search: &'a Search,
    field: Field,
    beginning: String,
    /// The last term that was read. None before the first term.
    last: Option<Vec<u8>>,
    /// Terms that were read, but not yet yielded.
    part: vec::IntoIter<String>,
    /// True if there are no more terms to read.
    is_at_end: bool,
}

impl Iterator for Urls<'_> {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.part.len() == 0 && !self.is_at_end {
            let index = &self.search.index;
            match catch_panics(&index.folder, || self.read().in_index(index)) {
                Ok(part) => self.part = part.into_iter(),
                Err(error) => {
                    self.is_at_end = true;
                    return Some(Err(error));
                }
            }
        }
        self.part.next().map(Ok)
    }
}

impl Urls<'_> {
    /// Skips the following URLs that are equal to `url` in all parts before the path.
    fn skip_below(&mut self, url: &Url) {
        let mut beginning = url[..Position::BeforePath].to_owned();
        if url.path().starts_with('/') {
            beginning.push('/');
        }
        while let [next, ..] = self.part.as_slice()
            && next.starts_with(&beginning)
        {
            self.part.next();
        }
        if self.part.len() == 0 {
            // No text in UTF-8 has this byte, so this is behind all that begin so.
            let mut last = beginning.into_bytes();
            last.push(0xFF);
            self.last = Some(last);
        }
    }

    /// Reads the next terms, until at least [`PART`] terms were read or no more follow. The result
    /// is empty only if there are no more terms.
    fn read(&mut self) -> tantivy::Result<Vec<String>> {
        let segments = self.search.searcher.segment_readers();
        let beginning = self.beginning.as_bytes();
        let mut dictionaries = Vec::with_capacity(segments.len());
        for segment in segments {
            dictionaries.push(segment.inverted_index(self.field)?);
        }
        let mut streams = Vec::with_capacity(segments.len());
        for dictionary in &dictionaries {
            let range = dictionary.terms().range();
            let range = match &self.last {
                Some(last) => range.gt(last),
                None => range.ge(beginning),
            };
            streams.push(range.into_stream()?);
        }
        let mut terms = TermMerger::new(streams);
        let mut part = Vec::new();
        while part.len() < PART {
            if !terms.advance() || !terms.key().starts_with(beginning) {
                self.is_at_end = true;
                return Ok(part);
            }
            let text = String::from_utf8_lossy(terms.key());
            for (at, term) in terms.current_segment_ords_and_term_infos() {
                let mut postings = dictionaries[at]
                    .read_postings_from_terminfo(&term, IndexRecordOption::Basic)?;
                while postings.doc() != TERMINATED && segments[at].is_deleted(postings.doc()) {
                    postings.advance();
                }
                if postings.doc() != TERMINATED {
                    part.push(text.clone().into_owned());
                }
            }
        }
        self.last = Some(terms.key().to_vec());
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use heedful::{Bot, Filter};

    use crate::Index;

    /// Tests sites with more URLs than are read at once, in several segments. Some URLs have a
    /// port, a user name or no site.
    #[test]
    fn each_site_is_listed_once() {
        let folder = tempfile::tempdir().unwrap();
        let filter = Filter::new(Bot::new("FooBot").unwrap());
        let index = Index::create(folder.path(), &filter).unwrap();
        for part in 0..2 {
            let mut writer = index.writer(1).unwrap();
            let mut add = |url: &str| {
                writer
                    .add(&filter.page(url, &[], b"<p>rye").unwrap())
                    .unwrap();
            };
            for n in 0..super::PART {
                add(&format!("https://a.example/{part}/{n}"));
            }
            for url in [
                "file:///rye",
                "http://a.example/",
                "https://a.example.org/x",
                "https://a.example:81/x",
                "https://me@a.example/x",
                "https://me@b.example/x",
                "https://z.example/x",
            ] {
                add(url);
            }
            writer.commit().unwrap();
        }
        let search = index.search().unwrap();
        let expected = [
            "http://a.example",
            "https://a.example",
            "https://a.example.org",
            "https://a.example:81",
            "https://b.example",
            "https://z.example",
        ];
        assert_eq!(search.sites(99).unwrap(), expected);
        // In the order of URLs a dot is before a slash.
        assert_eq!(search.sites(2).unwrap(), [expected[0], expected[2]]);
        assert!(search.sites(0).unwrap().is_empty());
    }
}
