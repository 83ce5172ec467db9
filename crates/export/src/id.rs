//! Identifier of a page's document in an engine: a hash of the page's URL. The URL itself may be
//! longer than the 512 bytes that Elasticsearch and `OpenSearch` allow for an identifier.

use data_encoding::HEXLOWER;
use sha1::{Digest, Sha1};

use heedful_base::address::Key;

/// Identifier of a page's document in an engine: the SHA-1 of the page's [`Key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct DocumentId([u8; 20]);

impl DocumentId {
    /// Computes the identifier from `key`, the normal form of the page's URL. Returns `None` if the
    /// URL is too long.
    pub(super) fn from_key(key: &Key<'_>) -> Option<Self> {
        if key.is_too_long() {
            return None;
        }
        Some(Self(Sha1::digest(key.as_str()).into()))
    }

    /// Returns the first 64 bits of the identifier, for engines in which an identifier is a number.
    pub(super) fn first_bits(self) -> u64 {
        let mut bits = 0;
        for byte in &self.0[..8] {
            bits = bits << 8 | u64::from(*byte);
        }
        bits
    }
}

/// Formats the identifier as 40 hexadecimal digits.
impl std::fmt::Display for DocumentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::Filter;
    use heedful_base::address::LONGEST;
    use heedful_base::bot::Bot;

    #[test]
    fn what_a_link_leads_to_need_not_be_parsed_again() {
        let targets = [
            "x#y",
            "#",
            "?#",
            "HTTP://Ä.example:80/ö b?q=ö'#f",
            "//u:p@h/%7e/../a\\b?x y# ",
            "http:x#y#z",
            "\u{3000}",
        ];
        let html: String = targets
            .iter()
            .map(|target| format!("<a href=\"{target}\">x</a>"))
            .collect();
        let page = Filter::new(Bot::new("x").unwrap())
            .page("https://site.example/a/", &[], html.as_bytes())
            .unwrap();
        assert_eq!(page.links().len(), targets.len());
        for link in page.links() {
            assert_eq!(link.key(), Key::parse(link.url()));
        }
    }

    #[test]
    fn they_are_hexadecimal() {
        assert_eq!(
            DocumentId::from_key(&Key::parse("abc"))
                .unwrap()
                .to_string(),
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        );
        assert!(DocumentId::from_key(&Key::parse(&"x".repeat(LONGEST + 1))).is_none());
    }
}
