//! The answer of a mask for one record of an input, and its form in JSON (docs/mask.md).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use heedful::{LAW, Uses};
use heedful_base::address::Key;
use heedful_base::error::{Error, Result};
use heedful_index::decision::{
    AllowedUses, Basis, BotAnswer, Decision, DecisionRecord, EntryKind, Whys,
};
use heedful_robots::RobotsState;

/// Kind of a record in a mask: a page, no page, or unknown.
///
/// ```
/// use heedful::{Bot, Filter, Uses};
/// use heedful_run::mask::{AnswerKind, MaskQuestions};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let answer = MaskQuestions::new(Uses::parse_names("index")?, &filter).unknown("a torn line");
/// let is_used = match answer.kind {
///     AnswerKind::Page => true,
///     AnswerKind::None | AnswerKind::Unknown => false,
///     _ => false,
/// };
/// assert!(!is_used);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AnswerKind {
    /// A page that was read, or a URL that was judged although its page was not read.
    Page,
    /// A record that is not a page. Examples are requests, metadata, redirects and images.
    None,
    /// A record that cannot be read, or that lacks the content of its page.
    Unknown,
}

heedful_base::display!(AnswerKind);

impl AnswerKind {
    /// Returns the name of the kind of record, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// Answer of a mask for one record of an input. It tells where the record is, and which uses are
/// allowed to each bot. A mask has an answer for each record of its inputs.
///
/// ```
/// use heedful::{Bot, Filter, Uses};
/// use heedful_run::mask::{MaskAnswer, MaskQuestions};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let answer = MaskQuestions::new(Uses::parse_names("index")?, &filter).unknown("a torn line");
/// assert_eq!(MaskAnswer::parse(&answer.line())?, answer);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskAnswer {
    /// Name of the input that contains the record.
    pub file: String,
    /// Unit of the field `at`: `byte`, `line`, `object` or `row`. `None` if the whole file is the
    /// record.
    pub unit: Option<String>,
    /// Offset or number of the record in the input, in the unit that the field `unit` names.
    pub at: Option<u64>,
    /// Identifier of the record, if the input is an archive.
    pub record: Option<String>,
    /// URL of the record, if known.
    pub url: Option<String>,
    /// Time at which the page of the record was fetched, in RFC 3339. `None` if unknown.
    pub date: Option<String>,
    /// Kind of the record: a page, no page, or unknown.
    pub kind: AnswerKind,
    /// Reason why the record is not a page, or why it is unknown whether uses are allowed. `None`
    /// for a page.
    pub reason: Option<String>,
    /// Digest of the page's bytes, after transfer and content encodings were removed. It is
    /// `sha256:` followed by hexadecimal digits. `None` if the page was not read, or if the mask
    /// has no digests.
    pub digest: Option<String>,
    /// State of the robots.txt by which the page was judged, such as `absent` or `rules`. It is a
    /// name of [`RobotsState`](heedful::RobotsState). `None` if no page was judged for this record.
    #[serde(default)]
    pub robots: Option<Cow<'static, str>>,
    /// HTTP status of the response to the request for the robots.txt, if this status alone decided.
    /// Otherwise `None`, for example if the rules in the file decided.
    #[serde(default)]
    pub robots_status: Option<u16>,
    /// Version of docs/semantics.md by whose rules the answer was computed.
    pub law: u32,
    /// Uses of the page that are allowed to all bots of the mask.
    pub allow: AllowedUses,
    /// Answers for single bots. Each has the uses that are allowed to the bot, and the directives
    /// that deny all other uses.
    pub bots: Vec<BotAnswer>,
    /// Basis of the decision about the page: digests, header lines and files of the site. It is for
    /// an evidence log, and is not written to the mask. `None` if the run keeps no evidence.
    #[serde(skip)]
    pub basis: Option<Basis>,
}

impl MaskAnswer {
    /// Creates an answer for one record that denies all of the `asked` uses to all bots.
    pub(super) fn denied(kind: AnswerKind, reason: String, asked: Uses, bots: &[String]) -> Self {
        let deny = |bot: &String| BotAnswer {
            bot: bot.clone(),
            allow: AllowedUses::none(asked),
            why: Whys::default(),
            parts: None,
        };
        Self {
            file: String::new(),
            unit: None,
            at: None,
            record: None,
            url: None,
            date: None,
            kind,
            reason: Some(reason),
            digest: None,
            robots: None,
            robots_status: None,
            law: LAW,
            allow: AllowedUses::none(asked),
            bots: bots.iter().map(deny).collect(),
            basis: None,
        }
    }

