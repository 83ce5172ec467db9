//! Records of a robots.txt about the use of pages that it lets a bot fetch (docs/semantics.md, section 6.1).
//!
//! Which records are for a bot and a path is decided by `robots_txt`; here, what they say. Of each thing that is said the
//! longest path decides, and a denial wins a tie. Words that cannot be read decide nothing, with a note.

use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::{Ear, Whom, aipref, tdm};

/// One record that matches a page: its key in the usual spelling, what it says, the length of its path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'a> {
    pub(crate) key: &'a str,
    pub(crate) said: &'a str,
    pub(crate) length: usize,
}

/// Something that may be denied: by which dialect, what, and whether it is.
pub(super) type Answer = (&'static str, Facet, bool);

/// What each of the records is heard to say; `ear` makes somebody who listens.
pub(crate) fn uses<'a>(uses: &[Use<'_>], ear: impl Fn() -> Ear<'a>) -> Vec<Ear<'a>> {
    let mut ears: Vec<_> = uses.iter().map(|_| ear()).collect();
    let answers: Vec<_> = uses.iter().zip(&mut ears).map(|(one, ear)| answers(one, ear)).collect();
    let all = || uses.iter().zip(&answers).flat_map(|(one, answers)| answers.iter().map(|answer| (one.length, answer)));
    let decides = |length: usize, (dialect, facet, denies): &Answer| {
        let rivals = all().filter(|(_, other)| (other.0, other.1) == (*dialect, *facet));
        rivals.map(|(length, other)| (length, other.2)).max() == Some((length, *denies))
    };
    for ((one, answers), ear) in uses.iter().zip(&answers).zip(&mut ears) {
        for answer in answers.iter().filter(|answer| decides(one.length, answer)) {
            hear(answer, ear);
        }
    }
    ears
}

/// An allowance lifts nothing: it is heard to be told of.
pub(super) fn hear((dialect, facet, denies): &Answer, ear: &mut Ear<'_>) {
    let facets = Facets::of(&[*facet]);
    let says = if *denies { Says::Deny(facets) } else { Says::Allow(facets) };
    ear.hear(says, Whom::Bots(ear.bots.all()), Extent::Response, dialect);
}

fn answers(one: &Use<'_>, ear: &mut Ear<'_>) -> Vec<Answer> {
    let answers = match one.key {
        "Noindex" => vec![("noindex-record", Facet::Index, true)],
        "DisallowAITraining" => vec![("ai-training", Facet::Train, true)],
        "AllowAITraining" => vec![("ai-training", Facet::Train, false)],
        "TDM-Reservation" if ear.dialects.has("tdm") => tdm::reservation(one.said, ear),
        "Content-Signal" if ear.dialects.has("content-signal") => signals(one.said, ear),
        "Content-Usage" if ear.dialects.has("aipref") => aipref::preferences(one.said, ear),
        _ => Vec::new(),
    };
    answers.into_iter().filter(|(dialect, ..)| ear.dialects.has(dialect)).collect()
}

/// `search=yes, ai-input=no, ai-train=no`.
fn signals(said: &str, ear: &mut Ear<'_>) -> Vec<Answer> {
    const DIALECT: &str = "content-signal";
    let words = said.to_ascii_lowercase().replace([',', ';', '"', '\''], " ").replace(':', "=");
    let parts: Vec<_> = words.split('=').map(str::trim).collect();
    let bots = ear.bots.all();
    let mut answers = Vec::new();
    for signal in parts.join("=").split_whitespace() {
        let (key, value) = signal.split_once('=').unwrap_or((signal, ""));
        let is_no = match value.trim_end_matches('.') {
            "no" | "n" | "false" | "0" => true,
            "yes" | "y" | "true" | "1" => false,
            _ => {
                let message = format!("`{signal}`: a signal is yes or no");
                ear.complain(NoteKind::UnreadableValue, bots, DIALECT, message);
                continue;
            }
        };
        match key {
            "search" => answers.push((DIALECT, Facet::Index, is_no)),
            "ai-train" => answers.push((DIALECT, Facet::Train, is_no)),
            "ai-input" => answers.push((DIALECT, Facet::Input, is_no)),
            _ => ear.complain(NoteKind::UnknownToken, bots, DIALECT, format!("`{key}` is no known signal")),
        }
    }
    answers
}
