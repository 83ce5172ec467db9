//! The conventions in which publishers speak, and which of them are in force.
//!
//! Dialects are pure: an element, a comment's text or a header line goes in, what it says comes out. They hold no
//! state of the document and see no tiles. Adding one: an entry in `list`, a row in `comment` or `element` (or a file),
//! a page in corpus/dialect.

mod aipref;
pub(crate) mod comment;
mod custom;
mod dates;
mod element;
#[cfg(feature = "toml")]
mod file;
mod header;
mod json_ld;
mod list;
mod mark;
#[cfg(feature = "oracle")]
pub(crate) mod markers;
mod meta;
mod profile;
mod record;
mod rel;
mod repair;
mod robots_tag;
pub(crate) mod rsl;
mod set;
mod signal;
mod site_search;
mod tdm;
mod technique;
mod terms;

use std::borrow::Cow;

use crate::bot::{BotSet, Bots};
use crate::html::{Facts, Sieve, Tag};
use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};
use crate::quotes;

use comment::Mark;
pub(crate) use custom::url_pattern;
pub(crate) use element::PAGEFIND_BODY;
pub(crate) use json_ld::{NoSearch, QUOTED as JSON_LD};
pub(crate) use list::PAGE;
pub use list::{Dialect, LIST};
pub(crate) use record::{Use, uses};
use set::CUSTOM;
pub use set::Dialects;
pub(crate) use set::{CUT_SHORT, PAGEFIND_SITE};
pub use technique::{Heeded, TECHNIQUES, Technique};

pub(crate) const INDEX: Facets = Facets::of(&[Facet::Index]);
const TEXT: Facets = Facets::of(&[Facet::Index, Facet::Anchor]);
const BOTH: Facets = Facets::of(&[Facet::Index, Facet::Anchor, Facet::Follow]);
const SHOWN: Facets = Facets::of(&[Facet::Index, Facet::Snippet]);
const SNIPPET: Facets = Facets::of(&[Facet::Snippet]);

/// An element as dialects see it: its name in lower case, and decoded attribute values.
pub(crate) trait Element {
    fn name(&self) -> &str;
    /// The name, looked up.
    fn tag(&self) -> Tag {
        Tag::of(self.name())
    }
    fn attribute(&self, name: &str) -> Option<Cow<'_, str>>;
    /// The names of its attributes as written, also of those that HTML drops because they come twice.
    fn attribute_names(&self) -> impl Iterator<Item = &str>;
    /// Whether one of these names has one of these shapes. Who cannot tell at once says so.
    fn may_have(&self, names: Sieve) -> bool {
        let _ = names;
        true
    }
}

/// One thing that was said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) says: Says,
    pub(crate) whom: Whom,
    pub(crate) extent: Extent,
    pub(crate) dialect: &'static str,
}

/// For whom something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    Bots(BotSet),
    /// The same, but the profile's `robots-follow` is heard before it.
    Unless(BotSet),
    /// By the profile: all bots, or those to which the page gives this number.
    Profile(Option<u32>),
}

impl Whom {
    /// Whether something said to these is also said, with the same weight, to those.
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Profile(one), Self::Profile(other)) => one == other,
            _ => self.bots().zip(other.bots()).is_some_and(|(one, other)| !one.and(other).is_empty()),
        }
    }

    /// Those who have not heard it with these.
    fn besides(self, heard: Self) -> Self {
        match (self, heard) {
            (Self::Bots(bots), Self::Bots(heard)) => Self::Bots(bots.without(heard)),
            _ if self == heard => Self::Bots(BotSet::NONE),
            _ => self,
        }
    }

    fn bots(self) -> Option<BotSet> {
        match self {
            Self::Bots(bots) | Self::Unless(bots) => Some(bots),
            Self::Profile(_) => None,
        }
    }

    /// Those of `bots` that are left where the profile lets some of them follow.
    pub(crate) fn left(self, bots: BotSet, follow: BotSet) -> BotSet {
        if matches!(self, Self::Unless(_)) { bots.without(follow) } else { bots }
    }
}

/// What a page says about the profile itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declaration {
    /// It follows the profile.
    Profile,
    /// It means to, but does not say so rightly: denials count.
    MeantProfile,
    /// The bot of this number is called so.
    Name(u32, String),
    /// The names stand in the page with this address.
    NamesPage(String),
}

