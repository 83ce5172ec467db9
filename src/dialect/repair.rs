//! What is beyond doubt, though no convention has it so (docs/semantics.md, section 3.1).
//!
//! What is heard by repair denies and never allows: so a page never gives more than it would without. Each time a note
//! tells of it.

use std::borrow::Cow;

use crate::note::NoteKind;
use crate::policy::Says;
use crate::quotes;

use super::{Ear, Element, class_name};

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

/// A class between quotes that are none to HTML, or one of several.
pub(super) fn class(class: &str, ear: &mut Ear<'_>) {
    let plain = quotes::trimmed(class);
    let (heard, complaints) = (ear.heard.len(), ear.complaints.len());
    class_name(plain, ear);
    ear.only_denials_from(heard);
    if let Some(dialect) = ear.heard.get(heard).map(|said| said.dialect) {
        ear.complaints.truncate(complaints);
        let message =
            format!("the quotes round the class `{plain}` are part of it to others: here it is heard as it denies");
        ear.complain(NoteKind::Lookalike, ear.bots.all(), dialect, message);
    }
}

impl Ear<'_> {
    /// Of what was heard from here on, what denies.
    pub(super) fn only_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.heard.retain(|said| {
            at += 1;
            at <= from || !matches!(said.says, Says::Allow(_))
        });
    }
}
