//! Judges a page again, from its bytes and a proof of the decision about it.
//!
//! The proof has the terms of judgement, the response headers and the digests of the site files.
//! Uses that depend on missing data are listed separately. A use counts as equal to the recorded
//! decision only if it was judged again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use url::Url;

use heedful::{Filter, LAW, Licence, PolicyPass, ProfileNames, Use, Uses};
use heedful_base::bot::{Bot, BotId};
use heedful_base::error::{Error, Result};
use heedful_index::decision::hex::digest_name_of_bytes;
use heedful_index::decision::{
    ALSO_AT, BotAnswer, CUT, NAMES, NOW, PageDigest, RSL, SiteFileRef, UTF_8, Why,
};
use heedful_robots::{RobotsTxt, SiteFile};

use super::proof::Proof;
use super::terms::BotTerms;

/// Result of judging the page of a proof again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProofVerdict {
    /// Uses for which the new judgement is the same as the recorded decision. Each element has the
    /// name of a bot and the use.
    pub equal: Vec<(String, Use)>,
    /// Pairs of bot and use for which the new judgement differs from the recorded decision. There
    /// are none if the decision was recorded correctly.
    pub different: Vec<(String, Use)>,
    /// Uses that could not be judged again, because a site file or other data is missing. Each
    /// element has the name of a bot, the use, and a directive. The directive denied the use in the
    /// recorded decision. It is `None` if the decision names no directive.
    pub undecided: Vec<(String, Use, Option<Why>)>,
    /// True if the caller gave all site files on which the recorded decision is based.
    pub has_all_data: bool,
}

impl Proof {
    /// Judges the page of this proof again. `bytes` is the content of the page. `files` has the
    /// contents of the site files, in any order. Each site file is recognized by its digest, and
    /// files may be missing.
    ///
    /// # Errors
    /// An evidence error if `bytes` is not the content of the page. Also an evidence error if the
    /// page was judged by another version of docs/semantics.md. Also an evidence error if the
    /// decision names no bot or no use, or if a bot has no settings in the proof.
    pub fn judge(&self, bytes: &[u8], files: &[Vec<u8>]) -> Result<ProofVerdict> {
        let record = self.record()?;
        let found = PageDigest::new(bytes).to_string();
        if record.page.as_ref() != Some(&found) {
            return Err(Error::evidence(format!(
                "this is another page: its digest is {found}"
            )));
        }
        if record.law != LAW {
            let message = format!(
                "version {} of the law decided, and this program knows version {LAW}",
                record.law
            );
            return Err(Error::evidence(message));
        }
        let head = &record.head;
        let given = ProofInputs::new(files);
        let mut judged = ProofVerdict {
            has_all_data: given.has_all(&record.files),
            ..ProofVerdict::default()
        };
        for (terms, said) in answers_with_terms(&record.terms, &record.bots)? {
            let mut filter = given.known_to(terms.filter()?, &record.files);
            for line in head {
                if let Some(time) = judgement_time(line) {
                    filter = filter.now(time);
                }
            }
            let mut pass = filter.open_policies(&record.url)?;
            // The site files apply to all URLs of the page.
            for (name, url) in head {
                if name == ALSO_AT {
                    let Ok(url) = Url::parse(url) else {
                        return Err(Error::evidence("the head names no URL"));
                    };
                    pass.also_at(&url);
                }
            }
            for robots in given.site_files(&record.files) {
                pass.robots_txt(&robots);
            }
            for (name, value) in head {
                apply_head_line(&mut pass, name, value);
            }
            pass.write(bytes)?;
            let policies = pass.end()?;
            let policy = policies.policy(BotId::FIRST);
            for usage in said.allow.asked.iter() {
                judged.compare(said, usage, policy.allows(usage), terms.custom.is_some());
            }
        }
        Ok(judged)
    }
}

/// Pairs the recorded decision for each bot with the bot's settings. Pages are judged by these
/// settings.
///
/// # Errors
/// An evidence error if `bots` is empty, if a decision names no use, or if a bot has no settings.
/// In these cases nothing can be judged.
fn answers_with_terms<'a>(
    terms: &'a [BotTerms],
    bots: &'a [BotAnswer],
) -> Result<Vec<(&'a BotTerms, &'a BotAnswer)>> {
    if bots.is_empty() || bots.iter().any(|answer| answer.allow.asked == Uses::NONE) {
        return Err(nothing_judged("the decision names no bot, or no use"));
    }
    let has_all = terms.len() == bots.len()
        && terms
            .iter()
            .zip(bots)
            .all(|(terms, answer)| is_for(terms, answer));
    if has_all {
        Ok(terms.iter().zip(bots).collect())
    } else {
        Err(nothing_judged(
            "the proof has other terms than those for the bots of the decision",
        ))
    }
}

fn nothing_judged(why: &str) -> Error {
    Error::evidence(format!("nothing was judged again: {why}"))
}

/// True if `terms` are the settings for the bot that `answer` names.
fn is_for(terms: &BotTerms, answer: &BotAnswer) -> bool {
    let Ok(bot) = Bot::new(&answer.bot) else {
        return false;
    };
    match terms.bot.first() {
        Some(name) => bot.is_called(name),
        None => false,
    }
}

