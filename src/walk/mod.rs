//! The walk through a document: it judges each token, and passes it on with its verdict, in order.
//!
//! Each token passes three stages over one ledger: its statements are read (`extract`), it is
//! located (`locate`), and it is judged (`judge`). Then it is passed to a sink with its verdict.
//! Each stage serves all bots of the pass at once.
//!
//! A directive may be about everything before it, so no verdict is final before the end of the
//! page. Content that was withheld until then stays withheld. The walk itself decides nothing, and
//! does not know how a sink uses a token.

mod held;
mod judged;

use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use crate::convention::Recipients;
use crate::extract::{ExtractedStatements, Extraction, ScannedParts, StatementSource};
use crate::html::Tag;
use crate::judge::{Judge, VerdictBasis};
use crate::ledger::{Ledger, PageEnd, VerdictId};
use crate::lex::{Token, TokenKind};
use crate::locate::{Locator, RegionEffect, TextRole, TokenScope, is_apart};
use crate::note::NoteKind;
use crate::policy::DirectiveId;
use crate::scope::PassTerms;
use crate::tree::{MarkId, TreeAnswer};
use heedful_base::bot::BotSet;
use heedful_base::error::Result;
use heedful_robots::RobotsTxt;

pub use held::HeldText;
pub use judged::Judged;

/// Maximum number of characters of an unreadable date that a note quotes.
const LONGEST_DATE: usize = 40;

/// The walk through the tokens of one page. Each token passes the three stages `extraction`,
/// `locator` and `judge`, which share the page's ledger.
#[derive(Debug)]
pub(crate) struct Walk {
    terms: Arc<PassTerms>,
    ledger: Ledger,
    extraction: Extraction,
    locator: Locator,
    judge: Judge,
}

/// Directives of one token, as the first stage of the walk finds them: the token's effect on
/// regions, the mark of its element, and directives about the token alone.
struct TokenDirectives {
    marked: RegionEffect,
    /// Mark (ID) of the token's element. Statements about the element's content are found by it.
    /// `None` if there are no such statements.
    mark: Option<MarkId>,
    node: Vec<(DirectiveId, Recipients)>,
}

/// Verdict of a token, and the other facts about the token that sinks can query.
#[derive(Default)]
struct TokenResult {
    id: VerdictId,
    breaks: BotSet,
    denied_by_tag_alone: BotSet,
    is_mark: bool,
}

impl Walk {
    /// Returns a walk through the page at `url`. The page is judged as of the time `now`.
    pub(crate) fn new(terms: Arc<PassTerms>, url: &Url, now: Option<SystemTime>) -> Result<Self> {
        let mut ledger = Ledger::new(&terms.limits, terms.bots.all(), url, now);
        let mut extraction = Extraction::new(terms.clone());
        extraction.add_operator_denials(url, None, &mut ledger)?;
        Ok(Self {
            ledger,
            extraction,
            locator: Locator::new(terms.clone()),
            judge: Judge::new(terms.clone()),
            terms,
        })
    }

    /// Adds another URL of the page. The operator's denials that match this URL apply too. `first`
    /// is the page's first URL, whose denials are recorded already.
    pub(crate) fn also_at(&mut self, url: &Url, first: &Url) -> Result<()> {
        self.extraction
            .add_operator_denials(url, Some(first), &mut self.ledger)
    }

    /// Records the directives that `robots`, a robots.txt of the site, states for the page. `url`
    /// is the page's URL. `also` is the page's second URL, if there is one.
    pub(crate) fn robots_txt(
        &mut self,
        robots: &RobotsTxt,
        url: &str,
        also: Option<&str>,
    ) -> Result<()> {
        self.extraction
            .add_robots_txt(robots, url, also, &mut self.ledger)
    }

