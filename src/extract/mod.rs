//! The first stage of the walk: from a token to the directives that it states.
//!
//! This stage asks the conventions for the statements of each token. It records them as directives:
//! about the page, about the token itself or about its content. It keeps the state on which the
//! reading of later tokens depends: declarations of the Robot Exclusion Profile, the licences named
//! so far, and open raw text. It does not know the place of a token, or the effect of a directive
//! there.

mod cut;
mod noscript;
mod odd;
mod outside;
mod raw;
mod recorder;
mod scan;
mod site;
mod words;

use std::sync::Arc;

use url::Url;

use crate::convention::comment::{MarkReading, RegionMark};
use crate::convention::{self, Conventions};
use crate::html::{self, Facts};
use crate::ledger::Ledger;
use crate::lex::{Token, TokenKind};
use crate::place::Place;
use crate::policy::Origin;
use crate::scope::{PassTerms, Profile};
use heedful_base::error::Result;
use heedful_robots::RobotsTxt;

use cut::PageEnding;
pub use outside::{site_licences, unread_page};
use raw::RawTextScan;
use recorder::StatementRecorder;
pub(crate) use recorder::{ExtractedStatements, OpenedRegion};
pub(crate) use scan::ScannedParts;
use site::PageSite;
pub(crate) use words::{quote_mark, quote_tag, shortened_copy};

/// First stage of the walk over a page's tokens: reads the directives that the tokens state.
#[derive(Debug)]
pub(crate) struct Extraction {
    recorder: StatementRecorder,
    raw: RawTextScan,
    ending: PageEnding,
    /// True until a token begins the head of the page.
    before_head: bool,
}

/// Place of the tag from which statements are read. The place decides whether the tag's directives
/// may address the whole page, or only the tag's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementSource {
    /// A tag that makes an element of the page. It may address the page and its own content.
    Page,
    /// A tag in a shadow root. It may address its own content. If the tag is a META, `link` or
    /// `head`, only its denials are obeyed.
    Shadow,
    /// A tag that makes no element of the page. It is in a template, or HTML ignores it in a page
    /// with frames. A script may put the tag into the page, so the tag's denials for the whole page
    /// are obeyed.
    Inert,
}

impl Extraction {
    pub(crate) fn new(terms: Arc<PassTerms>) -> Self {
        let recorder = StatementRecorder::new(terms, PageSite::default());
        Self {
            recorder,
            raw: RawTextScan::default(),
            ending: PageEnding::default(),
            before_head: true,
        }
    }

    /// Returns the state of the Robot Exclusion Profile after the tokens so far.
    pub(crate) fn profile(&self) -> &Profile {
        &self.recorder.profile
    }

    fn conventions(&self) -> &Conventions {
        &self.recorder.terms.conventions
    }

    /// Records the operator's denials that match the page's URL `url`. `known` is another URL of
    /// the page, whose denials are recorded already. Denials that match `known` too are skipped.
    pub(crate) fn add_operator_denials(
        &mut self,
        url: &Url,
        known: Option<&Url>,
        ledger: &mut Ledger,
    ) -> Result<()> {
        self.recorder.add_operator_denials(url, known, ledger)
    }

    /// Records the rulings of the robots.txt `robots` for the page's URL `url`. If the page has a
    /// second URL, `also`, the rulings for this URL are recorded too. For example, the second URL
    /// of `/index.html` may be the URL of its folder.
    pub(crate) fn add_robots_txt(
        &mut self,
        robots: &RobotsTxt,
        url: &str,
        also: Option<&str>,
        ledger: &mut Ledger,
    ) -> Result<()> {
        self.recorder.add_robots_txt(robots, url, also, ledger)
    }

    /// Records the statements of one header line. `name` may also hold the whole line, with an
    /// empty `value`.
    pub(crate) fn read_header(
        &mut self,
        name: &str,
        value: &str,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        let (name, value) = convention::split_name(name, value);
        let terms = self.recorder.terms.clone();
        let mut collector = terms.collector();
        convention::header(name, &value, &mut collector);
        self.recorder.record(
            collector,
            Origin::Header,
            |_| format!("{}: {}", name.trim(), value.trim()),
            ledger,
        )
    }

    /// Records that the last bytes of the page are missing.
    pub(crate) fn cut_short(&mut self) {
        self.ending.cut_short();
    }

    /// True if the token need not be searched for statements. Such a token has no directives, and
    /// does not change how later tokens are read.
    pub(crate) fn can_skip(&self, token: &Token<'_>) -> bool {
        let is_settled = !self.before_head && self.raw.is_none() && self.ending.is_open();
        is_settled
            && !self.recorder.terms.is_thorough
            && match token.kind() {
                TokenKind::Start | TokenKind::End => {
                    !token.tag().has(Facts::CHANGES_READING)
                        && !convention::may_have_statements(token, self.conventions())
                }
                TokenKind::Text | TokenKind::Doctype | TokenKind::Other => true,
                TokenKind::Comment => !convention::may_be_mark(&token.text(), self.conventions()),
                TokenKind::Bogus => false,
            }
    }

