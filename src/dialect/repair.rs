//! Miswritten statements whose meaning is beyond doubt (docs/semantics.md, section 3.1).
//!
//! A statement that is heard by repair denies and never allows, so a page never gives more than without it. Each one
//! comes with a note.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::lenient::quotes;
use crate::note::NoteKind;
use crate::policy::Says;

use super::ear::Ear;
use super::separator;
use super::view::Element;

/// An attribute's value as its author meant it.
pub(super) struct Meant<'a> {
    pub(super) text: Cow<'a, str>,
    /// The text differs from the value that HTML reads.
    pub(super) is_repaired: bool,
}

/// An attribute's value with plain separators, and without quotes round it that HTML does not know. HTML ends a value in
/// such quotes at the first blank, so the rest is joined from the names that follow.
pub(super) fn meant<'a>(element: &'a impl Element, name: &str, ear: &Ear<'_>) -> Option<Meant<'a>> {
    let written = element.attribute(name)?;
    if !ear.dialects.repairs() || written.is_ascii() && !quotes::may_be_round(&written) {
        return Some(Meant { text: written, is_repaired: false });
    }
    let mut value = separator::plain(&written);
    if leaves_open(&value) {
        value = with_rest(element, name, value.into_owned()).into();
    }
    let plain = quotes::trimmed(value.trim());
    Some(match plain != written.trim() {
        true => Meant { text: plain.to_owned().into(), is_repaired: true },
        false => Meant { text: written, is_repaired: false },
    })
}

fn with_rest(element: &impl Element, name: &str, mut value: String) -> String {
    let mut seen = Seen::default();
    let names = element.attribute_names().filter(move |own| seen.is_new(own));
    for word in names.skip_while(|own| !own.eq_ignore_ascii_case(name)).skip(1) {
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
    pub(super) fn before(element: &impl Element, at: usize) -> Self {
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

/// The words of a META or header without quotes, and with plain separators.
pub(super) fn plain_signs(words: &str) -> Cow<'_, str> {
    match quotes::without(words) {
        Cow::Borrowed(words) => separator::plain(words),
        Cow::Owned(words) => separator::plain(&words).into_owned().into(),
    }
}

/// The reason why others do not hear words that [`plain_signs`] changes.
pub(super) const ODD_SIGNS: &str = "its quotes, commas or blanks are part of its words";

/// Hears the content of a META called `name`, both as their author meant them. If they differ from what HTML reads,
/// only denials count, and a note gives the reason `why`.
pub(super) fn content(
    element: &impl Element,
    name: &Meant<'_>,
    hear: impl FnOnce(&str, &mut Ear<'_>),
    why: &str,
    ear: &mut Ear<'_>,
) {
    let (content, before) = (meant(element, "content", ear), ear.heard.len());
    hear(content.as_ref().map_or("", |content| &content.text), ear);
    if name.is_repaired || content.is_some_and(|content| content.is_repaired) {
        ear.only_denials_from(before);
        ear.tell_repaired(before, why);
    }
}

/// True if one class to HTML may be another one to its author, or several.
pub(super) fn may_be_meant(class: &str) -> bool {
    let is_odd = |byte: u8| separator::is_comma(byte) || byte == b'.' || !byte.is_ascii();
    quotes::may_be_round(class) || class.bytes().any(is_odd)
}

/// The classes in what is one to HTML. The author parts them by signs that HTML does not know, or names them as a
/// selector does. U+FFFD is what is left of a blank, or of a quote, in another encoding.
fn classes(class: &str) -> impl Iterator<Item = &str> {
    class.split(|sign| separator::parts(sign) || matches!(sign, '.' | '\u{FFFD}')).map(quotes::trimmed)
}

/// Hears what is one class to HTML as its author meant it: without quotes, and as several if separators are in it.
/// `hear` hears a class name. The complaints from this index on are about that one class.
pub(super) fn class(class: &str, hear: fn(&str, &mut Ear<'_>), complaints: usize, ear: &mut Ear<'_>) {
    let (heard, as_written) = (ear.heard.len(), ear.complaints.len());
    let mut known = None;
    for part in classes(class) {
        let before = ear.heard.len();
        hear(part, ear);
        ear.only_denials_from(before);
        if ear.heard.len() > before {
            known.get_or_insert(part);
        }
    }
    if known.is_some() {
        ear.complaints.truncate(complaints);
    } else if as_written > complaints {
        // The same was said of the class as it is written.
        ear.complaints.truncate(as_written);
    }
    // Of the class, only the part that is a mark is quoted.
    let known = known.unwrap_or_default();
    let why = match (class.contains(separator::parts), class.contains('.')) {
        (true, _) => format!("`{known}` is part of one class to others, since plain blanks part classes"),
        (false, true) => format!("a dot is part of the class `{known}` to others"),
        (false, false) => format!("the quotes round the class `{known}` are part of it to others"),
    };
    ear.tell_repaired(heard, &why);
}

/// Hears the name of an attribute as a class: it stands behind a class that opens a quote. Unless it is one, it may be
/// text of the page.
pub(super) fn class_behind(name: &str, hear: fn(&str, &mut Ear<'_>), ear: &mut Ear<'_>) {
    let (heard, complaints) = (ear.heard.len(), ear.complaints.len());
    class(name, hear, complaints, ear);
    if ear.heard.len() == heard {
        ear.complaints.truncate(complaints);
    }
}

/// True if a list of words opens a quote that HTML does not know, and may not close it.
pub(super) fn leaves_open(words: &str) -> bool {
    let words = words.trim();
    let parts = words.split(separator::parts).map(|part| part.trim_matches('.'));
    let ends_open = parts.filter(|part| !part.is_empty()).fold(false, |is_open, part| match is_open {
        true => !part.ends_with(quotes::is_quote),
        false => quotes::is_open(part),
    });
    ends_open || quotes::is_open(words)
}

impl Ear<'_> {
    /// Drops the allowances among the statements from this index on.
    pub(super) fn only_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.heard.retain(|said| {
            at += 1;
            at <= from || !matches!(said.says, Says::Allow(_))
        });
    }

    /// Notes why the statements from this index on, if any, are heard by repair.
    pub(super) fn tell_repaired(&mut self, from: usize, why: &str) {
        if let Some(dialect) = self.heard.get(from).map(|said| said.dialect) {
            let bots = self.bots_of(from..self.heard.len());
            self.complain(NoteKind::Lookalike, bots, dialect, format!("{why}: here it is heard as it denies"));
        }
    }
}
