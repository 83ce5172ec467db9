//! The forms of an element: its exact form, and lenient forms that its author may have meant
//! (docs/semantics.md, section 3.1).
//!
//! In a lenient form of an element, each attribute value has the lenient form of its shape. If a
//! value is in quotes that HTML does not know, HTML ends the value at its first blank. The lenient
//! form restores the rest of such a value from the attribute names that follow. A META may also be
//! named by its `property` or by the name of a header. Its attributes may lack a quote or an equals
//! sign. Only denials that a parser finds in a lenient form have an effect (`readings`).

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

use crate::html::{Sieve, Tag};
use heedful_base::bot::{Bots, fold};
use heedful_base::lenient::shape::{is_separator, may_be_names, names, plain, readings};
use heedful_base::lenient::{Shape, Unseen, Vocabulary, quotes};

use super::collector::StatementCollector;
use super::terms::is_directive;
use super::view::{AttributeNames, Element};
use super::words::denied_by;
use super::{header, signal};

/// A form of an element. The *exact form* is the element as the page has it. A *lenient form* is
/// the element as the page's author may have meant it.
#[derive(Debug)]
pub(super) struct ElementForm<'a, E> {
    element: &'a E,
    /// Treatment of invisible characters in this lenient form. `None` for the exact form.
    unseen: Option<Unseen>,
    repaired: Option<RepairedMeta>,
    /// True if a parser has read the attribute `content` of this form.
    has_read_content: Cell<bool>,
}

/// Repaired name and directives of a META whose attributes lack a quote or an equals sign.
#[derive(Debug)]
struct RepairedMeta {
    name: String,
    words: String,
}

impl<'a, E: Element> ElementForm<'a, E> {
    pub(super) fn exact(element: &'a E) -> Self {
        Self {
            element,
            unseen: None,
            repaired: None,
            has_read_content: Cell::new(false),
        }
    }

    /// Returns the lenient forms of an element: corrected forms that the page's author may have
    /// meant. `odd` has the attribute values that may differ between the exact form and a lenient
    /// form.
    pub(super) fn lenient(
        element: &'a E,
        odd: &[Cow<'_, str>],
    ) -> impl Iterator<Item = Self> + use<'a, E> {
        let most = odd
            .iter()
            .map(|text| readings(text))
            .max_by_key(|readings| readings.len());
        most.unwrap_or_default().iter().map(move |unseen| Self {
            element,
            unseen: Some(*unseen),
            repaired: repaired_meta(element),
            has_read_content: Cell::new(false),
        })
    }

    /// Returns the value of an attribute, and restores its end if it is in quotes such as `“`. HTML
    /// does not know these quotes. It ends the value at the first blank, and reads the rest as
    /// names of attributes. Returns `None` if the element has no such attribute.
    fn whole(&self, name: &str) -> Option<Cow<'a, str>> {
        let written = self.element.attribute(name)?;
        if leaves_open(&plain(&written, Unseen::Blank)) {
            Some(restore_value(self.element, name, written.into_owned()).into())
        } else {
            Some(written)
        }
    }

    /// Returns the names in the value of an attribute, such as the `name` of a META. A value may
    /// contain several names. `unseen` is the treatment of invisible characters in the value.
    fn own_names(&self, attribute: &str, unseen: Unseen) -> Vec<String> {
        let Some(value) = self.whole(attribute) else {
            return Vec::new();
        };
        let mut names = names(&value, unseen, ROBOTS);
        for name in &mut names {
            if is_robot(name) {
                *name = ROBOTS.to_owned();
            }
        }
        names
    }
}

