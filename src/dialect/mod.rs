//! The conventions by which publishers exclude content, and the set of those in force.
//!
//! Dialects are pure: an element, a comment's text or a header line goes in, its statements come out. They keep no
//! state of the document and see no tiles. To add one, write a row in `rows` and a page in corpus/dialect. If no sign
//! can express it, add a file with a function.

mod aipref;
mod answer;
pub(crate) mod comment;
mod convention;
mod custom;
mod dates;
mod ear;
mod element;
mod facets;
#[cfg(feature = "toml")]
mod file;
mod folded;
mod gate;
mod header;
mod joined;
mod json_ld;
mod law;
mod list;
mod mark;
#[cfg(feature = "oracle")]
pub(crate) mod markers;
mod member;
mod met;
mod meta;
mod near;
mod profile;
mod record;
mod rel;
mod repair;
mod robots_tag;
mod rows;
pub(crate) mod rsl;
mod separator;
mod set;
mod shown;
mod sign;
mod signal;
mod site_search;
mod tdm;
mod technique;
mod terms;
mod view;

use std::borrow::Cow;

use crate::html::{Facts, Tag};
use crate::lenient::quotes;
use crate::note::NoteKind;
use crate::policy::{Extent, Says};

use comment::Mark;
use custom::CUSTOM;
pub(crate) use custom::url_pattern;
pub(crate) use ear::{Complaint, Declaration, Ear, Said, Whom};
pub(crate) use element::PAGEFIND_BODY;
pub(crate) use facets::{INDEX, PAGE};
pub(crate) use gate::may_speak;
pub(crate) use json_ld::{NoSearch, QUOTED as JSON_LD};
pub use list::{Dialect, LIST};
pub(crate) use met::Met;
pub(crate) use near::is_alike;
pub(crate) use record::{Use, uses};
pub(crate) use rel::parted as parted_rel;
pub use set::Dialects;
pub(crate) use set::{CUT_SHORT, PAGEFIND_SITE};
pub(crate) use shown::{is_text, shown};
pub use technique::{Heeded, TECHNIQUES, Technique};
pub(crate) use view::Element;

/// A function that knows the name of a header.
type IsHeader = fn(&str) -> bool;
/// A function that reads a header line: its name, its value.
type HearsHeader = fn(&str, &str, &mut Ear<'_>);

/// The dialects that hear headers: the names by which they may decide, and how they read a line.
const HEADERS: [(&str, IsHeader, HearsHeader); 6] = [
    ("header", header::is_name, header::header),
    (robots_tag::DIALECT, robots_tag::is_header, robots_tag::header),
    ("tdm", tdm::is_name, tdm::header),
    (aipref::DIALECT, aipref::is_name, aipref::header),
    (rsl::DIALECT, rsl::is_header, rsl::header),
    (signal::DIALECT, signal::is_name, signal::header),
];

/// Reads a header in every dialect in force.
pub(crate) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    for line in field_lines(value) {
        header_line(name, &line, ear);
    }
}

/// A header line whose name may have the whole of it.
pub(crate) fn field<'a>(name: &'a str, value: &'a str) -> (&'a str, Cow<'a, str>) {
    match name.split_once(':').filter(|(name, _)| !name.trim().is_empty()) {
        Some((name, rest)) => (name, Cow::Owned(format!("{rest} {value}"))),
        None => (name, Cow::Borrowed(value)),
    }
}

/// The part of a header's value that some dialect may decide by. None if none does. Of links these are the licences.
#[cfg(feature = "index")]
pub(crate) fn deciding(name: &str, value: &str) -> Option<String> {
    if rsl::is_header(name) {
        let links: Vec<_> = field_lines(value).iter().filter_map(|line| rsl::links_to_licences(line)).collect();
        return (!links.is_empty()).then(|| links.join(", "));
    }
    let is_heard = HEADERS.iter().any(|(_, is_name, _)| is_name(name)) || site_search::is_header(name);
    is_heard.then(|| value.to_owned())
}

/// The lines that a value may be. A line that begins with a blank continues the one before it (RFC 9112, section 5.2).
/// Any other may continue it, or be a line of the same name: so all of them stand behind the others as one.
fn field_lines(value: &str) -> Vec<Cow<'_, str>> {
    const BREAKS: [char; 2] = ['\r', '\n'];
    if !value.contains(BREAKS) {
        return vec![Cow::Borrowed(value)];
    }
    let mut lines: Vec<String> = Vec::new();
    for line in value.split(BREAKS).filter(|line| !line.trim().is_empty()) {
        match lines.last_mut().filter(|_| line.starts_with([' ', '\t'])) {
            Some(before) => before.extend([" ", line.trim_start()]),
            None => lines.push(line.to_owned()),
        }
    }
    if lines.len() != 1 {
        lines.push(lines.join(" "));
    }
    lines.into_iter().map(Cow::Owned).collect()
}

fn header_line(name: &str, value: &str, ear: &mut Ear<'_>) {
    header_value(name, value, ear);
    site_search::header(name, ear);
    ear.contradictions();
    joined::value(value, |value, ear| header_value(name, value, ear), ear);
}

fn header_value(name: &str, value: &str, ear: &mut Ear<'_>) {
    for (dialect, _, hear) in HEADERS {
        if ear.dialects.has(dialect) {
            hear(name, value, ear);
        }
    }
}