    /// Records the directives in one header line.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> Result<()> {
        let extracted = self.extraction.read_header(name, value, &mut self.ledger)?;
        invalidate_if_renamed(&extracted, &mut self.judge);
        Ok(())
    }

    /// Adds a note that `date`, the given date of the page's fetch, cannot be parsed.
    pub(crate) fn note_unreadable_date(&mut self, date: &str) {
        let date: String = date.chars().take(LONGEST_DATE).collect();
        let message =
            format!("the date of the fetch is no time by RFC 3339, so there is none: `{date}`");
        self.ledger
            .note_for_all(NoteKind::UnreadableDate, None, None, message);
    }

    /// Records that the last bytes of the page are missing.
    pub(crate) fn cut_short(&mut self) {
        self.extraction.cut_short();
    }

    /// Starts recording the denials that allowances cancel, for the finished record [`PageEnd`].
    pub(crate) fn record_lifts(&mut self) {
        self.judge.record_lifts();
    }

    /// Returns the bots for which a robots.txt disallows the page.
    pub(crate) fn denied_bots(&self) -> BotSet {
        self.ledger.disallowed_bots()
    }

    /// True if robots.txt disallows the page for all bots of the pass.
    pub(crate) fn is_disallowed(&self) -> bool {
        self.denied_bots() == self.terms.bots.all()
    }

    /// Returns the parts of a page on which the page's policy may depend. `text` is the whole page.
    /// `None` if the policy may depend on all of the text.
    pub(crate) fn scan(&self, text: &str) -> Option<ScannedParts> {
        self.extraction.scan(text, self.ledger.directives().count())
    }

    /// Judges one token, and calls `receive` with the token and its verdict.
    pub(crate) fn token(
        &mut self,
        token: &Token<'_>,
        receive: &mut impl FnMut(&Judged<'_>) -> Result<()>,
    ) -> Result<()> {
        let role = self.locator.text_role(token, &mut self.ledger)?;
        if token.tag() == Tag::BASE {
            self.note_base(token);
        }
        if self.extraction.can_skip(token) {
            return self.quiet_token(token, role, receive);
        }
        let directives = self.extract(token)?;
        let answer = self.locator.token(token, directives.mark)?;
        let scope = TokenScope {
            regions: directives.marked.regions,
            chain: answer.chain,
            is_apart: is_apart(token, role),
        };
        let result = self.judge(token, &answer, scope, role, directives)?;
        self.hand_on(token, role, result, receive)
    }

    /// Judges a token without directives. The token gets the verdict of the token before it if
    /// nothing around the tokens has changed: neither the regions nor the elements with directives.
    fn quiet_token(
        &mut self,
        token: &Token<'_>,
        role: TextRole,
        receive: &mut impl FnMut(&Judged<'_>) -> Result<()>,
    ) -> Result<()> {
        let answer = self.locator.token(token, None)?;
        let scope = TokenScope {
            regions: self.locator.region_verdict(),
            chain: answer.chain,
            is_apart: is_apart(token, role),
        };
        let known = self.judge.known_verdict(scope);
        let result = match known.filter(|_| self.locator.is_still(answer.chain)) {
            Some(id) => TokenResult {
                id,
                ..TokenResult::default()
            },
            None => self.judge(token, &answer, scope, role, self.no_directives())?,
        };
        self.hand_on(token, role, result, receive)
    }

    /// Passes a judged token to `receive`.
    #[inline]
    fn hand_on(
        &mut self,
        token: &Token<'_>,
        role: TextRole,
        result: TokenResult,
        receive: &mut impl FnMut(&Judged<'_>) -> Result<()>,
    ) -> Result<()> {
        // Texts are not counted, so that the number of tokens into which a text is cut does not
        // matter.
        self.ledger
            .count_steps(usize::from(token.kind() != TokenKind::Text));
        self.ledger.check()?;
        self.ledger.set_length(token.end());
        receive(&result.judged(token, role, &self.ledger))
    }

    /// Sets the page's base URL by `token`, a tag of a `base`. Has an effect only for the start tag
    /// of the page's first `base` with an `href`. A `base` in a template of any kind, or in svg and
    /// `MathML`, is ignored.
    fn note_base(&mut self, token: &Token<'_>) {
        if token.kind() == TokenKind::Start
            && !token.is_foreign()
            && self.locator.statement_source(token) == StatementSource::Page
            && let Some(href) = token.attribute("href")
            && self.ledger.set_base(&href)
        {
            self.extraction.base_changed(token.place());
            self.judge.invalidate();
        }
    }

    /// Returns the empty result of the first stage, for a token that is not read for statements.
    fn no_directives(&self) -> TokenDirectives {
        TokenDirectives {
            marked: self.locator.unmarked(),
            mark: None,
            node: Vec::new(),
        }
    }

    /// Records the directives of a token. The token's element gets a mark (an ID) if there are
    /// statements about the element's content.
    fn extract(&mut self, token: &Token<'_>) -> Result<TokenDirectives> {
        let Self {
            ledger,
            extraction,
            locator,
            judge,
            ..
        } = self;
        let marks = extraction.region_marks(token, |mark| locator.is_idle(mark), ledger);
        let marked = locator.apply_marks(token, marks, ledger)?;
        judge.note_frameset(token, ledger);
        let extracted = extraction.read_token(
            token,
            locator.statement_source(token),
            marked.opened,
            ledger,
        )?;
        invalidate_if_renamed(&extracted, judge);
        Ok(TokenDirectives {
            mark: judge.mark(extracted.content),
            node: extracted.node,
            marked,
        })
    }

    /// Judges a token by its directives, and by the regions and elements around the token. `answer`
    /// is the token's effect on the tree. If the token has moved earlier content in the tree, this
    /// function may withhold more content.
    fn judge(
        &mut self,
        token: &Token<'_>,
        answer: &TreeAnswer,
        scope: TokenScope,
        role: TextRole,
        directives: TokenDirectives,
    ) -> Result<TokenResult> {
        let Self {
            ledger,
            extraction,
            locator,
            judge,
            ..
        } = self;
        let transition = locator.move_to(answer.chain);
        ledger.count_steps(transition.steps());
        judge.end_elements(&transition, ledger);
        for (id, _) in &directives.node {
            ledger.extend_reach(*id, token.end());
        }
        judge.apply_tree_answer(token, answer, directives.mark, locator, ledger)?;
        let transition = locator.transition_since_text(token, role.field, answer.chain);
        let breaks = directives
            .marked
            .breaks
            .or(judge.phrase_breaks(&transition, extraction.profile()));
        let id = judge.verdict(
            VerdictBasis {
                scope,
                node: directives.node,
            },
            extraction.profile(),
            locator,
            ledger,
        )?;
        let denied_by_tag_alone = match directives.mark.filter(|_| token.tag() == Tag::IMG) {
            Some(mark) => {
                judge.denied_by_tag_alone(mark, (scope, id), extraction.profile(), locator, ledger)
            }
            None => BotSet::NONE,
        };
        Ok(TokenResult {
            id,
            breaks,
            denied_by_tag_alone,
            is_mark: directives.marked.is_mark,
        })
    }

    /// Ends the page: ends the three stages in order, and returns the finished record of the page.
    pub(crate) fn end(mut self) -> Result<PageEnd> {
        let extracted = self
            .extraction
            .end(self.locator.is_head_closed(), &mut self.ledger)?;
        invalidate_if_renamed(&extracted, &mut self.judge);
        self.locator.note_unclosed(&mut self.ledger);
        let undeclared = self.extraction.end_profile(&mut self.ledger);
        let lifts = self.judge.end(
            self.extraction.profile(),
            &mut self.locator,
            &mut self.ledger,
        )?;
        Ok(self.ledger.finish(lifts, undeclared))
    }

    /// Adds a note about the page as a whole.
    pub(crate) fn note(&mut self, kind: NoteKind, message: &str) {
        self.ledger.note_for_all(kind, None, None, message);
    }
}

impl TokenResult {
    fn judged<'a>(self, token: &'a Token<'a>, role: TextRole, ledger: &'a Ledger) -> Judged<'a> {
        let Self {
            id,
            breaks,
            denied_by_tag_alone,
            is_mark,
        } = self;
        Judged {
            token,
            verdict: ledger.verdict(id),
            id,
            role,
            breaks,
            page_verdict: ledger.page_verdict(),
            denied_by_tag_alone,
            all: ledger.bots(),
            is_mark,
            ledger,
        }
    }
}

/// Invalidates the verdicts computed so far, if a declaration of the Robot Exclusion Profile may
/// have changed the bots that statements address.
fn invalidate_if_renamed(extracted: &ExtractedStatements, judge: &mut Judge) {
    if extracted.is_about_names {
        judge.invalidate();
    }
}