    /// Returns the parts of a page that must be read if only the page's policy is needed. `text` is
    /// the whole page, and `directives` the number of directives so far. `None` if all of the text
    /// must be read.
    pub(crate) fn scan(&self, text: &str, directives: usize) -> Option<ScannedParts> {
        let is_whole = self.recorder.terms.is_thorough || self.ending.is_missing();
        if is_whole {
            None
        } else {
            scan::scan(text, &self.recorder.terms, directives)
        }
    }

    /// Returns the region marks of a comment or a tag, and notes what looks wrong with a comment.
    /// `is_idle` returns true for a closing mark that has no open region to close.
    pub(crate) fn region_marks(
        &self,
        token: &Token<'_>,
        is_idle: impl Fn(&RegionMark) -> bool,
        ledger: &mut Ledger,
    ) -> Vec<RegionMark> {
        match token.kind() {
            TokenKind::Comment => {
                let marks = convention::comment(&token.text(), self.conventions());
                match marks
                    .iter()
                    .find(|mark| mark.reading() == MarkReading::Lenient)
                {
                    _ if odd::note_swallowing(token, self.conventions(), ledger) => {}
                    Some(mark) => odd::note_lenient(mark.convention(), token, ledger),
                    None if marks.is_empty() => {
                        odd::note_lookalike(token, self.conventions(), is_idle, ledger);
                    }
                    None => {}
                }
                marks
            }
            TokenKind::Start | TokenKind::End => {
                convention::tag(token, token.kind() == TokenKind::Start, self.conventions())
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Records the directives of a token: about the page, about the token itself and about its
    /// content. `opened` is the region that the token has opened.
    pub(crate) fn read_token(
        &mut self,
        token: &Token<'_>,
        source: StatementSource,
        opened: OpenedRegion,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        let mut statements = self.raw.read_token(token, &mut self.recorder, ledger)?;
        self.ending.update(token, source == StatementSource::Page);
        match token.kind() {
            TokenKind::Start => {
                statements.append(self.read_element(token, source, opened, ledger)?);
            }
            kind => self.before_head = self.before_head && !begins_head(kind, token),
        }
        if token.kind() == TokenKind::Bogus {
            odd::note_bogus(token, self.conventions(), ledger);
        }
        Ok(statements)
    }

    fn read_element(
        &mut self,
        token: &Token<'_>,
        source: StatementSource,
        opened: OpenedRegion,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        let terms = self.recorder.terms.clone();
        let mut collector = terms.collector();
        convention::element(token, &mut collector);
        match source {
            StatementSource::Inert => collector.keep_page_denials(),
            StatementSource::Shadow if html::speaks_for_page(token.name()) => {
                collector.keep_page_denials();
            }
            StatementSource::Shadow => {}
            StatementSource::Page => {}
        }
        odd::note_out_of_order(token, ledger);
        // HTML ignores a `head` tag after the head has begun, and so its profile.
        if token.name() == "head" && !self.before_head {
            collector.declarations.clear();
        }
        self.before_head &= token.name() == "html";
        convention::content(token, &mut collector);
        let mut statements = ExtractedStatements::default();
        if !collector.is_empty() {
            let text = |convention: &str| quote_tag(token, convention, &terms.conventions);
            statements = self.recorder.record_tag(
                collector,
                Origin::Page(token.place()),
                text,
                opened,
                ledger,
            )?;
        }
        Ok(statements)
    }

    /// Records that the base URL of the page has changed at `place`. A page may refer to a Names
    /// page, a page that lists the names of bots. A relative address of the Names page may now mean
    /// another page. The bots that a statement addresses may therefore change.
    pub(crate) fn base_changed(&mut self, place: Place) {
        self.recorder.profile.base_changed(place);
    }

    /// Ends the page. Reads raw text, such as that of a script, that is still open. Then applies
    /// the denials that depend on the whole page. For example, a page that is cut short in its head
    /// is denied. `is_behind_head` is true if the head was closed.
    pub(crate) fn end(
        &mut self,
        is_behind_head: bool,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        let statements = self.raw.end(&mut self.recorder, ledger)?;
        self.ending
            .deny_if_missing(is_behind_head, self.conventions(), ledger)?;
        self.recorder.deny_unmarked(ledger)?;
        Ok(statements)
    }

    /// Adds notes about mistakes in the page's use of the Robot Exclusion Profile. Returns the
    /// place of the first HTML class that would be a directive if the page declared the profile.
    pub(crate) fn end_profile(&self, ledger: &mut Ledger) -> Option<Place> {
        self.recorder
            .profile
            .report_notes(&self.recorder.terms.profile.uri, &mut |note| {
                ledger.note(note);
            });
        self.recorder.profile.undeclared()
    }
}

/// True if HTML begins the head of the page at this token. False for every start tag, since
/// `read_element` handles start tags.
fn begins_head(kind: TokenKind, token: &Token<'_>) -> bool {
    match kind {
        TokenKind::Text => {
            // Browsers drop a NUL. If the head declares something after one, the tree refuses the
            // page.
            !token.is_white_or_nul()
        }
        TokenKind::End => matches!(token.name(), "head" | "body" | "html" | "br"),
        _ => false,
    }
}
