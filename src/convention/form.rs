//! The forms of an element: as it is written, and as its author may have meant it
//! (docs/semantics.md, section 3.1).
//!
//! In a lenient form each value has the lenient form of its shape. HTML ends a value in quotes
//! unknown to it at the first blank, so the rest is joined from the names that follow. A META is
//! also named by its `property`, by the name of a header, and by attributes that lack a sign. What
//! is heard of a lenient form is kept as far as it denies (`both`).

use std::borrow::Cow;
use std::collections::HashSet;

use crate::html::{Sieve, Tag};
use heedful_base::bot::fold;
use heedful_base::lenient::shape::{may_be_names, names, parts, plain, readings};
use heedful_base::lenient::{Shape, Unseen, Vocabulary, quotes};

use super::collector::StatementCollector;
use super::terms::is_directive;
use super::view::{AttributeNames, Element};
use super::words::denied_by;
use super::{header, signal};

/// An element in one of its forms.
#[derive(Debug)]
pub(super) struct ElementForm<'a, E> {
    element: &'a E,
    /// None as it is written.
    unseen: Option<Unseen>,
    /// The name and words of a META whose attributes lack a sign.
    repaired: Option<(String, String)>,
}

impl<'a, E: Element> ElementForm<'a, E> {
    /// The lenient forms of an element with odd texts.
    fn lenient(element: &'a E, odd: &[Cow<'a, str>]) -> impl Iterator<Item = Self> {
        let most = odd
            .iter()
            .map(|text| readings(text))
            .max_by_key(|readings| readings.len());
        most.into_iter().flatten().map(move |unseen| Self {
            element,
            unseen: Some(*unseen),
            repaired: repaired_meta(element),
        })
    }

    /// An attribute with the rest of a value that was cut at a blank.
    fn whole(&self, name: &str) -> Option<Cow<'a, str>> {
        let written = self.element.attribute(name)?;
        match leaves_open(&plain(&written, Unseen::Blank)) {
            true => Some(with_rest(self.element, name, written.into_owned()).into()),
            false => Some(written),
        }
    }

    /// The names in an attribute, which may be several.
    fn own_names(&self, attribute: &str, unseen: Unseen) -> Vec<String> {
        let robots = |name: String| {
            if is_robot(&name) {
                ROBOTS.to_owned()
            } else {
                name
            }
        };
        let written = self
            .whole(attribute)
            .map_or(Vec::new(), |value| names(&value, unseen, ROBOTS));
        written.into_iter().map(robots).collect()
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
        let Some(unseen) = self.unseen else {
            return self.element.attribute(name);
        };
        let meant = self
            .repaired
            .as_ref()
            .filter(|_| name == CONTENT)
            .map(|(_, words)| Cow::Borrowed(words.as_str()));
        let whole = meant.or_else(|| self.whole(name))?;
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
        match attribute {
            NAME => found.extend(self.repaired.iter().map(|(name, _)| name.clone())),
            // The name of a header may stand in the place of a name.
            _ => found.extend(self.own_names(NAME, unseen)),
        }
        let mut seen = HashSet::new();
        found
            .iter()
            .map(|name| fold(name))
            .filter(|name| seen.insert(name.clone()))
            .collect()
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
    /// Runs a parser on an element as it is written. If these texts of it are odd, it runs on the
    /// lenient forms too.
    pub(super) fn read_element<'a, E: Element>(
        &mut self,
        element: &'a E,
        odd: &[Cow<'a, str>],
        why: &str,
        parse: impl Fn(&ElementForm<'_, E>, &mut Self),
    ) {
        self.read_readings(
            &ElementForm {
                element,
                unseen: None,
                repaired: None,
            },
            ElementForm::lenient(element, odd),
            why,
            parse,
        );
    }

    /// Runs a parser on a text of this shape as it is written and, if the text is odd, on the
    /// lenient forms.
    pub(super) fn read_text(
        &mut self,
        text: &str,
        shape: Shape,
        why: &str,
        mut parse: impl FnMut(&str, &mut Self),
    ) {
        match shape.may_differ(text) {
            true => self.read_readings(
                &Cow::Borrowed(text),
                forms(text, shape),
                why,
                |text, collector| parse(text, collector),
            ),
            false => parse(text, self),
        }
    }

    /// Runs a parser on the lenient forms of a text that says nothing as it is written.
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

/// Those of an element's attributes that may differ in their lenient form.
pub(super) fn odd_attributes<'a>(
    element: &'a impl Element,
    names: &[&str],
    shape: Shape,
) -> Vec<Cow<'a, str>> {
    let texts = names.iter().filter_map(|name| element.attribute(name));
    texts.filter(|text| shape.may_differ(text)).collect()
}