impl<E: Element> Element for ElementForm<'_, E> {
    fn name(&self) -> &str {
        self.element.name()
    }

    fn tag(&self) -> Tag {
        self.element.tag()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.shaped(name, Shape::Value)
    }

    fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.element.attribute_names()
    }

    fn may_have(&self, names: Sieve) -> bool {
        self.element.may_have(names)
    }

    fn shaped(&self, name: &str, shape: Shape) -> Option<Cow<'_, str>> {
        if name == CONTENT {
            self.has_read_content.set(true);
        }
        let Some(unseen) = self.unseen else {
            return self.element.attribute(name);
        };
        let whole = match &self.repaired {
            Some(repaired) if name == CONTENT => Cow::Borrowed(repaired.words.as_str()),
            _ => self.whole(name)?,
        };
        if !shape.may_differ(&whole) {
            return Some(whole);
        }
        Some(shape.form(&whole, unseen, VOCABULARY).into_owned().into())
    }

    fn names(&self, attribute: &str) -> AttributeNames {
        let Some(unseen) = self.unseen else {
            return self.element.names(attribute);
        };
        let mut found = self.own_names(attribute, unseen);
        found.extend(self.own_names(PROPERTY, unseen));
        if attribute != NAME {
            // An author may have written the name of a header in `name`.
            found.extend(self.own_names(NAME, unseen));
        } else if let Some(repaired) = &self.repaired {
            found.push(repaired.name.clone());
        }
        let mut seen = HashSet::new();
        let mut names = AttributeNames::new();
        for name in &found {
            let name = fold(name);
            if seen.insert(name.clone()) {
                names.push(name);
            }
        }
        names
    }

    fn is_named(&self, attribute: &str, is: impl Fn(&str) -> bool) -> bool {
        match self.unseen {
            None => self.element.is_named(attribute, is),
            Some(unseen) => self
                .own_names(attribute, unseen)
                .iter()
                .any(|name| is(name)),
        }
    }
}

impl StatementCollector<'_> {
    /// Runs the parser `parse` on the exact form of an element, and on its lenient forms. A lenient
    /// form is a corrected form that the author may have meant. `odd` has the attribute values that
    /// may differ in a lenient form. If `odd` is empty, there are no lenient forms. If a lenient
    /// form adds denials, they get a note that begins with `why`.
    pub(super) fn read_element<'a, E: Element>(
        &mut self,
        element: &'a E,
        odd: &[Cow<'a, str>],
        why: &str,
        parse: impl Fn(&ElementForm<'_, E>, &mut Self),
    ) {
        self.read_readings(
            &ElementForm::exact(element),
            ElementForm::lenient(element, odd),
            why,
            parse,
        );
    }

    /// Runs the parser `parse` on a text as it is, and on its lenient forms. A lenient form is a
    /// corrected text that the author may have meant. `shape` is the syntax of the text. The syntax
    /// decides which lenient forms there are. If a lenient form adds denials, they get a note that
    /// begins with `why`.
    pub(super) fn read_text(
        &mut self,
        text: &str,
        shape: Shape,
        why: &str,
        mut parse: impl FnMut(&str, &mut Self),
    ) {
        if shape.may_differ(text) {
            self.read_readings(
                &Cow::Borrowed(text),
                forms(text, shape),
                why,
                |text, collector| parse(text, collector),
            );
        } else {
            parse(text, self);
        }
    }

    /// Runs the parser `parse` only on the lenient forms of a text. A lenient form is a corrected
    /// text that the author may have meant. Callers use this method if the unchanged text states
    /// nothing.
    pub(super) fn read_lenient_text(
        &mut self,
        text: &str,
        shape: Shape,
        why: &str,
        parse: impl Fn(&str, &mut Self),
    ) {
        self.read_readings(
            &Cow::Borrowed(""),
            forms(text, shape),
            why,
            |text, collector| {
                parse(text, collector);
            },
        );
    }
}

fn forms(text: &str, shape: Shape) -> impl Iterator<Item = Cow<'_, str>> {
    readings(text)
        .iter()
        .map(move |unseen| shape.form(text, *unseen, VOCABULARY))
}

