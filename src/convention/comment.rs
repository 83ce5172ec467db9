//! Comments that open and close regions, or deny the whole page (docs/semantics.md, section 4.4).
//!
//! The table of comments is made from the signs in `rows`. A comment matches by its folded text:
//! trimmed, with single blanks, in ASCII lower case. Blanks around `=` and `:` and after a leading
//! `/` are optional, and one stray `>` at the end is ignored. Spiderline's comments contain a list
//! of words, so a function parses them. The quotes around that list may be double, single or
//! missing. A list without quotes and with unknown words is a sentence for people, and no mark.
//!
//! A region mark is a comment that opens or closes a region. If a mark lacks its `-->`, it contains
//! the comments after it, up to the next `-->`. Region marks among these comments are parsed too. A
//! comment that only resembles a region mark opens and closes nothing, and a note suggests the
//! mark. This file does not know which regions are open.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::html::begins_with;
use crate::policy::{StatementContent, Use, Uses};
use heedful_base::lenient::Unseen;
use heedful_base::lenient::near::{is_near, near};
use heedful_base::lenient::quotes::is_quote;
use heedful_base::lenient::shape::{
    bare, is_between_or_joint, mark as lenient_mark, plain, readings,
};

use super::folded::{is_longer, mark_text, unquoted, without_quotes};
use super::list::signs;
pub(crate) use super::mark::MarkReading;
pub use super::mark::{RegionKind, RegionMark};
use super::readings::read_marks;
use super::set::Conventions;
use super::sign::{CommentSign, Sign, SignEffect};
use super::terms::is_directive;
use super::uses::{ANCHOR, INDEX};
use super::words::{Grammar, denying, statement, words as known_words};

/// Comments by which one convention opens and closes a region, or denies uses of the whole page.
/// `denies` has the denied uses.
#[derive(Clone, Copy)]
struct CommentRow {
    convention: &'static str,
    sign: CommentSign,
    denies: Uses,
}

/// Rows with all comments that conventions know by their whole text.
static ROWS: LazyLock<Vec<CommentRow>> = LazyLock::new(comment_rows);

fn comment_rows() -> Vec<CommentRow> {
    let mut rows = Vec::new();
    for (convention, sign) in signs() {
        if let Sign::Comment(sign, denies) = sign {
            rows.push(CommentRow {
                convention,
                sign,
                denies,
            });
        }
    }
    rows
}

/// A comment that a convention knows by its whole text. It opens or closes a region, or denies uses
/// of the whole page.
struct KnownComment {
    /// Folded text of the comment: in lower case, trimmed, with single blanks.
    text: String,
    row: usize,
    /// True if `text` is in the first list of [`CommentSign::texts`], false if it is in the second.
    /// For regions, the first list has the opening comments, and the second list has the closing
    /// comments.
    is_first: bool,
}

/// All comments that conventions know by their whole text, in the order of [`ROWS`].
static KNOWN: LazyLock<Vec<KnownComment>> = LazyLock::new(known_comments);

fn known_comments() -> Vec<KnownComment> {
    let mut known = Vec::new();
    for (row, CommentRow { sign, .. }) in ROWS.iter().enumerate() {
        for (texts, is_first) in sign.texts.into_iter().zip([true, false]) {
            for text in texts {
                known.push(KnownComment {
                    text: text.to_ascii_lowercase(),
                    row,
                    is_first,
                });
            }
        }
    }
    known
}

static BY_TEXT: LazyLock<HashMap<&str, Vec<&KnownComment>>> = LazyLock::new(comments_by_text);

fn comments_by_text() -> HashMap<&'static str, Vec<&'static KnownComment>> {
    let mut by_text: HashMap<&str, Vec<&KnownComment>> = HashMap::new();
    for known in KNOWN.iter() {
        by_text.entry(&known.text).or_default().push(known);
    }
    by_text
}

/// Returns the region marks in the text of a comment. A region mark opens or closes a region. The
/// text is read as it is, and in lenient forms (corrected texts that its author may have meant). If
/// one form closes regions of several kinds, a single mark has all these kinds.
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
    if marks.is_empty() {
        return marks;
    }
    match text.split_once("<!--") {
        Some((_, swallowed)) => add_swallowed_marks(marks, swallowed, conventions),
        None => marks,
    }
}

/// Marks in one comment that open regions of the same kind, in the order of the text.
struct OpenMarks {
    kind: RegionKind,
    marks: Vec<RegionMark>,
}

