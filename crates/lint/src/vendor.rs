//! How other vendors would read a page: the conventions that each vendor documents, and its rule
//! for conflicting statements.
//!
//! With these vendors' rules, publishers can compare engines. No verdict of heedful depends on
//! them. Undocumented behaviour is not guessed: for it, heedful's own rule is used, by which every
//! denial is obeyed. Each row of [`VENDORS`] names the vendor's page or source code. Those sources
//! change; the rows are as of 2026.

use std::time::SystemTime;

use heedful::{
    Conventions, Directive, ExplainedDirective, Explanation, Filter, StatementContent, Use,
};
use heedful_base::bot::{Bot, BotId};
use heedful_base::error::{Error, Result};

use super::uses::allows;

/// A vendor's rule for statements about the whole page that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Merge {
    /// Every denial that addresses the vendor's bot or all bots is obeyed.
    SumOfNegatives,
    /// An allowance in a META element overrides all denials of the same use.
    AllowanceWins,
    /// Statements to the vendor's own bot override statements to all bots about the same use.
    OwnNameFirst,
    /// Every denial is obeyed, with one exception. If `nocache` is stated too, `noarchive` denies
    /// no use by models (training, input).
    WeakerOfArchiveWords,
    /// Every denial is obeyed, but only `noarchive` denies training, and `nofollow` for a whole
    /// page is ignored.
    NoarchiveIsTraining,
}

/// A vendor of a search engine or model, with its documented rules for reading robots statements of
/// pages.
///
/// # Examples
/// ```
/// use heedful::Use;
/// use heedful_lint::vendor::Vendor;
///
/// let google = Vendor::parse("google")?;
/// assert_eq!(google.name(), "google");
/// assert!(!google.uses().contains(&Use::Archive)); // Google dropped it
/// assert!(google.source().starts_with("Google Search Central"));
/// assert!(google.rule().contains("rel=nofollow is a hint"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Vendor {
    name: &'static str,
    bot: &'static str,
    aliases: &'static [&'static str],
    conventions: &'static str,
    heeds: &'static [Use],
    merge: Merge,
    rule: &'static str,
    source: &'static str,
}

/// All vendors that document how they read robots statements of pages.
pub const VENDORS: &[Vendor] = &[
    Vendor {
        name: "google",
        bot: "googlebot",
        aliases: &[],
        conventions: "none,+meta,+header,+rel,+nosnippet",
        heeds: &[
            Use::Index,
            Use::Follow,
            Use::Snippet,
            Use::Image,
            Use::Translate,
            Use::Input,
        ],
        merge: Merge::SumOfNegatives,
        rule: "denials in META and headers add up, for all bots and for googlebot; nosnippet also denies input to AI answers; rel=nofollow is a hint; noarchive is ignored",
        source: "Google Search Central, Robots meta tag, data-nosnippet, and X-Robots-Tag specifications",
    },
    Vendor {
        name: "bing",
        bot: "bingbot",
        aliases: &["msnbot"],
        conventions: "none,+meta,+header,+rel,+nosnippet,+noarchive-train",
        heeds: &[
            Use::Index,
            Use::Follow,
            Use::Archive,
            Use::Snippet,
            Use::Train,
            Use::Input,
        ],
        merge: Merge::WeakerOfArchiveWords,
        rule: "denials add up; noarchive also denies answers and training; nocache allows them URL, title and snippet; noarchive with nocache is nocache; nosnippet also denies answers",
        source: "Bing Webmaster Blog, Announcing new options for webmasters to control usage of their content in Bing Chat (2023); data-nosnippet (2025)",
    },
    Vendor {
        name: "amazon",
        bot: "amazonbot",
        aliases: &[],
        conventions: "none,+meta,+rel,+noarchive-train",
        heeds: &[Use::Index, Use::Follow, Use::Train],
        merge: Merge::NoarchiveIsTraining,
        rule: "in META robots, noindex and none deny the index, and noarchive denies training; rel=nofollow of a link is obeyed, nofollow of a page is ignored",
        source: "developer.amazon.com, Amazonbot (in force from 15 June 2026)",
    },
    Vendor {
        name: "yandex",
        bot: "yandex",
        aliases: &["yandexbot"],
        conventions: "none,+meta,+header,+rel,+noindex-comment,+noindex-element",
        heeds: &[Use::Index, Use::Follow, Use::Archive],
        merge: Merge::AllowanceWins,
        rule: "if META allows and denies the same use, the allowance wins; in headers only denials count",
        source: "Yandex Webmaster help, Robots meta tag and X-Robots-Tag HTTP header",
    },
    Vendor {
        name: "marginalia",
        bot: "marginalia-search",
        aliases: &["search.marginalia.nu"],
        conventions: "none,+meta,+header",
        heeds: &[Use::Index],
        merge: Merge::OwnNameFirst,
        rule: "directives for marginalia-search replace those for all bots, so `all` allows again; only noindex is obeyed",
        source: "MarginaliaSearch, MetaRobotsTag.java",
    },
];

