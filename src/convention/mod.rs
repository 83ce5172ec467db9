//! The conventions by which publishers exclude content, and the set of conventions in force.
//!
//! Conventions are pure functions from an element, a comment's text or a header line to its
//! statements. They keep no state of the document, and see no tokens. To add a convention, write a
//! row in `rows` and a page in corpus/convention. If no sign can express the convention, add a file
//! with a function.

mod aipref;
mod answer;
mod collector;
pub(crate) mod comment;
mod custom;
mod dates;
mod element;
mod file;
mod folded;
mod form;
mod gate;
mod header;
mod headers;
pub(crate) mod json_ld;
mod law;
mod list;
mod mark;
pub(crate) mod markers;
mod member;
mod meta;
mod profile;
mod readings;
mod record;
mod rel;
mod robots_tag;
mod row;
mod rows;
pub mod rsl;
mod set;
mod shown;
mod sign;
mod signal;
mod site_search;
mod tdm;
mod terms;
mod uses;
mod view;
mod words;

use crate::html::{Facts, Tag};
use crate::policy::{Extent, StatementContent};
use heedful_base::lenient::{Shape, quotes};

pub(crate) use collector::Complaint;
pub use collector::{Declaration, Recipients, Statement, StatementCollector};
pub(crate) use comment::{marks as comment, nearest_mark as nearly_a_mark};
use custom::CUSTOM;
pub(crate) use custom::url_pattern;
pub use element::{PAGEFIND_BODY, mark as tag};
use form::{ElementForm, Seen, leaves_open, odd_attributes, odd_meta_texts};
pub(crate) use gate::{may_be_mark, may_have_statements};
pub use headers::{deciding_value, read_header as header, split_name};
pub use json_ld::NoSearch;
pub use list::{Convention, LIST};
pub(crate) use record::{RecordUse, read_records};
pub use rel::WORDS as RELS;
pub use set::Conventions;
pub(crate) use set::{CUT_SHORT, PAGEFIND_SITE};
pub(crate) use shown::{is_text, quotable};
pub use uses::{INDEX, PAGE};
pub use view::Element;
pub use words::{denied_by, profile_classes};

/// Adds to `collector` two sorts of statements that an element makes. Some are about the whole
/// page, such as those of a META. The others are about the element without its content, such as the
/// `rel` of a link. [`content`] adds the statements about the element with its content.
pub fn element(element: &impl Element, collector: &mut StatementCollector<'_>) {
    match element.tag() {
        Tag::META => read_meta(element, collector),
        Tag::A | Tag::AREA | Tag::FORM => rel::rel(element, collector),
        Tag::LINK if collector.conventions.has(rsl::CONVENTION) => rsl::link(element, collector),
        _ => {}
    }
    let may_declare = element.tag().has(Facts::HOLDS_PAGE_DIRECTIVES) && element.tag() != Tag::META;
    if may_declare && collector.conventions.reads_profile() {
        read_profile(element, collector);
    }
}

/// Adds the statements of a META to `collector`. The META is read as it is, and then in lenient
/// forms, which its author may have meant. A lenient form can only add denials.
fn read_meta(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let exact = ElementForm::exact(element);
    let bots = collector.bots;
    let lenient = std::iter::once_with(|| odd_meta_texts(&exact, bots))
        .flat_map(|odd| ElementForm::lenient(element, &odd));
    collector.read_readings(&exact, lenient, ODD_META, meta);
}

const ODD_META: &str =
    "most robots ignore this META, because its name or a character in it is wrong";

fn meta(element: &ElementForm<'_, impl Element>, collector: &mut StatementCollector<'_>) {
    if collector.conventions.has("meta") {
        meta::meta(element, collector);
        collector.report_contradictions();
    }
    if collector.conventions.has("tdm") {
        tdm::meta(element, collector);
    }
    if collector.conventions.has(signal::CONVENTION) {
        signal::meta(element, collector);
    }
    if collector.conventions.has(site_search::SWIFTYPE) {
        let before = collector.statements.len();
        site_search::meta(element, collector);
        if collector.statements.len() > before {
            collector.report_contradictions();
        }
    }
    if collector.conventions.reads_profile() {
        profile::read_declaration(element, collector);
    }
}

/// Adds to `collector` the declarations of an element about the Robot Exclusion Profile.
fn read_profile(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let odd = odd_attributes(element, profile::values(element), Shape::Value);
    collector.read_element(element, &odd, ODD_PROFILE, |element, collector| {
        profile::read_declaration(element, collector);
    });
}

const ODD_PROFILE: &str =
    "the quotes or signs round what it says of the profile are part of it to others";