/// Adds the marks that open regions in swallowed comments to `marks`, the region marks of the outer
/// comment. If a comment lacks its `-->`, it swallows the comments after it, up to the next `-->`.
/// `swallowed` is the text of the outer comment after the first inner `<!--`.
///
/// A closing mark in `swallowed` closes only a region that `marks` or `swallowed` has opened. The
/// opening mark and the closing mark are then both left out. A region that is not closed in
/// `swallowed` stays open after the outer comment.
fn add_swallowed_marks(
    marks: Vec<RegionMark>,
    swallowed: &str,
    conventions: &Conventions,
) -> Vec<RegionMark> {
    let mut opens: Vec<OpenMarks> = Vec::new();
    let mut others = Vec::new();
    for mark in marks {
        match mark {
            RegionMark::Open { kind, .. } => add_open(&mut opens, kind, mark),
            _ => others.push(mark),
        }
    }
    for comment in swallowed.split("<!--") {
        for mark in self::marks(comment, conventions) {
            match mark {
                RegionMark::Open { kind, .. } => add_open(&mut opens, kind, mark),
                RegionMark::Close { groups, .. } => {
                    for kinds in groups {
                        close_last(&mut opens, &kinds);
                    }
                }
                _ => {}
            }
        }
    }
    for open in opens {
        others.extend(open.marks);
    }
    others
}

fn add_open(opens: &mut Vec<OpenMarks>, kind: RegionKind, mark: RegionMark) {
    match opens.iter_mut().find(|open| open.kind == kind) {
        Some(open) => open.marks.push(mark),
        None => opens.push(OpenMarks {
            kind,
            marks: vec![mark],
        }),
    }
}

/// Finds the last entry of `opens` that has a mark and is closed by one of the `kinds`. Removes the
/// last mark of this entry.
fn close_last(opens: &mut [OpenMarks], kinds: &[RegionKind]) {
    for open in opens.iter_mut().rev() {
        if !open.marks.is_empty() && kinds.iter().any(|close| close.applies_to(open.kind)) {
            open.marks.pop();
            return;
        }
    }
}

fn parse(text: &str, conventions: &Conventions) -> Vec<RegionMark> {
    let Some(folded) = mark_text(text) else {
        return Vec::new();
    };
    let mut marks = known_marks(&folded, conventions);
    let text = unquoted(&folded);
    let own = conventions.custom.closed_by(&text);
    if !own.is_empty() {
        let known = marks.iter_mut().find_map(closed_kinds);
        match known {
            Some(kinds) => kinds.extend(own),
            None => marks.push(RegionMark::close(own)),
        }
    }
    marks.extend(conventions.custom.opened_by(&text));
    marks
}

/// Returns the first list of region kinds in the closing mark `mark`, so that the caller can add
/// kinds. A closing mark closes one region for each of its lists. Returns `None` if `mark` is no
/// closing mark.
fn closed_kinds(mark: &mut RegionMark) -> Option<&mut Vec<RegionKind>> {
    match mark {
        RegionMark::Close { groups, .. } => groups.first_mut(),
        _ => None,
    }
}

/// True if a comment is too long to be a region mark. Such a comment need not be parsed. A comment
/// is never too long if it begins like a mark with a list of words. If the user has added regions,
/// no comment is too long.
fn is_no_mark(text: &str, conventions: &Conventions) -> bool {
    is_longer(text, LONGEST_OF_ROWS)
        && !LISTS.iter().any(|list| begins_with(text, list))
        && !conventions.custom.has_regions()
}

/// First words, in lower case, of the comments that mark regions by a list of words. For example,
/// `robots content="noindex"` begins with `robots`.
pub(super) const LISTS: [&str; 2] = ["robots", "google"];

/// Returns the texts, in lower case, of all comments that conventions know by their whole text.
pub(super) fn known_texts() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.text.as_str())
}

/// Maximum number of characters in a comment that may be one of the comments in [`ROWS`]. White
/// space and quotes are not counted. A stray `>` at the end is counted, although comparisons ignore
/// it.
const LONGEST_OF_ROWS: usize = 40;

/// Returns the region mark that a comment resembles: the text of that mark, and the mark. The
/// caller has found that the comment itself is no mark. Returns `None` if the comment resembles no
/// mark.
pub(crate) fn nearest_mark(text: &str, conventions: &Conventions) -> Option<(String, RegionMark)> {
    let text = text.trim();
    if let Some(repaired) = repaired_sentence(text) {
        let mark = first_mark(&repaired, conventions)?;
        return (!mark.denies().is_empty()).then_some((repaired, mark));
    }
    if !NEAR_BYTES.contains(&text.len()) {
        return None;
    }
    let folded = mark_text(text)?;
    let own = without_quotes(&folded);
    let needs_colon = has_colon_before_blank(text);
    let listed = KNOWN.iter().map(|known| known.text.as_str());
    for known in listed.chain(conventions.custom.texts()) {
        if (!needs_colon || known.contains(':'))
            && is_near(&own, known)
            && let Some(mark) = first_mark(known, conventions)
        {
            return Some((known.to_owned(), mark));
        }
    }
    None
}

