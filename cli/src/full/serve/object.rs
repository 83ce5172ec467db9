//! A page as a JSON object, parsed as the library's JSON Lines are. Keys that a caller may take for
//! settings are refused: an ignored setting could have denied a use.

use std::fmt;

use heedful::Limits;
use heedful_input::{Item, json_line, lost_json_line};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use crate::ending::setting;

/// The name for a request in error messages about its lines.
pub(super) const NAME: &str = "request";

/// The settings that belong in the query string, and not in the object.
const SETTINGS: [&str; 4] = ["bot", "conventions", "mode", "at"];

/// Parses an object into items. The last item is the object's own; the items before it are site
/// files.
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

/// Returns the first setting among the keys of an object. Other mistakes in the object are reported
/// by the parser of the page.
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
