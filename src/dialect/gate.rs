//! The gate: decides if a tag may make a statement. For most tags a look at their names shows that they do not.
//!
//! It lets through too many tags rather than too few. A tag that it holds back is not read at all.

use std::sync::LazyLock;

use crate::html::{Facts, Sieve, Tag};
use crate::lenient::quotes;
use crate::lenient::shape::parts_tokens;

use super::{Dialects, Element, element, profile};

/// True if [`element`](super::element), [`content`](super::content) or [`tag`](super::tag) may find anything in a tag.
pub(crate) fn may_speak(element: &impl Element, dialects: &Dialects) -> bool {
    let tag = element.tag();
    tag.has(Facts::SPEAKS_FOR_PAGE)
        || element::may_mark(element)
        || matches!(tag, Tag::A | Tag::AREA | Tag::FORM) && element.may_have(REL)
        || element.may_have(CLASS) && element.attribute("class").is_some_and(|classes| may_be_classes(&classes))
        || dialects.custom.may_mean(element)
}

const REL: Sieve = Sieve::of(b"rel");
const CLASS: Sieve = Sieve::of(b"class");

/// True if there may be a known class, or a sign beside it that is part of it to HTML alone.
fn may_be_classes(classes: &str) -> bool {
    let meanings = &*MEANINGS;
    let means = |byte: u8| meanings[usize::from(byte)];
    let bytes = classes.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while bytes.get(at).is_some_and(|byte| means(*byte) & PARTS == 0) {
            at += 1;
        }
        if start < at {
            let (first, last) = (means(bytes[start]), means(bytes[at - 1]));
            if (first | last) & QUOTE != 0 || first & BEGINS != 0 && may_be_class(&classes[start..at]) {
                return true;
            }
        }
        if bytes.get(at).is_some_and(|byte| means(*byte) & ODD != 0 || is_dot_of_name(&bytes[at..])) {
            return true;
        }
        at += 1;
    }
    false
}

/// True for a dot before a name, as in a selector. Most dots in classes are those of numbers.
fn is_dot_of_name(bytes: &[u8]) -> bool {
    matches!(bytes, [b'.', next, ..] if next.is_ascii_alphabetic())
}

fn may_be_class(class: &str) -> bool {
    element::is_class(class) || profile::may_be_class(class)
}

