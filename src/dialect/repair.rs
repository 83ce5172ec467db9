//! Miswritten statements whose meaning is beyond doubt (docs/semantics.md, section 3.1).
//!
//! A statement that is heard by repair denies and never allows, so a page never gives more than without it. Each one
//! comes with a note.

use std::borrow::Cow;

use crate::note::NoteKind;
use crate::policy::Says;
use crate::quotes;

use super::ear::Ear;
use super::view::Element;

/// An attribute's value as its author meant it.
pub(super) struct Meant<'a> {
    pub(super) text: Cow<'a, str>,
    /// The text differs from the value that HTML reads.
    pub(super) is_repaired: bool,
}

/// An attribute's value without quotes round it that HTML does not know. HTML ends a value in such quotes at the first
/// blank, so the rest is joined from the names that follow.
pub(super) fn meant<'a>(element: &'a impl Element, name: &str, ear: &Ear<'_>) -> Option<Meant<'a>> {
    let value = element.attribute(name)?;
    if !ear.dialects.repairs() || !quotes::may_be_round(&value) {
        return Some(Meant { text: value, is_repaired: false });
    }
    let value = if quotes::is_open(&value) { with_rest(element, name, value.into_owned()).into() } else { value };
    let plain = quotes::trimmed(&value);
    Some(match plain.len() < value.len() {
        true => Meant { text: plain.to_owned().into(), is_repaired: true },
        false => Meant { text: value, is_repaired: false },
    })
}

fn with_rest(element: &impl Element, name: &str, mut value: String) -> String {
    let names = element.attribute_names().enumerate();
    let behind = names.skip_while(|(_, own)| !own.eq_ignore_ascii_case(name)).skip(1);
    for (_, word) in behind.filter(|(at, _)| !is_again(element, *at)) {
        value.push(' ');
        value.push_str(word);
        if quotes::is_closed(word) {
            break;
        }
    }
    value
}

/// True if an attribute is there before, so that HTML drops it. NUL is U+FFFD to HTML.
pub(super) fn is_again(element: &impl Element, at: usize) -> bool {
    let folded = |name: &str| name.to_ascii_lowercase().replace('\0', "\u{FFFD}");
    let mut names = element.attribute_names().map(folded);
    let before: Vec<_> = names.by_ref().take(at).collect();
    names.next().is_some_and(|name| before.contains(&name))
}

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

/// The signs that part the names in a list of classes, to those who do not know that blanks do.
pub(super) const COMMAS: [char; 3] = [',', ';', '|'];

/// Hears what is one class to HTML as its author meant it: without quotes, and as several if there are commas in it.
/// `hear` hears a class name. The complaints from this index on are about that one class.
pub(super) fn class(class: &str, hear: fn(&str, &mut Ear<'_>), complaints: usize, ear: &mut Ear<'_>) {
    let (heard, as_written) = (ear.heard.len(), ear.complaints.len());
    let mut known = None;
    for part in class.split(COMMAS).map(quotes::trimmed) {
        hear(part, ear);
        if ear.heard.len() > heard {
            known.get_or_insert(part);
        }
    }
    ear.only_denials_from(heard);
    match ear.heard.len() > heard {
        true => ear.complaints.truncate(complaints),
        false if as_written > complaints => ear.complaints.truncate(as_written),
        false => {}
    }
    // Of the class, only the part that is a mark is quoted.
    let known = known.unwrap_or_default();
    let why = match class.contains(COMMAS) {
        true => format!("`{known}` is part of one class to others, since blanks part classes"),
        false => format!("the quotes round the class `{known}` are part of it to others"),
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

/// True if a list of classes opens a quote that HTML does not know, and may not close it.
pub(super) fn leaves_open(classes: &str) -> bool {
    let parts = classes.split(|c: char| c.is_ascii_whitespace() || COMMAS.contains(&c));
    let ends_open = parts.filter(|part| !part.is_empty()).fold(false, |is_open, part| match is_open {
        true => !part.ends_with(quotes::is_quote),
        false => quotes::is_open(part),
    });
    ends_open || quotes::is_open(classes)
}

impl Ear<'_> {
    /// Drops the allowances among the statements from this index on.
    fn only_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.heard.retain(|said| {
            at += 1;
            at <= from || !matches!(said.says, Says::Allow(_))
        });
    }

    /// Notes why the statements from this index on, if any, are heard by repair.
    pub(super) fn tell_repaired(&mut self, from: usize, why: &str) {
        if let Some(dialect) = self.heard.get(from).map(|said| said.dialect) {
            let message = format!("{why}: here it is heard as it denies");
            self.complain(NoteKind::Lookalike, self.bots.all(), dialect, message);
        }
    }
}
