//! The walk through a document: tokens go in, judged tokens come out, in order.
//!
//! Each token passes three stages over one ledger: it is heard (`hear`), located (`locate`) and
//! judged (`judge`). Then it is passed on with its verdict. Each stage serves all bots of the pass
//! at once. A late directive may be about everything before it, so no verdict is final before the
//! end. Content that was withheld until then stays withheld. The walk itself decides nothing, and
//! does not know what a sink does with a token.

mod held;
mod judged;

use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use crate::convention::Whom;
use crate::extract::{ExtractedStatements, Extraction, StatementSource, StatementTokens};
use crate::html::Tag;
use crate::judge::{Judge, VerdictBasis};
use crate::ledger::{Ledger, PageEnd, VerdictId};
use crate::lex::{Token, TokenKind};
use crate::locate::{Locator, Marked, Situation, TextRole, is_apart};
use crate::note::NoteKind;
use crate::policy::DirectiveId;
use crate::scope::PassTerms;
use crate::tree::{MarkId, TreeAnswer};
use heedful_base::bot::BotSet;
use heedful_base::error::Result;
use heedful_robots::RobotsTxt;

pub use held::HeldText;
pub use judged::Judged;

/// The most characters of an unreadable date that are told.
const LONGEST_DATE: usize = 40;

/// The walk through one document.
#[derive(Debug)]
pub(crate) struct Walk {
    terms: Arc<PassTerms>,
    ledger: Ledger,
    hearing: Extraction,
    locator: Locator,
    judge: Judge,
}

/// The directives of a token.
struct TokenDirectives {
    marked: Marked,
    /// The mark of its element, if there are statements about its content.
    mark: Option<MarkId>,
    node: Vec<(DirectiveId, Whom)>,
}

/// The results for a token, to be passed on.
#[derive(Default)]
struct TokenResult {
    id: VerdictId,
    breaks: BotSet,
    alone: BotSet,
    is_mark: bool,
}

impl Walk {
    /// The walk through the page at a URL, which is judged as of `now`.
    pub(crate) fn new(terms: Arc<PassTerms>, url: &Url, now: Option<SystemTime>) -> Result<Self> {
        let mut ledger = Ledger::new(&terms.limits, terms.bots.all(), url, now);
        let mut hearing = Extraction::new(terms.clone());
        hearing.operator(url, None, &mut ledger)?;
        let (locator, judge) = (Locator::new(terms.clone()), Judge::new(terms.clone()));
        Ok(Self {
            terms,
            ledger,
            hearing,
            locator,
            judge,
        })
    }

    /// Gives the page another URL: the operator's denials for that URL hold, too.
    pub(crate) fn also_at(&mut self, url: &Url, first: &Url) -> Result<()> {
        self.hearing.operator(url, Some(first), &mut self.ledger)
    }

    /// Takes a file of the page's site.
    pub(crate) fn robots_txt(
        &mut self,
        robots: &RobotsTxt,
        url: &str,
        also: Option<&str>,
    ) -> Result<()> {
        self.hearing.robots_txt(robots, url, also, &mut self.ledger)
    }

