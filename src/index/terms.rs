//! Under which terms the pages of an index are judged: by whom, by which dialects, with what denied besides.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bot::Bot;
use crate::dialect::Dialects;
use crate::error::Result;
use crate::filter::Filter;
use crate::policy::Facets;

/// An index holds pages of one judgement only, and remembers which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    bot: Vec<String>,
    dialects: Vec<String>,
    /// The dialects as people read them, the user's own included.
    shown: String,
    profile: Option<String>,
    /// What the operator denies, and where.
    denials: Vec<(String, String)>,
}

impl Terms {
    /// Those of a bot and its dialects.
    pub fn new(bot: &Bot, dialects: &Dialects) -> Self {
        Self {
            bot: bot.names().map(str::to_owned).collect(),
            dialects: dialects.names().filter(|name| *name != "custom").map(str::to_owned).collect(),
            shown: dialects.to_string(),
            profile: None,
            denials: Vec::new(),
        }
    }

    /// With another URI for the Robot Exclusion Profile.
    pub fn profile(mut self, uri: &str) -> Self {
        self.profile = Some(uri.to_owned());
        self
    }

    /// With pages denied by URL, as by [`Filter::deny`].
    pub fn deny(mut self, denies: Facets, pattern: &str) -> Self {
        self.denials.push((denies.to_string(), pattern.to_owned()));
        self
    }

    /// Who judges.
    ///
    /// # Errors
    /// When a name is none, as in an index that was written by hand.
    pub fn bot(&self) -> Result<Bot> {
        let mut names = self.bot.iter();
        let first = Bot::new(names.next().map_or("", String::as_str))?;
        names.try_fold(first, |bot, alias| bot.alias(alias))
    }

    /// A filter that judges a page's URL as these terms do: it knows the dialects but for the user's own, which speak
    /// of pages' content.
    ///
    /// # Errors
    /// As [`Terms::bot`].
    pub fn filter(&self) -> Result<Filter> {
        let dialects = Dialects::parse(&format!("none,{}", self.dialects.join(",")))?;
        let filter = Filter::new(self.bot()?).dialects(dialects);
        self.denials.iter().try_fold(filter, |filter, (denies, pattern)| filter.deny(Facets::parse(denies)?, pattern))
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the bot {} and the dialects {}", self.bot.join("="), self.shown)?;
        if let Some(uri) = &self.profile {
            write!(f, " and the profile {uri}")?;
        }
        let denials: Vec<_> = self.denials.iter().map(|(denies, pattern)| format!("{denies}={pattern}")).collect();
        if denials.is_empty() { Ok(()) } else { write!(f, ", denying {}", denials.join(" ")) }
    }
}