/// Name of a bot that no page addresses. Only statements to all bots apply to it.
const UNNAMED_BOT: &str = "heedful-nobody";

impl Vendor {
    /// Finds a vendor by its name, in any letter case.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if `name` is not the name of
    /// a vendor.
    ///
    /// # Examples
    /// ```
    /// use heedful_lint::vendor::{VENDORS, Vendor};
    ///
    /// assert_eq!(Vendor::parse("Bing")?.name(), "bing");
    /// assert!(Vendor::parse("altavista").is_err());
    /// assert!(VENDORS.iter().any(|vendor| vendor.name() == "bing"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(name: &str) -> Result<&'static Self> {
        for vendor in VENDORS {
            if vendor.name == name.to_ascii_lowercase() {
                return Ok(vendor);
            }
        }
        let names: Vec<_> = VENDORS.iter().map(|vendor| vendor.name).collect();
        Err(Error::setting(format!(
            "`{name}` is nobody whose reading is known: {}",
            names.join(", ")
        )))
    }

    /// Returns the name of the vendor, in lower case.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a sentence that describes how the vendor reads robots statements.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns the title of the vendor's page or source code that documents how the vendor reads
    /// robots statements.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the uses about which the vendor obeys statements of pages, by its own documentation.
    /// The vendor ignores pages' statements about all other uses.
    pub fn uses(&self) -> &'static [Use] {
        self.heeds
    }

    /// Returns a filter with the conventions that the vendor reads. An explanation from this filter
    /// can be given to [`Vendor::reading`]. `now` is the current time, which decides whether a page
    /// has expired.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the vendor's row in
    /// [`VENDORS`] has an invalid bot or convention. A test checks that all rows are valid.
    ///
    /// # Examples
    /// ```
    /// use std::time::SystemTime;
    /// use heedful_lint::vendor::Vendor;
    ///
    /// let filter = Vendor::parse("amazon")?.filter(SystemTime::now())?;
    /// let pages = filter.explain("https://example.com/")?;
    /// assert_eq!(pages.end()?.pages().len(), 2); // the vendor's bot, and one that no page names
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn filter(&self, now: SystemTime) -> Result<Filter> {
        let mut bot = Bot::new(self.bot)?;
        for alias in self.aliases {
            bot = bot.alias(alias)?;
        }
        let filter = Filter::for_bots(vec![bot, Bot::new(UNNAMED_BOT)?])?;
        Ok(filter
            .conventions(Conventions::parse(self.conventions)?.without_lenient_forms())
            .now(now))
    }

    /// Returns the decisions that the vendor would make about a page. `explanation` must be from a
    /// pass of [`Vendor::filter`] over that page.
    ///
    /// # Examples
    /// ```
    /// use std::time::SystemTime;
    /// use heedful::Use;
    /// use heedful_lint::vendor::Vendor;
    ///
    /// let yandex = Vendor::parse("yandex")?;
    /// let mut pass = yandex.filter(SystemTime::now())?.explain("https://example.com/")?;
    /// pass.write(b"<meta name=robots content=noindex><meta name=robots content=index> one")?;
    /// assert!(yandex.reading(pass.end()?).allows(Use::Index));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn reading(&'static self, explanation: Explanation) -> VendorReading {
        let mut verdicts = Use::ALL.map(|usage| self.verdict(&explanation, usage));
        // A page that is not indexed has no snippet, and a page without a snippet is not input for
        // answers.
        for (usage, rests_on) in [(Use::Snippet, Use::Index), (Use::Input, Use::Snippet)] {
            if self.heeds.contains(&usage) {
                verdicts[usage as usize] = verdicts[usage as usize].or(verdicts[rests_on as usize]);
            }
        }
        VendorReading {
            vendor: self,
            verdicts,
            explanation,
        }
    }

    /// Returns the index of the directive that denies the use `usage` to the vendor. Returns None
    /// if the use is allowed.
    fn verdict(&self, explanation: &Explanation, usage: Use) -> Option<usize> {
        let policy = explanation.pages()[0].policy();
        // heedful keeps no copy of a page whose words are all withheld. Vendors do not share that
        // rule.
        if let Some(why) = policy.why(usage)
            && !why.extent().is_page_wide()
        {
            return None;
        }
        if !policy.may_fetch() {
            return strictest(explanation, usage);
        }
        if !self.heeds.contains(&usage) {
            return None;
        }
        match self.merge {
            Merge::SumOfNegatives => strictest(explanation, usage),
            Merge::WeakerOfArchiveWords if matches!(usage, Use::Train | Use::Input) => {
                no_archive(explanation, Some("nocache"))
            }
            Merge::NoarchiveIsTraining if usage == Use::Train => no_archive(explanation, None),
            // Amazon's `nofollow` applies to single links, which are withheld one by one.
            Merge::NoarchiveIsTraining if usage == Use::Follow => None,
            Merge::WeakerOfArchiveWords | Merge::NoarchiveIsTraining => {
                denial(explanation, usage, false)
            }
            Merge::AllowanceWins => {
                let mut statements = statements(explanation);
                let is_allowed = statements.any(|(_, directive)| {
                    allows(directive, usage) && directive.convention() == "meta"
                });
                if is_allowed {
                    return None;
                }
                denial(explanation, usage, false)
            }
            Merge::OwnNameFirst => {
                let mut statements = statements(explanation);
                let has_own = statements
                    .any(|(_, directive)| is_own(directive) && is_about(directive, usage));
                denial(explanation, usage, has_own)
            }
        }
    }
}

