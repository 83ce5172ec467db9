//! Questions and answers of `check --batch` and `heedful serve`, as JSON. A question asks if a
//! robots.txt allows a bot to fetch a URL.

use std::time::SystemTime;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heedful::{Bot, Mode, Result, RobotsTxt, Source, SourceKind, Url};
use heedful_json as json;
use heedful_json::RulingJson;
use serde::Deserialize;

use crate::args::asker;
use crate::ending::setting;
use crate::terms_args::time;

/// The times in a question about a robots.txt. `at` is the time of the intended fetch. `last` is
/// the time of the bot's last fetch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct When {
    pub(crate) at: Option<SystemTime>,
    pub(crate) last: Option<SystemTime>,
}

impl When {
    /// Creates the times of a question about a robots.txt. Fails if `last` is given without `at`,
    /// since `last` has an effect only together with `at`.
    pub(crate) fn new(at: Option<SystemTime>, last: Option<SystemTime>) -> Result<Self> {
        if at.is_none() && last.is_some() {
            return Err(setting(
                "`last` needs `at`: say when the bot would come, as 2026-12-31T23:59:59Z",
            ));
        }
        Ok(Self { at, last })
    }
}

#[derive(Deserialize)]
struct CheckQuestion {
    robots: Option<String>,
    robots_b64: Option<String>,
    bot: String,
    url: String,
    mode: Option<String>,
    at: Option<String>,
    last: Option<String>,
}

impl CheckQuestion {
    fn answer(&self, when: When) -> Result<String> {
        let bytes = match (&self.robots, &self.robots_b64) {
            (Some(_), Some(_)) => {
                return Err(setting(
                    "`robots` and `robots_b64` are two answers: leave one out",
                ));
            }
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(packed)) => BASE64_STANDARD
                .decode(packed)
                .map_err(|error| setting(error.to_string()))?,
            (None, None) => return Err(setting("a question needs `robots` or `robots_b64`")),
        };
        let mode = self
            .mode
            .as_deref()
            .map(Mode::parse)
            .transpose()?
            .unwrap_or_default();
        let robots = parse_robots(&bytes, mode);
        let bot = asker(&self.bot)?;
        check_url(&self.url)?;
        let at = moment(self.at.as_deref())?.or(when.at);
        let last = moment(self.last.as_deref())?.or(when.last);
        Ok(ruling(&robots, &bot, &self.url, When::new(at, last)?))
    }
}

/// Checks the `url` of a question. Fails unless `url` is a path, or a URL with the scheme http or
/// https. Without this check, a misspelled URL could be reported as allowed.
pub(crate) fn check_url(url: &str) -> Result<()> {
    let is_path = url.starts_with('/') && !url.starts_with("//");
    let is_url = || {
        Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    };
    if is_path || is_url() {
        return Ok(());
    }
    Err(setting(format!(
        "`{url}` is neither a path, as /private/x, nor a whole URL, as https://site.example/private/x"
    )))
}

/// Answers one question about a robots.txt. `question` is a JSON object, and the answer is a line
/// of JSON. `when` has the times that the question does not state itself. Fails if `question` is
/// not valid.
pub(crate) fn answer(question: &[u8], when: When) -> Result<String> {
    let question = serde_json::from_slice::<CheckQuestion>(question)
        .map_err(|error| setting(format!("this is no question: {}", json::unreadable(&error))))?;
    question.answer(when)
}

/// Parses the robots.txt that a caller sent with its question.
pub(crate) fn parse_robots(robots: &[u8], mode: Mode) -> RobotsTxt {
    RobotsTxt::parse(robots)
        .mode(mode)
        .with_source(Source::new(SourceKind::Given, ""))
}

/// Returns the ruling of a robots.txt on a URL for a bot, as a line of JSON.
pub(crate) fn ruling(robots: &RobotsTxt, bot: &Bot, url: &str, when: When) -> String {
    let ruling = robots.ruling(bot, url);
    let object = RulingJson::new(robots, &ruling, bot, url);
    json::line(&if let Some(at) = when.at {
        object.next_fetch(robots, bot, at, when.last)
    } else {
        object
    })
}

fn moment(text: Option<&str>) -> Result<Option<SystemTime>> {
    text.map(|text| time(text).map_err(setting)).transpose()
}