/// Who listens, and what was heard.
#[derive(Debug)]
pub(crate) struct Ear<'a> {
    bots: &'a Bots,
    dialects: &'a Dialects,
    /// The profile's URI.
    profile: &'a str,
    /// The most that is heard; one more shows that it was too much.
    most: usize,
    pub(crate) heard: Vec<Said>,
    pub(crate) declared: Vec<Declaration>,
    /// Where licences stand.
    pub(crate) pointers: Vec<String>,
    pub(crate) complaints: Vec<Complaint>,
}

impl<'a> Ear<'a> {
    pub(crate) fn new(bots: &'a Bots, dialects: &'a Dialects, profile: &'a str, most: usize) -> Self {
        Self {
            bots,
            dialects,
            profile,
            most,
            heard: Vec::new(),
            declared: Vec::new(),
            pointers: Vec::new(),
            complaints: Vec::new(),
        }
    }

    pub(crate) fn has_heard_too_much(&self) -> bool {
        self.heard.len() > self.most
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heard.is_empty() && self.declared.is_empty() && self.pointers.is_empty() && self.complaints.is_empty()
    }

    /// Only what denies counts, of the page as a whole: it is said where a page does not speak of itself.
    pub(crate) fn keep_denials_of_the_page(&mut self) {
        self.declared.clear();
        self.heard.retain(|said| said.extent.is_ceiling() && !matches!(said.says, Says::Allow(_)));
    }

    /// All that was heard is for these bots.
    pub(crate) fn only(&mut self, bots: BotSet) {
        for said in &mut self.heard {
            said.whom = Whom::Bots(bots);
        }
        for complaint in &mut self.complaints {
            complaint.bots = bots;
        }
    }

    /// Nobody hears the same twice, be it said to some and then to all.
    fn hear(&mut self, says: Says, whom: Whom, extent: Extent, dialect: &'static str) {
        let same = self.heard.iter().filter(|said| (said.says, said.extent, said.dialect) == (says, extent, dialect));
        let whom = same.fold(whom, |whom, said| whom.besides(said.whom));
        if whom != Whom::Bots(BotSet::NONE) && !self.has_heard_too_much() {
            self.heard.push(Said { says, whom, extent, dialect });
        }
    }

    /// Tells of so much in one tag or line, and no more: a page's notes are bounded too.
    fn complain(&mut self, kind: NoteKind, bots: BotSet, dialect: &'static str, message: String) {
        if self.complaints.len() < MOST_COMPLAINTS {
            self.complaints.push(Complaint { kind, bots, dialect, message });
        }
    }

    /// Complains where one tag or line denies and allows the same thing to the same bots.
    fn contradictions(&mut self) {
        if self.complaints.iter().any(|complaint| complaint.kind == NoteKind::Contradiction) {
            return;
        }
        for (at, said) in self.heard.iter().enumerate() {
            let Says::Allow(allowed) = said.says else { continue };
            let others = self.heard.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
            let of_same_rank = others.filter(|other| other.dialect == said.dialect && other.whom.meets(said.whom));
            let contradicts = |facet: &Facet| {
                let denies = |other: &Said| matches!(other.says, Says::Deny(denied) if denied.contains(*facet));
                of_same_rank.clone().any(denies)
            };
            if let Some(facet) = allowed.iter().find(contradicts) {
                let message = format!("`{}` is both denied and allowed here: it is denied", facet.name());
                let bots = said.whom.bots().unwrap_or(self.bots.all());
                self.complaints.push(Complaint { kind: NoteKind::Contradiction, bots, dialect: said.dialect, message });
                return;
            }
        }
    }
}

const MOST_COMPLAINTS: usize = 1000;

/// Something that looks wrong.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) dialect: &'static str,
    pub(crate) message: String,
}

/// What a header line says.
pub(crate) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    if ear.dialects.has("header") {
        header::header(name, value, ear);
    }
    if ear.dialects.has(robots_tag::DIALECT) {
        robots_tag::header(name, value, ear);
    }
    if ear.dialects.has("tdm") {
        tdm::header(name, value, ear);
    }
    if ear.dialects.has(aipref::DIALECT) {
        aipref::header(name, value, ear);
    }
    if ear.dialects.has(rsl::DIALECT) {
        rsl::header(name, value, ear);
    }
    if ear.dialects.has(signal::DIALECT) {
        signal::header(name, value, ear);
    }
    if ear.dialects.has(site_search::SPATIE) {
        site_search::header(name, ear);
    }
    ear.contradictions();
}

