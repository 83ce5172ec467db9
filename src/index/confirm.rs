//! What is heard of a URL without its page.
//!
//! A page is as it was, and only its headers are here (HTTP 304, a `revisit` record). What they allow brings nothing back: the
//! bytes are not here. What they deny holds: `index` takes the page out, `archive` its snapshot; what only those are told who
//! ask for it (`input`, `train` ...) is kept in mind. Of anything else that they deny and did not deny when the page was
//! read, the index cannot say what it would have kept: the page goes too, until it is fetched again.
//!
//! What is heard is kept with its time, also of a URL that is not known: nothing counts that was fetched earlier, and an index
//! that this one is merged with may have the page (`replay`).

use std::time::SystemTime;

use tantivy::schema::Term;
use tantivy::{DocAddress, DocId, Searcher, SegmentReader, TantivyError};

use crate::error::Result;
use crate::export::address::key;
use crate::page::Page;
use crate::policy::Facet;

use super::before::{captured_of, has};
use super::contents::text;
use super::document::{Gone, bit, denied, seconds};
use super::schema::{Fields, Kind, column};
use super::statistics::each;
use super::stored;
use super::{Writer, guarded};

/// What is heard of a URL.
#[derive(Clone, Debug)]
pub(super) enum Heard {
    /// It is gone: why, and what said so.
    Gone(Gone, String),
    /// It is as it was, and its headers ask for this.
    Asked(Asked),
}

/// The same with its time, in seconds, where that is known.
pub(super) type Dated = (Option<i64>, Heard);

impl Heard {
    /// Whether nothing is left of what was heard earlier.
    fn outdoes(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Asked(now), Self::Asked(before)) => before.are_met_by(now),
            (Self::Asked(_), Self::Gone(..)) => false,
            (Self::Gone(..), _) => true,
        }
    }

    /// What a document of [`Kind::Confirmed`](super::schema::Kind) keeps.
    pub(super) fn read(searcher: &Searcher, address: DocAddress, fields: &Fields) -> tantivy::Result<Self> {
        let document = stored::document(searcher, address)?;
        if document.get_first(fields.reason).is_some() {
            return Ok(Self::Gone(Gone::parse(&text(&document, fields.reason)), text(&document, fields.why)));
        }
        Ok(Self::Asked(Asked::read(searcher.segment_reader(address.segment_ord), address.doc_id)))
    }
}

/// What headers may ask for, or a page asked for when it was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub(super) denied: u64,
    pub(super) max_snippet: Option<u64>,
    pub(super) expires: Option<i64>,
}

impl Asked {
    fn of(page: &Page) -> Self {
        let policy = page.policy();
        Self {
            denied: denied(page),
            max_snippet: policy.max_snippet().map(u64::from),
            expires: policy.unavailable_after().map(seconds),
        }
    }

    pub(super) fn read(segment: &SegmentReader, document: DocId) -> Self {
        let fast = segment.fast_fields();
        let number = |name| fast.u64(name).ok().and_then(|column| column.first(document));
        let expires = fast.i64(column::EXPIRES).ok().and_then(|column| column.first(document));
        Self { denied: number(column::DENIED).unwrap_or(0), max_snippet: number(column::MAX_SNIPPET), expires }
    }

    pub(super) fn denies(&self, facet: Facet) -> bool {
        self.denied & bit(facet) != 0
    }

    /// Whether a page stays that asked for something when it was read; where there is none, what is said of the URL stays.
    pub(super) fn leave(&self, page: Option<Self>) -> bool {
        page.is_none_or(|page| self.of_the_text().are_met_by(&page))
    }

    /// The same without what can be taken back while the text stays as it is.
    fn of_the_text(mut self) -> Self {
        for facet in [Facet::Archive, Facet::Input, Facet::Train, Facet::Translate, Facet::Image] {
            self.denied &= !bit(facet);
        }
        self
    }

    /// Whether these ask for nothing that others did not ask for before.
    fn are_met_by(&self, before: &Self) -> bool {
        let within = |now: Option<i64>, before: Option<i64>| now.is_none_or(|now| before.is_some_and(|b| b <= now));
        let characters = |limit: Option<u64>| limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        self.denied & !before.denied == 0
            && within(characters(self.max_snippet), characters(before.max_snippet))
            && within(self.expires, before.expires)
    }

