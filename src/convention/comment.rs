//! Comments that open and close regions (docs/semantics.md, section 4.4).
//!
//! The table is made of the signs in `rows`. Matching uses the comment's text: trimmed, white space
//! single, in ASCII lower case. Blanks round `=` and `:` and after a leading `/` are optional, and
//! one stray `>` at the end is ignored. Spiderline's marks contain a list (quotes double, single or
//! missing), so a function reads them; with other words in no quotes they are sentences for people.
//! A mark may have swallowed others, which are heard where they end or begin a region. A comment
//! that only nearly is a mark opens and closes nothing, and a note suggests what was meant. This
//! file does not know which regions are open.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::policy::{Says, Use, Uses};
use heedful_base::lenient::Unseen;
use heedful_base::lenient::near::{is_near, near};
use heedful_base::lenient::quotes::is_quote;
use heedful_base::lenient::shape::{
    bare, is_between_or_joint, mark as lenient_mark, plain, readings,
};

use super::folded::{folded, is_longer, unquoted, without_quotes};
use super::list::signs;
pub(crate) use super::mark::MarkReading;
pub use super::mark::{RegionKind, RegionMark};
use super::readings::read_marks;
use super::set::Conventions;
use super::sign::{CommentSign, Sign, SignEffect};
use super::terms::is_directive;
use super::uses::{ANCHOR, INDEX};
use super::words::{Grammar, denying, statement, words as known_words};

/// A convention, or one flag of it.
#[derive(Clone, Copy)]
struct CommentRow {
    convention: &'static str,
    sign: CommentSign,
    denies: Uses,
}

static ROWS: LazyLock<Vec<CommentRow>> = LazyLock::new(|| {
    let row = |(convention, sign)| match sign {
        Sign::Comment(sign, denies) => Some(CommentRow {
            convention,
            sign,
            denies,
        }),
        _ => None,
    };
    signs().filter_map(row).collect()
});

/// A mark that is recognized by its text.
struct KnownComment {
    /// The text, as it is compared.
    text: String,
    row: usize,
    /// It is one of the first texts of its sign.
    is_first: bool,
}

/// All marks that are recognized by their text, in the order of the rows.
static KNOWN: LazyLock<Vec<KnownComment>> = LazyLock::new(|| {
    let mut known = Vec::new();
    for (row, CommentRow { sign, .. }) in ROWS.iter().enumerate() {
        for (texts, is_first) in sign.texts.into_iter().zip([true, false]) {
            known.extend(texts.iter().map(|text| KnownComment {
                text: text.to_ascii_lowercase(),
                row,
                is_first,
            }));
        }
    }
    known
});

static BY_TEXT: LazyLock<HashMap<&str, Vec<&KnownComment>>> = LazyLock::new(|| {
    let mut by_text: HashMap<&str, Vec<&KnownComment>> = HashMap::new();
    for known in KNOWN.iter() {
        by_text.entry(&known.text).or_default().push(known);
    }
    by_text
});

/// The marks that a comment is, as it is written or in a lenient form. Closes stand together.
pub fn marks(text: &str, conventions: &Conventions) -> Vec<RegionMark> {
    let text = text.trim();
    let bare = bare(text);
    if bare.is_empty() || is_no_mark(bare, conventions) {
        return Vec::new();
    }
    let lenient = readings(bare)
        .iter()
        .filter_map(|unseen| lenient_mark(text, *unseen));
    let mut marks = read_marks(text, lenient, conventions, |text| parse(text, conventions));
    if repaired_sentence(bare).is_some() {
        marks.retain(|mark| mark.convention() != SPIDERLINE);
    }
    match text.split_once("<!--") {
        Some((_, behind)) if !marks.is_empty() => add_swallowed_marks(marks, behind, conventions),
        _ => marks,
    }
}

