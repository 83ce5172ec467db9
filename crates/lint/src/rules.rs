//! The list of lint rules, and their selection by name.
//!
//! Names of lint rules are stable, because reports and settings of users contain them.

use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

/// Severity of a lint rule. Levels are ordered from the least severe to the most severe.
///
/// # Examples
/// ```
/// use heedful_lint::{Level, RULES};
///
/// let errors = RULES.iter().filter(|rule| rule.level() == Level::Error);
/// assert!(errors.clone().any(|rule| rule.id() == "unclosed-region"));
/// assert!(Level::Hint < Level::Warning && Level::Warning < Level::Error);
/// assert_eq!(Level::Warning.to_string(), "warning");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The rule reports markup that is correct but fragile. Such a rule is off by default.
    /// [`RuleSelection::hints`] selects all rules of this level. [`RuleSelection::only`] selects
    /// one rule by its name.
    Hint,
    /// The rule reports markup that robots do not read, or read differently than the publisher
    /// meant.
    Warning,
    /// The rule reports markup that withholds more or less than the publisher meant.
    Error,
}

heedful_base::display!(Level);

impl Level {
    /// Returns the name of the level, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A lint rule: a kind of mistake, with a stable name and advice.
///
/// # Examples
/// ```
/// use heedful_lint::{Level, RULES};
///
/// let rule = RULES.iter().find(|rule| rule.id() == "stray-close").unwrap();
/// assert_eq!(rule.title(), "A closing mark has no open region");
/// assert_eq!(rule.level(), Level::Warning);
/// assert!(rule.help().starts_with("The mark has no effect."));
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct LintRule {
    id: &'static str,
    level: Level,
    title: &'static str,
    help: &'static str,
}

impl LintRule {
    /// Returns the stable name of the rule.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the severity of the mistakes that the rule reports.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns a description of the mistake that the rule reports, in one line.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns advice for correcting the mistake that the rule reports.
    pub fn help(&self) -> &'static str {
        self.help
    }
}

const fn rule(id: &'static str, level: Level, title: &'static str, help: &'static str) -> LintRule {
    LintRule {
        id,
        level,
        title,
        help,
    }
}

