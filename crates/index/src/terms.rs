//! The terms of an index: bot, conventions, robots.txt mode, and the operator's denials.
//!
//! Two runs may write the same index only if they judge pages under equal terms. If it is not
//! certain that the terms are equal, they count as different. An index is refused rather than
//! mixed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use heedful::internals::scope::ProfileTerms;
use heedful::{Conventions, Filter, Landmarks, Uses};
use heedful_base::bot::{Bot, format_names};
use heedful_base::error::{Error, Result};
use heedful_robots::Mode;

/// The terms under which all pages of an index are judged: bot, conventions, robots.txt mode, and
/// the operator's denials. An index stores its terms at its creation.
///
/// # Examples
/// ```
/// use heedful::{Bot, Conventions, Filter};
/// use heedful_index::Terms;
///
/// let filter = Filter::new(Bot::new("FooBot")?.alias("FooBot-News")?);
/// let terms = Terms::from_filter(&filter)?;
/// assert_eq!(terms.bot()?.names().collect::<Vec<_>>(), ["foobot", "foobot-news"]);
///
/// let more = filter.conventions(Conventions::parse("all")?);
/// assert_ne!(Terms::from_filter(&more)?, terms); // another index is needed
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Terms {
    bot: Vec<String>,
    conventions: Vec<String>,
    /// All conventions of these terms as readable text. User-defined conventions are included.
    shown: String,
    /// User-defined regions of pages. Each has the denied uses, the text of the comment that opens
    /// the region, and the text of the comment that closes it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    regions: Vec<(String, String, String)>,
    /// User-defined elements, each as the denied uses and the selector.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    elements: Vec<(String, String)>,
    profile: Option<String>,
    /// The operator's denials. Each has the denied uses, and the pattern of the URLs to which the
    /// denial applies.
    denials: Vec<(String, String)>,
    /// Number of the denials that come from convention files. These are the first in the list
    /// `denials`.
    #[serde(skip_serializing_if = "is_zero", default)]
    filed: usize,
    /// Name of the mode for parsing robots.txt. None stands for the mode of RFC 9309.
    mode: Option<String>,
    /// Names of the landmarks whose text is read. None stands for all text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    landmarks: Option<String>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Compares terms. The order of denials and of aliases does not matter. It does not matter either
/// which denials come from a convention file.
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
            landmarks,
        } = self;
        (conventions, shown, profile, mode, landmarks)
            == (
                &other.conventions,
                &other.shown,
                &other.profile,
                &other.mode,
                &other.landmarks,
            )
            && is_same_bot(&self.bot, &other.bot)
            && self.sorted_denials() == other.sorted_denials()
    }
}

impl Eq for Terms {}