/// True if white space follows a colon in a comment's text. The comment is then taken for a caption
/// for people. So [`nearest_mark`] compares it only with region marks that contain a colon.
fn has_colon_before_blank(text: &str) -> bool {
    text.split(':')
        .skip(1)
        .any(|after| after.starts_with(char::is_whitespace))
}

fn first_mark(text: &str, conventions: &Conventions) -> Option<RegionMark> {
    parse(text, conventions).into_iter().next()
}

/// Minimum and maximum length, in bytes, of a comment that is compared with all region marks to
/// find a similar one.
const NEAR_BYTES: RangeInclusive<usize> = 5..=60;

/// Returns the region marks that the conventions in force find in the folded text of a comment.
/// Marks of the user's own regions are not included.
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

/// Returns the region marks of a comment whose whole text equals a comment in [`ROWS`]. Returns
/// `None` if the rows of the conventions in force give no mark.
fn marks_from_rows(text: &str, conventions: &Conventions) -> Option<Vec<RegionMark>> {
    let mut opens = Vec::new();
    let mut closes = Vec::new();
    for known in BY_TEXT.get(text)? {
        let row = &ROWS[known.row];
        if !conventions.has(row.convention) {
            continue;
        }
        let denies = row.denies;
        let kind = RegionKind::new(row.convention, known.row);
        match row.sign.effect {
            SignEffect::Region if known.is_first => opens.push(RegionMark::open(kind, denies)),
            SignEffect::Region => closes.push(kind),
            SignEffect::Switches => opens.push(RegionMark::Switch {
                kind,
                denies,
                allows: known.is_first,
            }),
            SignEffect::Page => opens.push(RegionMark::Page { kind, denies }),
            SignEffect::Ends(other) if conventions.has(other) => {
                add_region_kinds(other, &mut closes);
            }
            SignEffect::Ends(_) | SignEffect::Read => {}
        }
    }
    if !opens.is_empty() {
        return Some(opens);
    }
    if closes.is_empty() {
        return None;
    }
    Some(vec![RegionMark::close(closes)])
}

/// Adds the kinds of all regions of this convention to `kinds`.
fn add_region_kinds(convention: &'static str, kinds: &mut Vec<RegionKind>) {
    for (pair, row) in ROWS.iter().enumerate() {
        if row.convention == convention && row.sign.effect == SignEffect::Region {
            kinds.push(RegionKind::new(convention, pair));
        }
    }
}

/// Parses a comment of the convention `googleoff` in which [`marks_from_rows`] has found no mark.
/// Examples are `googleon: all`, and comments with several flags or an unknown flag. Returns no
/// marks if the text does not begin with `googleoff:` or `googleon:`.
fn google(text: &str) -> Vec<RegionMark> {
    if let Some(flags) = text.strip_prefix("googleoff:") {
        return googleoff(flags);
    }
    match text.strip_prefix("googleon:") {
        Some(flags) => vec![googleon(flags)],
        None => Vec::new(),
    }
}

fn googleoff(flags: &str) -> Vec<RegionMark> {
    let mut marks = Vec::new();
    let mut unknown_flags = Vec::new();
    for flag in words(flags) {
        match google_flag(flag) {
            Some((kind, denies)) => marks.push(RegionMark::open(kind, denies)),
            None => unknown_flags.push(flag.to_owned()),
        }
    }
    match marks.last_mut() {
        Some(RegionMark::Open { unknown, .. }) => *unknown = unknown_flags,
        _ => marks.push(RegionMark::Open {
            kind: RegionKind::unknown(GOOGLEOFF),
            denies: Uses::NONE,
            unknown: unknown_flags,
        }),
    }
    marks
}

fn googleon(flags: &str) -> RegionMark {
    // All unknown flags together are one more kind of region.
    let unknown = RegionKind::unknown(GOOGLEOFF);
    let mut groups = Vec::new();
    let mut alone = None;
    for flag in words(flags) {
        match google_flag(flag) {
            Some((all, _)) if flag == "all" => {
                alone = Some(all);
                for (pair, _) in google_rows() {
                    groups.push(vec![RegionKind::new(GOOGLEOFF, pair)]);
                }
            }
            Some((own, _)) => groups.push(vec![own]),
            None => groups.push(vec![unknown]),
        }
    }
    groups.dedup();
    if groups.is_empty() {
        groups.push(vec![unknown]);
    }
    RegionMark::Close { groups, alone }
}

