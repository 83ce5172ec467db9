//! RSL licences: their addresses in a `Link` header or a `link` element, and scripts that contain a
//! licence (docs/semantics.md, section 4.5).
//!
//! Implements Really Simple Licensing 1.0, section 4. A link has an effect only with the media type
//! of RSL: other links to licences are for people. This file only finds the licences of a page.
//! `scope` reads them if the caller provides them, and also the licences that a robots.txt names.

use super::collector::StatementCollector;
use super::view::Element;

#[doc(hidden)]
pub const CONVENTION: &str = "rsl";
const MEDIA_TYPE: &str = "application/rsl+xml";

pub(super) fn link(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let attribute = |name| element.attribute(name).unwrap_or_default();
    let rel = attribute("rel");
    if is_licence(&rel, &attribute("type")) && !attribute("href").trim().is_empty() {
        collector.pointers.push(attribute("href").trim().to_owned());
    }
}

/// True if a start tag begins a script that contains an RSL licence.
pub(crate) fn is_script(element: &impl Element) -> bool {
    element
        .attribute("type")
        .is_some_and(|kind| is_media_type(&kind))
}

/// Text that a report shows as the reason of a denial, in place of a script with a licence.
pub(crate) const SCRIPT: &str = "<script type=\"application/rsl+xml\">";

/// Adds to `collector` the URLs of RSL licences in a `Link` header. An example is `Link:
/// <https://site.example/licence.xml>; rel="license"; type="application/rsl+xml"`. A header may
/// have several links, separated by commas.
pub fn header(value: &str, collector: &mut StatementCollector<'_>) {
    collector
        .pointers
        .extend(licences(value).into_iter().map(str::to_owned));
}

#[doc(hidden)]
pub fn is_header(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("link")
}

/// Returns the URLs of RSL licences (Really Simple Licensing) in the value of a `Link` header.
/// Links to other resources are ignored.
fn licences(value: &str) -> Vec<&str> {
    let mut rest = value;
    let mut found = Vec::new();
    while let Some((_, after)) = rest.split_once('<') {
        let Some((address, parameters)) = after.split_once('>') else {
            break;
        };
        let end = end_of_link(parameters);
        let own = &parameters[..end];
        let rel = parameter(own, "rel").unwrap_or_default();
        let media_type = parameter(own, "type").unwrap_or_default();
        if is_licence(rel, media_type) {
            found.push(address.trim());
        }
        rest = &parameters[end..];
    }
    found
}

/// Reduces the value of a `Link` header to its links to RSL licences (Really Simple Licensing).
/// Returns `None` if the value has no such link.
pub(super) fn links_to_licences(value: &str) -> Option<String> {
    let link = |address| format!("<{address}>; rel=\"license\"; type=\"{MEDIA_TYPE}\"");
    let links: Vec<_> = licences(value).into_iter().map(link).collect();
    (!links.is_empty()).then(|| links.join(", "))
}

fn is_licence(rel: &str, media_type: &str) -> bool {
    is_media_type(media_type)
        && rel
            .split_whitespace()
            .any(|word| word.eq_ignore_ascii_case("license"))
}

fn is_media_type(text: &str) -> bool {
    text.split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case(MEDIA_TYPE)
}

/// Returns the byte offset at which a link of a `Link` header ends. `parameters` is the text of the
/// header after the `>` of this link. The link ends at the first comma outside double quotes, or at
/// the end of the text.
fn end_of_link(parameters: &str) -> usize {
    end_at(parameters, b',')
}

/// Returns the offset of the first byte `wanted` outside double quotes, or the length of the text
/// if there is none. In quotes, a backslash escapes the next byte.
fn end_at(text: &str, wanted: u8) -> usize {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ if byte == wanted && !is_quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the value, without its quotes, of the first parameter named `wanted`. `parameters` is
/// the text of all parameters of one link in a `Link` header. Returns `None` if no parameter with
/// this name has a value.
fn parameter<'a>(parameters: &'a str, wanted: &str) -> Option<&'a str> {
    let mut rest = parameters;
    while !rest.is_empty() {
        let (one, after) = rest.split_at(end_at(rest, b';'));
        rest = after.strip_prefix(';').unwrap_or(after);
        // A parameter without a value is skipped.
        let Some((name, value)) = one.split_once('=') else {
            continue;
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value.trim().trim_matches(['"', '\'']).trim());
        }
    }
    None
}