    /// Creates the answer for a page from the answers for single bots. `asked` are the uses about
    /// which the mask has answers.
    pub(super) fn page(bots: Vec<BotAnswer>, asked: Uses) -> Self {
        let mut denied = Uses::NONE;
        for bot in &bots {
            denied = denied.union(asked.without(bot.allow.allowed));
        }
        let allow = AllowedUses {
            asked,
            allowed: asked.without(denied),
        };
        let nothing = Self::denied(AnswerKind::Page, String::new(), asked, &[]);
        Self {
            reason: None,
            allow,
            bots,
            ..nothing
        }
    }

    pub(super) fn judged_by(&mut self, robots: RobotsState) {
        self.robots = Some(robots.name().into());
        self.robots_status = robots.status();
    }

    /// True if the page was judged without a robots.txt of its site.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_input::JsonRow;
    /// use heedful_run::{Gate, mask::MaskQuestions};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let asking = MaskQuestions::new(Uses::parse_names("train")?, &filter);
    /// let mut is_without = Vec::new();
    /// for robots in [None, Some("User-agent: *\nAllow: /")] {
    ///     let mut row = JsonRow::default();
    ///     row.url = Some("https://site.example/rye".to_owned());
    ///     row.html = Some("<p>Rye".to_owned());
    ///     row.robots = robots.map(str::to_owned);
    ///     for item in row.into_record("table", 1) {
    ///         let answer = asking.answer_item(item, &filter, &Gate::default());
    ///         is_without.push(answer.is_without_robots());
    ///     }
    /// }
    /// assert_eq!(is_without, [true, false]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn is_without_robots(&self) -> bool {
        self.robots.as_deref() == Some(RobotsState::Absent.name())
    }

    /// Converts the answer to a decision for an evidence log, and returns the decision with its
    /// basis. Returns `None` for a record that is not a page or has no URL.
    pub(super) fn decided(&self) -> Option<(DecisionRecord, Basis)> {
        let kind = match self.kind {
            AnswerKind::Page => EntryKind::Page,
            AnswerKind::Unknown => EntryKind::Unknown,
            AnswerKind::None => return None,
        };
        let url = self.url.as_deref()?;
        if url.is_empty() {
            return None;
        }
        let captured = match self.date.as_deref().map(str::parse::<jiff::Timestamp>) {
            Some(Ok(date)) => Some(date.as_second()),
            _ => None,
        };
        let decision = Decision {
            reason: self.reason.clone(),
            why: None,
            bots: self.bots.clone(),
        };
        let decided = DecisionRecord {
            kind,
            url: Key::parse(url).into(),
            captured,
            decision,
        };
        Some((decided, self.basis.clone().unwrap_or_default()))
    }

    /// Parses the answer for one record, which is a line of a mask in JSON Lines.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the line is
    /// not an answer in JSON.
    pub fn parse(line: &str) -> Result<Self> {
        serde_json::from_str(line).map_err(|error| {
            Error::setting(format!(
                "no answer of a mask as JSON Lines ({error}): `mask --unpack` makes such of a compact one"
            ))
        })
    }

    /// Formats the answer for the record as one line of JSON, without a line end.
    pub fn line(&self) -> String {
        heedful_json::line(self)
    }
}

/// Returns the uses that both sets of allowed uses contain.
pub(super) fn common_uses(one: AllowedUses, other: AllowedUses) -> Uses {
    one.allowed.without(one.allowed.without(other.allowed))
}

/// Denies to `bot` all uses that `other` denies. If a use was denied only by `other`, also copies
/// the directive that denies the use.
pub(super) fn deny_also(bot: &mut BotAnswer, other: &BotAnswer) {
    for (usage, why) in &other.why.0 {
        if bot.allow.allows(*usage) && !other.allow.allows(*usage) {
            bot.why.0.retain(|(own, _)| own != usage);
            bot.why.0.push((*usage, why.clone()));
        }
    }
    bot.allow.allowed = common_uses(bot.allow, other.allow);
}

/// Removes the positions of all directives (line and column) from the answers for bots. Answers that
/// differ only in these positions are equal afterwards.
pub(super) fn forget_places(bots: &mut [BotAnswer]) {
    for bot in bots {
        for (_, why) in &mut bot.why.0 {
            why.line = None;
            why.column = None;
        }
    }
}
