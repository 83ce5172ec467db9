//! Applies a statement about a URL from a response that did not contain the page.
//!
//! An unchanged page is one of which only headers were received (HTTP 304, a WARC `revisit`
//! record). An allowance in these headers adds nothing, because the page's bytes were not received.
//! The denials in them apply. A denial of `index` removes the page, and one of `archive` its
//! snapshot. Denials that concern only the use of stored text (`input`, `train` ...) are stored.
//! For any other new denial, the index cannot tell which part of the stored text it affects. So the
//! page is removed until it is fetched again.
//!
//! A statement about a URL is stored with its time, even if the index does not know the URL.
//! Captures of the page before that time are then ignored. The page may be in another index. If the
//! two indexes are merged later, the statement applies to it (`replay`).

use std::time::SystemTime;

use tantivy::schema::Term;
use tantivy::{DocAddress, Searcher};

use crate::decision::{Decision, EntryKind};
use crate::gone::Gone;
use crate::open::IndexContext;
use crate::schema::{DocumentKind, Fields, captured_of};
use crate::statement::{DatedStatement, Restrictions, UrlStatement, is_statement};
use crate::statistics::each;
use crate::time::seconds;
use crate::trouble::catch_panics;
use heedful::{Page, Use};
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::writer::{Writer, is_too_long};

