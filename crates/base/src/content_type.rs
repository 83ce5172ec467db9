//! The type of a response, by all its `Content-Type` lines, as in the Fetch standard ("extract a
//! MIME type").
//!
//! Lines are joined by commas, as proxies and crawlers join them. The last member that is a media
//! type counts. A charset that an earlier member named goes on to one of the same type without its
//! own. A member that is no media type, and `*/*`, is passed over. If no member is left, the type
//! is as one that is missing, and so is its charset. One departure: a parameter `charset` is found
//! as in the content of a META, which forgives blanks and single quotes.

/// The sum of all `Content-Type` lines of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentType {
    /// The type without its parameters, in lower case. Empty if there is none.
    essence: String,
    charset: Option<String>,
}

impl ContentType {
    /// The type that the values of these lines give.
    pub fn from_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let lines: Vec<_> = lines.into_iter().collect();
        let mut found = Self::default();
        let mut carried = None;
        for member in members(&lines.join(", ")) {
            let Some(essence) = essence(member) else {
                continue;
            };
            if essence == "*/*" {
                continue;
            }
            let own =
                charset(member.as_bytes()).map(|label| String::from_utf8_lossy(label).into_owned());
            if essence != found.essence {
                carried.clone_from(&own);
            }
            found = Self {
                essence,
                charset: own.or_else(|| carried.clone()),
            };
        }
        found
    }

    /// The label of the character set.
    pub fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }
}

/// Is it a page?
impl ContentType {
    /// The type that the header lines of a response give.
    pub fn from_headers(headers: &[(String, String)]) -> Self {
        let mut lines = Vec::new();
        for (name, value) in headers {
            if name.trim().eq_ignore_ascii_case("content-type") {
                lines.push(value.as_str());
            }
        }
        Self::from_lines(lines)
    }

    /// True for HTML and XHTML.
    pub fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// True if the type is not stated, so that the bytes decide (mimesniff.spec.whatwg.org, section
    /// 7).
    pub fn is_unknown(&self) -> bool {
        matches!(
            self.essence.as_str(),
            "" | "unknown/unknown" | "application/unknown"
        )
    }

    /// True for the type of something that is no page.
    pub fn is_other(&self) -> bool {
        !self.is_unknown() && !self.is_html()
    }
}

/// The members of a list. A comma in quotes is none of the list's.
fn members(list: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    list.split(move |c| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        is_quoted ^= c == '"';
        is_escaped = is_quoted && c == '\\';
        c == ',' && !is_quoted
    })
}

/// The type and subtype of a media type, in lower case (mimesniff.spec.whatwg.org, section 4.4).
fn essence(member: &str) -> Option<String> {
    let blanks = [' ', '\t', '\r', '\n'];
    let essence = member.split(';').next()?.trim_matches(blanks);
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    Some(essence.to_ascii_lowercase())
}

/// True for a token of HTTP (RFC 9110, section 5.6.2).
pub fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// The value after `charset=` in a content type, as the HTML standard extracts it from a META.
pub fn charset(content: &[u8]) -> Option<&[u8]> {
    let lower = content.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let after = from + memchr::memmem::find(&lower[from..], b"charset")? + 7;
        let equals = after + count_blanks(&lower[after..])?;
        from = after;
        if lower[equals] != b'=' {
            continue;
        }
        let start = equals + 1 + count_blanks(&lower[equals + 1..])?;
        return match content[start] {
            quote @ (b'"' | b'\'') => {
                let rest = &content[start + 1..];
                Some(&rest[..memchr::memchr(quote, rest)?])
            }
            _ => content[start..]
                .split(|b| b.is_ascii_whitespace() || *b == b';')
                .next(),
        };
    }
}

/// The number of blanks at the start of a text. None if it has nothing else.
fn count_blanks(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the Fetch standard and of its tests, and what proxies and crawlers make of
    /// types.
    #[test]
    fn the_last_member_counts() {
        for (lines, essence, charset) in [
            (&[][..], "", None),
            (&["text/html"][..], "text/html", None),
            (&["TEXT/HTML;Charset=\"UTF-8\""], "text/html", Some("UTF-8")),
            (
                &["text/html, text/html; charset=utf-8"],
                "text/html",
                Some("utf-8"),
            ),
            (
                &["text/html; charset=utf-8, text/html"],
                "text/html",
                Some("utf-8"),
            ),
            (&["text/html,text/html"], "text/html", None),
            (&["text/html", "text/html"], "text/html", None),
            (
                &["text/html;charset=gbk", "x/x, text/html"],
                "text/html",
                None,
            ),
            (&["text/plain;charset=gbk, text/html"], "text/html", None),
            (
                &["text/plain", "text/html;charset=gbk"],
                "text/html",
                Some("gbk"),
            ),
            (
                &["text/html;charset=gbk;a=b, text/html;x=y"],
                "text/html",
                Some("gbk"),
            ),
            (
                &["text/html;charset=gbk, text/html;x=\",text/plain\""],
                "text/html",
                Some("gbk"),
            ),
            (
                &["text/html;charset=gbk", "*/*;charset=utf-8"],
                "text/html",
                Some("gbk"),
            ),
            (&["text/html;x=\"", "text/plain"], "text/html", None),
            (&["text/html;x=\"\\\",text/plain\""], "text/html", None),
            (&["text/html, image/png"], "image/png", None),
            (&["application/json, text/html"], "text/html", None),
            (&["text/html, none, , html"], "text/html", None),
            (
                &["text/html;charset=gbk, text/html;charset=koi8-r, text/html"],
                "text/html",
                Some("gbk"),
            ),
            (
                &["text/html;charset=gbk, text/html;charset=koi8-r"],
                "text/html",
                Some("koi8-r"),
            ),
            (&["text/html charset=utf-8"], "", None),
            (&["text/html:charset=utf-8"], "", None),
            (&["text/html charset=utf-8, text/html"], "text/html", None),
            (&["text"], "", None),
            (&["/"], "", None),
            (&["*/*"], "", None),
            (&["; charset=utf-8"], "", None),
        ] {
            let charset = charset.map(str::to_owned);
            let expected = ContentType {
                essence: essence.to_owned(),
                charset,
            };
            assert_eq!(
                ContentType::from_lines(lines.iter().copied()),
                expected,
                "{lines:?}"
            );
        }
    }
}
