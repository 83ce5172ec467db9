//! The terms under which pages are judged: the bot, the conventions, and what the operator denies.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use heedful::internals::scope::ProfileTerms;
use heedful::{Conventions, Filter, Uses};
use heedful_base::bot::{Bot, format_names};
use heedful_base::error::{Error, Result};
use heedful_robots::Mode;

/// The terms of an index. It holds pages of one judgement only, and remembers which.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Terms {
    bot: Vec<String>,
    conventions: Vec<String>,
    /// The conventions in readable form, with the user's own.
    shown: String,
    /// The user's own regions: the denied uses, and the texts of the two comments.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    regions: Vec<(String, String, String)>,
    /// The user's own elements: the denied uses, and the selector.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    elements: Vec<(String, String)>,
    profile: Option<String>,
    /// The operator's denials, and where they apply.
    denials: Vec<(String, String)>,
    /// The number of them that come from files of conventions. Those are the first.
    #[serde(skip_serializing_if = "is_zero", default)]
    filed: usize,
    /// The mode in which each robots.txt is read, unless it is that of RFC 9309.
    mode: Option<String>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The order of denials and aliases, and a file as their source, make no difference.
impl PartialEq for Terms {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            bot: _,
            conventions,
            shown,
            regions: _,
            elements: _,
            profile,
            denials: _,
            filed: _,
            mode,
        } = self;
        (conventions, shown, profile, mode)
            == (
                &other.conventions,
                &other.shown,
                &other.profile,
                &other.mode,
            )
            && is_same_bot(&self.bot, &other.bot)
            && self.sorted_denials() == other.sorted_denials()
    }
}

impl Eq for Terms {}

impl Terms {
    /// The terms of a filter's pages.
    ///
    /// # Errors
    /// Fails if the filter is for several bots, or for one without a name.
    pub fn from_filter(filter: &Filter) -> Result<Self> {
        let [bot] = filter.terms.bots.list() else {
            return Err(Error::setting(
                "an index is for one bot: give one".to_owned(),
            ));
        };
        Self::for_bot(filter, bot)
    }

    /// The terms for each bot of a filter.
    ///
    /// # Errors
    /// Fails if a bot has no name.
    #[doc(hidden)]
    pub fn each(filter: &Filter) -> Result<Vec<Self>> {
        let bots = filter.terms.bots.list();
        bots.iter().map(|bot| Self::for_bot(filter, bot)).collect()
    }

    fn for_bot(filter: &Filter, bot: &Bot) -> Result<Self> {
        let terms = &filter.terms;
        if bot.names().next().is_none() {
            return Err(Error::setting(
                "an index is for a bot that has a name".to_owned(),
            ));
        }
        let profile = &terms.profile.uri;
        Ok(Self {
            bot: bot.names().map(str::to_owned).collect(),
            conventions: terms
                .conventions
                .names()
                .filter(|name| *name != "custom")
                .map(str::to_owned)
                .collect(),
            shown: terms.conventions.about_content(),
            regions: terms
                .conventions
                .regions()
                .map(|(denies, open, close)| {
                    (denies.to_string(), open.to_owned(), close.to_owned())
                })
                .collect(),
            elements: terms
                .conventions
                .elements()
                .map(|(denies, selector)| (denies.to_string(), selector.to_owned()))
                .collect(),
            profile: (*profile != ProfileTerms::default().uri).then(|| profile.clone()),
            denials: terms
                .denials()
                .map(|denial| (denial.denies.to_string(), denial.text.clone()))
                .collect(),
            filed: terms.conventions.pages().count(),
            mode: match terms.mode {
                Some(mode) if mode != Mode::default() => Some(mode.name().to_owned()),
                _ => None,
            },
        })
    }

    /// The bot of these terms.
    ///
    /// # Errors
    /// Fails if a name is not valid, as in an index that was written by hand.
    pub fn bot(&self) -> Result<Bot> {
        let mut bot = Bot::new(self.name())?;
        for alias in self.bot.iter().skip(1) {
            bot = bot.alias(alias)?;
        }
        Ok(bot)
    }

