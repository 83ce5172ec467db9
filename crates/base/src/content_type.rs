//! Parses the media type of a response from all its `Content-Type` lines, by the Fetch standard
//! ("extract a MIME type").
//!
//! The values of a response's `Content-Type` lines are joined by commas, as proxies and crawlers
//! do. The last member of this list that is a media type wins. It inherits the charset of an
//! earlier member with the same type, unless it names one itself. Members that are no media type
//! are skipped, and so is `*/*`. Without any media type, the type is unknown and the charset is
//! missing.
//!
//! The parser departs from the Fetch standard in one point: the parameter `charset` is parsed as in
//! the `content` of a META element. That grammar tolerates blanks and single quotes.

/// Media type and charset of an HTTP response, parsed from its `Content-Type` lines.
///
/// # Examples
///
/// ```
/// use heedful_base::content_type::ContentType;
///
/// let lines = ["text/html; charset=koi8-r", "no type, text/html"];
/// let found = ContentType::from_lines(lines);
/// assert!(found.is_html());
/// assert_eq!(found.charset(), Some("koi8-r"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentType {
    /// Media type without parameters, in lower case, such as `text/html`. Empty if no
    /// `Content-Type` line has a media type.
    essence: String,
    /// Label of the character set, in the spelling of the `Content-Type` line. `None` if no line
    /// states a label.
    charset: Option<String>,
}

impl ContentType {
    /// Parses `lines`, the values of all `Content-Type` lines of a response, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::content_type::ContentType;
    ///
    /// assert!(ContentType::from_lines(["text/html, image/png"]).is_other());
    /// assert!(ContentType::from_lines([]).is_unknown());
    /// ```
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

    /// Label of the response's character set, in the spelling of the `Content-Type` line. `None` if
    /// no line states a label.
    pub fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }
}

/// Constructor from all header lines of an HTTP response, and predicates of the media type.
impl ContentType {
    /// Parses the `Content-Type` lines among a response's header lines, which are pairs of name and
    /// value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::content_type::ContentType;
    ///
    /// let headers = [("content-type".to_owned(), "image/png".to_owned())];
    /// assert!(ContentType::from_headers(&headers).is_other());
    /// ```
    pub fn from_headers(headers: &[(String, String)]) -> Self {
        let mut lines = Vec::new();
        for (name, value) in headers {
            if name.trim().eq_ignore_ascii_case("content-type") {
                lines.push(value.as_str());
            }
        }
        Self::from_lines(lines)
    }

    /// True if the media type is HTML or XHTML.
    pub fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// True if the response does not state its media type. The types `unknown/unknown` and
    /// `application/unknown` count as not stated. Clients then guess the media type from the bytes
    /// of the response (mimesniff.spec.whatwg.org, section 7).
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::content_type::ContentType;
    ///
    /// assert!(ContentType::from_lines(["unknown/unknown"]).is_unknown());
    /// assert!(!ContentType::from_lines(["text/plain"]).is_unknown());
    /// ```
    pub fn is_unknown(&self) -> bool {
        matches!(
            self.essence.as_str(),
            "" | "unknown/unknown" | "application/unknown"
        )
    }

    /// True if the response states a media type other than HTML and XHTML. False if the media type
    /// is unknown (see [`Self::is_unknown`]).
    pub fn is_other(&self) -> bool {
        !self.is_unknown() && !self.is_html()
    }
}

/// Splits `list` into its members, at commas outside of quotes. `list` has the values of all
/// `Content-Type` lines, joined by commas.
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

/// Returns the media type `member` in lower case and without parameters, such as `text/html`.
/// Returns `None` if `member` is no media type. The rules are those of mimesniff.spec.whatwg.org,
/// section 4.4.
fn essence(member: &str) -> Option<String> {
    let blanks = [' ', '\t', '\r', '\n'];
    let essence = member.split(';').next()?.trim_matches(blanks);
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    Some(essence.to_ascii_lowercase())
}

/// True if `text` is a token of HTTP (RFC 9110, section 5.6.2).
///
/// # Examples
///
/// ```
/// use heedful_base::content_type::is_token;
///
/// assert!(is_token("x-robots-tag"));
/// assert!(!is_token("x robots tag") && !is_token(""));
/// ```
pub fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Returns the value of `charset=` in the content type `content`, without quotes. The HTML standard
/// extracts the character encoding of a META element in the same way. Returns `None` if `content`
/// has no such value, or if the quote before the value is not closed.
///
/// # Examples
///
/// ```
/// use heedful_base::content_type::charset;
///
/// assert_eq!(charset(b"text/html; charset = 'koi8-r'"), Some(&b"koi8-r"[..]));
/// assert_eq!(charset(b"text/html; charset='koi8-r"), None);
/// ```
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

/// Returns the number of white space bytes at the start of `text`. Returns `None` if `text` has
/// nothing else.
fn count_blanks(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests examples of the Fetch standard and of its tests, and `Content-Type` headers that
    /// proxies and crawlers have garbled.
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
