//! The address of a page's RSL licence, and a script that is one (docs/semantics.md, section 4.5).
//! The address is in the `Link` header or in `link`.
//!
//! By Really Simple Licensing 1.0, section 4. Only pointers with its media type count: a link to a
//! licence for people has no effect here. The licence at the address is read by `scope`, if the
//! caller provides it, as are those that robots.txt names.

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

/// True if a script is a licence.
pub(crate) fn is_script(element: &impl Element) -> bool {
    element
        .attribute("type")
        .is_some_and(|kind| is_media_type(&kind))
}

/// The quotation of a licence in the page.
pub(crate) const SCRIPT: &str = "<script type=\"application/rsl+xml\">";

/// Reads `Link: <https://site.example/licence.xml>; rel="license"; type="application/rsl+xml"`,
/// perhaps several separated by commas.
pub fn header(value: &str, collector: &mut StatementCollector<'_>) {
    collector
        .pointers
        .extend(licences(value).into_iter().map(str::to_owned));
}

#[doc(hidden)]
pub fn is_header(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("link")
}

/// The addresses of the licences among the links of a header.
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

/// The links of a header to licences, written anew without the others. None if there are none.
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

/// The end of a link's parameters: a comma outside quotes.
fn end_of_link(parameters: &str) -> usize {
    end_at(parameters, b',')
}

/// The first place of a byte outside quotes, or the end if there is none. In quotes a backslash
/// escapes the next byte.
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

/// The value of the first parameter of this name.
fn parameter<'a>(parameters: &'a str, wanted: &str) -> Option<&'a str> {
    let mut rest = parameters;
    while !rest.is_empty() {
        let (one, after) = rest.split_at(end_at(rest, b';'));
        rest = after.strip_prefix(';').unwrap_or(after);
        // Some parameters have no value.
        let Some((name, value)) = one.split_once('=') else {
            continue;
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value.trim().trim_matches(['"', '\'']).trim());
        }
    }
    None
}