/// Whether [`element`], [`content`] or [`tag`] may hear anything of a tag: of most they do not, and need not be asked. Says so
/// too often rather than too rarely.
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

/// Whether there may be a class that is known, or a quote round one.
fn may_be_classes(classes: &str) -> bool {
    let bytes = classes.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while bytes.get(at).is_some_and(|byte| means(*byte) & WHITE == 0) {
            at += 1;
        }
        if start < at {
            let (first, last) = (means(bytes[start]), means(bytes[at - 1]));
            if (first | last) & QUOTE != 0 || first & BEGINS != 0 && may_be_class(&classes[start..at]) {
                return true;
            }
        }
        at += 1;
    }
    false
}

fn may_be_class(class: &str) -> bool {
    element::may_be_class(class) || profile::may_be_class(class)
}

#[inline]
fn means(byte: u8) -> u8 {
    MEANINGS[usize::from(byte)]
}

/// What a byte in a list of classes means, a bit each: most mean nothing.
const MEANINGS: [u8; 256] = {
    let (mut meanings, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let begins = element::may_begin_class(byte as u8) || profile::may_begin_class(byte as u8);
        let white = if (byte as u8).is_ascii_whitespace() { WHITE } else { 0 };
        let quote = if quotes::may_be(byte as u8) { QUOTE } else { 0 };
        meanings[byte] = white | quote | if begins { BEGINS } else { 0 };
        byte += 1;
    }
    meanings
};
const WHITE: u8 = 1;
const QUOTE: u8 = 1 << 1;
/// It begins the name of a class that is known.
const BEGINS: u8 = 1 << 2;

/// What an element says of the page, or of itself alone.
pub(crate) fn element(element: &impl Element, ear: &mut Ear<'_>) {
    let tag = element.tag();
    match tag {
        Tag::META => {
            if ear.dialects.has("meta") {
                meta::meta(element, ear);
                ear.contradictions();
            }
            if ear.dialects.has("tdm") {
                tdm::meta(element, ear);
            }
            if ear.dialects.has(signal::DIALECT) {
                signal::meta(element, ear);
            }
            if ear.dialects.has(site_search::SWIFTYPE) {
                let before = ear.heard.len();
                site_search::meta(element, ear);
                if ear.heard.len() > before {
                    ear.contradictions();
                }
            }
        }
        Tag::A | Tag::AREA | Tag::FORM => rel::rel(element, ear),
        Tag::LINK if ear.dialects.has(rsl::DIALECT) => rsl::link(element, ear),
        _ => {}
    }
    if tag.has(Facts::SPEAKS_FOR_PAGE) && ear.dialects.know_the_profile() {
        profile::declaration(element, ear);
    }
}

/// What an element says of all it contains.
pub(crate) fn content(element: &impl Element, ear: &mut Ear<'_>) {
    content_behind(element, false, ear);
}

/// The same of attributes that come behind others of their element. Behind a class that opens a quote which HTML does not know,
/// names are classes too, until one closes it: `is_open` says that there is such a quote, and so does what is returned.
pub(crate) fn content_behind(element: &impl Element, mut is_open: bool, ear: &mut Ear<'_>) -> bool {
    let before = ear.heard.len();
    element::tag_name(element, ear);
    let mut classes = false;
    for name in element.attribute_names() {
        if name.eq_ignore_ascii_case("class") && !classes {
            classes = true;
            is_open |= class_names(&element.attribute(name).unwrap_or_default(), ear);
            continue;
        }
        element::attribute_name(name, element, ear);
        if is_open {
            repair::class(name, ear);
            is_open = !quotes::is_closed(name);
        }
    }
    if ear.dialects.custom.has_elements() {
        let dialects = ear.dialects;
        dialects.custom.content(element, ear);
    }
    if ear.heard.len() > before + 1 {
        ear.contradictions();
    }
    is_open
}

