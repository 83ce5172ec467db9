//! The settings of a request, parsed from the query string of its URL. They have the same names as
//! the options of the verbs.
//!
//! A setting with an unknown name is refused, since it may have been meant to deny a use.

use std::time::SystemTime;

use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use heedful::{Bot, Conventions, Mode};
use heedful_input::RowHeaders;

use crate::ending::setting;
use crate::run_args::header;
use crate::terms_args::time;

use super::refuse::Refusal;

/// The settings in the query string of a URL, as pairs of name and value.
#[derive(Debug, Default)]
pub(super) struct QueryString(Vec<(String, String)>);

impl QueryString {
    /// Parses the query string of a URL. Refuses settings whose names are not in `known`.
    pub(super) fn from_uri(uri: &Uri, known: &[&str]) -> Result<Self, Refusal> {
        let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned();
        let pairs: Vec<_> = pairs.collect();
        match pairs
            .iter()
            .find(|(name, _)| !known.contains(&name.as_str()))
        {
            Some((name, _)) => {
                let message = format!("`{name}` is not known here; what is: {}", known.join(", "));
                Err(Refusal::new(
                    StatusCode::BAD_REQUEST,
                    "parameter",
                    setting(message),
                ))
            }
            None => Ok(Self(pairs)),
        }
    }

    /// Returns all values of the setting `name` in the query string.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the value of the setting `name` in the query string. Fails if the name occurs more
    /// than once.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Refusal> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(setting(format!("`{name}` may come once")).into()),
        }
    }

    /// Parses the value of the setting `name` in the query string. Returns `None` if the setting is
    /// missing. Fails if the name occurs more than once.
    pub(super) fn parsed<T, E: std::fmt::Display>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Refusal> {
        self.one(name)?
            .map(|text| parse(text).map_err(|error| wrong(name, &error)))
            .transpose()
    }

    /// True if the setting `name` in the query string is switched on: its value is empty, `1`,
    /// `true` or `yes`. False if the setting is missing, or if its value is `0`, `false` or `no`.
    /// Fails for any other value.
    pub(super) fn has(&self, name: &str) -> Result<bool, Refusal> {
        match self.one(name)? {
            None | Some("0" | "false" | "no") => Ok(false),
            Some("" | "1" | "true" | "yes") => Ok(true),
            Some(_) => Err(setting(format!("`{name}` is 1 or 0")).into()),
        }
    }
}

fn wrong(name: &str, error: &impl std::fmt::Display) -> Refusal {
    setting(format!("`{name}`: {error}")).into()
}

/// The settings of a request by which the service filters a page.
#[derive(Clone, Debug, Default)]
pub(super) struct FilterParams {
    pub(super) url: Option<String>,
    /// Text of a robots.txt that applies to the page.
    pub(super) robots: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) bots: Vec<Bot>,
    pub(super) conventions: Option<Conventions>,
    pub(super) at: Option<SystemTime>,
    pub(super) mode: Option<Mode>,
}

impl FilterParams {
    /// The names that the settings for filtering a page have in a query string.
    pub(super) const NAMES: [&'static str; 7] = [
        "url",
        "header",
        "robots",
        "bot",
        "conventions",
        "at",
        "mode",
    ];

    /// Names of the settings that are allowed only if the body is the HTML of a page. A JSON object
    /// has keys for them.
    const OF_BODY: [&'static str; 2] = ["url", "robots"];

    pub(super) fn from_query(query: &QueryString) -> Result<Self, Refusal> {
        let bots = query
            .all("bot")
            .map(|text| Bot::parse(text).map_err(|error| wrong("bot", &error)));
        let headers = query
            .all("header")
            .map(|text| header(text).map_err(|error| wrong("header", &error)));
        Ok(Self {
            url: query.one("url")?.map(str::to_owned),
            robots: query.one("robots")?.map(str::to_owned),
            headers: headers.collect::<Result<_, _>>()?,
            bots: bots.collect::<Result<_, _>>()?,
            conventions: query.parsed("conventions", Conventions::parse)?,
            at: query.parsed("at", time)?,
            mode: query.parsed("mode", Mode::parse)?,
        })
    }

    /// Parses the query string of a request about pages. The settings of a page and the names in
    /// `also` are allowed. `is_object` is true if the request body has pages as JSON objects.
    ///
    /// # Errors
    /// Fails if the query string has an invalid setting. Also fails if the request itself has a
    /// header with rules for pages, such as `X-Robots-Tag`. The setting `header` is the place for
    /// such a header. If `is_object` is true, also fails if the query string has `url` or `robots`.
    pub(super) fn parse_request(
        head: &Parts,
        is_object: bool,
        also: &[&str],
    ) -> Result<(QueryString, Self), Refusal> {
        let known = [&Self::NAMES[..], also].concat();
        let query = QueryString::from_uri(&head.uri, &known)?;
        let asked = Self::from_query(&query)?;
        if let Some(name) = head
            .headers
            .keys()
            .find(|name| RowHeaders::may_forbid(name.as_str()))
        {
            let message = format!(
                "{name} here is a header of the request: say that of the page in the address, as \
                 ?header=X-Robots-Tag:%20noindex, or in `headers` of an object"
            );
            return Err(setting(message).into());
        }
        let misplaced = |name: &&&str| is_object && query.all(name).next().is_some();
        match Self::OF_BODY.iter().find(misplaced) {
            Some(name) => {
                let message =
                    format!("`{name}` is for a page as the body: an object has its own `{name}`");
                Err(setting(message).into())
            }
            None => Ok((query, asked)),
        }
    }
}