/// Applies the rule that every denial is obeyed. Returns the index of the directive that denies
/// `usage`, or None if the use is allowed.
fn strictest(explanation: &Explanation, usage: Use) -> Option<usize> {
    let policy = explanation.pages()[0].policy();
    if policy.allows(usage) {
        return None;
    }
    explanation.directive_index(policy.why_id(usage)?)
}

/// True if the statement addresses the vendor's bot by its name, and not all bots.
fn is_own(directive: &Directive) -> bool {
    !directive.bots().contains(BotId::nth(1))
}

/// Iterates over the statements about the whole page that apply to the vendor's bot. Each statement
/// is paired with its index among the page's directives.
fn statements(explanation: &Explanation) -> impl Iterator<Item = (usize, &Directive)> {
    let numbered = explanation
        .directives()
        .iter()
        .map(ExplainedDirective::directive)
        .enumerate();
    numbered.filter(|(_, directive)| {
        directive.extent().is_page_wide() && directive.bots().contains(BotId::FIRST)
    })
}

/// Returns the index of the first directive that denies the use `usage`. Returns None if there is
/// no such directive. If `only_own` is true, only directives that address the vendor's bot by name
/// are searched.
fn denial(explanation: &Explanation, usage: Use, only_own: bool) -> Option<usize> {
    let (number, _) = statements(explanation).find(|(_, directive)| {
        (is_own(directive) || !only_own) && is_about(directive, usage) && !allows(directive, usage)
    })?;
    Some(number)
}

