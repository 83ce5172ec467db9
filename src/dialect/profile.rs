//! The Robot Exclusion Profile: class names (docs/semantics.md, section 4.3).
//!
//! By the draft of 2005-06-18. Eight words, each for all bots (`robots-noindex`) or for one to which the page gives a
//! number (`robot3-index`). Here it is only heard what is written; whether the page declares the profile, who has the
//! number, and which element is nearest is for `walk`. `noarchive` keeps content out of excerpts as well, as the draft
//! says. Where the draft leaves open which of two contradicting classes counts, the denial does.

use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::comment::is_near;
use super::{Declaration, Ear, Element, Whom};

const DIALECT: &str = "profile";

/// One of an element's class names.
pub(super) fn class_name(class: &str, ear: &mut Ear<'_>) {
    let may_be = class.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("robot"));
    if !may_be || !ear.dialects.know_the_profile() {
        return;
    }
    let class = class.to_ascii_lowercase();
    let Some((number, word)) = split(&class) else { return };
    match says(word) {
        Some(says) => ear.hear(says, Whom::Profile(number), Extent::Subtree, DIALECT),
        // The one word of another convention that looks like these.
        None if word == "nocontent" => {}
        None => {
            let (kind, meant) = match WORDS.into_iter().find(|known| is_near(word, known)) {
                Some(meant) => (NoteKind::Lookalike, format!(": did you mean `{meant}`?")),
                None => (NoteKind::UnknownToken, String::new()),
            };
            let message = format!("`{word}` in the class `{class}` is no word of the profile{meant}");
            ear.complain(kind, ear.bots.all(), DIALECT, message);
        }
    }
}

/// What can be denied; behind `no` all of it can be written.
const WORDS: [&str; 4] = ["noindex", "nofollow", "noanchortext", "noarchive"];

/// `robots-X` or `robotN-X`.
fn split(class: &str) -> Option<(Option<u32>, &str)> {
    let (who, word) = class.strip_prefix("robot")?.split_once('-')?;
    if who == "s" { Some((None, word)) } else { Some((Some(number(who)?), word)) }
}

fn number(digits: &str) -> Option<u32> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn says(word: &str) -> Option<Says> {
    let (denies, word) = word.strip_prefix("no").map_or((false, word), |word| (true, word));
    let facets: &[Facet] = match word {
        "index" => &[Facet::Index],
        "follow" => &[Facet::Follow],
        "anchortext" => &[Facet::Anchor],
        "archive" => &[Facet::Archive, Facet::Snippet],
        _ => return None,
    };
    let facets = Facets::of(facets);
    Some(if denies { Says::Deny(facets) } else { Says::Allow(facets) })
}

/// What an element says about the profile itself: `<head profile>`, the names of bots, where they stand.
pub(super) fn declaration(element: &impl Element, ear: &mut Ear<'_>) {
    let declaration = match element.name() {
        "head" => profile(element, ear),
        "meta" => name(element),
        "link" => names_page(element),
        _ => None,
    };
    ear.declared.extend(declaration);
}

fn profile(element: &impl Element, ear: &Ear<'_>) -> Option<Declaration> {
    let uris = element.attribute("profile")?;
    uris.split_ascii_whitespace().any(|uri| uri == ear.profile).then_some(Declaration::Profile)
}

pub(super) fn name(element: &impl Element) -> Option<Declaration> {
    let name = element.attribute("name")?.trim().to_ascii_lowercase();
    let number = number(name.strip_prefix("robotexclusion.robotname")?)?;
    let content = element.attribute("content")?;
    Some(Declaration::Name(number, content.trim().to_owned()))
}

fn names_page(element: &impl Element) -> Option<Declaration> {
    let rel = element.attribute("rel")?;
    let names = rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("RobotExclusion.Names"));
    let href = element.attribute("href").filter(|_| names)?;
    Some(Declaration::NamesPage(href.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_names() {
        let deny = |facets: &[Facet]| Says::Deny(Facets::of(facets));
        let allow = |facets: &[Facet]| Says::Allow(Facets::of(facets));
        let read = |class: &str| split(class).and_then(|(number, word)| Some((number, says(word)?)));
        for (class, expected) in [
            ("robots-noindex", Some((None, deny(&[Facet::Index])))),
            ("robots-archive", Some((None, allow(&[Facet::Archive, Facet::Snippet])))),
            ("robot3-noanchortext", Some((Some(3), deny(&[Facet::Anchor])))),
            ("robot012-follow", Some((Some(12), allow(&[Facet::Follow])))),
            ("robot-noindex", None),
            ("robot+1-noindex", None),
            ("robot99999999999-noindex", None),
            ("robots-none", None),
            ("robots-nonoindex", None),
            ("xrobots-noindex", None),
        ] {
            assert_eq!(read(class), expected, "{class}");
        }
    }
}