/// The marks of a comment that has swallowed other comments. A region that ends in one of these is
/// over, and one that begins there goes on behind the comment. Other closes in there are not heard.
fn add_swallowed_marks(
    marks: Vec<RegionMark>,
    behind: &str,
    conventions: &Conventions,
) -> Vec<RegionMark> {
    let (mut opens, mut others): (Vec<(RegionKind, Vec<RegionMark>)>, Vec<RegionMark>) =
        Default::default();
    let swallowed = behind
        .split("<!--")
        .flat_map(|comment| self::marks(comment, conventions));
    let own = marks.len();
    for (at, mark) in marks.into_iter().chain(swallowed).enumerate() {
        match mark {
            RegionMark::Open { kind, .. } => {
                match opens.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, open)) => open.push(mark),
                    None => opens.push((kind, vec![mark])),
                }
            }
            _ if at < own => others.push(mark),
            RegionMark::Close { groups, .. } => {
                for kinds in groups {
                    let is_met =
                        |kind: RegionKind| kinds.iter().any(|close| close.applies_to(kind));
                    let met = opens
                        .iter_mut()
                        .rev()
                        .find(|(kind, open)| is_met(*kind) && !open.is_empty());
                    met.and_then(|(_, open)| open.pop());
                }
            }
            _ => {}
        }
    }
    others.extend(opens.into_iter().flat_map(|(_, open)| open));
    others
}

fn parse(text: &str, conventions: &Conventions) -> Vec<RegionMark> {
    let Some(folded) = folded(text) else {
        return Vec::new();
    };
    let mut marks = known_marks(&folded, conventions);
    let text = unquoted(&folded);
    let own = conventions.custom.closed_by(&text);
    if !own.is_empty() {
        let of_list = marks.iter_mut().find_map(|mark| match mark {
            RegionMark::Close { groups, .. } => groups.first_mut(),
            _ => None,
        });
        match of_list {
            Some(kinds) => kinds.extend(own),
            None => marks.push(RegionMark::close(own)),
        }
    }
    marks.extend(conventions.custom.opened_by(&text));
    marks
}

