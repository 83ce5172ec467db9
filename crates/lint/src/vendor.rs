//! How other vendors would read a page: the conventions that each documents, and its way of
//! deciding between statements.
//!
//! This is for publishers, to see where engines differ. Nothing that heedful lets through depends
//! on it. A vendor's undocumented behaviour is not guessed: the page is read as heedful does, with
//! all denials together. Each row names the vendor's page or source. These pages change; the rows
//! show them as of 2026.

use std::time::SystemTime;

use heedful::{Conventions, Directive, ExplainedDirective, Explanation, Filter, Says, Use};
use heedful_base::bot::{Bot, BotId};
use heedful_base::error::{Error, Result};

use super::uses::allows;

/// How a vendor decides between statements about the whole page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Merge {
    /// All denials count, for any addressed bot.
    SumOfNegatives,
    /// If a META tag allows and another statement denies, the allowance counts.
    AllowanceWins,
    /// Statements to the vendor's own bot take precedence over statements to all.
    OwnNameFirst,
    /// All denials count, except `noarchive` for answers and training if `nocache` is also present.
    WeakerOfArchiveWords,
    /// All denials count. For training only `noarchive` counts.
    NoarchiveIsTraining,
}

/// A vendor with a known way of reading.
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

/// All known vendors.
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
        rule: "META, headers, those for all and those for googlebot add up: what any of them denies is denied; what may be no snippet is no input of AI answers; rel=nofollow is a hint, and noarchive is heard no more",
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
        rule: "denials add up; noarchive keeps a page out of answers and training too, nocache leaves them URL, title and snippet, and both together are nocache; what may be no snippet is no answer either",
        source: "Bing Webmaster Blog, Announcing new options for webmasters to control usage of their content in Bing Chat (2023); data-nosnippet (2025)",
    },
    Vendor {
        name: "amazon",
        bot: "amazonbot",
        aliases: &[],
        conventions: "none,+meta,+rel,+noarchive-train",
        heeds: &[Use::Index, Use::Follow, Use::Train],
        merge: Merge::NoarchiveIsTraining,
        rule: "of META robots, noindex and none keep a page out of the index, noarchive out of training; rel=nofollow of a link is heard, nofollow of a page is not",
        source: "developer.amazon.com, Amazonbot (in force from 15 June 2026)",
    },
    Vendor {
        name: "yandex",
        bot: "yandex",
        aliases: &["yandexbot"],
        conventions: "none,+meta,+header,+rel,+noindex-comment,+noindex-element",
        heeds: &[Use::Index, Use::Follow, Use::Archive],
        merge: Merge::AllowanceWins,
        rule: "where META allows and denies the same, the allowance counts; of headers the denials alone are heard",
        source: "Yandex Webmaster help, Robots meta tag and X-Robots-Tag HTTP header",
    },
    Vendor {
        name: "marginalia",
        bot: "marginalia-search",
        aliases: &["search.marginalia.nu"],
        conventions: "none,+meta,+header",
        heeds: &[Use::Index],
        merge: Merge::OwnNameFirst,
        rule: "what is said to marginalia-search goes before what is said to all: `all` there lets in again; nothing but noindex is heeded",
        source: "MarginaliaSearch, MetaRobotsTag.java",
    },
];

/// A bot that no page addresses: only statements to all reach it.
const NOBODY: &str = "heedful-nobody";

impl Vendor {
    /// Finds a vendor by its name.
    ///
    /// # Errors
    /// Fails if the name is not known.
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