    /// The conventions as a short list for [`Conventions::parse`], such as `web,-rel`. It ends with
    /// `custom` if there are conventions of the user's own.
    pub fn conventions(&self) -> String {
        let from = |preset: &str| {
            let known = Conventions::parse(preset).unwrap_or_default();
            let more = self
                .conventions
                .iter()
                .filter(|name| !known.has(name))
                .map(|name| format!("+{name}"));
            let less = known
                .names()
                .filter(|name| !self.conventions.iter().any(|on| on == name));
            let less = less.map(|name| format!("-{name}"));
            std::iter::once(preset.to_owned())
                .chain(more)
                .chain(less)
                .collect::<Vec<_>>()
        };
        let shortest = ["web", "seed", "all", "none"]
            .map(from)
            .into_iter()
            .min_by_key(Vec::len);
        let mut names = shortest.unwrap_or_default();
        names.extend(self.custom().map(|_| "custom".to_owned()));
        names.join(",")
    }

    /// The same conventions, without those of the user's own, which only the user has.
    ///
    /// # Errors
    /// Fails if a name is not known, as in an index that was written by hand.
    pub fn named_conventions(&self) -> Result<Conventions> {
        Conventions::parse(&format!("none,{}", self.conventions.join(",")))
    }

    /// The user's own regions, each as the arguments of [`Conventions::region`]: the denied uses,
    /// and the texts of the two comments.
    ///
    /// # Errors
    /// Fails if the denied uses are not known, as in an index that was written by hand.
    pub fn regions(&self) -> Result<Vec<(Uses, String, String)>> {
        let mut regions = Vec::with_capacity(self.regions.len());
        for (denies, open, close) in &self.regions {
            regions.push((Uses::parse(denies)?, open.clone(), close.clone()));
        }
        Ok(regions)
    }

    /// The user's own elements, each as the arguments of [`Conventions::element`]: the denied uses,
    /// and the selector.
    ///
    /// # Errors
    /// Fails as [`Terms::regions`] does.
    pub fn elements(&self) -> Result<Vec<(Uses, String)>> {
        read(&self.elements)
    }

    /// The mode in which each robots.txt is read. Returns None if it is that of RFC 9309.
    ///
    /// # Errors
    /// Fails as [`Terms::named_conventions`] does.
    pub fn mode(&self) -> Result<Option<Mode>> {
        self.mode.as_deref().map(Mode::parse).transpose()
    }

    /// The URI by which pages declare the Robot Exclusion Profile. Returns None if it is that of
    /// the draft.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// What the operator denies, each with the URLs for which it is denied.
    ///
    /// # Errors
    /// Fails as [`Terms::named_conventions`] does.
    pub fn denials(&self) -> Result<Vec<(Uses, String)>> {
        read(&self.denials)
    }

    /// Those of [`Terms::denials`] that do not come from a file of conventions
    /// ([`Conventions::page`]).
    ///
    /// # Errors
    /// Fails as [`Terms::named_conventions`] does.
    pub fn unfiled_denials(&self) -> Result<Vec<(Uses, String)>> {
        read(self.denials.get(self.filed..).unwrap_or_default())
    }

    /// A filter that judges a page's URL as these terms do. It knows all conventions except the
    /// user's own, which speak of pages' content.
    ///
    /// # Errors
    /// Fails as [`Terms::bot`] does.
    pub fn filter(&self) -> Result<Filter> {
        let filter = Filter::new(self.bot()?).conventions(self.named_conventions()?);
        let mut filter = match self.mode()? {
            Some(mode) => filter.robots_mode(mode),
            None => filter,
        };
        for (denies, pattern) in self.denials()? {
            filter = filter.deny(denies, &pattern)?;
        }
        Ok(filter)
    }
}

/// True if both bots have the same first name, and the same others.
fn is_same_bot(one: &[String], other: &[String]) -> bool {
    one.first() == other.first() && has_all(one, other) && has_all(other, one)
}

