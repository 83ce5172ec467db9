//! The class names of the Robot Exclusion Profile (docs/semantics.md, section 4.3).
//!
//! Implements the profile's draft of 2005-06-18. It has eight words, each for all bots
//! (`robots-noindex`) or for the bot to which the page gives a number (`robot3-index`). The word
//! `noarchive` also denies excerpts, as the draft says. The draft does not say which of two
//! contradicting class names wins; here the denial wins. This file only reads class names and
//! declarations. `scope` decides whether the page declares the profile, which bot has a number, and
//! which element is nearest.

use crate::html::begins_with;
use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent, Use, Uses};
use heedful_base::lenient::near::near;

use super::collector::{Declaration, Recipients, StatementCollector};
use super::shown::quotable;
use super::uses::SNIPPET;
use super::view::Element;
use super::words::{self, Grammar, denying};

const CONVENTION: &str = "profile";

/// Reads an HTML class. If the class is one of the Robot Exclusion Profile, such as
/// `robots-noindex`, adds its statement to `collector`. If the class only resembles one of the
/// profile, adds a note.
pub(super) fn read_class_name(class: &str, collector: &mut StatementCollector<'_>) {
    if !may_be_class(class) || !collector.conventions.reads_profile() {
        return;
    }
    let class = class.to_ascii_lowercase();
    let Some((number, word)) = split(&class) else {
        return note_lookalike(&class, collector);
    };
    match says(word) {
        Some(says) => collector.add(
            says,
            Recipients::Profile(number),
            Extent::Subtree,
            CONVENTION,
        ),
        // A word of another convention, which begins like the profile's classes.
        None if word == "nocontent" => {}
        None => {
            let (kind, meant) = match near(word, denying(Grammar::Profile)) {
                Some(meant) => (NoteKind::Lookalike, format!(": did you mean `{meant}`?")),
                None => (NoteKind::UnknownToken, String::new()),
            };
            let message = format!(
                "`{}` in the class `{}` is no word of the profile{meant}",
                quotable(word),
                quotable(&class)
            );
            collector.complain(kind, collector.bots.all(), CONVENTION, message);
        }
    }
}

/// First letter of all class names of the Robot Exclusion Profile, such as `robots-noindex`.
pub(super) const INITIAL: u8 = b'r';

/// True if an HTML class begins with `robot`, ignoring ASCII case. All class names of the Robot
/// Exclusion Profile begin with `robot`.
pub(super) fn may_be_class(class: &str) -> bool {
    begins_with(class, "robot")
}

/// Adds a note on an HTML class that resembles a denying class name of the Robot Exclusion Profile.
fn note_lookalike(class: &str, collector: &mut StatementCollector<'_>) {
    let plain = class.replace(|sign: char| sign.is_ascii_digit(), "");
    let is_near = |word: &&str| {
        near(
            &plain,
            [&*format!("robots-{word}"), &*format!("robot-{word}")],
        )
        .is_some()
    };
    if let Some(word) = denying(Grammar::Profile).chain(["nocontent"]).find(is_near) {
        collector.suggest(
            CONVENTION,
            format!(
                "the class `{}` has no effect: did you mean `robots-{word}`?",
                quotable(class)
            ),
        );
    }
}

/// Splits a class name `robotN-X` into the bot's number N and the word X. In `robots-X`, the number
/// is `None`. Returns `None` for any other class.
fn split(class: &str) -> Option<(Option<u32>, &str)> {
    let (who, word) = class.strip_prefix("robot")?.split_once('-')?;
    if who == "s" {
        Some((None, word))
    } else {
        Some((Some(number(who)?), word))
    }
}

fn number(digits: &str) -> Option<u32> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

fn says(word: &str) -> Option<StatementContent> {
    match words::statement(word, Grammar::Profile).flatten()? {
        StatementContent::Deny(uses) => Some(StatementContent::Deny(with_snippet(uses))),
        StatementContent::Allow(uses) => Some(StatementContent::Allow(with_snippet(uses))),
        _ => None,
    }
}