/// Returns the values of the attributes `names` that may differ in a lenient form of the element.
/// `shape` is the syntax of these values. The syntax decides which lenient forms there are.
pub(super) fn odd_attributes<'a>(
    element: &'a impl Element,
    names: &[&str],
    shape: Shape,
) -> Vec<Cow<'a, str>> {
    let mut odd = Vec::new();
    for name in names {
        if let Some(text) = element.attribute(name)
            && shape.may_differ(&text)
        {
            odd.push(text);
        }
    }
    odd
}

/// Returns the attribute values of a META that may differ in a lenient form. These are its content
/// and its names, such as the value of `name` or `property`. `exact` is the exact form of the META,
/// which has been parsed already.
pub(super) fn odd_meta_texts<'a>(
    exact: &ElementForm<'a, impl Element>,
    bots: &Bots,
) -> Vec<Cow<'a, str>> {
    let element = exact.element;
    let mut odd = Vec::new();
    if let Some(name) = element.attribute(NAME)
        && is_odd_name(&name)
    {
        odd.push(name);
    }
    if let Some(header) = element.attribute(HEADER)
        && may_be_names(&header)
    {
        odd.push(header);
    }
    if let Some(property) = element.attribute(PROPERTY)
        && (may_be_names(&property) || !property.contains(':'))
    {
        odd.push(property);
    }
    if let Some(repaired) = repaired_meta(element) {
        odd.push(repaired.words.into());
    }
    let content = element
        .attribute(CONTENT)
        .or_else(|| element.attribute("value"));
    if let Some(content) = content
        && (!odd.is_empty() || exact.has_read_content.get() || has_lenient_name(element, bots))
        && Shape::Words.may_differ(&content)
    {
        odd.push(content);
    }
    odd
}

/// True if a lenient form of a META may name a bot in `http-equiv` or `property` that the exact
/// form does not name. This is so if the value of one of these attributes is `robot`, or has
/// several words. It is also so if the value of `property` is the name of one of `bots`.
fn has_lenient_name(element: &impl Element, bots: &Bots) -> bool {
    let may_be_robots = |name: &str| is_robot(name) || name.trim().contains(char::is_whitespace);
    let is_heard = |name: &str| may_be_robots(name) || !bots.with_name(&fold(name)).is_empty();
    element
        .attribute(HEADER)
        .is_some_and(|header| may_be_robots(&header))
        || element
            .attribute(PROPERTY)
            .is_some_and(|property| is_heard(&property))
}

/// True if `name`, the `name` of a META, may mean other names in a lenient form. This is so if
/// `name` may consist of several names, is `X-Robots-Tag`, or is `robot`.
fn is_odd_name(name: &str) -> bool {
    may_be_names(name)
        || header::is_exactly_named(name)
        || is_robot(name)
        || name.trim().contains(char::is_whitespace)
            && fold(name).split(' ').any(|word| word == ROBOTS)
}

/// True if `name`, the name of a META, is `robot`. The search engine of Fluid Dynamics reads it as
/// `robots`.
fn is_robot(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("robot")
}

/// Returns the repaired name and directives of a META. An attribute is repaired if it lacks its
/// name, its equals sign, or its closing quote. Returns `None` if nothing needs repair.
fn repaired_meta(element: &impl Element) -> Option<RepairedMeta> {
    let written = element.attribute(NAME);
    let mut repaired = repaired_attribute(element, written.is_some())
        .or_else(|| repaired_name(element, &written?))?;
    let content = element.attribute(CONTENT).unwrap_or_default();
    repaired.words.push(',');
    repaired.words.push_str(&content);
    Some(repaired)
}

