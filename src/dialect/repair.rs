//! What is beyond doubt, though no convention has it so (docs/semantics.md, section 3.1).
//!
//! What is heard by repair denies and never allows: so a page never gives more than it would without. Each time a note
//! tells of it.

use std::borrow::Cow;

use crate::note::NoteKind;
use crate::policy::Says;
use crate::quotes;

use super::ear::Ear;
use super::view::Element;

/// An attribute's value as its author meant it.
pub(super) struct Meant<'a> {
    pub(super) text: Cow<'a, str>,
    /// It is not what HTML reads there.
    pub(super) is_repaired: bool,
}

/// An attribute's value without quotes round it that are none to HTML. What such quotes hold ends at the first blank: the
/// rest of it is made of the names that follow.
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

/// Hears the content of a META that speaks under `name`, both as their author meant them. Where that is not what HTML reads,
/// only what denies counts, and a note tells `why`.
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

/// A class between quotes that are none to HTML, or one of several. `hear` hears a class name.
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

impl Ear<'_> {
    /// Of what was heard from here on, what denies.
    fn only_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.heard.retain(|said| {
            at += 1;
            at <= from || !matches!(said.says, Says::Allow(_))
        });
    }

    /// Tells why what was heard from here on, if anything, is heard by repair.
    pub(super) fn tell_repaired(&mut self, from: usize, why: &str) {
        if let Some(dialect) = self.heard.get(from).map(|said| said.dialect) {
            let message = format!("{why}: here it is heard as it denies");
            self.complain(NoteKind::Lookalike, self.bots.all(), dialect, message);
        }
    }
}