/// True if a comment is too long for any mark, except those that contain a list. This length check
/// rules out most comments.
fn is_no_mark(text: &str, conventions: &Conventions) -> bool {
    let begins = |word: &str| {
        text.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    is_longer(text, LONGEST_OF_ROWS)
        && !["robots", "google"].into_iter().any(begins)
        && !conventions.custom.has_regions()
}

/// The longest mark of the list, with room for the `>` that is ignored.
const LONGEST_OF_ROWS: usize = 40;

/// The mark that is nearest to a comment that is none, with its text.
pub(crate) fn nearest_mark(text: &str, conventions: &Conventions) -> Option<(String, RegionMark)> {
    let text = text.trim();
    let heard = |known: &str| {
        Some((
            known.to_owned(),
            parse(known, conventions).into_iter().next()?,
        ))
    };
    if let Some(meant) = repaired_sentence(text) {
        return heard(&meant).filter(|(_, mark)| !mark.denies().is_empty());
    }
    if !NEAR_BYTES.contains(&text.len()) {
        return None;
    }
    let folded = folded(text)?;
    let own = without_quotes(&folded);
    // A colon before a blank belongs to a sentence, unless the mark has one.
    let is_caption = text
        .split(':')
        .skip(1)
        .any(|behind| behind.starts_with(char::is_whitespace));
    let is_near = |known: &&str| (!is_caption || known.contains(':')) && is_near(&own, known);
    let known = KNOWN
        .iter()
        .map(|known| known.text.as_str())
        .chain(conventions.custom.texts());
    known.filter(is_near).find_map(heard)
}

/// The lengths, in bytes, of a text that may be near a mark.
const NEAR_BYTES: RangeInclusive<usize> = 5..=60;

/// The marks of the list that a comment is, in the conventions in force.
fn known_marks(text: &str, conventions: &Conventions) -> Vec<RegionMark> {
    if let Some(mark) = spiderline(text)
        && conventions.has(SPIDERLINE)
    {
        return vec![mark];
    }
    let text = unquoted(text);
    let text = &*text;
    if let Some(marks) = marks_from_rows(text, conventions) {
        return marks;
    }
    match text {
        _ if text.starts_with("google_ad_section") && conventions.has("adsense") => {
            adsense(text).into_iter().collect()
        }
        _ if text.starts_with("google") && conventions.has("googleoff") => google(text),
        _ => Vec::new(),
    }
}

/// The marks of rows that a comment is.
fn marks_from_rows(text: &str, conventions: &Conventions) -> Option<Vec<RegionMark>> {
    let (mut opens, mut closes) = (Vec::new(), Vec::new());
    for known in BY_TEXT.get(text)? {
        let row = &ROWS[known.row];
        let (denies, kind) = (row.denies, RegionKind::new(row.convention, known.row));
        match row.sign.effect {
            _ if !conventions.has(row.convention) => {}
            SignEffect::Region if known.is_first => opens.push(RegionMark::open(kind, denies)),
            SignEffect::Region => closes.push(kind),
            SignEffect::Switches => opens.push(RegionMark::Switch {
                kind,
                denies,
                lets_in: known.is_first,
            }),
            SignEffect::Page => opens.push(RegionMark::Page { kind, denies }),
            SignEffect::Ends(other) if conventions.has(other) => closes.extend(regions_of(other)),
            SignEffect::Ends(_) | SignEffect::Read => {}
        }
    }
    if !opens.is_empty() {
        return Some(opens);
    }
    (!closes.is_empty()).then(|| vec![RegionMark::close(closes)])
}

/// The kinds of the regions of a convention.
fn regions_of(convention: &'static str) -> impl Iterator<Item = RegionKind> {
    let is_it = move |(_, row): &(usize, &CommentRow)| {
        row.convention == convention && row.sign.effect == SignEffect::Region
    };
    ROWS.iter()
        .enumerate()
        .filter(is_it)
        .map(move |(pair, _)| RegionKind::new(convention, pair))
}

/// Reads the forms that have no row of their own: `googleon: all`, several flags, and unknown
/// flags.
fn google(text: &str) -> Vec<RegionMark> {
    let is_flag =
        |row: &CommentRow| row.convention == "googleoff" && row.sign.effect == SignEffect::Region;
    let rows = || ROWS.iter().enumerate().filter(move |(_, row)| is_flag(row));
    let flag_of = |row: &CommentRow| row.sign.texts[0][0].strip_prefix("googleoff:");
    let kind = |pair| RegionKind::new("googleoff", pair);
    // All unknown flags together are one more kind.
    let nobodys = RegionKind::unknown("googleoff");
    let flags = |list: &'static str| text.strip_prefix(list).map(words);
    if let Some(flags) = flags("googleoff:") {
        let (mut marks, mut unknown) = (Vec::new(), Vec::new());
        for flag in flags {
            match rows().find(|(_, row)| flag_of(row) == Some(flag)) {
                Some((pair, row)) => marks.push(RegionMark::open(kind(pair), row.denies)),
                None => unknown.push(flag.to_owned()),
            }
        }
        match marks.last_mut() {
            Some(RegionMark::Open { unknown: told, .. }) => *told = unknown,
            _ => marks.push(RegionMark::Open {
                kind: nobodys,
                denies: Uses::NONE,
                unknown,
            }),
        }
        return marks;
    }
    let Some(flags) = flags("googleon:") else {
        return Vec::new();
    };
    let (mut groups, mut alone) = (Vec::new(), None);
    for flag in flags {
        match rows()
            .find(|(_, row)| flag_of(row) == Some(flag))
            .map(|(pair, _)| kind(pair))
        {
            Some(all) if flag == "all" => {
                alone = Some(all);
                groups.extend(rows().map(|(pair, _)| vec![kind(pair)]));
            }
            Some(own) => groups.push(vec![own]),
            None => groups.push(vec![nobodys]),
        }
    }
    groups.dedup();
    if groups.is_empty() {
        groups.push(vec![nobodys]);
    }
    vec![RegionMark::Close { groups, alone }]
}

/// The words of a list, up to markup that the comment swallowed.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let list = list.split(['<', '>']).next().unwrap_or_default();
    list.split(is_between_or_joint)
        .filter(|word| !word.is_empty())
}

