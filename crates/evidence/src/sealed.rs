//! Encrypts those texts of a log entry that name the entry's page. The key is the entry's salt.
//!
//! A log stores contexts, response headers and decisions as plain text, each once for all entries
//! that share it. A header or a decision that contains the page's own URL is not shared. As plain
//! text, it would reveal for ever which page its entry is about. So it is encrypted (sealed). Only
//! the salt decrypts it, and after the salt is erased nobody can read it. The entry contains the
//! digest of the encrypted text, so proofs with encrypted texts are verified like all other proofs.

use std::borrow::Cow;

use data_encoding::BASE64;
use sha2::{Digest, Sha256};
use url::Url;

use heedful_base::address::path_and_query;
use heedful_base::error::{Error, Result};
use heedful_index::decision::{ALSO_AT, Basis, Decision, Hash};

use super::entry::Salt;
use super::segment::BlobKind;

/// Prefix of an encrypted text in a log. A plain text is JSON, which never begins with it.
const MARK: &str = "sealed:";

/// A text (context, headers or decision) to which a log entry refers, before it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SealedText<'a> {
    /// A text that many entries share. It is stored as plain text.
    Shared(&'a str),
    /// A text that names the entry's page. It is stored encrypted.
    Own(&'a str),
}

impl<'a> SealedText<'a> {
    pub(super) fn new(text: &'a str, is_own: bool) -> Self {
        if is_own {
            Self::Own(text)
        } else {
            Self::Shared(text)
        }
    }
}

/// Returns the key stream that encrypts and decrypts a text of the entry with this salt. Each type
/// of text has its own key stream.
fn pad(kind: BlobKind, salt: &Salt) -> impl Iterator<Item = u8> {
    let begun = Sha256::new()
        .chain_update(b"heedful text\0")
        .chain_update([kind as u8])
        .chain_update(salt);
    (0..=u32::MAX).flat_map(move |number| {
        Hash::from(begun.clone().chain_update(number.to_be_bytes()).finalize())
    })
}

/// Encrypts a text with a salt, and returns it in its stored form.
pub(super) fn seal(text: &str, kind: BlobKind, salt: &Salt) -> String {
    let mut bytes = text.as_bytes().to_vec();
    apply_pad(&mut bytes, kind, salt);
    format!("{MARK}{}", BASE64.encode(&bytes))
}

/// Encrypts plain bytes in place, or decrypts encrypted bytes.
fn apply_pad(bytes: &mut [u8], kind: BlobKind, salt: &Salt) {
    for (byte, pad) in bytes.iter_mut().zip(pad(kind, salt)) {
        *byte ^= pad;
    }
}

/// Decodes the encrypted bytes of a stored text. `None` if the text is not encrypted or is damaged.
fn sealed_bytes(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text.strip_prefix(MARK)?.as_bytes()).ok()
}

/// True if a stored text is encrypted and its encrypted bytes can be decoded.
pub(super) fn is_sealed(text: &str) -> bool {
    sealed_bytes(text).is_some()
}

/// Decrypts a stored text if it is encrypted; returns a plain text unchanged.
pub(super) fn unseal<'a>(text: &'a str, kind: BlobKind, salt: &Salt) -> Result<Cow<'a, str>> {
    if !text.starts_with(MARK) {
        return Ok(Cow::Borrowed(text));
    }
    if let Some(mut bytes) = sealed_bytes(text) {
        apply_pad(&mut bytes, kind, salt);
        if let Ok(text) = String::from_utf8(bytes) {
            return Ok(Cow::Owned(text));
        }
    }
    Err(Error::evidence(
        "a sealed text is damaged, or is another entry's",
    ))
}

/// Strings that name a page in a text: one for each URL of the page. The string is the URL's path
/// and query, or the whole URL if it has no path.
pub(super) struct PageNames(Vec<String>);

