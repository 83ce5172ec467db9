//! Comments that open and close regions (docs/semantics.md, section 4.4).
//!
//! The table is made of the signs in `rows`. Matching uses the comment's text: trimmed, white space single, in ASCII
//! lower case. Blanks round `=` and `:` and after a leading `/` are optional, and one stray `>` at the end is ignored.
//! Spiderline's marks contain a list (quotes double, single or missing), so a function reads them. A comment that only
//! nearly is a mark opens and closes nothing, and a note suggests what was meant. This file does not know which regions
//! are open.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::lenient::near::{is_near, near};
use crate::lenient::shape::{bare, is_between_or_joint, mark as lenient_mark, readings};
use crate::policy::{Facet, Facets, Says};

use super::Dialects;
use super::both::marks_of_both;
use super::custom::CUSTOM;
use super::facets::{ANCHOR, INDEX};
use super::folded::{folded, is_longer, unquoted, without_quotes};
use super::list::signs;
pub(crate) use super::mark::{Mark, Reading, RegionKind};
use super::sign::{CommentSign, Does, Sign};
use super::words::{Grammar, says};

/// A convention, or one flag of it.
#[derive(Clone, Copy)]
struct CommentRow {
    dialect: &'static str,
    sign: CommentSign,
    denies: Facets,
}

static ROWS: LazyLock<Vec<CommentRow>> = LazyLock::new(|| {
    let row = |(dialect, sign)| match sign {
        Sign::Comment(sign, denies) => Some(CommentRow { dialect, sign, denies }),
        _ => None,
    };
    signs().filter_map(row).collect()
});

/// A mark that is recognized by its text.
struct Known {
    /// The text, as it is compared.
    text: String,
    row: usize,
    /// It is one of the first texts of its sign.
    is_first: bool,
}

/// All marks that are recognized by their text, in the order of the rows.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut known = Vec::new();
    for (row, CommentRow { sign, .. }) in ROWS.iter().enumerate() {
        for (texts, is_first) in sign.texts.into_iter().zip([true, false]) {
            known.extend(texts.iter().map(|text| Known { text: text.to_ascii_lowercase(), row, is_first }));
        }
    }
    known
});

static BY_TEXT: LazyLock<HashMap<&str, Vec<&Known>>> = LazyLock::new(|| {
    let mut by_text: HashMap<&str, Vec<&Known>> = HashMap::new();
    for known in KNOWN.iter() {
        by_text.entry(&known.text).or_default().push(known);
    }
    by_text
});

/// The marks that a comment is, as it is written or in a lenient form. Closes stand together.
pub(crate) fn marks(text: &str, dialects: &Dialects) -> Vec<Mark> {
    let text = text.trim();
    let bare = bare(text);
    if bare.is_empty() || is_no_mark(bare, dialects) {
        return Vec::new();
    }
    let lenient = readings(bare).iter().filter_map(|unseen| lenient_mark(text, *unseen));
    marks_of_both(text, lenient, dialects, |text| parse(text, dialects))
}

fn parse(text: &str, dialects: &Dialects) -> Vec<Mark> {
    let Some(folded) = folded(text) else { return Vec::new() };
    let mut marks = listed(&folded, dialects);
    let text = unquoted(&folded);
    let own = dialects.custom.closed_by(&text);
    if !own.is_empty() {
        let of_list = marks.iter_mut().find_map(|mark| match mark {
            Mark::Close { groups, .. } => groups.first_mut(),
            _ => None,
        });
        match of_list {
            Some(kinds) => kinds.extend(own),
            None => marks.push(Mark::close(own)),
        }
    }
    marks.extend(dialects.custom.opened_by(&text));
    marks
}

/// True if a comment is too long for any mark, except those that contain a list. This length check rules out most
/// comments.
fn is_no_mark(text: &str, dialects: &Dialects) -> bool {
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    is_longer(text, LONGEST_OF_ROWS) && !["robots", "google"].into_iter().any(begins) && !dialects.custom.has_regions()
}

/// The longest mark of the list, with room for the `>` that is ignored.
const LONGEST_OF_ROWS: usize = 40;

/// The mark that is nearest to a comment that is none: its convention, and its spelling.
pub(crate) fn nearly(text: &str, dialects: &Dialects) -> Option<(&'static str, String)> {
    let text = text.trim();
    if !NEAR_BYTES.contains(&text.len()) {
        return None;
    }
    let folded = folded(text)?;
    let text = without_quotes(&folded);
    let of_list = KNOWN.iter().filter(|known| is_near(&text, &known.text)).find_map(|known| {
        let mark = listed(&known.text, dialects).into_iter().next()?;
        Some((mark.dialect(), known.text.clone()))
    });
    of_list.or_else(|| Some((CUSTOM, near(&text, dialects.custom.texts())?.to_owned())))
}

/// The lengths, in bytes, of a text that may be near a mark.
const NEAR_BYTES: RangeInclusive<usize> = 5..=60;