    /// The vendor's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The vendor's way of reading, in a sentence.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// The vendor's page or source code that documents this.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The uses for which the vendor documents that it obeys pages. It uses the others regardless
    /// of the page.
    pub fn heeds(&self) -> &'static [Use] {
        self.heeds
    }

    /// A filter for what the vendor supports, for [`Vendor::reading`]. A page is judged as expired
    /// or not at `now`.
    ///
    /// # Errors
    /// Never, as long as the rows above are right. A test checks them.
    pub fn filter(&self, now: SystemTime) -> Result<Filter> {
        let mut bot = Bot::new(self.bot)?;
        for alias in self.aliases {
            bot = bot.alias(alias)?;
        }
        let filter = Filter::for_bots(vec![bot, Bot::new(NOBODY)?])?;
        Ok(filter
            .conventions(Conventions::parse(self.conventions)?.exactly())
            .now(now))
    }

    /// The vendor's reading of a page that was explained by its filter.
    ///
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
        // A page that is not found is not shown, and one that is not shown is no answer.
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

    /// The number of the directive that forbids the vendor to use the page for `usage`.
    fn verdict(&self, explanation: &Explanation, usage: Use) -> Option<usize> {
        let policy = explanation.pages()[0].policy();
        // No copy is kept of a page without a word left. That is a rule of our own, not the
        // vendor's.
        if let Some(why) = policy.why(usage)
            && !why.extent().is_ceiling()
        {
            return None;
        }
        if !policy.entered() {
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
            // This applies to single links only, which are withheld one by one.
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

/// The directive that decides if all denials count, if it denies the use.
fn strictest(explanation: &Explanation, usage: Use) -> Option<usize> {
    let policy = explanation.pages()[0].policy();
    if policy.allows(usage) {
        return None;
    }
    explanation.directive_index(policy.why_id(usage)?)
}

/// True for a statement to the vendor's own bot, not to all.
fn is_own(directive: &Directive) -> bool {
    !directive.bots().contains(BotId::nth(1))
}

/// The statements about the whole page that address the vendor or all, with their numbers.
fn statements(explanation: &Explanation) -> impl Iterator<Item = (usize, &Directive)> {
    let numbered = explanation
        .directives()
        .iter()
        .map(ExplainedDirective::directive)
        .enumerate();
    numbered.filter(|(_, directive)| {
        directive.extent().is_ceiling() && directive.bots().contains(BotId::FIRST)
    })
}

/// The first denial of `usage`, among all statements or among those to the vendor's own bot.
fn denial(explanation: &Explanation, usage: Use, only_own: bool) -> Option<usize> {
    let (number, _) = statements(explanation).find(|(_, directive)| {
        (is_own(directive) || !only_own) && is_about(directive, usage) && !allows(directive, usage)
    })?;
    Some(number)
}

fn is_about(directive: &Directive, usage: Use) -> bool {
    matches!(directive.says(), Says::Deny(uses) | Says::Allow(uses) if uses.contains(usage))
}

/// The statement with `noarchive`, unless another statement has the word that weakens it.
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

/// A page as a vendor would read it.
#[derive(Debug)]
pub struct VendorReading {
    vendor: &'static Vendor,
    verdicts: [Option<usize>; Use::COUNT],
    explanation: Explanation,
}

impl VendorReading {
    /// The vendor whose reading this is.
    pub fn vendor(&self) -> &'static Vendor {
        self.vendor
    }

    /// True if the vendor may use the page as a whole for `usage`, by its own rules.
    pub fn allows(&self, usage: Use) -> bool {
        self.why_not(usage).is_none()
    }

    /// True if the vendor may use the page for `usage`, and a part of it is withheld from that use:
    /// words, or, for [`Use::Follow`] and [`Use::Anchor`], links.
    pub fn is_in_part(&self, usage: Use) -> bool {
        let totals = self.explanation.totals(BotId::FIRST);
        let is_withheld = match usage {
            // The count is of no use where the strictest reading denies all links.
            Use::Follow => totals.followed() > 0 && totals.followed() < totals.links(),
            Use::Anchor => totals.credited() > 0 && totals.credited() < totals.links(),
            _ => totals.kept_in_parts(usage) < totals.words(),
        };
        is_withheld && self.vendor.heeds.contains(&usage) && self.allows(usage)
    }

    /// The directive that forbids it.
    pub fn why_not(&self, usage: Use) -> Option<&Directive> {
        Some(self.explanation.directives()[self.verdicts[usage as usize]?].directive())
    }

    /// The number of words of the page that the vendor would index. It is 0 if it may not index the
    /// page.
    pub fn words(&self) -> u64 {
        if self.allows(Use::Index) {
            self.explanation
                .totals(BotId::FIRST)
                .kept_in_parts(Use::Index)
        } else {
            0
        }
    }
}
