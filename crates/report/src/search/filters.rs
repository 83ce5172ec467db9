//! The filters of a search: the language of a page, the day on which it was fetched, and its site.
//! The form of each page of a search has controls for the filters. Links keep the filters that are
//! chosen.

use std::time::SystemTime;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::wording;
use heedful_json::rfc3339;

use super::address::address;
use super::shown;

/// Maximum number of languages that the control for the language offers. If the index has more
/// languages, the control omits the least frequent ones.
const MOST_LANGUAGES: usize = 50;

/// Filters that a person chose for a search. A field is `None` if its filter is not chosen.
///
/// ```
/// use heedful_report::search::{SearchFilters, SearchSite};
///
/// let filters = SearchFilters { site: Some("site.example"), ..SearchFilters::default() };
/// let site = SearchSite { filters, ..SearchSite::default() };
/// assert!(site.start().contains("value=\"site.example\""));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchFilters<'a> {
    /// Language tag of the pages to find, as the person chose or wrote it.
    pub language: Option<&'a str>,
    /// Start of the period in which the pages to find were fetched. The start is included.
    pub since: Option<SystemTime>,
    /// End of the period in which the pages to find were fetched. The end is not included.
    pub until: Option<SystemTime>,
    /// Host of the pages to find, or a domain that contains their hosts.
    pub site: Option<&'a str>,
}

/// Facts of an index that decide which filters have a control.
pub(super) struct FilterFacts<'a> {
    /// Languages that the indexed pages declare. Each language is paired with the number of pages
    /// that declare it.
    pub(super) languages: &'a [(String, u64)],
    /// Number of hosts of the indexed pages.
    pub(super) hosts: u64,
    /// True if the fetch time of at least one indexed page is known.
    pub(super) has_days: bool,
    pub(super) now: Option<SystemTime>,
}

/// Controls with which a person chooses filters in the HTML form of a search. The form has no
/// control for the language if `languages` is empty, and none for the period if `periods` is empty.
#[derive(Default)]
pub(super) struct FilterControls {
    pub(super) languages: Vec<FilterOption>,
    pub(super) periods: Vec<FilterOption>,
    /// Text in the input field for a site. `None` if the form has no such field.
    pub(super) site: Option<String>,
    /// Value of the filter [`SearchFilters::until`], which has no visible control. The form passes
    /// the value on in a hidden field. `None` if this filter is not chosen.
    pub(super) until: Option<String>,
}

pub(super) struct FilterOption {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) is_chosen: bool,
}

/// A chosen filter, as a page of search results shows it. `words` describes the filter. `without`
/// is the address of the same search without this filter.
pub(super) struct ChosenFilter {
    pub(super) words: String,
    pub(super) without: String,
}

impl SearchFilters<'_> {
    /// Returns the chosen filters as query parameters of an address: pairs of name and value.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let texts = [
            ("language", self.language.map(str::to_owned)),
            ("since", self.since.and_then(as_parameter)),
            ("until", self.until.and_then(as_parameter)),
            ("site", self.site.map(str::to_owned)),
        ];
        let chosen = texts.into_iter();
        chosen
            .filter_map(|(name, text)| Some((name, text?)))
            .collect()
    }

    /// Returns an address with the path `path`. The address has the query parameters `pairs`, and
    /// those of the chosen filters.
    pub(super) fn address(&self, path: &str, pairs: &[(&str, &str)]) -> String {
        let kept = self.pairs();
        let kept = kept.iter().map(|(name, text)| (*name, text.as_str()));
        let all: Vec<_> = pairs.iter().copied().chain(kept).collect();
        address(path, &all)
    }

    /// Returns the chosen filters, each with the address of a search for `query` without this
    /// filter.
    pub(super) fn chosen(&self, query: &str) -> Vec<ChosenFilter> {
        let mut chosen = Vec::new();
        let mut add = |words: Option<String>, others: Self| {
            if let Some(words) = words {
                let without = others.address("/", &[("q", query)]);
                chosen.push(ChosenFilter { words, without });
            }
        };
        let language = self
            .language
            .map(|tag| format!("in {}", language_name(tag)));
        let since = self
            .since
            .map(|time| format!("fetched since {}", day_or_time(time)));
        let until = self
            .until
            .map(|time| format!("fetched before {}", day_or_time(time)));
        let site = self.site.map(|host| format!("on {}", shown::line(host)));
        add(
            language,
            Self {
                language: None,
                ..*self
            },
        );
        add(
            since,
            Self {
                since: None,
                ..*self
            },
        );
        add(
            until,
            Self {
                until: None,
                ..*self
            },
        );
        add(
            site,
            Self {
                site: None,
                ..*self
            },
        );
        chosen
    }
}

