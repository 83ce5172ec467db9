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
    let behind = element.attribute_names().skip_while(|own| !own.eq_ignore_ascii_case(name)).skip(1);
    for word in behind {
        value.push(' ');
        value.push_str(word);
        if quotes::is_closed(word) {
            break;
        }
    }
    value
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

/// Hears a class between quotes that HTML does not know, or one of several. `hear` hears a class name.
pub(super) fn class(class: &str, hear: fn(&str, &mut Ear<'_>), ear: &mut Ear<'_>) {
    let plain = quotes::trimmed(class);
    let (heard, complaints) = (ear.heard.len(), ear.complaints.len());
    hear(plain, ear);
    ear.only_denials_from(heard);
    if ear.heard.len() > heard {
        ear.complaints.truncate(complaints);
    }
    ear.tell_repaired(heard, &format!("the quotes round the class `{plain}` are part of it to others"));
}

/// The signs that part the names in a list of classes, to those who do not know that blanks do.
pub(super) const COMMAS: [char; 2] = [',', ';'];

/// Hears the classes in what is one class to HTML, as its names are parted by commas. The complaints from this index on
/// are about that one class.
pub(super) fn classes(list: &str, hear: fn(&str, &mut Ear<'_>), complaints: usize, ear: &mut Ear<'_>) {
    let heard = ear.heard.len();
    for class in list.split(COMMAS) {
        hear(quotes::trimmed(class), ear);
    }
    ear.only_denials_from(heard);
    if ear.heard.len() > heard {
        ear.complaints.truncate(complaints);
        ear.tell_repaired(heard, &format!("`{list}` is one class to others, since blanks part classes"));
    }
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