/// The meanings of a byte in a list of classes, one bit each. Most bytes have none.
static MEANINGS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut meanings = [0; 256];
    for byte in 0..=u8::MAX {
        let meaning = &mut meanings[usize::from(byte)];
        if matches!(byte, b' ' | b'\t'..=b'\r') || parts_tokens(byte) {
            *meaning |= PARTS;
        }
        if !byte.is_ascii() {
            *meaning |= PARTS | ODD;
        }
        if quotes::may_be(byte) {
            *meaning |= QUOTE;
        }
    }
    for first in element::initials().chain([profile::INITIAL]) {
        meanings[usize::from(first)] |= BEGINS;
        meanings[usize::from(first.to_ascii_uppercase())] |= BEGINS;
    }
    meanings
});
/// The byte parts two classes, as HTML or only their author has it.
const PARTS: u8 = 1;
const QUOTE: u8 = 1 << 1;
/// The byte begins the name of a known class.
const BEGINS: u8 = 1 << 2;
/// The byte is of a sign beyond ASCII. It may part two classes, or be a quote.
const ODD: u8 = 1 << 3;

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::sign::ElementSign;
    use super::super::{Ear, content, element, tag};
    use super::*;
    use crate::bot::Bots;
    use crate::policy::{Facet, Facets};

    /// A tag with its attributes.
    #[derive(Debug)]
    struct Written<'a>(&'a str, Vec<(&'a str, &'a str)>);

    impl Element for Written<'_> {
        fn name(&self) -> &str {
            self.0
        }

        fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
            let found = self.1.iter().find(|(own, _)| name.eq_ignore_ascii_case(own));
            found.map(|(_, value)| Cow::Borrowed(*value))
        }

        fn attribute_names(&self) -> impl Iterator<Item = &str> {
            self.1.iter().map(|(name, _)| *name)
        }

        fn may_have(&self, names: Sieve) -> bool {
            self.1.iter().any(|(name, _)| Sieve::of(name.as_bytes()).meets(names))
        }
    }

    /// No row is shadowed by another one, or by the checks before the table.
    #[test]
    fn every_row_of_elements_is_heard() {
        let (bots, limits) = (Bots::one(crate::bot::Bot::new("FooBot").unwrap()), 10);
        for row in &element::TABLE.rows {
            let dialects = Dialects::parse(&format!("none,+{}", row.dialect)).unwrap();
            let tag = match row.sign {
                ElementSign::Tag(name) => Written(name, vec![("id", "x")]),
                ElementSign::Class(name) => Written("p", vec![("class", name)]),
                ElementSign::Attribute(name) => Written("p", vec![(name, "")]),
                ElementSign::Switch { attribute, out, .. } => Written("p", vec![(attribute, out)]),
                ElementSign::With { tag, attribute, out, .. } => Written(tag, vec![(attribute, out)]),
            };
            let mut ear = Ear::new(&bots, &dialects, "", limits);
            assert!(may_speak(&tag, &dialects), "{:?}", row.sign);
            content(&tag, &mut ear);
            assert!(
                ear.heard.iter().any(|said| (said.says, said.dialect) == (row.says, row.dialect)),
                "{:?}",
                row.sign
            );
        }
    }

    const NAMES: [&str; 14] =
        ["p", "a", "area", "form", "meta", "link", "head", "html", "h2", "noindex", "oss", "nav", "x-y", "img"];
    const ATTRIBUTES: [&str; 16] = [
        "class",
        "CLASS",
        "rel",
        "id",
        "hidden",
        "href",
        "name",
        "content",
        "data-x",
        "ignore",
        "type",
        "data-id",
        "noindex\u{201D}",
        "data-nosnippet",
        "Data-Swiftype-Index",
        "data-search-exclude",
    ];
    const VALUES: [&str; 22] = [
        "",
        "x",
        "a  nocontent",
        "robots-noindex",
        "Robot3-index",
        "nofollow",
        "\u{201C}noindex",
        "noindex",
        "wide card",
        "NOEXCERPT",
        "robot",
        "no",
        "typo3-search-exclude z",
        "robots",
        "'no-search'",
        "opensearchserver.ignore",
        "x,robots-noindex;y",
        "x\u{FF0C}robots-noindex",
        "p.robots-noindex.x",
        "x\u{B}robots-noindex.",
        "y\u{A0}noindex\u{200B}z",
        ".x,.robots-noindex",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4000))]

        /// A tag that is held back makes no statement.
        #[test]
        fn who_may_not_speak_says_nothing(
            name in proptest::sample::select(&NAMES[..]),
            attributes in proptest::collection::vec(
                (proptest::sample::select(&ATTRIBUTES[..]), proptest::sample::select(&VALUES[..])), 0..4),
            has_custom: bool,
            is_start: bool,
        ) {
            let bots = Bots::one(crate::bot::Bot::new("FooBot").unwrap());
            let mut dialects = Dialects::parse("all").unwrap();
            if has_custom {
                let denies = Facets::of(&[Facet::Index]);
                for selector in ["nav", ".card", "p#x", "[hidden]", "a[data-x=no].wide", "*.z"] {
                    dialects = dialects.element(selector, denies).unwrap();
                }
            }
            let written = Written(name, attributes);
            if !may_speak(&written, &dialects) {
                let mut ear = Ear::new(&bots, &dialects, "", 10);
                element(&written, &mut ear);
                content(&written, &mut ear);
                proptest::prop_assert!(ear.is_empty(), "{written:?}");
                proptest::prop_assert!(tag(&written, is_start, &dialects).is_none(), "{written:?}");
            }
        }
    }

    #[test]
    fn hardly_any_tag_may_speak() {
        for (name, attributes) in [
            ("div", vec![("class", "wide card navbar"), ("id", "x")]),
            ("a", vec![("href", "/"), ("title", "x"), ("target", "_blank")]),
            ("img", vec![("src", "/a.png"), ("alt", "x"), ("width", "3"), ("height", "4"), ("loading", "lazy")]),
            ("span", vec![("style", "x"), ("data-id", "3"), ("onclick", "f()"), ("aria-label", "x"), ("role", "x")]),
            ("input", vec![("type", "text"), ("name", "q"), ("value", ""), ("placeholder", "x"), ("aria-hidden", "")]),
        ] {
            assert!(!may_speak(&Written(name, attributes), &Dialects::parse("all").unwrap()), "{name}");
        }
    }
}