/// Reads an element's statements about the page, or about the element alone.
pub(crate) fn element(element: &impl Element, ear: &mut Ear<'_>) {
    let tag = element.tag();
    match tag {
        Tag::META => {
            meta(element, ear);
            let values = ["name", "http-equiv", "property", "content", "value"];
            joined::element(element, &values, |element, ear| meta(element, ear), ear);
        }
        Tag::A | Tag::AREA | Tag::FORM => rel::rel(element, ear),
        Tag::LINK if ear.dialects.has(rsl::DIALECT) => rsl::link(element, ear),
        _ => {}
    }
    if tag.has(Facts::SPEAKS_FOR_PAGE) && ear.dialects.know_the_profile() {
        profile::declaration(element, ear);
    }
}

fn meta(element: &impl Element, ear: &mut Ear<'_>) {
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

/// Reads an element's statements about all that it contains.
pub(crate) fn content(element: &impl Element, ear: &mut Ear<'_>) {
    content_behind(element, false, ear);
}

/// Reads attributes that follow others of their element, as `content` does. After a class that opens a quote unknown to
/// HTML, names count as classes too, until one closes the quote. Such a quote is open before them if `is_open`, and
/// after them if the result is true.
pub(crate) fn content_behind(element: &impl Element, is_open: bool, ear: &mut Ear<'_>) -> bool {
    let leaves_open = attributes(element, is_open, ear);
    let once_more = |element: &joined::Joined<'_, _>, ear: &mut Ear<'_>| _ = attributes(element, is_open, ear);
    joined::element(element, &["class"], once_more, ear);
    leaves_open
}

fn attributes(element: &impl Element, mut is_open: bool, ear: &mut Ear<'_>) -> bool {
    let before = ear.heard.len();
    element::tag_name(element, ear);
    let (mut classes, mut seen, is_late) = (false, None, is_open);
    for (at, name) in element.attribute_names().enumerate() {
        if name.eq_ignore_ascii_case("class") && !classes {
            classes = true;
            is_open |= class_names(&element.attribute(name).unwrap_or_default(), ear);
            continue;
        }
        element::attribute_name(name, element, ear);
        if is_open && seen.get_or_insert_with(|| repair::Seen::before(element, at)).is_new(name) {
            repair::class_behind(name, class_name, ear);
            // A name that the root has already is dropped. Only the tree knows which these are, so none closes the quote.
            is_open = is_late || !quotes::is_closed(name);
        }
    }
    if ear.dialects.custom.has_elements() {
        custom_content(element, ear);
    }
    if ear.heard.len() > before + 1 {
        ear.contradictions();
    }
    is_open
}

/// Reads the user's own selectors for an element and all that it contains.
fn custom_content(element: &impl Element, ear: &mut Ear<'_>) {
    let dialects = ear.dialects;
    for (denies, written, is_exact) in dialects.custom.meant(element, dialects.repairs()) {
        ear.hear(Says::Deny(denies), Whom::Bots(ear.bots.all()), Extent::Subtree, CUSTOM);
        if !is_exact {
            let message = format!("the quotes round a class are part of it to others: here it is heard as `{written}`");
            ear.complain(NoteKind::Lookalike, ear.bots.all(), CUSTOM, message);
        }
    }
}

/// Reads a class attribute. Returns true if it leaves open a quote that HTML does not know.
fn class_names(classes: &str, ear: &mut Ear<'_>) -> bool {
    for class in classes.split_ascii_whitespace() {
        let complaints = ear.complaints.len();
        class_name(class, ear);
        if ear.dialects.repairs() && repair::may_be_meant(class) {
            repair::class(class, class_name, complaints, ear);
        }
    }
    ear.dialects.repairs() && repair::leaves_open(classes)
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

/// True if a convention in force reads a page's JSON-LD.
pub(crate) fn hears_json_ld(dialects: &Dialects) -> bool {
    dialects.has(json_ld::DIALECT)
}

/// True if a tag begins a script of JSON-LD.
pub(crate) fn is_json_ld(element: &impl Element) -> bool {
    json_ld::is_script(element)
}

/// True if the text of a JSON-LD script may make a statement.
pub(crate) fn may_be_no_search(text: &str) -> bool {
    json_ld::may_speak(text)
}

/// Hears the statement of a JSON-LD script at its end.
pub(crate) fn json_ld(script: NoSearch, ear: &mut Ear<'_>) {
    script.end(ear);
}

/// The region marks that a comment is.
pub(crate) fn comment(text: &str, dialects: &Dialects) -> Vec<Mark> {
    comment::marks(text, dialects)
}

/// The region mark that a comment resembles without being one: its convention and its spelling.
pub(crate) fn nearly_a_mark(text: &str, dialects: &Dialects) -> Option<(&'static str, String)> {
    near::nearly(text, dialects)
}

/// The region mark that a start or end tag is.
pub(crate) fn tag(element: &impl Element, is_start: bool, dialects: &Dialects) -> Option<Mark> {
    element::mark(element, is_start, |dialect| dialects.has(dialect))
}

/// The attributes that a directive's text may quote, each with true if its value may be quoted too. The rest of a tag
/// may hold withheld text.
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