fn is_about(directive: &Directive, usage: Use) -> bool {
    matches!(directive.says(), StatementContent::Deny(uses) | StatementContent::Allow(uses) if uses.contains(usage))
}

/// Returns the index of the first statement about training that has the word `noarchive`. Returns
/// None if there is no such statement. The word `weaker`, if given, weakens `noarchive`. So None is
/// also returned if any statement has the word `weaker`.
fn no_archive(explanation: &Explanation, weaker: Option<&str>) -> Option<usize> {
    if let Some(weaker) = weaker
        && statements(explanation).any(|(_, directive)| has_word(directive, weaker))
    {
        return None;
    }
    let (number, _) = statements(explanation).find(|(_, directive)| {
        is_about(directive, Use::Train) && has_word(directive, "noarchive")
    })?;
    Some(number)
}

fn has_word(directive: &Directive, wanted: &str) -> bool {
    let text = directive.text();
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Decisions that a vendor would make about one page by its own rules.
///
/// # Examples
/// ```
/// use std::time::SystemTime;
/// use heedful::Use;
/// use heedful_lint::vendor::Vendor;
///
/// let google = Vendor::parse("google")?;
/// let mut pass = google.filter(SystemTime::now())?.explain("https://example.com/")?;
/// pass.write(b"<meta name=googlebot content=noindex><p>Dark rye")?;
/// let reading = google.reading(pass.end()?);
/// assert_eq!(reading.vendor().name(), "google");
/// assert!(!reading.allows(Use::Index));
/// assert_eq!(reading.why_not(Use::Index).unwrap().convention(), "meta");
/// assert_eq!(reading.words(), 0);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct VendorReading {
    vendor: &'static Vendor,
    verdicts: [Option<usize>; Use::COUNT],
    explanation: Explanation,
}

impl VendorReading {
    /// Returns the vendor whose decisions these are.
    pub fn vendor(&self) -> &'static Vendor {
        self.vendor
    }

    /// True if the vendor's own rules allow the use `usage` of the page as a whole.
    pub fn allows(&self, usage: Use) -> bool {
        self.why_not(usage).is_none()
    }

    /// True if the vendor may use the page for `usage`, but not all of it. The withheld parts are
    /// words, or links for [`Use::Follow`] and [`Use::Anchor`].
    ///
    /// # Examples
    /// ```
    /// use std::time::SystemTime;
    /// use heedful::Use;
    /// use heedful_lint::vendor::Vendor;
    ///
    /// let google = Vendor::parse("google")?;
    /// let mut pass = google.filter(SystemTime::now())?.explain("https://example.com/")?;
    /// pass.write(b"<p>Dark rye <span data-nosnippet>12 EUR</span>")?;
    /// let reading = google.reading(pass.end()?);
    /// assert!(reading.is_in_part(Use::Snippet) && !reading.is_in_part(Use::Index));
    /// assert_eq!(reading.words(), 4);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn is_in_part(&self, usage: Use) -> bool {
        let totals = self.explanation.totals(BotId::FIRST);
        let is_withheld = match usage {
            // This count means nothing where the strictest reading denies all links.
            Use::Follow => totals.followed() > 0 && totals.followed() < totals.links(),
            Use::Anchor => totals.credited() > 0 && totals.credited() < totals.links(),
            _ => totals.words_allowed_in_parts(usage) < totals.words(),
        };
        is_withheld && self.vendor.heeds.contains(&usage) && self.allows(usage)
    }

    /// Returns the directive that denies the use `usage` of the whole page to the vendor. Returns
    /// None if the use is allowed.
    pub fn why_not(&self, usage: Use) -> Option<&Directive> {
        Some(self.explanation.directives()[self.verdicts[usage as usize]?].directive())
    }

    /// Returns the number of the page's words that the vendor would index. It is 0 if the vendor
    /// may not index the page.
    pub fn words(&self) -> u64 {
        if self.allows(Use::Index) {
            self.explanation
                .totals(BotId::FIRST)
                .words_allowed_in_parts(Use::Index)
        } else {
            0
        }
    }
}
