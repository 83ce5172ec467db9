//! Writes the evidence of an index or a mask (docs/mask.md): a log of the decisions, with the terms
//! of judgement.

use std::path::Path;
#[cfg(test)]
use std::sync::Arc;
use std::time::SystemTime;

use heedful_base::error::{Error, Result};
use heedful_index::Terms;
use heedful_index::decision::hex::{digest_name, parse_digest_name};
use heedful_index::decision::{Basis, DecisionRecord, Hash, SiteFileRef};

use super::blob;
use super::context::EntryContext;
#[cfg(test)]
use super::files::LogFiles;
use super::head::Head;
use super::sealed::{PageNames, SealedText};
use super::terms::BotTerms;
use super::writer::{LogStart, LogWriter, NewEntry};

/// Writer of the evidence of an index or a mask: one entry for each decision about a page.
#[derive(Debug)]
pub struct Evidence {
    pub(super) log: LogWriter,
    terms: Vec<BotTerms>,
    /// Site files of the last added decision, and the text of its context blob. The next pages
    /// usually have the same context.
    last: Option<(Vec<SiteFileRef>, String)>,
}

impl Evidence {
    /// Opens the evidence of an index in a folder. `head` is the log's head in the last commit of
    /// the index, or `None` if the index has no evidence yet.
    pub(crate) fn open(folder: &Path, head: Option<&Head>, terms: &[Terms]) -> Result<Self> {
        let standing = head.map_or(LogStart::New, LogStart::At);
        Ok(Self::from_writer(
            LogWriter::open_folder(folder, standing)?,
            terms,
        ))
    }

    /// Opens the evidence of masks in a folder, and continues after the entries of earlier masks
    /// there.
    #[doc(hidden)]
    pub fn open_for_masks(folder: &Path, terms: &[Terms]) -> Result<Self> {
        Ok(Self::from_writer(
            LogWriter::open_folder(folder, LogStart::Own)?,
            terms,
        ))
    }

    #[cfg(test)]
    pub(crate) fn in_files(
        files: &Arc<dyn LogFiles>,
        head: Option<&Head>,
        terms: &[Terms],
    ) -> Result<Self> {
        let standing = head.map_or(LogStart::New, LogStart::At);
        Ok(Self::from_writer(LogWriter::open(files, standing)?, terms))
    }

    /// Returns the path of the log's folder.
    pub(crate) fn folder(&self) -> String {
        self.log.place()
    }

    fn from_writer(log: LogWriter, terms: &[Terms]) -> Self {
        Self {
            log,
            terms: terms.iter().map(BotTerms::from_terms).collect(),
            last: None,
        }
    }

    /// Returns the head of the log at the last commit.
    pub fn head(&self) -> &Head {
        self.log.head()
    }

    /// Adds the entry of a decision, and stores the site files of `basis` that the log does not
    /// have yet. Returns the number of the new entry.
    pub(crate) fn add(&mut self, decided: &DecisionRecord, basis: &Basis) -> Result<u64> {
        for file in &basis.files {
            if let Some(name) = &file.digest
                && let Some(digest) = parse_digest_name(name)
                && !self.log.has_file(&digest)
            {
                let Some(bytes) = basis.bytes_of(&digest) else {
                    return Err(lost_file(&digest));
                };
                if self.log.file(&bytes)? != digest {
                    return Err(lost_file(&digest));
                }
            }
        }
        let is_last = match &self.last {
            Some((files, _)) => *files == basis.files,
            None => false,
        };
        if !is_last {
            let context = EntryContext::new(self.terms.clone(), basis.files.clone());
            self.last = Some((basis.files.clone(), context.text()));
        }
        let context = self.last.as_ref().map_or("", |(_, text)| text.as_str());
        let head = heedful_json::line(&basis.head);
        let decision = blob::text(&decided.decision);
        let DecisionRecord {
            kind,
            url,
            captured,
            ..
        } = decided;
        let naming = PageNames::from_url(url, basis);
        let refers = [
            SealedText::Shared(context),
            SealedText::new(&head, naming.is_in_head(basis)),
            SealedText::new(&decision, naming.is_in_decision(&decided.decision)),
        ];
        self.log.add(&NewEntry {
            kind: *kind,
            url,
            captured: *captured,
            page: basis.page,
            refers,
        })
    }

    /// Writes the added entries to the log's files. Returns the log's head, which the commit of the
    /// index must contain. `time` is the time of the commit in seconds since 1970.
    pub(crate) fn finish(&mut self, time: i64) -> Result<Head> {
        self.log.finish(time)
    }

    /// Adds decisions, each with the documents on which it is based, and commits them to the log.
    #[doc(hidden)]
    pub fn record(
        &mut self,
        decided: impl Iterator<Item = (DecisionRecord, Basis)>,
        now: SystemTime,
    ) -> Result<()> {
        for (decided, basis) in decided {
            self.add(&decided, &basis)?;
        }
        let time = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        self.finish(i64::try_from(time).unwrap_or(i64::MAX))?;
        self.log.committed()
    }
}

fn lost_file(digest: &Hash) -> Error {
    Error::evidence(format!(
        "a file of a site with the digest {} is no longer at hand",
        digest_name(digest)
    ))
}