/// Reads the marks of `adsense`. A section that is not ignored opens a region too, which denies
/// nothing.
fn adsense(text: &str) -> Option<RegionMark> {
    let kind = RegionKind::new("adsense", 0);
    let (word, more) = text.split_once('(').unwrap_or((text, ")"));
    let settings = more.strip_suffix(')')?;
    match word.trim_end() {
        "google_ad_section_start" => {
            let is_ignored = words(settings).any(|setting| setting == "weight=ignore");
            let denies = if is_ignored { INDEX } else { Uses::NONE };
            Some(RegionMark::open(kind, denies))
        }
        "google_ad_section_end" => Some(RegionMark::close(vec![kind])),
        _ => None,
    }
}

const SPIDERLINE: &str = "spiderline";

/// `robots content="noindex"` ... `/robots`. The word `robots` alone is a caption, not a mark.
fn spiderline(text: &str) -> Option<RegionMark> {
    let kind = RegionKind::new(SPIDERLINE, 0);
    if text == "/robots" {
        return Some(RegionMark::close(vec![kind]));
    }
    let value = text.strip_prefix("robots content=")?;
    let (mut denies, mut unknown) = (Uses::NONE, Vec::new());
    for word in words(quoted(value)?) {
        match statement(word, Grammar::Region) {
            Some(Some(Says::Deny(uses))) => denies = denies.union(uses),
            Some(_) => {}
            None => unknown.push(word.to_owned()),
        }
    }
    // Nobody is credited for text that may not be indexed.
    if denies.contains(Use::Index) {
        denies = denies.union(ANCHOR);
    }
    Some(RegionMark::Open {
        kind,
        denies,
        unknown,
    })
}

/// The mark that a sentence for people nearly is: it begins as spiderline's marks do, in no quotes,
/// and has a word that a blank alone parts from another, and that is no directive nor nearly one.
fn repaired_sentence(text: &str) -> Option<String> {
    let is_begun = text
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("robots"));
    let folded = folded(text).filter(|_| is_begun)?;
    let value = folded
        .strip_prefix("robots content=")
        .filter(|value| !value.starts_with(is_quote))?;
    let value = plain(value.split(['<', '>']).next()?, Unseen::Blank);
    let is_meta = |word: &&str| {
        let word = word.split(':').next().unwrap_or_default();
        is_directive(word) || near(word, known_words(Grammar::Meta)).is_some()
    };
    // What stands before and behind a blank.
    let mut pairs = value
        .split_whitespace()
        .zip(value.split_whitespace().skip(1));
    let is_alien =
        |word: Option<&str>| word.is_some_and(|word| !word.is_empty() && !is_meta(&word));
    let by_blank = |(one, other): (&str, &str)| {
        let (one, other) = (
            one.rsplit(is_between_or_joint).next(),
            other.split(is_between_or_joint).next(),
        );
        one != Some("") && other != Some("") && (is_alien(one) || is_alien(other))
    };
    pairs.any(by_blank).then(|| {
        let denies = |word: &&str| denying(Grammar::Region).any(|known| known == *word);
        format!(
            "robots content=\"{}\"",
            words(&value).filter(denies).collect::<Vec<_>>().join(" ")
        )
    })
}

/// A value in double, single or no quotes. The closing quote may be missing.
fn quoted(value: &str) -> Option<&str> {
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant() {
        let all = Conventions::parse("all").unwrap_or_default();
        for (text, expected) in [
            ("noidex", Some("noindex")),
            (" No Index ", Some("noindex")),
            ("googleoff index", Some("googleoff:index")),
            ("googleof: index", Some("googleoff:index")),
            ("/no-index", Some("/noindex")),
            ("TYPO3SEARCH begin", Some("typo3search_begin")),
            ("robots content=\"noindx\"", Some("robots content=noindex")),
            ("robot content=\"noindex\"", Some("robots content=noindex")),
            ("index", None),
            ("navigation", None),
            ("startpage", None),
            ("start: index", None),
            ("start:index", Some("startindex")),
            (
                "robots content=noindex was removed",
                Some("robots content=\"noindex\""),
            ),
            ("robots content=index was removed", None),
            ("/section", None),
        ] {
            assert_eq!(
                nearest_mark(text, &all).map(|(meant, _)| meant).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