impl Terms {
    /// Returns the terms of a filter that has one bot. The terms include the bot, the conventions,
    /// the robots.txt mode and the denials.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the filter has several bots, or a bot
    /// without a name.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Terms;
    ///
    /// let several = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// assert!(Terms::from_filter(&several).is_err());
    /// assert!(Terms::from_filter(&Filter::new(Bot::unnamed())).is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn from_filter(filter: &Filter) -> Result<Self> {
        let [bot] = filter.terms.bots.list() else {
            return Err(Error::setting(
                "an index is for one bot: give one".to_owned(),
            ));
        };
        Self::for_bot(filter, bot)
    }

    /// Returns the terms of each bot of a filter, in the order of the bots.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if a bot has no name.
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
            landmarks: match terms.landmarks {
                Landmarks::ALL => None,
                landmarks => Some(landmarks.to_string()),
            },
        })
    }

    /// Returns the bot of these terms, with its aliases.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if a stored name of the bot is not
    /// valid. For example, the index may have been edited by hand.
    pub fn bot(&self) -> Result<Bot> {
        let mut bot = Bot::new(self.name())?;
        for alias in self.bot.iter().skip(1) {
            bot = bot.alias(alias)?;
        }
        Ok(bot)
    }

    /// Returns the conventions as a short list for [`Conventions::parse`], for example `web,-rel`.
    /// The list ends with `custom` if there are user-defined conventions.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Conventions, Filter};
    /// use heedful_index::Terms;
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(Conventions::parse("web,-rel")?);
    /// assert_eq!(Terms::from_filter(&filter)?.conventions(), "web,-rel");
    /// # Ok::<(), heedful::Error>(())
    /// ```
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

    /// Returns the built-in conventions of these terms. For user-defined conventions see
    /// [`Terms::regions`] and [`Terms::elements`].
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the stored name of a convention is
    /// not known. For example, the index may have been edited by hand.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Terms;
    ///
    /// let terms = Terms::from_filter(&Filter::new(Bot::new("FooBot")?))?;
    /// assert!(terms.named_conventions()?.has("meta"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn named_conventions(&self) -> Result<Conventions> {
        Conventions::parse(&format!("none,{}", self.conventions.join(",")))
    }

    /// Returns the user-defined regions. Each entry has the arguments of [`Conventions::region`]:
    /// the denied uses, and the texts of the two comments.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the stored name of a use is not
    /// known. For example, the index may have been edited by hand.
    pub fn regions(&self) -> Result<Vec<(Uses, String, String)>> {
        let mut regions = Vec::with_capacity(self.regions.len());
        for (denies, open, close) in &self.regions {
            regions.push((Uses::parse(denies)?, open.clone(), close.clone()));
        }
        Ok(regions)
    }

    /// Returns the user-defined elements. Each entry has the arguments of [`Conventions::element`]:
    /// the denied uses, and the selector.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the stored name of a use is not
    /// known. For example, the index may have been edited by hand.
    pub fn elements(&self) -> Result<Vec<(Uses, String)>> {
        read(&self.elements)
    }

    /// Returns the mode for parsing robots.txt. Returns None for the default mode, which follows
    /// RFC 9309.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the stored name of the mode is not
    /// known. For example, the index may have been edited by hand.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Terms;
    /// use heedful_robots::Mode;
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).robots_mode(Mode::parse("google")?);
    /// assert_eq!(Terms::from_filter(&filter)?.mode()?, Some(Mode::parse("google")?));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn mode(&self) -> Result<Option<Mode>> {
        self.mode.as_deref().map(Mode::parse).transpose()
    }

    /// Returns the URI by which pages declare the Robot Exclusion Profile. Returns None if it is
    /// the URI of the profile's draft.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Terms;
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// assert_eq!(Terms::from_filter(&filter)?.profile(), None);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// Returns the operator's denials. Each has the denied uses, and the pattern of the URLs to
    /// which the denial applies.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the stored name of a use is not
    /// known. For example, the index may have been edited by hand.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_index::Terms;
    ///
    /// let train = Uses::parse("notrain")?;
    /// let filter = Filter::new(Bot::new("FooBot")?).deny(train, "/news/")?;
    /// assert_eq!(Terms::from_filter(&filter)?.denials()?, [(train, "/news/".to_owned())]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn denials(&self) -> Result<Vec<(Uses, String)>> {
        read(&self.denials)
    }

    /// Returns the operator's denials that do not come from a convention file
    /// ([`Conventions::page`]). Each has the denied uses, and the pattern of its URLs. For all
    /// denials see [`Terms::denials`].
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if the stored name of a use is not
    /// known. For example, the index may have been edited by hand.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_index::Terms;
    ///
    /// let train = Uses::parse("notrain")?;
    /// let terms = Terms::from_filter(&Filter::new(Bot::new("FooBot")?).deny(train, "/")?)?;
    /// assert_eq!(terms.unfiled_denials()?, terms.denials()?); // no convention file
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unfiled_denials(&self) -> Result<Vec<(Uses, String)>> {
        read(self.denials.get(self.filed..).unwrap_or_default())
    }

    /// Returns the landmarks (parts of a page, such as `main`) whose text is read. See
    /// [`Filter::landmarks`].
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if a stored name is not known. For
    /// example, the index may have been edited by hand.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Landmarks};
    /// use heedful_index::Terms;
    ///
    /// let landmarks: Landmarks = "main,none".parse()?;
    /// let filter = Filter::new(Bot::new("FooBot")?).landmarks(landmarks);
    /// assert_eq!(Terms::from_filter(&filter)?.landmarks()?, landmarks);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn landmarks(&self) -> Result<Landmarks> {
        match &self.landmarks {
            Some(names) => names.parse(),
            None => Ok(Landmarks::ALL),
        }
    }

    /// Returns a filter with these terms, as far as they concern URLs. User-defined conventions,
    /// [`Terms::profile`] and [`Terms::landmarks`] are left out, because they concern only the
    /// content of pages. So the filter judges the URL of a page exactly as the terms do.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if a stored bot, convention, mode or
    /// denial is not valid. For example, the index may have been edited by hand.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Use, Uses};
    /// use heedful_index::Terms;
    ///
    /// let given = Filter::new(Bot::new("FooBot")?).deny(Uses::parse("notrain")?, "/")?;
    /// let filter = Terms::from_filter(&given)?.filter()?;
    /// let page = filter.page("https://example.com/", &[], b"<p>Rye")?;
    /// assert!(!page.policy().allows(Use::Train));
    /// # Ok::<(), heedful::Error>(())
    /// ```
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

/// True if two bots have the same name and the same set of aliases. Each list has the name of the
/// bot first, then its aliases.
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
    /// Creates terms from their stored parts. The terms have no user-defined conventions.
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
            landmarks: None,
        }
    }

    /// Returns the name of the bot of these terms, without its aliases.
    pub(crate) fn name(&self) -> &str {
        self.bot.first().map_or("", String::as_str)
    }

    /// Returns the name of the bot of these terms, followed by its aliases.
    #[doc(hidden)]
    pub fn bot_names(&self) -> &[String] {
        &self.bot
    }

    /// Returns all conventions of these terms in readable form. Returns None if no convention is
    /// user-defined.
    #[doc(hidden)]
    pub fn custom(&self) -> Option<&str> {
        (self.shown != self.conventions.join(",")).then_some(self.shown.as_str())
    }

    /// Returns the stored texts of two settings. The first is the list of the operator's denials,
    /// each as uses and URL pattern. The second is the name of the robots.txt mode; None stands for
    /// the mode of RFC 9309.
    #[doc(hidden)]
    pub fn as_written(&self) -> (&[(String, String)], Option<&str>) {
        (&self.denials, self.mode.as_deref())
    }

    fn sorted_denials(&self) -> BTreeSet<&(String, String)> {
        self.denials.iter().collect()
    }

    pub(crate) fn is_for(&self, bot: &Bot) -> bool {
        is_same_bot(bot.folded_names(), &self.bot)
    }

    /// Describes the first difference between these terms and the terms `asked`, for an error
    /// message.
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
        if self.landmarks != asked.landmarks {
            let written = |landmarks: &Option<String>| landmarks.clone().unwrap_or("all".into());
            return format!(
                "of the text in the landmarks {}, not in {}",
                written(&self.landmarks),
                written(&asked.landmarks)
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

    /// Returns the conventions of these terms that the terms `other` do not have.
    fn conventions_beyond(&self, other: &Self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in &self.conventions {
            if !other.conventions.contains(name) {
                names.push(name.as_str());
            }
        }
        names
    }

    /// Formats the operator's denials as command-line options of `heedful`.
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