/// All lint rules, each with its name, level, title and advice.
pub const RULES: &[LintRule] = &[
    rule(
        "unclosed-region",
        Level::Error,
        "A region is opened and never closed",
        "The region runs to the end of the page and withholds all of it. Close it in the template that opens it.",
    ),
    rule(
        "stray-close",
        Level::Warning,
        "A closing mark has no open region",
        "The mark has no effect. Its opening mark may be misspelt, or be in a template that this page does not use.",
    ),
    rule(
        "opened-twice",
        Level::Warning,
        "A region is opened inside one of its kind",
        "For most engines the first closing mark ends both regions. Close the first region before the second, or remove the inner one.",
    ),
    rule(
        "lookalike",
        Level::Warning,
        "Markup looks like a directive and is none",
        "Most robots ignore it. Write it as the message says.",
    ),
    rule(
        "bogus-marker",
        Level::Error,
        "A mark is not written as a comment",
        "Browsers read it as a comment, and robots ignore it. Write it as `<!-- ... -->`.",
    ),
    rule(
        "unread-marker",
        Level::Warning,
        "No engine reads this mark",
        "No engine reads this form, or a character is wrong. Write it as the message says.",
    ),
    rule(
        "unknown-token",
        Level::Warning,
        "A word is no directive",
        "It has no effect. It may be misspelt, or belong to another convention.",
    ),
    rule(
        "unreadable-value",
        Level::Warning,
        "A value cannot be read",
        "Robots may ignore the directive, or read it as a denial.",
    ),
    rule(
        "unreadable-date",
        Level::Error,
        "A date cannot be read",
        "The page does not expire. Write the date as 2026-12-31, or in the format of HTTP headers.",
    ),
    rule(
        "contradiction",
        Level::Error,
        "One tag or line denies and allows the same use",
        "Most engines obey the stricter directive, Yandex the other. Remove one of them.",
    ),
    rule(
        "contradictory-metas",
        Level::Error,
        "Two META tags contradict each other",
        "Most engines obey the stricter tag, Yandex the other. Keep one of the tags.",
    ),
    rule(
        "header-against-meta",
        Level::Error,
        "The X-Robots-Tag header contradicts META",
        "Most engines obey the stricter one, and some read only one of the two. Write the same in both, or remove one.",
    ),
    rule(
        "contradicted-use",
        Level::Warning,
        "Training or answers are allowed in one place and denied in another",
        "heedful obeys the strictest; other programs read only one of the places. Write the same in META, headers, robots.txt and tdmrep.json.",
    ),
    rule(
        "noindex-unseen",
        Level::Error,
        "A page that robots.txt disallows has directives",
        "Robots do not fetch the page, so they never read its noindex. Its URL may still be listed. Allow the page in robots.txt, or remove the directive.",
    ),
    rule(
        "robots-misspelt-line",
        Level::Error,
        "A line of robots.txt is misspelt",
        "Some robots guess its meaning, others ignore it. Write one key, a colon, and one plain name or one path that begins with a slash.",
    ),
    rule(
        "robots-unknown-line",
        Level::Warning,
        "A line of robots.txt has an unknown key",
        "Robots ignore it. It may be misspelt, or be a comment without `#`.",
    ),
    rule(
        "robots-lost-rule",
        Level::Error,
        "A rule of robots.txt has no effect",
        "It is in no group, is overruled, has an unreadable value, or comes after the part of the file that robots read. Move it into the group of its bots, correct its value, or remove it.",
    ),
    rule(
        "robots-read-otherwise",
        Level::Warning,
        "Robots read a line of robots.txt in different ways",
        "Write one path a line, spaces as `%20`, other records at the end of a group, and UTF-8 without a byte order mark.",
    ),
    rule(
        "robots-beyond-rfc",
        Level::Hint,
        "A line of robots.txt is not in RFC 9309",
        "Some robots read it, but no standard requires it.",
    ),
    rule(
        "canonical-noindex",
        Level::Error,
        "The canonical page may not be indexed",
        "Robots index the canonical page instead of this one, and then remove the canonical page. Neither page is found.",
    ),
    rule(
        "undeclared-profile",
        Level::Warning,
        "Classes of the Robot Exclusion Profile without its URI",
        "Without `<head profile=\"http://example.org/xmdp/robots-profile#\">` the allowing classes have no effect, and strict robots ignore all of its classes.",
    ),
    rule(
        "unknown-robot",
        Level::Warning,
        "A robot's number without a name",
        "Robots cannot know which bot is meant. Name it: `<meta name=\"RobotExclusion.RobotName1\" content=\"FooBot\">`.",
    ),
    rule(
        "ignored-element",
        Level::Warning,
        "HTML ignores this element here",
        "Its class has no effect, as with a `td` outside of a table. Put the class on an element that is kept.",
    ),
    rule(
        "late-attributes",
        Level::Warning,
        "A second `html` or `body` tag applies to the whole page",
        "HTML adds its attributes to the first tag. They apply to the whole page, and not only to what follows.",
    ),
    rule(
        "moved-content",
        Level::Warning,
        "HTML moves content out of this element",
        "Its content in the tree differs from its content in the source. Close inner elements before outer ones.",
    ),
    rule(
        "region-across-elements",
        Level::Hint,
        "A region begins in one element and ends in another",
        "Engines that work on the tree cannot follow the region, and some remove the rest of the page. Begin and end it in the same element.",
    ),
    rule(
        "minified-away",
        Level::Hint,
        "Comments that minifiers remove",
        "A minifier removes comments, often one of a pair of marks. Configure it to keep them, or use a class or an attribute.",
    ),
];