fn has_all(names: &[String], others: &[String]) -> bool {
    others.iter().all(|other| names.contains(other))
}

fn read(denials: &[(String, String)]) -> Result<Vec<(Uses, String)>> {
    let mut read = Vec::with_capacity(denials.len());
    for (denies, pattern) in denials {
        read.push((Uses::parse(denies)?, pattern.clone()));
    }
    Ok(read)
}

impl Terms {
    /// Creates terms from their parts, without user-defined conventions.
    #[doc(hidden)]
    pub fn of_parts(
        bot: Vec<String>,
        conventions: Vec<String>,
        profile: Option<String>,
        denials: Vec<(String, String)>,
        mode: Option<String>,
    ) -> Self {
        Self {
            bot,
            conventions,
            shown: String::new(),
            regions: Vec::new(),
            elements: Vec::new(),
            profile,
            denials,
            filed: 0,
            mode,
        }
    }

    /// The name of the bot.
    pub(crate) fn name(&self) -> &str {
        self.bot.first().map_or("", String::as_str)
    }

    /// The name of the bot and its aliases.
    #[doc(hidden)]
    pub fn names(&self) -> &[String] {
        &self.bot
    }

    /// The conventions in readable form, if the user's own are among them.
    #[doc(hidden)]
    pub fn custom(&self) -> Option<&str> {
        (self.shown != self.conventions.join(",")).then_some(self.shown.as_str())
    }

    /// The operator's denials (the uses, and the URL pattern that they are for), and the name of
    /// the robots.txt mode, `None` for that of RFC 9309.
    #[doc(hidden)]
    pub fn as_written(&self) -> (&[(String, String)], Option<&str>) {
        (&self.denials, self.mode.as_deref())
    }

    fn sorted_denials(&self) -> BTreeSet<&(String, String)> {
        self.denials.iter().collect()
    }

    pub(crate) fn is_for(&self, bot: &Bot) -> bool {
        is_same_bot(bot.folded(), &self.bot)
    }

    /// Describes where these terms differ from those that are asked for.
    pub(crate) fn describe_difference(&self, asked: &Self) -> String {
        if !is_same_bot(&self.bot, &asked.bot) {
            return format!(
                "for the bot {}, not for {}",
                self.written_bot(),
                asked.written_bot()
            );
        }
        if self.mode != asked.mode {
            return format!(
                "with robots.txt read by {}, not by {}",
                self.mode_name(),
                asked.mode_name()
            );
        }
        let mut conventions = Vec::new();
        let more = self.conventions_beyond(asked);
        if !more.is_empty() {
            conventions.push(format!("with {}", more.join(",")));
        }
        let fewer = asked.conventions_beyond(self);
        if !fewer.is_empty() {
            conventions.push(format!("without {}", fewer.join(",")));
        }
        if !conventions.is_empty() {
            return format!("{}, not as asked now", conventions.join(" and "));
        }
        if self.sorted_denials() == asked.sorted_denials() {
            "with other conventions of your own, or another profile (give the same --deny-element, --deny-region, --convention-file)"
                .to_owned()
        } else {
            format!(
                "with {}, and now there is {}",
                self.written_denials(),
                asked.written_denials()
            )
        }
    }

    fn written_bot(&self) -> String {
        format_names(self.bot.iter().map(String::as_str))
    }

    fn mode_name(&self) -> &str {
        match &self.mode {
            Some(mode) => mode,
            None => Mode::default().name(),
        }
    }

    /// The conventions of these terms that others do not have.
    fn conventions_beyond(&self, other: &Self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in &self.conventions {
            if !other.conventions.contains(name) {
                names.push(name.as_str());
            }
        }
        names
    }

    /// The denials, as options of the program.
    fn written_denials(&self) -> String {
        if self.denials.is_empty() {
            return "no --deny".to_owned();
        }
        let mut options = Vec::with_capacity(self.denials.len());
        for (denies, pattern) in &self.denials {
            options.push(format!("--deny {denies}={pattern}"));
        }
        options.join(" ")
    }
}