const GOOGLEOFF: &str = "googleoff";

/// Returns the rows of the `googleoff` flags, each paired with its index in [`ROWS`].
fn google_rows() -> impl Iterator<Item = (usize, &'static CommentRow)> {
    ROWS.iter()
        .enumerate()
        .filter(|(_, row)| row.convention == GOOGLEOFF && row.sign.effect == SignEffect::Region)
}

/// Returns the kind of region that a flag of `googleoff`, such as `index`, opens. Also returns the
/// uses that the region denies. Returns `None` for an unknown flag.
fn google_flag(flag: &str) -> Option<(RegionKind, Uses)> {
    let (pair, row) = google_rows()
        .find(|(_, row)| row.sign.texts[0][0].strip_prefix("googleoff:") == Some(flag))?;
    Some((RegionKind::new(GOOGLEOFF, pair), row.denies))
}

/// Returns the words of a list in a comment. The list ends at the first `<` or `>`. Text after this
/// character is in the comment only if the `-->` of the comment is missing.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let list = list.split(['<', '>']).next().unwrap_or_default();
    list.split(is_between_or_joint)
        .filter(|word| !word.is_empty())
}

/// Parses a comment of the convention `adsense`. A section without `weight=ignore` is a region too,
/// but denies nothing.
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

/// Parses Spiderline's comments `robots content="noindex"` and `/robots`. The word `robots` alone
/// is a caption, and no mark.
fn spiderline(text: &str) -> Option<RegionMark> {
    let kind = RegionKind::new(SPIDERLINE, 0);
    if text == "/robots" {
        return Some(RegionMark::close(vec![kind]));
    }
    let value = text.strip_prefix("robots content=")?;
    let mut denies = Uses::NONE;
    let mut unknown = Vec::new();
    for word in words(quoted(value)?) {
        match statement(word, Grammar::Region) {
            Some(Some(StatementContent::Deny(uses))) => denies = denies.union(uses),
            Some(_) => {}
            None => unknown.push(word.to_owned()),
        }
    }
    // A link earns no credit for text that may not be indexed.
    if denies.contains(Use::Index) {
        denies = denies.union(ANCHOR);
    }
    Some(RegionMark::Open {
        kind,
        denies,
        unknown,
    })
}

/// Detects a comment that begins like a region mark of the convention Spiderline, but is a sentence
/// for people. An example is `robots content=noindex was removed`. Returns the region mark that the
/// sentence resembles, here `robots content="noindex"`. Returns `None` for any other comment.
///
/// A comment is a sentence if both of these conditions are true:
///
/// - The value of `content` begins without a quote.
/// - Somewhere in the value, two words have nothing but blanks between them. At least one of these
///   two words resembles no directive.
fn repaired_sentence(text: &str) -> Option<String> {
    if !begins_with(text, "robots") {
        return None;
    }
    let folded = mark_text(text)?;
    let value = folded.strip_prefix("robots content=")?;
    if value.starts_with(is_quote) {
        return None;
    }
    let value = plain(value.split(['<', '>']).next()?, Unseen::Blank);
    let following = value.split_whitespace().skip(1);
    let mut pairs = value.split_whitespace().zip(following);
    if !pairs.any(|(before, after)| has_unknown_word(before, after)) {
        return None;
    }
    let denials: Vec<_> = words(&value)
        .filter(|word| denying(Grammar::Region).any(|known| known == *word))
        .collect();
    Some(format!("robots content=\"{}\"", denials.join(" ")))
}

/// True if at least one of two neighbouring words resembles no directive. The words are the last
/// word of `before` and the first word of `after`. False if a separator, such as a comma, is at the
/// end of `before` or at the start of `after`.
fn has_unknown_word(before: &str, after: &str) -> bool {
    let before = before
        .rsplit(is_between_or_joint)
        .next()
        .unwrap_or_default();
    let after = after.split(is_between_or_joint).next().unwrap_or_default();
    !before.is_empty()
        && !after.is_empty()
        && (!is_near_known_word(before) || !is_near_known_word(after))
}

fn is_near_known_word(word: &str) -> bool {
    let word = word.split(':').next().unwrap_or_default();
    is_directive(word) || near(word, known_words(Grammar::Meta)).is_some()
}

/// Returns a value without the double or single quotes around it, if it has quotes. The closing
/// quote may be missing. Returns `None` for an empty value.
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