/// Returns the time of the recorded judgement from a line of the record's `head`, given as name and
/// value. Returns `None` if the line does not store this time.
fn judgement_time((name, value): &(String, String)) -> Option<SystemTime> {
    if name != NOW {
        return None;
    }
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(value.parse().ok()?))
}

/// Applies a line of the record's `head` to a pass over the page. A name that begins with a colon
/// is no HTTP header, but records how the page was read.
fn apply_head_line(pass: &mut PolicyPass, name: &str, value: &str) {
    match name {
        CUT => pass.cut_short(),
        UTF_8 => pass.assume_utf8(),
        // These two were applied when the pass was opened.
        ALSO_AT | NOW => {}
        _ => pass.header(name, value),
    }
}

impl ProofVerdict {
    fn compare(&mut self, said: &BotAnswer, usage: Use, allows: bool, has_own: bool) {
        let bot = said.bot.clone();
        let found = said.why.0.iter().find(|(own, _)| *own == usage);
        let why = found.map(|(_, why)| why.clone());
        // A proof contains neither statements of other pages nor the user's own conventions.
        let is_elsewhere = has_own || why.as_ref().is_some_and(|why| why.origin == "input");
        if said.allow.allows(usage) == allows {
            self.equal.push((bot, usage));
        } else if allows && (is_elsewhere || !self.has_all_data) {
            self.undecided.push((bot, usage, why));
        } else {
            self.different.push((bot, usage));
        }
    }
}

/// Contents of the site files that the caller of [`Proof::judge`] gave, by their digests.
#[derive(Clone, Debug)]
struct ProofInputs(Arc<HashMap<String, Vec<u8>>>);

impl ProofInputs {
    fn new(files: &[Vec<u8>]) -> Self {
        let given = files
            .iter()
            .map(|bytes| (digest_name_of_bytes(bytes), bytes.clone()));
        Self(Arc::new(given.collect()))
    }

    fn get(&self, file: &SiteFileRef) -> Option<&Vec<u8>> {
        self.0.get(file.digest.as_deref()?)
    }

    /// True if the caller gave the contents of all `files`, the site files on which the decision is
    /// based. A file needs no content if only its HTTP status was recorded.
    fn has_all(&self, files: &[SiteFileRef]) -> bool {
        files
            .iter()
            .all(|file| self.get(file).is_some() || file.digest.is_none() && file.status.is_some())
    }

    /// Parses the robots.txt and tdmrep.json files among `files`. Files whose content the caller
    /// did not give are left out.
    fn site_files(&self, files: &[SiteFileRef]) -> Vec<RobotsTxt> {
        files
            .iter()
            .filter_map(|file| self.site_file(file))
            .collect()
    }

    fn site_file(&self, file: &SiteFileRef) -> Option<RobotsTxt> {
        let kind = SiteFile::ALL
            .into_iter()
            .find(|kind| kind.name() == file.kind)?;
        match (self.get(file), file.status) {
            (Some(bytes), Some(status)) => Some(kind.read_response(status, bytes)),
            (Some(bytes), None) => Some(kind.read(bytes)),
            (None, Some(status)) if file.digest.is_none() => Some(kind.read_response(status, b"")),
            (None, _) => None,
        }
    }

    /// Returns `filter` with functions that look up RSL licences and Names pages (pages that define
    /// names of robots). A function finds a document only if `files` lists it and the caller gave
    /// its content.
    fn known_to(&self, filter: Filter, files: &[SiteFileRef]) -> Filter {
        let given = self.clone();
        let listed = files.to_vec();
        let filter = filter.licences(move |url| {
            let licences = given.documents(&listed, RSL, url);
            licences.first().map(|bytes| Licence::read(bytes))
        });
        if !files.iter().any(|file| file.kind == NAMES) {
            return filter;
        }
        let given = self.clone();
        let listed = files.to_vec();
        filter.names(move |url| given.profile_names(&listed, url))
    }

    /// Returns the contents of the documents among `files` that have the kind `kind` and the URL
    /// `url`. Documents that the caller did not give are left out.
    fn documents(&self, files: &[SiteFileRef], kind: &str, url: &str) -> Vec<&[u8]> {
        let mut documents = Vec::new();
        for file in files {
            if file.kind == kind
                && file.place == url
                && let Some(bytes) = self.get(file)
            {
                documents.push(bytes.as_slice());
            }
        }
        documents
    }

    /// Combines the Names pages that `files` lists for the URL `url`. A Names page defines names of
    /// robots. Pages whose content the caller did not give are left out. Returns `None` if no page
    /// is left, or if a page cannot be parsed.
    fn profile_names(&self, files: &[SiteFileRef], url: &str) -> Option<ProfileNames> {
        let mut all: Option<ProfileNames> = None;
        for bytes in self.documents(files, NAMES, url) {
            let names = ProfileNames::read(bytes).ok()?;
            all = match all {
                Some(before) => Some(before.and(&names)),
                None => Some(names),
            };
        }
        all
    }
}