/// What a class attribute says; whether it leaves a quote open that HTML does not know.
fn class_names(classes: &str, ear: &mut Ear<'_>) -> bool {
    for class in classes.split_ascii_whitespace() {
        class_name(class, ear);
        if quotes::may_be_round(class) && ear.dialects.repairs() {
            repair::class(class, ear);
        }
    }
    quotes::is_open(classes) && ear.dialects.repairs()
}

fn class_name(class: &str, ear: &mut Ear<'_>) {
    element::class_name(class, ear);
    profile::class_name(class, ear);
}

/// The numbers and names of bots that a META of the profile gives.
pub(crate) fn robot_names(element: &impl Element, ear: &mut Ear<'_>) -> Vec<(u32, String)> {
    if element.name() == "meta" {
        profile::declaration(element, ear);
    }
    let name = |said| if let Declaration::Name(number, name) = said { Some((number, name)) } else { None };
    ear.declared.drain(..).filter_map(name).collect()
}

/// Whether some convention in force speaks in a page's JSON-LD.
pub(crate) fn hears_json_ld(dialects: &Dialects) -> bool {
    dialects.has(json_ld::DIALECT)
}

/// Whether a tag begins a script of JSON-LD.
pub(crate) fn is_json_ld(element: &impl Element) -> bool {
    json_ld::is_script(element)
}

/// What such a script says, now that it is over.
pub(crate) fn json_ld(script: NoSearch, ear: &mut Ear<'_>) {
    script.end(ear);
}

/// The region marks that a comment is.
pub(crate) fn comment(text: &str, dialects: &Dialects) -> Vec<Mark> {
    comment::marks(text, dialects)
}

/// The region mark that a comment nearly is.
pub(crate) fn nearly_a_mark(text: &str, dialects: &Dialects) -> Option<(&'static str, String)> {
    comment::nearly(text, dialects)
}

/// The region mark that a start or end tag is.
pub(crate) fn tag(element: &impl Element, is_start: bool, dialects: &Dialects) -> Option<Mark> {
    element::mark(element, is_start, |dialect| dialects.has(dialect))
}

/// The attributes that a directive's text may quote, and whether with their value; the rest of a tag may hold what is withheld.
pub(crate) fn quoted<'a>(dialect: &str, element: &impl Element, dialects: &'a Dialects) -> Vec<(&'a str, bool)> {
    match dialect {
        CUSTOM => dialects.custom.quoted(),
        "meta" | "tdm" | signal::DIALECT | terms::NO_TRAINING => {
            ["name", "http-equiv", "property", "content", "value"].map(|name| (name, true)).into()
        }
        "rel" => vec![("rel", true)],
        rsl::DIALECT => ["rel", "type", "href"].map(|name| (name, true)).into(),
        "profile" => vec![("class", true)],
        site_search::SWIFTYPE if site_search::is_swiftype_meta(element) => vec![("name", true), ("content", true)],
        _ => element::quoted(dialect),
    }
}

#[cfg(test)]
mod tests {
    use super::element::Sign;
    use super::*;

    #[test]
    fn rows_deny_what_the_list_says() {
        for (name, denies) in comment::denials().chain(element::denials()) {
            let dialect = LIST.iter().find(|dialect| dialect.name() == name);
            assert!(dialect.is_some_and(|dialect| dialect.denies().with(denies) == dialect.denies()), "{name}");
        }
    }

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

    /// No row is shadowed by another one, or by what is asked before the table.
    #[test]
    fn every_row_of_elements_is_heard() {
        let (bots, limits) = (Bots::one(crate::bot::Bot::new("FooBot").unwrap()), 10);
        for row in element::ROWS {
            let dialects = Dialects::parse(&format!("none,+{}", row.dialect)).unwrap();
            let tag = match row.sign {
                Sign::Tag(name) => Written(name, vec![("id", "x")]),
                Sign::Class(name) => Written("p", vec![("class", name)]),
                Sign::Attribute(name) => Written("p", vec![(name, "")]),
                Sign::Switch { attribute, out, .. } => Written("p", vec![(attribute, out)]),
                Sign::With { tag, attribute, out, .. } => Written(tag, vec![(attribute, out)]),
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
    const VALUES: [&str; 16] = [
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
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4000))]

        /// What is not asked has nothing to say.
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