/// The texts of a META that may have a lenient form.
pub(super) fn odd_meta_texts(element: &impl Element) -> Vec<Cow<'_, str>> {
    let content = element
        .attribute(CONTENT)
        .or_else(|| element.attribute("value"));
    let mut odd = Vec::new();
    odd.extend(content.filter(|text| Shape::Words.may_differ(text)));
    odd.extend(element.attribute(NAME).filter(|name| is_odd_name(name)));
    odd.extend(
        element
            .attribute("http-equiv")
            .filter(|name| may_be_names(name)),
    );
    odd.extend(
        element
            .attribute(PROPERTY)
            .filter(|name| may_be_names(name) || !name.contains(':')),
    );
    odd.extend(repaired_meta(element).map(|(_, words)| words.into()));
    odd
}

/// True for a value that may hold several names, for the name of a header, and for a robot.
fn is_odd_name(name: &str) -> bool {
    let has_words = || {
        name.trim().contains(char::is_whitespace)
            && fold(name).split(' ').any(|word| word == ROBOTS)
    };
    may_be_names(name) || header::is_exactly_named(name) || is_robot(name) || has_words()
}

/// True for `robot`: to Fluid Dynamics' engine it is `robots`.
fn is_robot(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("robot")
}

/// The name and words of a META one of whose attributes lacks its name, its equals sign, or its
/// closing quote.
fn repaired_meta(element: &impl Element) -> Option<(String, String)> {
    let written = element.attribute(NAME);
    let of_attribute = |own: &str| match own.split_at_checked(NAME.len())? {
        // `robots="noindex"`
        _ if written.is_none() && own.eq_ignore_ascii_case(ROBOTS) => {
            Some((ROBOTS.to_owned(), element.attribute(own)?.into_owned()))
        }
        // `name"robots" content="noindex"`
        (start, name) if start.eq_ignore_ascii_case(NAME) && name.starts_with(quotes::is_quote) => {
            Some((quotes::trimmed(name).to_owned(), String::new()))
        }
        _ => None,
    };
    // `name="robots content="noindex, nofollow"`
    let of_name = || {
        let written = written.as_deref()?;
        let (name, words) = written.split_once('=')?;
        let (name, attribute) = name.trim_end().rsplit_once(char::is_whitespace)?;
        let words = || with_rest(element, NAME, words.to_owned());
        attribute
            .eq_ignore_ascii_case(CONTENT)
            .then(|| (name.to_owned(), words()))
    };
    let (name, words) = element
        .attribute_names()
        .find_map(of_attribute)
        .or_else(of_name)?;
    let content = element.attribute(CONTENT).unwrap_or_default();
    Some((name, format!("{words},{content}")))
}

/// What lists of words consist of.
const VOCABULARY: Vocabulary = Vocabulary {
    is_word,
    is_denial,
    is_nobody: header::is_no_bot,
};

fn is_word(word: &str) -> bool {
    is_directive(word) || signal::is_signal(word)
}

fn is_denial(word: &str) -> bool {
    !denied_by(word).is_empty()
}

const NAME: &str = "name";
const CONTENT: &str = "content";
const PROPERTY: &str = "property";
const ROBOTS: &str = "robots";

fn with_rest(element: &impl Element, name: &str, mut value: String) -> String {
    let mut seen = Seen::default();
    let names = element
        .attribute_names()
        .filter(move |own| seen.is_new(own));
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

/// The names of a tag's attributes so far. HTML drops an attribute whose name is there already.
#[derive(Default)]
pub(super) struct Seen(HashSet<String>);

impl Seen {
    /// The names of those that stand before this one.
    pub(super) fn preceding(element: &impl Element, at: usize) -> Self {
        Self(element.attribute_names().take(at).map(as_kept).collect())
    }

    /// Adds a name. Returns true if HTML keeps its attribute.
    pub(super) fn is_new(&mut self, name: &str) -> bool {
        self.0.insert(as_kept(name))
    }
}

/// A name as HTML keeps it.
fn as_kept(name: &str) -> String {
    name.to_ascii_lowercase().replace('\0', "\u{FFFD}")
}

/// True if a list of words opens a quote that HTML does not know, and may not close it.
pub(super) fn leaves_open(words: &str) -> bool {
    if words.is_ascii() && !words.bytes().any(quotes::may_be) {
        return false;
    }
    let words = words.trim();
    let parts = words.split(parts).map(|part| part.trim_matches('.'));
    let ends_open =
        parts
            .filter(|part| !part.is_empty())
            .fold(false, |is_open, part| match is_open {
                true => !part.ends_with(quotes::is_quote),
                false => quotes::is_open(part),
            });
    ends_open || quotes::is_open(words)
}
