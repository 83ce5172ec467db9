//! Handles an image with a `noarchive` of its own. No copy of the image is stored, and its tag in a
//! snapshot leads to the publisher's site.

use url::Url;

use crate::lex::Token;

use super::dressing::escaped;

/// Attributes that a snapshot keeps of an image whose own tag denies archiving. Each attribute is a
/// pair of name and value. URLs in the values may be relative: [`image_tag`] makes them absolute.
pub(super) type ImageAttributes = Vec<(&'static str, String)>;

pub(super) fn image_attributes(token: &Token<'_>) -> ImageAttributes {
    let mut attributes = Vec::new();
    for name in ["class", "src", "srcset", "sizes", "width", "height"] {
        if let Some(value) = token.attribute(name) {
            attributes.push((name, value.into_owned()));
        }
    }
    attributes
}

/// Returns the tag that a snapshot has for an image whose own tag denies archiving. The URLs in the
/// tag are absolute, so that browsers load the image from the publisher's site.
pub(super) fn image_tag(image: &ImageAttributes, base: &Url) -> String {
    let mut tag = "<img".to_owned();
    for (name, value) in image {
        let value = match *name {
            "src" => absolute(value, base),
            "srcset" => sources(value, base),
            _ => value.clone(),
        };
        tag.extend([" ", name, "=\"", &escaped(&value), "\""]);
    }
    tag + ">"
}

fn absolute(address: &str, base: &Url) -> String {
    match base.join(address.trim()) {
        Ok(url) => url.into(),
        Err(_) => address.to_owned(),
    }
}

/// Returns the `srcset` attribute `value` with all URLs made absolute. The descriptor after a URL,
/// such as `2x`, is kept.
fn sources(value: &str, base: &Url) -> String {
    let is_separator = |c: char| c == ',' || c.is_ascii_whitespace();
    let mut rest = value.trim_start_matches(is_separator);
    let mut sources = Vec::new();
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(',');
        let ends_here = address.len() < end;
        rest = &rest[end..];
        let descriptor = if ends_here {
            ""
        } else {
            rest.split(',').next().unwrap_or_default()
        };
        rest = rest[descriptor.len()..].trim_start_matches(is_separator);
        sources.push(
            format!("{} {}", absolute(address, base), descriptor.trim())
                .trim_end()
                .to_owned(),
        );
    }
    sources.join(", ")
}
