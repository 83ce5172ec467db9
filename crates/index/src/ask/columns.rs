//! Columns and stored texts of anchor documents in the index of pages. Each anchor document has the
//! anchor texts of the links on one source page.

use std::iter::repeat;

use tantivy::columnar::Column;
use tantivy::{DocId, SegmentReader, TantivyDocument};

use crate::forms::Language;
use crate::packed::each_anchor_text;
use crate::schema::{Fields, LINE, column};
use crate::stored::text;

/// Columns of the anchor documents in one segment of the index. An anchor document has the anchor
/// texts of the links on one page.
pub(crate) struct AnchorColumns {
    target: Column<u64>,
    vote: Column<u64>,
    source: Column<u64>,
    expires: Option<Column<i64>>,
    spoken: Option<Column<u64>>,
}

/// One anchor text of an anchor document. `url` is the URL of the link target, and `target` is the
/// hash of this URL.
#[derive(Debug)]
pub(super) struct AnchorText {
    pub(super) target: u64,
    pub(super) vote: u64,
    /// Words of the anchor text, packed into one string. Empty if the text may not be shown.
    pub(super) text: String,
    pub(super) url: String,
}

/// Choice of the anchor texts that `Search::each_anchor` visits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnchorChoice {
    All,
    /// The anchor texts of links to the URL with this hash.
    Of(u64),
    /// The anchor texts in a sample of the documents. The sample has every n-th document, where n
    /// is this number.
    Sample(u32),
}

impl AnchorChoice {
    /// True if this choice includes the anchor texts of links to `target` in `document`. `target`
    /// is the hash of a URL.
    pub(super) fn has(self, document: DocId, target: u64) -> bool {
        match self {
            Self::All => true,
            Self::Of(wanted) => wanted == target,
            Self::Sample(of) => document.is_multiple_of(of),
        }
    }
}

/// An anchor text of links to one target, with the pages that contain these links.
#[derive(Debug)]
pub(crate) struct AnchorEntry<'a> {
    /// Hash of the URL of the link target.
    pub(crate) target: u64,
    pub(crate) vote: u64,
    /// Words of the anchor text, packed into one string. Empty if the text may not be shown.
    pub(crate) text: &'a str,
    /// URL of the link target.
    pub(crate) url: &'a str,
    /// Time at which the anchor text expires, in seconds since 1970. None if it never expires.
    pub(crate) expires: Option<i64>,
    /// Language that the source pages declare. None if the pages declare no language, or if heedful
    /// has no stemmer for the language.
    pub(crate) spoken: Option<Language>,
    /// Hashes of the URLs of the source pages.
    pub(crate) sources: &'a [u64],
}

impl AnchorColumns {
    /// Opens the anchor columns of a segment. Returns None if the segment has no anchor documents.
    pub(crate) fn open(segment: &SegmentReader) -> Option<Self> {
        let fast = segment.fast_fields();
        Some(Self {
            target: fast.u64(column::TARGET).ok()?,
            vote: fast.u64(column::VOTE).ok()?,
            source: fast.u64(column::SOURCE).ok()?,
            expires: fast.i64(column::EXPIRES).ok(),
            spoken: fast.u64(column::SPOKEN).ok(),
        })
    }

    /// Returns the hashes of the URLs to which the links of an anchor document point. Yields
    /// nothing for a document of another kind.
    pub(crate) fn targets(&self, document: DocId) -> impl Iterator<Item = u64> + '_ {
        self.target.values_for_doc(document)
    }

    /// Returns the position, link target and vote of each anchor text at the positions `numbers` in
    /// a document. Positions are counted from 0. A link target is the hash of its URL. A vote is a
    /// hash of the anchor text and the host of the linking page. Positions without an anchor text
    /// are left out.
    pub(super) fn names<'a>(
        &'a self,
        document: DocId,
        numbers: &'a [usize],
    ) -> impl Iterator<Item = (usize, u64, u64)> + 'a {
        let targets = self.target.index.value_row_ids(document);
        let votes = self.vote.index.value_row_ids(document);
        let names = numbers.iter().filter_map(move |number| {
            let place = u32::try_from(*number).ok()?;
            let target = targets.start.checked_add(place)?;
            let vote = votes.start.checked_add(place)?;
            (target < targets.end && vote < votes.end).then_some((*number, target, vote))
        });
        names.map(|(number, target, vote)| {
            let target = self.target.values.get_val(target);
            (number, target, self.vote.values.get_val(vote))
        })
    }

    /// Returns all anchor texts of an anchor document, with their link targets. `id` is the number
    /// of the document in its segment. `document` has the stored texts of the same document.
    pub(super) fn anchor_texts(
        &self,
        id: DocId,
        document: &TantivyDocument,
        fields: &Fields,
    ) -> Vec<AnchorText> {
        let texts = text(document, fields.shown_anchor);
        let urls = text(document, fields.target_urls);
        let texts = each_anchor_text(&texts).chain(repeat(""));
        let votes = self
            .target
            .values_for_doc(id)
            .zip(self.vote.values_for_doc(id));
        let mut names = Vec::new();
        for ((target, vote), (text, url)) in votes.zip(texts.zip(urls.split(LINE))) {
            names.push(AnchorText {
                target,
                vote,
                text: text.to_owned(),
                url: url.to_owned(),
            });
        }
        names
    }

    /// True if the anchor texts of a document have expired at `now`. If `now` is None, no anchor
    /// text has expired.
    pub(crate) fn has_expired(&self, document: DocId, now: Option<i64>) -> bool {
        has_expired(self.expires(document), now)
    }

    pub(crate) fn expires(&self, document: DocId) -> Option<i64> {
        self.expires.as_ref()?.first(document)
    }

    /// Returns the language that the source page of an anchor document declares. Returns None if
    /// the page declares no language, or if heedful has no stemmer for the language.
    pub(crate) fn spoken(&self, document: DocId) -> Option<Language> {
        Language::from_number(self.spoken.as_ref()?.first(document)?)
    }

    /// Returns the source page of an anchor document, as the hash of its URL.
    pub(crate) fn source(&self, document: DocId) -> Option<u64> {
        self.source.first(document)
    }
}

/// True if the time `expires` is before `now`. False if either of them is None.
pub(super) fn has_expired(expires: Option<i64>, now: Option<i64>) -> bool {
    expires.zip(now).is_some_and(|(expires, now)| expires < now)
}