/// The marks of the list that a comment is, in the dialects in force.
fn listed(text: &str, dialects: &Dialects) -> Vec<Mark> {
    if let Some(mark) = spiderline(text)
        && dialects.has("spiderline")
    {
        return vec![mark];
    }
    let text = unquoted(text);
    let text = &*text;
    if let Some(marks) = of_rows(text, dialects) {
        return marks;
    }
    match text {
        _ if text.starts_with("google_ad_section") && dialects.has("adsense") => adsense(text).into_iter().collect(),
        _ if text.starts_with("google") && dialects.has("googleoff") => google(text),
        _ => Vec::new(),
    }
}

/// The marks of rows that a comment is.
fn of_rows(text: &str, dialects: &Dialects) -> Option<Vec<Mark>> {
    let (mut opens, mut closes) = (Vec::new(), Vec::new());
    for known in BY_TEXT.get(text)? {
        let row = &ROWS[known.row];
        let (denies, kind) = (row.denies, RegionKind::new(row.dialect, known.row));
        match row.sign.does {
            _ if !dialects.has(row.dialect) => {}
            Does::Region if known.is_first => opens.push(Mark::open(kind, denies)),
            Does::Region => closes.push(kind),
            Does::Switches => opens.push(Mark::Switch { kind, denies, lets_in: known.is_first }),
            Does::Page => opens.push(Mark::Page { kind, denies }),
            Does::Read => {}
        }
    }
    if !opens.is_empty() {
        return Some(opens);
    }
    (!closes.is_empty()).then(|| vec![Mark::close(closes)])
}

/// Reads the forms that have no row of their own: `googleon: all`, several flags, and unknown flags.
fn google(text: &str) -> Vec<Mark> {
    let is_flag = |row: &CommentRow| row.dialect == "googleoff" && row.sign.does == Does::Region;
    let rows = || ROWS.iter().enumerate().filter(move |(_, row)| is_flag(row));
    let flag_of = |row: &CommentRow| row.sign.texts[0][0].strip_prefix("googleoff:");
    let kind = |pair| RegionKind::new("googleoff", pair);
    // All unknown flags together are one more kind.
    let nobodys = RegionKind::of_nobody("googleoff");
    let flags = |list: &'static str| text.strip_prefix(list).map(words);
    if let Some(flags) = flags("googleoff:") {
        let (mut marks, mut unknown) = (Vec::new(), Vec::new());
        for flag in flags {
            match rows().find(|(_, row)| flag_of(row) == Some(flag)) {
                Some((pair, row)) => marks.push(Mark::open(kind(pair), row.denies)),
                None => unknown.push(flag.to_owned()),
            }
        }
        match marks.last_mut() {
            Some(Mark::Open { unknown: told, .. }) => *told = unknown,
            _ => marks.push(Mark::Open { kind: nobodys, denies: Facets::NONE, unknown }),
        }
        return marks;
    }
    let Some(flags) = flags("googleon:") else { return Vec::new() };
    let (mut groups, mut alone) = (Vec::new(), None);
    for flag in flags {
        match rows().find(|(_, row)| flag_of(row) == Some(flag)).map(|(pair, _)| kind(pair)) {
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
    vec![Mark::Close { groups, alone }]
}

/// The words of a list, up to markup that the comment swallowed.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let list = list.split(['<', '>']).next().unwrap_or_default();
    list.split(is_between_or_joint).filter(|word| !word.is_empty())
}

/// Reads the marks of `adsense`. A section that is not ignored opens a region too, which denies nothing.
fn adsense(text: &str) -> Option<Mark> {
    let kind = RegionKind::new("adsense", 0);
    let (word, more) = text.split_once('(').unwrap_or((text, ")"));
    let settings = more.strip_suffix(')')?;
    match word.trim_end() {
        "google_ad_section_start" => {
            let is_ignored = words(settings).any(|setting| setting == "weight=ignore");
            let denies = if is_ignored { INDEX } else { Facets::NONE };
            Some(Mark::open(kind, denies))
        }
        "google_ad_section_end" => Some(Mark::close(vec![kind])),
        _ => None,
    }
}

/// `robots content="noindex"` ... `/robots`. The word `robots` alone is a caption, not a mark.
fn spiderline(text: &str) -> Option<Mark> {
    let kind = RegionKind::new("spiderline", 0);
    if text == "/robots" {
        return Some(Mark::close(vec![kind]));
    }
    let value = text.strip_prefix("robots content=")?;
    let (mut denies, mut unknown) = (Facets::NONE, Vec::new());
    for word in words(quoted(value)?) {
        match says(word, Grammar::Region) {
            Some(Some(Says::Deny(facets))) => denies = denies.with(facets),
            Some(_) => {}
            None => unknown.push(word.to_owned()),
        }
    }
    // Nobody is credited for text that may not be indexed.
    if denies.contains(Facet::Index) {
        denies = denies.with(ANCHOR);
    }
    Some(Mark::Open { kind, denies, unknown })
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
        let all = Dialects::parse("all").unwrap_or_default();
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
            ("/section", None),
        ] {
            assert_eq!(nearly(text, &all).map(|(_, meant)| meant).as_deref(), expected, "{text}");
        }
    }
}