/// Adds [`Use::Snippet`] to `uses` if they include [`Use::Archive`], as the profile's draft
/// requires. Otherwise returns `uses` unchanged.
fn with_snippet(uses: Uses) -> Uses {
    if uses.contains(Use::Archive) {
        uses.union(SNIPPET)
    } else {
        uses
    }
}

/// Returns the names of the attributes by which an element can declare something about the Robot
/// Exclusion Profile. Only `head`, `meta` and `link` have such attributes. For other elements the
/// result is empty.
pub(super) fn values(element: &impl Element) -> &'static [&'static str] {
    match element.name() {
        "head" => &["profile"],
        "meta" => &["name", "content"],
        "link" => &["rel", "href"],
        _ => &[],
    }
}

/// Adds to `collector` the declaration that an element makes about the Robot Exclusion Profile. A
/// `head` declares that the page follows the profile. A `meta` gives a number to a bot. A `link`
/// declares that the page follows the profile, or gives the URL of a Names page. A Names page maps
/// numbers to bots.
pub(super) fn read_declaration(element: &impl Element, collector: &mut StatementCollector<'_>) {
    match element.name() {
        "head" => profile(element, collector),
        "meta" => name(element, collector),
        "link" => link(element, collector),
        _ => {}
    }
}

fn profile(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let uris = element.attribute("profile").unwrap_or_default();
    if uris
        .split_ascii_whitespace()
        .any(|uri| uri == collector.profile)
    {
        collector.declarations.push(Declaration::Profile);
    }
}

/// Beginning of the name of a META that gives a number to a bot, as in `RobotExclusion.RobotName1`.
/// The number follows.
const ROBOT_NAME: &str = "RobotExclusion.RobotName";

/// Reads a META of the Robot Exclusion Profile that gives a number to a bot. An example is `<meta
/// name="RobotExclusion.RobotName1" content="Foo Bot">`. Ignores any other META.
fn name(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let Some(name) = element.attribute("name") else {
        return;
    };
    let Some((start, digits)) = name.trim().split_at_checked(ROBOT_NAME.len()) else {
        return;
    };
    if !start.eq_ignore_ascii_case(ROBOT_NAME) {
        return;
    }
    let Some(number) = number(digits) else {
        return;
    };
    if let Some(content) = element.attribute("content") {
        collector
            .declarations
            .push(Declaration::Name(number, content.trim().to_owned()));
    }
}

/// Placeholder for the profile's URI in an example of the profile's draft. The three dots are a
/// part of the placeholder.
const PLACEHOLDER: &str = "http://example.org/.../";

/// Reads a `link` element of the Robot Exclusion Profile, and ignores any other `link`.
///
/// With `rel="RobotExclusion.Names"`, the `href` is the URL of a Names page, which maps numbers to
/// bots. With `rel="schema.RobotExclusion"`, the page declares that it follows the profile. The
/// `href` should then be the profile's URI or [`PLACEHOLDER`]. If the `href` is any other URI, the
/// profile's class names can deny uses in the page, but cannot allow uses.
fn link(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let Some(rel) = element.attribute("rel") else {
        return;
    };
    let has_word = |name: &str| {
        rel.split_ascii_whitespace()
            .any(|word| word.eq_ignore_ascii_case(name))
    };
    let names = has_word("RobotExclusion.Names");
    let schema = has_word("schema.RobotExclusion");
    if !names && !schema {
        return;
    }
    let Some(href) = element.attribute("href") else {
        return;
    };
    if names {
        collector
            .declarations
            .push(Declaration::NamesPage(href.trim().to_owned()));
    }
    if schema {
        collector.declarations.push(match href.trim() {
            PLACEHOLDER => Declaration::Profile,
            uri if uri == collector.profile => Declaration::Profile,
            _ => Declaration::MeantProfile,
        });
    }
}