/// Repairs attributes of a META that lack a name or an equals sign: `robots="noindex"` and
/// `name"robots" content="noindex"`.
fn repaired_attribute(element: &impl Element, has_name: bool) -> Option<RepairedMeta> {
    for own in element.attribute_names() {
        let Some((start, quoted)) = own.split_at_checked(NAME.len()) else {
            continue;
        };
        if !has_name && own.eq_ignore_ascii_case(ROBOTS) {
            if let Some(words) = element.attribute(own) {
                return Some(RepairedMeta {
                    name: ROBOTS.to_owned(),
                    words: words.into_owned(),
                });
            }
        } else if start.eq_ignore_ascii_case(NAME) && quoted.starts_with(quotes::is_quote) {
            return Some(RepairedMeta {
                name: quotes::trim(quoted).to_owned(),
                words: String::new(),
            });
        }
    }
    None
}

/// Repairs the `name` of a META that lacks its closing quote:
/// `name="robots content="noindex, nofollow`.
fn repaired_name(element: &impl Element, written: &str) -> Option<RepairedMeta> {
    let (name, words) = written.split_once('=')?;
    let (name, attribute) = name.trim_end().rsplit_once(char::is_whitespace)?;
    if !attribute.eq_ignore_ascii_case(CONTENT) {
        return None;
    }
    Some(RepairedMeta {
        name: name.to_owned(),
        words: restore_value(element, NAME, words.to_owned()),
    })
}

/// Predicates that tell what a word in a list is, for example a directive. They decide how a
/// lenient form repairs the list.
const VOCABULARY: Vocabulary = Vocabulary {
    is_word,
    is_denial,
    is_never_a_bot: header::is_no_bot,
};

fn is_word(word: &str) -> bool {
    is_directive(word) || signal::is_signal(word)
}

fn is_denial(word: &str) -> bool {
    !denied_by(word).is_empty()
}

const NAME: &str = "name";
const CONTENT: &str = "content";
const HEADER: &str = "http-equiv";
const PROPERTY: &str = "property";
const ROBOTS: &str = "robots";

/// Restores the end of `value`, the value of the attribute `name`. HTML has read this end as the
/// names of the next attributes in the tag. These names are appended to `value`, up to the first
/// name that closes a quote.
fn restore_value(element: &impl Element, name: &str, mut value: String) -> String {
    let mut seen = Seen::default();
    let names = element.attribute_names().filter(|own| seen.is_new(own));
    for word in names
        .skip_while(|own| !own.eq_ignore_ascii_case(name))
        .skip(1)
    {
        value.push(' ');
        value.push_str(word);
        if quotes::is_closed(word) {
            break;
        }
    }
    value
}

/// Names of the attributes of a tag that were read so far. If a later attribute has one of these
/// names, HTML drops that attribute.
#[derive(Default)]
pub(super) struct Seen(HashSet<String>);

impl Seen {
    /// Returns the names of the first `at` attributes of the element.
    pub(super) fn preceding(element: &impl Element, at: usize) -> Self {
        Self(element.attribute_names().take(at).map(kept_name).collect())
    }

    /// Adds the name of the tag's next attribute. Returns true if the name is new. Returns false if
    /// an earlier attribute has the name. HTML then drops the new attribute.
    pub(super) fn is_new(&mut self, name: &str) -> bool {
        self.0.insert(kept_name(name))
    }
}

/// Returns an attribute's name as HTML compares it: in lower case, with U+FFFD in place of NUL.
fn kept_name(name: &str) -> String {
    name.to_ascii_lowercase().replace('\0', "\u{FFFD}")
}

/// True if a list of words opens a quote such as `“`, and probably does not close it. HTML does not
/// know such quotes.
pub(super) fn leaves_open(words: &str) -> bool {
    if words.is_ascii() && !words.bytes().any(quotes::may_be) {
        return false;
    }
    let words = words.trim();
    let mut is_open = false;
    for part in words.split(is_separator) {
        let part = part.trim_matches('.');
        if part.is_empty() {
            continue;
        }
        is_open = if is_open {
            !part.ends_with(quotes::is_quote)
        } else {
            quotes::is_open(part)
        };
    }
    is_open || quotes::is_open(words)
}
