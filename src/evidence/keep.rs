//! What an index or a mask writes its evidence with: a log, and the terms under which it judges.

use std::path::Path;
#[cfg(test)]
use std::sync::Arc;
#[cfg(feature = "run")]
use std::time::SystemTime;

use crate::error::{Error, Result};
use crate::policy::{Facet, Facets, Policy};

use super::basis::{Basis, Context, SiteFileRef};
use super::blob::Decision;
use super::decision::{Allowed, BotAnswer, Whys};
use super::entry::EntryKind;
#[cfg(test)]
use super::files::Files;
use super::head::Head;
use super::hex::{digest_of, named};
use super::sealed::{Naming, Text};
use super::terms::{BotTerms, Terms};
use super::tree::Hash;
use super::writer::{LogWriter, NewEntry, Standing};

/// The use that a page has no longer when its kept copy is removed.
const COPY: Facets = Facets::of(&[Facet::Archive]);

/// The evidence of an index or a mask: one entry for each decision about a page.
#[derive(Debug)]
pub struct Evidence {
    pub(super) log: LogWriter,
    terms: Vec<BotTerms>,
    /// The last context, which is that of most pages that follow.
    last: Option<(Vec<SiteFileRef>, String)>,
}

/// A decision about a page.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) kind: EntryKind,
    /// The URL in its normal form.
    pub(crate) url: String,
    pub(crate) captured: Option<i64>,
    pub(crate) decision: Decision,
}

impl Evidence {
    /// Evidence in a folder, for something that has none so far, or whose last commit named this head.
    pub(crate) fn of(folder: &Path, head: Option<&Head>, terms: &[Terms]) -> Result<Self> {
        let standing = head.map_or(Standing::New, Standing::At);
        Ok(Self::with(LogWriter::in_folder(folder, standing)?, terms))
    }

    /// Evidence of masks, behind what the folder has of earlier ones.
    #[cfg(feature = "run")]
    pub(crate) fn of_masks(folder: &Path, terms: &[Terms]) -> Result<Self> {
        Ok(Self::with(LogWriter::in_folder(folder, Standing::Own)?, terms))
    }

    #[cfg(test)]
    pub(crate) fn in_files(files: &Arc<dyn Files>, head: Option<&Head>, terms: &[Terms]) -> Result<Self> {
        let standing = head.map_or(Standing::New, Standing::At);
        Ok(Self::with(LogWriter::of(files, standing)?, terms))
    }

    /// The folder of the log.
    pub(crate) fn folder(&self) -> String {
        self.log.place()
    }

    fn with(log: LogWriter, terms: &[Terms]) -> Self {
        Self { log, terms: terms.iter().map(Terms::short).collect(), last: None }
    }

    /// The head of the last commit.
    pub fn head(&self) -> &Head {
        self.log.head()
    }

    /// Adds a decision, with the files of the site that the log does not have.
    pub(crate) fn add(&mut self, decided: &Decided, basis: &Basis) -> Result<u64> {
        for digest in basis.files.iter().filter_map(|file| digest_of(file.digest.as_deref()?)) {
            if !self.log.has_file(&digest) {
                let bytes = basis.bytes_of(&digest).ok_or_else(|| lost(&digest))?;
                if self.log.file(&bytes)? != digest {
                    return Err(lost(&digest));
                }
            }
        }
        let is_last = self.last.as_ref().is_some_and(|(files, _)| *files == basis.files);
        if !is_last {
            let context = Context::new(self.terms.clone(), basis.files.clone());
            self.last = Some((basis.files.clone(), context.text()));
        }
        let context = self.last.as_ref().map_or("", |(_, text)| text.as_str());
        let (head, decision) = (basis.head_text(), decided.decision.text());
        let Decided { kind, url, captured, .. } = decided;
        let naming = Naming::of(url, basis);
        let refers = [
            Text::Shared(context),
            Text::of(&head, naming.is_in_head(basis)),
            Text::of(&decision, naming.is_in_decision(&decided.decision)),
        ];
        self.log.add(&NewEntry { kind: *kind, url, captured: *captured, page: basis.page, refers })
    }

    /// Writes what was added, and returns the head that the commit must name. `time` is in seconds since 1970.
    pub(crate) fn finish(&mut self, time: i64) -> Result<Head> {
        self.log.finish(time)
    }

    /// Takes note that the head was committed.
    pub(crate) fn committed(&mut self) -> Result<()> {
        self.log.committed()
    }

    /// Adds decisions, each with what it rests on, and commits them.
    #[cfg(feature = "run")]
    pub(crate) fn record(&mut self, decided: impl Iterator<Item = (Decided, Basis)>, now: SystemTime) -> Result<()> {
        for (decided, basis) in decided {
            self.add(&decided, &basis)?;
        }
        let time = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.finish(i64::try_from(time).unwrap_or(i64::MAX))?;
        self.committed()
    }

    /// The decision that a policy is, for the only bot of these terms.
    pub(crate) fn judged(&self, policy: &Policy) -> Decision {
        Decision { reason: None, why: None, bots: vec![BotAnswer::of(self.bot(), policy, Facets::ALL, None)] }
    }

    /// The decision that a policy is, for a page that it keeps out.
    pub(crate) fn refused(&self, policy: &Policy, reason: impl Into<String>, why: &str) -> Decision {
        let Decision { why, reason, .. } = self.denied(reason, why);
        Decision { why, reason, ..self.judged(policy) }
    }

    /// The decision that a kept copy is removed.
    pub(crate) fn without_copy(&self) -> Decision {
        let denied = self.denied("the kept copy was removed", "");
        let bots = denied.bots.into_iter().map(|bot| BotAnswer { allow: Allowed::none(COPY), ..bot });
        Decision { bots: bots.collect(), ..denied }
    }

    /// The decision that denies everything.
    pub(crate) fn denied(&self, reason: impl Into<String>, why: &str) -> Decision {
        let bot = BotAnswer {
            bot: self.bot().to_owned(),
            allow: Allowed::none(Facets::ALL),
            why: Whys::default(),
            parts: None,
        };
        let why = (!why.is_empty()).then(|| why.to_owned());
        Decision { reason: Some(reason.into()), why, bots: vec![bot] }
    }

    fn bot(&self) -> &str {
        self.terms.first().and_then(|terms| terms.bot.first()).map_or("", String::as_str)
    }
}

fn lost(digest: &Hash) -> Error {
    Error::evidence(format!("a file of a site with the digest {} is no longer at hand", named(digest)))
}