impl Writer {
    /// Applies the headers of a response without the page, such as HTTP 304 (unchanged). `page` is
    /// the result of reading these headers with an empty body. `captured` is the time of the
    /// response. Returns true if the headers caused a tombstone: a stored URL with the reason why
    /// it is not indexed. Returns false in all other cases. Does nothing if the index knows a later
    /// capture of the URL.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the page was read for a bot other than
    /// the index's bot. The same error if the index is damaged, or writing fails.
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
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    ///
    /// // The site answered 304, with a new header.
    /// let unchanged = filter.page("https://example.com/", &[("X-Robots-Tag", "noindex")], b"")?;
    /// writer.confirm(&unchanged, None)?;
    /// writer.commit()?;
    /// assert_eq!(index.stats()?.pages(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn confirm(&mut self, page: &Page, captured: Option<SystemTime>) -> Result<bool> {
        self.check_bot(page)?;
        let key = page.key();
        let past = self.past(&key)?;
        if past.is_later(captured.map(seconds)) {
            return Ok(false);
        }
        if let Some((reason, why)) = Gone::from_page(page) {
            return match captured {
                Some(_) => self.remove_page(page, reason, &why, captured),
                None => self.retire_key(&key, reason, &why, None),
            };
        }
        let asked = Restrictions::from_page(page);
        if asked.is_empty() {
            let Some(captured) = captured.map(seconds) else {
                return Ok(false);
            };
            self.put_seen(&key, captured)?;
            self.note_unchanged(&key, page, Some(captured))?;
            return Ok(false);
        }
        if asked.denies(Use::Archive) {
            self.all_or_nothing(|writer| writer.drop_copy(&key))?;
        }
        // Changes since the last commit cannot be read, so only lasting restrictions decide.
        let is_met = match self.committed_restrictions(&key)? {
            Some(page) => asked.allows_page(page),
            None => !past.is_kept() || asked.lasting().is_empty(),
        };
        if !is_met {
            return self.remove_page(page, Gone::Changed, "", captured);
        }
        self.put_statement(
            &key,
            captured.map(seconds),
            UrlStatement::Restrictions(asked),
        )?;
        self.note_unchanged(&key, page, captured.map(seconds))?;
        Ok(false)
    }

    fn note_unchanged(&mut self, key: &Key<'_>, page: &Page, captured: Option<i64>) -> Result<()> {
        self.note(EntryKind::Unchanged, key, captured, |bot| {
            Decision::judged(bot, page.policy())
        })
    }

    fn remove_page(
        &mut self,
        page: &Page,
        reason: Gone,
        why: &str,
        captured: Option<SystemTime>,
    ) -> Result<bool> {
        if is_too_long(page.url()) {
            Ok(false)
        } else {
            self.remove_key(&page.key(), reason, why, captured)
        }
    }

    /// Stores the time at which a page was found unchanged, in seconds since 1970.
    fn put_seen(&mut self, key: &Key<'_>, captured: i64) -> Result<()> {
        if key.is_too_long() {
            return Ok(());
        }
        let seen = self.documents().unchanged(key, captured);
        self.all_or_nothing(|writer| {
            writer.delete_part(key, DocumentKind::Seen)?;
            writer.put(seen)
        })
    }

    /// Stores a statement about a URL, and drops earlier statements that it supersedes. Captures of
    /// the page that are older than `captured` are then ignored.
    pub(super) fn put_statement(
        &mut self,
        key: &Key<'_>,
        captured: Option<i64>,
        statement: UrlStatement,
    ) -> Result<()> {
        let past = self.past(key)?;
        let mut kept = Vec::new();
        let mut is_rewritten = false;
        // Uncommitted statements cannot be read, so they stay beside this one.
        if let Some(earlier) = self.committed_url_statements(key)?
            && !earlier.is_empty()
        {
            is_rewritten = true;
            for (captured, earlier) in earlier {
                if !statement.supersedes(&earlier) {
                    kept.push((captured, earlier));
                }
            }
        }
        let captured = captured.or(past.captured());
        self.before.confirm(key, captured);
        kept.push((captured, statement));
        let documents = self.documents();
        let made = kept
            .iter()
            .map(|(captured, statement)| documents.statement(key, *captured, statement))
            .collect();
        self.all_or_nothing(|writer| {
            if is_rewritten {
                writer.delete_part(key, DocumentKind::Confirmed)?;
            }
            writer.put_all(made)
        })
    }

    /// Returns the statements about a URL, each with its time, from the documents of the last
    /// commit. Returns None if the writer received a newer statement about the URL.
    fn committed_url_statements(&mut self, key: &Key<'_>) -> Result<Option<Vec<DatedStatement>>> {
        let Some(searcher) = self.before.commit_if_unmentioned(&self.index, key)? else {
            return Ok(None);
        };
        let fields = &self.index.fields;
        catch_panics(&self.index.folder, || {
            read_statements(&searcher, key, fields)
                .in_index(&self.index)
                .map(Some)
        })
    }

    /// Returns the restrictions that a page had at its last fetch, as the last commit stores them.
    /// Returns `Some(None)` if the last commit has no page at the URL. Returns None if the URL was
    /// added or removed since that commit.
    fn committed_restrictions(&mut self, key: &Key<'_>) -> Result<Option<Option<Restrictions>>> {
        let Some(searcher) = self.commit_if_untouched(key)? else {
            return Ok(None);
        };
        let owned = Term::from_field_text(self.index.fields.url, key.as_str());
        catch_panics(&self.index.folder, || {
            let mut found = None;
            for segment in searcher.segment_readers() {
                let take = |document| found = Some(Restrictions::read(segment, document));
                each(segment, &owned, take).in_index(&self.index)?;
            }
            Ok(Some(found))
        })
    }
}

/// Reads all statements about a URL from a commit of the index, each with its time.
fn read_statements(
    searcher: &Searcher,
    key: &Key<'_>,
    fields: &Fields,
) -> tantivy::Result<Vec<DatedStatement>> {
    let owned = fields.owned_by(key);
    let mut statements = Vec::new();
    for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
        let mut documents = Vec::new();
        each(segment, &owned, |document| documents.push(document))?;
        for document in documents {
            if is_statement(segment, document) {
                let address = DocAddress::new(ordinal, document);
                let statement = UrlStatement::read(searcher, address, fields)?;
                statements.push((captured_of(segment, document), statement));
            }
        }
    }
    Ok(statements)
}