    fn are_nothing(&self) -> bool {
        self.denied == 0 && self.max_snippet.is_none() && self.expires.is_none()
    }
}

impl Writer {
    /// Lets what the headers of an unchanged page deny hold. `page` is what those headers make of a page without bytes.
    /// Returns whether the page, if there was one, is gone.
    ///
    /// # Errors
    /// When the page is another bot's; when the index cannot be written, or is damaged.
    pub fn confirm(&mut self, page: &Page, captured: Option<SystemTime>) -> Result<bool> {
        self.check_bot(page)?;
        let (url, past) = (page.url(), self.past(page.url())?);
        if past.is_later(captured.map(seconds)) {
            return Ok(false);
        }
        if let Some((reason, why)) = Gone::of(page) {
            return match captured {
                Some(_) => self.remove_captured(url, reason, &why, captured),
                None => self.retire(url, reason, &why, None),
            };
        }
        let asked = Asked::of(page);
        if asked.are_nothing() {
            return Ok(false);
        }
        if asked.denies(Facet::Archive) {
            self.remove_snapshot(url)?;
        }
        // What came since the last commit cannot be asked.
        let is_met = match self.committed_asked(url)? {
            Some(page) => asked.leave(page),
            None => !past.is_said() || asked.of_the_text().are_nothing(),
        };
        if !is_met {
            return self.remove_captured(url, Gone::Changed, "", captured);
        }
        self.put_heard(url, captured.map(seconds), Heard::Asked(asked)).map(|()| false)
    }

    /// Keeps what was heard: what was fetched earlier does not count any more.
    pub(super) fn put_heard(&mut self, url: &str, captured: Option<i64>, heard: Heard) -> Result<()> {
        let key = key(url);
        let past = self.past(&key)?;
        let mut kept = Vec::new();
        // What waits for its commit cannot be read: it stays beside this.
        if let Some(earlier) = self.committed_heard(&key)?.filter(|earlier| !earlier.is_empty()) {
            self.delete_of(&key, Kind::Confirmed)?;
            kept.extend(earlier.into_iter().filter(|(_, earlier)| !heard.outdoes(earlier)));
        }
        let captured = captured.or(past.captured());
        self.before.confirm(&key, captured);
        kept.push((captured, heard));
        let documents = self.documents();
        let made = kept.iter().map(|(captured, heard)| documents.confirmed(&key, *captured, heard)).collect();
        self.whole(|writer| writer.put_all(made))
    }

    /// What was heard of a URL up to the last commit; None where something came since.
    fn committed_heard(&mut self, key: &str) -> Result<Option<Vec<Dated>>> {
        let Some(searcher) = self.before.unheard(&self.index, key)? else { return Ok(None) };
        let owned = Term::from_field_text(self.index.fields.owner, key);
        let read = || {
            let mut heard = Vec::new();
            for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
                let mut documents = Vec::new();
                each(segment, &owned, |document| documents.push(document))?;
                for document in documents.into_iter().filter(|document| is_heard(segment, *document)) {
                    let read = Heard::read(&searcher, DocAddress::new(ordinal, document), &self.index.fields)?;
                    heard.push((captured_of(segment, document), read));
                }
            }
            Ok(Some(heard))
        };
        guarded(&self.index.folder, || read().map_err(|error: TantivyError| self.index.trouble(&error)))
    }

    /// What the page asked for when it was read, if the last commit has one; none of both where something was said since.
    fn committed_asked(&mut self, url: &str) -> Result<Option<Option<Asked>>> {
        let key = key(url);
        let Some(searcher) = self.untouched(&key)? else { return Ok(None) };
        let owned = Term::from_field_text(self.index.fields.url, &key);
        guarded(&self.index.folder, || {
            let mut found = None;
            for segment in searcher.segment_readers() {
                let take = |document| found = Some(Asked::read(segment, document));
                each(segment, &owned, take).map_err(|error| self.index.trouble(&error))?;
            }
            Ok(Some(found))
        })
    }
}

/// Whether a document keeps what was heard: it is neither a page, nor gone, nor anchors, nor a snapshot's place.
pub(super) fn is_heard(segment: &SegmentReader, document: DocId) -> bool {
    ![column::ID, column::GONE_ID, column::SOURCE, column::FILE].into_iter().any(|name| has(segment, name, document))
}