impl FilterControls {
    /// Creates the controls of the filters. Each filter in `chosen` has a control. The language
    /// filter also has one if `index` has several languages. The site filter also has one if
    /// `index` has several hosts. The period filter also has one if a fetch time is known.
    pub(super) fn new(index: &FilterFacts<'_>, chosen: &SearchFilters<'_>) -> Self {
        let mut controls = Self {
            until: chosen.until.and_then(as_parameter),
            ..Self::default()
        };
        if index.languages.len() > 1 || chosen.language.is_some() {
            controls.languages = languages(index.languages, chosen.language);
        }
        if index.has_days || chosen.since.is_some() {
            controls.periods = periods(index.now, chosen.since);
        }
        if index.hosts > 1 || chosen.site.is_some() {
            controls.site = Some(shown::line(chosen.site.unwrap_or_default()));
        }
        controls
    }
}

/// Returns the languages that the control offers. `counts` has the languages of the indexed pages
/// with their numbers of pages, the most frequent language first.
fn languages(counts: &[(String, u64)], chosen: Option<&str>) -> Vec<FilterOption> {
    let chosen_primary = chosen.map(first_subtag);
    let mut options = vec![unset("any language")];
    for (tag, pages) in counts.iter().take(MOST_LANGUAGES) {
        options.push(FilterOption {
            value: shown::line(tag),
            label: format!("{} ({})", language_name(tag), wording::grouped(*pages)),
            is_chosen: chosen_primary.as_ref() == Some(tag),
        });
    }
    with_chosen(
        options,
        chosen.map(|tag| (shown::line(tag), language_name(tag))),
    )
}

/// Returns the options of the control for the period. The options are any time, and the week, month
/// and year before `now`. If `now` is `None`, any time is the only option. `chosen` is the start of
/// the period that the person chose. If no option has this start, another option is added for it.
fn periods(now: Option<SystemTime>, chosen: Option<SystemTime>) -> Vec<FilterOption> {
    let chosen_value = chosen.and_then(as_parameter);
    let mut options = vec![unset("at any time")];
    let now = now.and_then(|now| Timestamp::try_from(now).ok());
    if let Some(now) = now {
        let today = now.to_zoned(TimeZone::UTC).date();
        for (label, span) in [
            ("in the past week", 1.week()),
            ("in the past month", 1.month()),
            ("in the past year", 1.year()),
        ] {
            let Ok(since) = today.checked_sub(span) else {
                continue;
            };
            let value = since.to_string();
            options.push(FilterOption {
                is_chosen: chosen_value.as_ref() == Some(&value),
                value,
                label: label.to_owned(),
            });
        }
    }
    let own = chosen_value.zip(chosen.map(|time| format!("since {}", day_or_time(time))));
    with_chosen(options, own)
}

fn unset(label: &str) -> FilterOption {
    FilterOption {
        value: String::new(),
        label: label.to_owned(),
        is_chosen: false,
    }
}

/// Adds the chosen value to the options of a control, unless one of the options is marked as
/// chosen. `chosen` has the value and its label. `None` if no value is chosen.
fn with_chosen(
    mut options: Vec<FilterOption>,
    chosen: Option<(String, String)>,
) -> Vec<FilterOption> {
    if let Some((value, label)) = chosen
        && !options.iter().any(|option| option.is_chosen)
    {
        options.push(FilterOption {
            value,
            label,
            is_chosen: true,
        });
    }
    options
}

fn first_subtag(tag: &str) -> String {
    let primary = tag.split(['-', '_']).next().unwrap_or_default();
    primary.to_ascii_lowercase()
}

/// Returns the English name of a language. If the name is unknown, returns the tag as one line
/// without control characters.
fn language_name(tag: &str) -> String {
    shown::language(&shown::line(tag))
}

/// Formats a time as the value of a query parameter. If the time is the beginning of a day, the
/// result is the day. Otherwise the result is the time by RFC 3339. Returns `None` if the time
/// cannot be formatted.
fn as_parameter(time: SystemTime) -> Option<String> {
    let exact = rfc3339(time)?;
    let day = exact.strip_suffix("T00:00:00Z");
    Some(day.unwrap_or(&exact).to_owned())
}

/// Formats a time for people: a day, followed by the time of day unless it is the beginning of the
/// day.
fn day_or_time(time: SystemTime) -> String {
    match as_parameter(time) {
        Some(exact) if exact.contains('T') => exact,
        _ => shown::day(time),
    }
}