impl PageNames {
    /// Collects the names of a page: one for `url`, and one for each other URL of the page in the
    /// headers of `basis`.
    pub(super) fn from_url(url: &str, basis: &Basis) -> Self {
        let mut names = vec![name_in_text(url)];
        for (name, url) in &basis.head {
            if name == ALSO_AT {
                names.push(name_in_text(url));
            }
        }
        Self(names)
    }

    /// True if a text contains a name of the page.
    fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|name| text.contains(name))
    }

    /// True if a response header of `basis` contains a name of the page.
    pub(super) fn is_in_head(&self, basis: &Basis) -> bool {
        basis
            .head
            .iter()
            .any(|(name, value)| name == ALSO_AT || self.is_in(value))
    }

    /// True if a text of `decision` contains a name of the page, such as its URL. Also true if the
    /// decision quotes a `Link` header line, since any link of that line may name the page.
    pub(super) fn is_in_decision(&self, decision: &Decision) -> bool {
        let mut texts = [&decision.reason, &decision.why].into_iter().flatten();
        let mut whys = decision.bots.iter().flat_map(|bot| &bot.why.0);
        texts.any(|text| self.is_in(text))
            || whys.any(|(_, why)| self.is_in(&why.directive) || why.quotes_links())
    }
}

/// Returns the path and query of a URL. If the path is only `/`, which would match nearly any text,
/// returns the whole URL.
fn name_in_text(url: &str) -> String {
    if let Ok(parsed) = Url::parse(url) {
        let path = path_and_query(&parsed);
        if path.len() > 1 {
            return path.to_owned();
        }
    }
    url.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob;

    #[test]
    fn a_sealed_text_is_opened_by_its_own_salt_as_its_own_kind() {
        let (text, salt) = (
            "[[\":also-at\",\"https://site.example/ü\"]]".repeat(9),
            [7; 16],
        );
        let sealed = seal(&text, BlobKind::Head, &salt);
        assert!(is_sealed(&sealed) && !sealed.contains("site"));
        assert_eq!(unseal(&sealed, BlobKind::Head, &salt).unwrap(), text);
        for (kind, salt) in [(BlobKind::Decision, salt), (BlobKind::Head, [8; 16])] {
            assert!(unseal(&sealed, kind, &salt).map_or(true, |other| other != text));
        }
        assert_eq!(unseal(&text, BlobKind::Head, &salt).unwrap(), text);
        assert!(unseal("sealed:?", BlobKind::Head, &salt).is_err() && !is_sealed(&text));
    }

    #[test]
    fn a_page_is_named_by_its_path_and_a_site_by_its_url() {
        let named = |url: &str, text: &str| PageNames::from_url(url, &Basis::default()).is_in(text);
        assert!(named(
            "https://site.example/about?me",
            "Disallow: /about?me"
        ));
        assert!(!named("https://site.example/about?me", "Disallow: /about"));
        assert!(named("https://site.example/", "see https://site.example/"));
        assert!(!named("https://site.example/", "Disallow: /"));
    }

    /// A decision that depends on a licence quotes the `Link` line of the licence. Because other
    /// links in that line may name the page, the decision is encrypted.
    #[test]
    fn a_decision_that_quotes_links_is_sealed() {
        let decision = |origin: &str, directive: &str| {
            let text = format!(
                r#"{{"bots":[{{"bot":"a","allow":"","deny":"train","why":[{{"uses":"train","dialect":"rsl","origin":"{origin}","directive":"{directive}"}}]}}]}}"#
            );
            blob::read(&text).unwrap()
        };
        let naming = PageNames::from_url("https://site.example/about-me", &Basis::default());
        assert!(naming.is_in_decision(&decision(
            "header",
            "LINK: </?short=7>; rel=shortlink, </rsl.xml>"
        )));
        assert!(naming.is_in_decision(&decision("rule", "Disallow: /about-me")));
        assert!(!naming.is_in_decision(&decision("header", "X-Robots-Tag: noai")));
        assert!(!naming.is_in_decision(&decision("page", "link: /rsl.xml")));
    }
}
