//! Parses a page that is sent as a JSON object, in the format of a line of JSON Lines. Keys with
//! the names of settings are refused. Such a setting would be ignored in the object, although the
//! caller may have meant it to deny a use.

use std::fmt;

use axum::http::StatusCode;
use heedful::Limits;
use heedful_input::{Item, json_line, lost_json_line};
use heedful_json::unreadable;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use crate::ending::setting;

use super::refuse::Refusal;

/// Name that stands in place of a file name in error messages about the lines of a request.
pub(super) const NAME: &str = "request";

/// The names of settings that belong in the query string of a request, not in the object with the
/// page.
const SETTINGS: [&str; 5] = ["bot", "conventions", "mode", "at", "landmarks"];

/// Parses a JSON object into items. The last item is the page or robots.txt in the object. The
/// items before it are site files. `number` is the line number of the object, for error messages.
pub(super) fn items(object: &[u8], number: u64, limits: &Limits) -> Vec<Item> {
    match find_setting(object) {
        Some(key) => {
            let message =
                format!("`{key}` is no key of a page: say it in the address, as ?{key}=...");
            lost_json_line(&[object], (NAME, number), setting(message))
        }
        None => json_line(object, (NAME, number), None, limits),
    }
}

/// Refuses a body that is not JSON with status 400. A body that is JSON but not a page is accepted
/// here. It later becomes an error of the page.
pub(super) fn check_json(object: &[u8]) -> Result<(), Refusal> {
    let refused = |why: String| {
        let message = format!("the body is no JSON: {why}");
        Err(Refusal::input(StatusCode::BAD_REQUEST, "json", message))
    };
    match std::str::from_utf8(object) {
        Err(error) => refused(error.to_string()),
        // As in a file, a byte order mark is no part of the text.
        Ok(text) => serde_json::from_str::<IgnoredAny>(text.trim_start_matches('\u{FEFF}'))
            .map(drop)
            .or_else(|error| refused(unreadable(&error))),
    }
}

/// Finds a setting that the client put into a JSON object by mistake. Returns the first key that is
/// the name of a setting. Other mistakes are ignored, since the parser of the page reports them.
fn find_setting(object: &[u8]) -> Option<&'static str> {
    serde_json::Deserializer::from_slice(object)
        .deserialize_map(RequestSettings)
        .ok()
        .flatten()
}

struct RequestSettings;

impl<'de> Visitor<'de> for RequestSettings {
    type Value = Option<&'static str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            found = found.or_else(|| {
                SETTINGS
                    .into_iter()
                    .find(|setting| key.eq_ignore_ascii_case(setting))
            });
            map.next_value::<IgnoredAny>()?;
        }
        Ok(found)
    }
}
