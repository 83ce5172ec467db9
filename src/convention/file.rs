//! The user's own conventions, and the operator's denials by URL, from a TOML file
//! (docs/semantics.md, section 4.6).
//!
//! A TOML file with an error has no effect at all, since the misspelt part could be a denial. The
//! message of each error begins with line and column of the wrong part.

use serde::Deserialize;
use toml::Spanned;

use crate::policy::Uses;
use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

use super::custom::comment;
use super::set::Conventions;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConventionFile {
    #[serde(default)]
    region: Vec<RegionTable>,
    #[serde(default)]
    element: Vec<ElementTable>,
    #[serde(default)]
    page: Vec<PageTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionTable {
    open: Spanned<String>,
    close: Spanned<String>,
    deny: DeniedUses,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ElementTable {
    select: Spanned<String>,
    deny: DeniedUses,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageTable {
    url: Spanned<Patterns>,
    deny: DeniedUses,
}

/// Value of `url` in a TOML table that denies uses by URL. It is one URL pattern, or several
/// patterns with the same denied uses.
#[derive(Deserialize)]
#[serde(untagged, expecting = "`url` is a pattern or an array of patterns")]
enum Patterns {
    One(String),
    Many(Vec<String>),
}

type DeniedUses = Spanned<Vec<Spanned<String>>>;

impl Conventions {
    /// Adds the rules of a TOML text: regions, elements, and denials by URL.
    ///
    /// ```
    /// let own = r#"
    ///     [[page]]
    ///     url = ["/private/", "https://shop.example/cart"]
    ///     deny = ["noindex", "nofollow"]
    /// "#;
    /// let conventions = heedful::Conventions::default().toml(own)?;
    /// let filter = heedful::Filter::new(heedful::Bot::new("FooBot")?).conventions(conventions);
    /// let page = filter.page("https://site.example/private/a", &[], b"<p>word")?;
    /// assert!(page.phrases().is_empty());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the text is not
    /// TOML in the form of docs/semantics.md, section 4.6. Fails with the same kind of error if a
    /// rule is not valid for [`Conventions::region`], [`Conventions::element`],
    /// [`Conventions::page`] or [`Uses::parse`]. The message begins with line and column.
    pub fn toml(mut self, text: &str) -> Result<Self> {
        let file: ConventionFile =
            toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        for RegionTable { open, close, deny } in file.region {
            let denies = uses(text, &deny)?;
            located(text, close.span().start, comment(close.as_ref()))?;
            let added = self.region(open.as_ref(), close.as_ref(), denies);
            self = located(text, open.span().start, added)?;
        }
        for ElementTable { select, deny } in file.element {
            let denies = uses(text, &deny)?;
            let added = self.element(select.as_ref(), denies);
            self = located(text, select.span().start, added)?;
        }
        for PageTable { url, deny } in file.page {
            let denies = uses(text, &deny)?;
            let at = url.span().start;
            let patterns = match url.into_inner() {
                Patterns::One(pattern) => vec![pattern],
                Patterns::Many(patterns) => patterns,
            };
            if patterns.is_empty() {
                return Err(locate_error(
                    text,
                    at,
                    &Error::setting("`url` names no page"),
                ));
            }
            for pattern in patterns {
                self = located(text, at, self.page(&pattern, denies))?;
            }
        }
        Ok(self)
    }
}

/// Parses the denied uses of a rule in the TOML text `text`. The message of an error begins with
/// the line and column of the wrong word.
fn uses(text: &str, words: &DeniedUses) -> Result<Uses> {
    if words.as_ref().is_empty() {
        return Err(locate_error(
            text,
            words.span().start,
            &Error::setting("`deny` denies nothing"),
        ));
    }
    let mut all = Uses::NONE;
    for word in words.as_ref() {
        let uses = located(text, word.span().start, Uses::parse(word.as_ref()))?;
        all = all.union(uses);
    }
    Ok(all)
}

/// Converts an error of the TOML parser to a message of one line, for people who do not know the
/// parser.
fn toml_error(text: &str, error: &toml::de::Error) -> Error {
    let span = error.span().unwrap_or_default();
    let message = match error.message() {
        "duplicate key" => format!(
            "`{}` is there twice",
            text.get(span.clone()).unwrap_or_default()
        ),
        message => message.replace('\n', ", "),
    };
    let message = match message.strip_prefix("invalid type: ") {
        Some("map, expected a sequence") => {
            "the name of a rule stands between two brackets, as [[region]]".to_owned()
        }
        Some(found) if found.ends_with(", expected a sequence") => {
            "a list is needed, as [\"noindex\"]".to_owned()
        }
        // The parser takes a word without quotes for `nan`, `inf`, `true` or `false` if its first
        // letter fits.
        None if [
            "invalid float",
            "invalid boolean",
            "string values must be quoted",
        ]
        .iter()
        .any(|start| message.starts_with(start)) =>
        {
            "a text stands in quotes, as \"noindex\"".to_owned()
        }
        _ => message.replace("type: sequence", "type: array"),
    };
    // "unknown field `a`, expected one of `b`, `c`"
    let mut named = message.split('`').skip(1).step_by(2);
    let near = if message.starts_with("unknown field ")
        && let Some(name) = named.next()
    {
        hint(name, named)
    } else {
        String::new()
    };
    let separator = if near.is_empty() { "" } else { ";" };
    locate_error(
        text,
        span.start,
        &Error::setting(format!("{message}{separator}{near}")),
    )
}

/// If `result` is an error, puts the line and column of the byte offset `at` in `text` in front of
/// its message.
fn located<T>(text: &str, at: usize, result: Result<T>) -> Result<T> {
    result.map_err(|error| locate_error(text, at, &error))
}

/// Returns the error with the line and column of the byte offset `at` in `text` in front of its
/// message.
fn locate_error(text: &str, at: usize, error: &Error) -> Error {
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before
        .chars()
        .rev()
        .take_while(|character| *character != '\n')
        .count()
        + 1;
    Error::setting(format!("{line}:{column}: {error}"))
}