/// Returns the lint rule with the name `id`, or None if no rule has this name.
pub(super) fn find(id: &str) -> Option<&'static LintRule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Returns the lint rule with the name `id`. The callers in this crate pass only names of existing
/// rules.
pub(super) fn by_id(id: &'static str) -> &'static LintRule {
    find(id).unwrap_or(&RULES[0])
}

/// A selection of lint rules. By default, all rules are selected except hints.
///
/// # Examples
/// ```
/// use heedful_lint::{RULES, RuleSelection};
///
/// let selection = RuleSelection::default().skip("stray-close")?;
/// let selected = |id| RULES.iter().any(|rule| rule.id() == id && selection.has(rule));
/// assert!(selected("unclosed-region") && !selected("stray-close"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RuleSelection {
    only: Vec<&'static str>,
    skip: Vec<&'static str>,
    hints: bool,
}

impl RuleSelection {
    /// Selects only the rules whose names are in `ids`, separated by commas. Hints among these
    /// rules are selected too. Repeated calls add rules.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if `ids` has a name that no
    /// lint rule has.
    ///
    /// # Examples
    /// ```
    /// use heedful_lint::{RULES, RuleSelection};
    ///
    /// let selection = RuleSelection::default().only("unclosed-region, minified-away")?;
    /// assert_eq!(RULES.iter().filter(|rule| selection.has(rule)).count(), 2);
    /// assert!(RuleSelection::default().only("no-such-rule").is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn only(mut self, ids: &str) -> Result<Self> {
        self.only.extend(read(ids)?);
        Ok(self)
    }

    /// Excludes the rules whose names are in `ids`, separated by commas. Repeated calls exclude
    /// more rules.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if `ids` has a name that no
    /// lint rule has.
    ///
    /// # Examples
    /// ```
    /// use heedful_lint::{RULES, RuleSelection};
    ///
    /// let selection = RuleSelection::default().only("stray-close,lookalike")?.skip("lookalike")?;
    /// assert_eq!(RULES.iter().filter(|rule| selection.has(rule)).count(), 1);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn skip(mut self, ids: &str) -> Result<Self> {
        self.skip.extend(read(ids)?);
        Ok(self)
    }

    /// Selects the rules of [`Level::Hint`] too.
    ///
    /// # Examples
    /// ```
    /// use heedful_lint::{Level, RULES, RuleSelection};
    ///
    /// let hint = RULES.iter().find(|rule| rule.level() == Level::Hint).unwrap();
    /// assert!(!RuleSelection::default().has(hint));
    /// assert!(RuleSelection::default().hints().has(hint));
    /// ```
    pub fn hints(mut self) -> Self {
        self.hints = true;
        self
    }

    /// True if this selection contains the lint rule `rule`.
    pub fn has(&self, rule: &LintRule) -> bool {
        if self.skip.contains(&rule.id) {
            return false;
        }
        if self.only.is_empty() {
            self.hints || rule.level > Level::Hint
        } else {
            self.only.contains(&rule.id)
        }
    }
}

fn read(ids: &str) -> Result<Vec<&'static str>> {
    ids.split(',').map(str::trim).map(find_id).collect()
}

fn find_id(id: &str) -> Result<&'static str> {
    if let Some(rule) = RULES.iter().find(|rule| rule.id == id) {
        return Ok(rule.id);
    }
    let ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
    let hint = hint(id, ids.iter().copied());
    let message = if hint.is_empty() {
        format!("`{id}` is no rule: {}", ids.join(", "))
    } else {
        format!("`{id}` is no rule;{hint}")
    };
    Err(Error::setting(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_chosen_by_name() {
        let hint = by_id("minified-away");
        let (region, stray) = (by_id("unclosed-region"), by_id("stray-close"));
        let has = |selection: &RuleSelection| [region, stray, hint].map(|rule| selection.has(rule));
        assert_eq!(has(&RuleSelection::default()), [true, true, false]);
        assert_eq!(has(&RuleSelection::default().hints()), [true, true, true]);
        assert_eq!(
            has(&RuleSelection::default().skip("stray-close").unwrap()),
            [true, false, false]
        );
        assert_eq!(
            has(&RuleSelection::default()
                .only("minified-away, stray-close")
                .unwrap()),
            [false, true, true]
        );
        assert!(
            RuleSelection::default().only("stray").is_err()
                && RuleSelection::default().skip("").is_err()
        );
    }
}