    /// Takes one header line.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> Result<()> {
        let heard = self.hearing.header(name, value, &mut self.ledger)?;
        learn_names(&heard, &mut self.judge);
        Ok(())
    }

    /// Notes that the time of the fetch was given, and cannot be read.
    pub(crate) fn undated(&mut self, date: &str) {
        let date: String = date.chars().take(LONGEST_DATE).collect();
        let message =
            format!("the date of the fetch is no time by RFC 3339, so there is none: `{date}`");
        self.ledger
            .tell(NoteKind::UnreadableDate, None, None, message);
    }

    /// Notes that the last bytes of the page are known to be missing.
    pub(crate) fn cut_short(&mut self) {
        self.hearing.cut_short();
    }

    /// Asks for what allowances have lifted, to be returned at the end.
    pub(crate) fn ask_why(&mut self) {
        self.judge.ask_why();
    }

    /// The bots that may not enter.
    pub(crate) fn shut(&self) -> BotSet {
        self.ledger.shut()
    }

    /// True if no bot may enter.
    pub(crate) fn is_shut(&self) -> bool {
        self.shut() == self.terms.bots.all()
    }

    /// The parts of the page's whole text that its policy may depend on. Returns `None` if that is
    /// all of it.
    pub(crate) fn skim(&self, text: &str) -> Option<StatementTokens> {
        self.hearing.skim(text, self.ledger.directives().count())
    }

    /// Takes one token. `receive` gets it with its verdict.
    pub(crate) fn token(
        &mut self,
        token: &Token<'_>,
        receive: &mut impl FnMut(&Judged<'_>) -> Result<()>,
    ) -> Result<()> {
        let standing = self.locator.content(token)?;
        self.note_base(token);
        let is_quiet = self.hearing.is_quiet(token);
        let said = if is_quiet {
            self.nothing()
        } else {
            self.hear(token)?
        };
        let told = self.locator.token(token, said.mark)?;
        let stand = Situation {
            regions: said.marked.regions,
            chain: told.chain,
            apart: is_apart(token, standing),
        };
        // The number of tokens that a text is cut into must not count.
        self.ledger
            .steps(usize::from(token.kind() != TokenKind::Text));
        let is_as_before = is_quiet && self.locator.is_still(told.chain);
        let seen = match self.judge.known(stand).filter(|_| is_as_before) {
            Some(id) => TokenResult {
                id,
                ..TokenResult::default()
            },
            None => self.judge(token, &told, stand, standing, said)?,
        };
        self.ledger.check()?;
        self.ledger.pass(token.end());
        receive(&seen.judged(token, standing, &self.ledger))
    }

    /// Takes the first `base` with an `href` as the base of the page's addresses. One in a template
    /// of any kind, or in svg and `MathML`, is no base of the page.
    #[inline]
    fn note_base(&mut self, token: &Token<'_>) {
        let is_base = token.tag() == Tag::BASE && token.kind() == TokenKind::Start;
        if is_base
            && !token.is_foreign()
            && self.locator.voice(token) == StatementSource::Page
            && let Some(href) = token.attribute("href")
            && self.ledger.set_base(&href)
        {
            self.hearing.base_changed(token.place());
            self.judge.forget();
        }
    }

    /// The directives of a token that is not heard: none.
    fn nothing(&self) -> TokenDirectives {
        TokenDirectives {
            marked: self.locator.unmarked(),
            mark: None,
            node: Vec::new(),
        }
    }

    /// Writes down the directives of a token. Its element gets a mark if there are statements about
    /// its content.
    fn hear(&mut self, token: &Token<'_>) -> Result<TokenDirectives> {
        let Self {
            ledger,
            hearing,
            locator,
            judge,
            ..
        } = self;
        let marks = hearing.marks(token, |mark| locator.is_idle(mark), ledger);
        let marked = locator.mark(token, marks, ledger)?;
        judge.note_frameset(token, ledger);
        let heard = hearing.token(token, locator.voice(token), marked.opened, ledger)?;
        learn_names(&heard, judge);
        Ok(TokenDirectives {
            mark: judge.mark(heard.content),
            node: heard.node,
            marked,
        })
    }

    /// Judges a token, after the tree's answer about it and those before it.
    fn judge(
        &mut self,
        token: &Token<'_>,
        told: &TreeAnswer,
        stand: Situation,
        standing: TextRole,
        said: TokenDirectives,
    ) -> Result<TokenResult> {
        let Self {
            ledger,
            hearing,
            locator,
            judge,
            ..
        } = self;
        let turn = locator.move_to(told.chain);
        ledger.steps(turn.steps());
        judge.leave(&turn, ledger);
        for (id, _) in &said.node {
            ledger.reaches(*id, token.end());
        }
        judge.learn(token, told, said.mark, locator, ledger)?;
        let turn = locator.turn_since_text(token, standing.field, told.chain);
        let breaks = said
            .marked
            .breaks
            .or(judge.breaks(&turn, hearing.profile()));
        let id = judge.verdict(
            VerdictBasis {
                stand,
                node: said.node,
            },
            hearing.profile(),
            locator,
            ledger,
        )?;
        let alone = match said.mark.filter(|_| token.tag() == Tag::IMG) {
            Some(mark) => judge.alone(mark, (stand, id), hearing.profile(), locator, ledger),
            None => BotSet::NONE,
        };
        Ok(TokenResult {
            id,
            breaks,
            alone,
            is_mark: said.marked.is_mark,
        })
    }

    /// Ends the page.
    pub(crate) fn end(mut self) -> Result<PageEnd> {
        let heard = self
            .hearing
            .end(self.locator.is_behind_head(), &mut self.ledger)?;
        learn_names(&heard, &mut self.judge);
        self.locator.note_unclosed(&mut self.ledger);
        let undeclared = self.hearing.end_profile(&mut self.ledger);
        let lifts = self
            .judge
            .end(self.hearing.profile(), &mut self.locator, &mut self.ledger)?;
        Ok(self.ledger.finish(lifts, undeclared))
    }

    /// Adds a note about the page as a whole.
    pub(crate) fn note(&mut self, kind: NoteKind, message: &str) {
        self.ledger.tell(kind, None, None, message);
    }
}

impl TokenResult {
    fn judged<'a>(
        self,
        token: &'a Token<'a>,
        standing: TextRole,
        ledger: &'a Ledger,
    ) -> Judged<'a> {
        let Self {
            id,
            breaks,
            alone,
            is_mark,
        } = self;
        let (verdict, ceiling, all) = (ledger.verdict(id), ledger.ceiling(), ledger.bots());
        Judged {
            token,
            verdict,
            id,
            standing,
            breaks,
            ceiling,
            alone,
            all,
            is_mark,
            ledger,
        }
    }
}

/// Forgets earlier judgements if a declaration may have changed whom statements are for.
fn learn_names(heard: &ExtractedStatements, judge: &mut Judge) {
    if heard.is_about_names {
        judge.forget();
    }
}