/// Adds to `collector` the statements of an element about itself and its content. The value of
/// `class` may open a quote that HTML does not know, such as `“`. If so, the names of the next
/// attributes are also read as HTML classes, up to a name that closes the quote.
pub fn content(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let before = collector.statements.len();
    element::read_tag_name(element, collector);
    let mut has_class = false;
    let mut is_open = false;
    let mut seen = None;
    for (at, name) in element.attribute_names().enumerate() {
        if name.eq_ignore_ascii_case("class") && !has_class {
            has_class = true;
            is_open = read_class_attribute(&element.attribute(name).unwrap_or_default(), collector);
            continue;
        }
        element::read_attribute_name(name, element, collector);
        if is_open
            && seen
                .get_or_insert_with(|| Seen::preceding(element, at))
                .is_new(name)
        {
            // The name follows a class that opens a quote, so it is a class in the lenient form
            // alone.
            collector.read_lenient_text(name, Shape::Tokens, ODD_CLASS, read_class_list);
            is_open = !quotes::is_closed(name);
        }
    }
    if collector.conventions.custom.has_elements() {
        read_custom_selectors(element, collector);
    }
    if collector.statements.len() > before + 1 {
        collector.report_contradictions();
    }
}

/// Adds to `collector` the denials of the user's own rules whose selectors match the element.
fn read_custom_selectors(element: &impl Element, collector: &mut StatementCollector<'_>) {
    collector.read_element(
        element,
        &odd_attributes(element, &["class"], Shape::Classes),
        ODD_CLASS,
        |element, collector| {
            let conventions = collector.conventions;
            for (rule, denies) in conventions.custom.denials(element) {
                collector.matched_rules.push(rule);
                collector.add(
                    StatementContent::Deny(denies),
                    Recipients::Bots(collector.bots.all()),
                    Extent::Subtree,
                    CUSTOM,
                );
            }
        },
    );
}

/// Reads the HTML classes in `classes`, the value of a `class` attribute. Returns true if the value
/// ends inside a quote that HTML does not know, such as `“`.
fn read_class_attribute(classes: &str, collector: &mut StatementCollector<'_>) -> bool {
    for class in classes.split_ascii_whitespace() {
        collector.read_text(class, Shape::Tokens, ODD_CLASS, read_class_list);
    }
    leaves_open(classes)
}

const ODD_CLASS: &str =
    "the quotes or signs at a class are part of it to others, since plain blanks part classes";

fn read_class_list(classes: &str, collector: &mut StatementCollector<'_>) {
    for class in classes.split_ascii_whitespace() {
        element::read_class_name(class, collector);
        profile::read_class_name(class, collector);
    }
}

/// True if this HTML class denies uses of an element in some convention.
pub fn is_denying_class(class: &str) -> bool {
    element::is_class(class) || profile_classes().any(|known| class.eq_ignore_ascii_case(&known))
}

/// Returns the bots that a META of the Robot Exclusion Profile declares, each with its number. For
/// `<meta name="RobotExclusion.RobotName1" content="Foo Bot">`, returns 1 and `Foo Bot`. For any
/// other element, returns an empty list.
pub(crate) fn robot_names(
    element: &impl Element,
    collector: &mut StatementCollector<'_>,
) -> Vec<(u32, String)> {
    if element.name() == "meta" {
        read_profile(element, collector);
    }
    let mut names = Vec::new();
    for declaration in collector.declarations.drain(..) {
        if let Declaration::Name(number, name) = declaration {
            names.push((number, name));
        }
    }
    names
}

/// Returns the names of the attributes that reports may quote for a statement of `convention`. The
/// `bool` is true if reports may also quote the value of the attribute. Reports quote nothing else
/// of a tag, since the rest may contain withheld text.
pub(crate) fn quoted<'a>(
    convention: &str,
    element: &impl Element,
    conventions: &'a Conventions,
) -> Vec<(&'a str, bool)> {
    match convention {
        CUSTOM => conventions.custom.quoted(),
        "meta" | "tdm" | signal::CONVENTION | terms::NO_TRAINING => [
            "name",
            "http-equiv",
            "property",
            "robots",
            "content",
            "value",
        ]
        .map(|name| (name, true))
        .into(),
        "rel" => vec![("rel", true)],
        rsl::CONVENTION => ["rel", "type", "href"].map(|name| (name, true)).into(),
        "profile" => vec![("class", true)],
        _ => {
            let own = element::quoted(convention);
            // If the tag has none of the convention's attributes, the statement is from
            // `<meta name="st:robots">`. The content of any other META may be text of the page.
            let is_robots = convention == site_search::SWIFTYPE
                && element.tag() == Tag::META
                && own
                    .iter()
                    .all(|(name, _)| element.attribute(name).is_none());
            if is_robots {
                vec![("name", true), ("content", true)]
            } else {
                own
            }
        }
    }
}
