//! Comments that open and close regions (docs/semantics.md, section 4.4).
//!
//! Conventions are rows of one table. Matching is on the comment's text: trimmed, white space single, ASCII lower case;
//! blanks round `=` and `:` and behind a leading `/` are optional; one stray `>` at the end is forgiven. Spiderline's
//! marks have a list in them (quotes double, single or missing), so they are read by a function. Which regions are open
//! is not known here.

use crate::policy::{Facet, Facets};

use super::folded::{folded, is_longer, unquoted};
use super::mark::NOBODYS;
pub(crate) use super::mark::{Kind, Mark};
use super::{BOTH, Dialects, INDEX, SNIPPET, TEXT, mark};

/// All that rows deny, each with its dialect.
#[cfg(test)]
pub(super) fn denials() -> impl Iterator<Item = (&'static str, Facets)> {
    ROWS.iter().map(|row| (row.dialect, row.denies))
}

/// A convention, or one flag of it.
struct Row {
    dialect: &'static str,
    opens: &'static [&'static str],
    closes: &'static [&'static str],
    denies: Facets,
}

const LINKS: Facets = Facets::of(&[Facet::Follow]);
const ALL_FLAGS: Facets = Facets::of(&[Facet::Index, Facet::Anchor, Facet::Snippet, Facet::Follow]);

const fn row(
    dialect: &'static str,
    opens: &'static [&'static str],
    closes: &'static [&'static str],
    denies: Facets,
) -> Row {
    Row { dialect, opens, closes, denies }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("googleoff", &["googleoff:index"], &["googleon:index"], TEXT),
    row("googleoff", &["googleoff:anchor"], &["googleon:anchor"], Facets::of(&[Facet::Anchor])),
    row("googleoff", &["googleoff:snippet"], &["googleon:snippet"], SNIPPET),
    row("googleoff", &["googleoff:all"], &[], ALL_FLAGS),
    row("noindex-comment", &["noindex"], &["/noindex", "endnoindex", "index"], TEXT),
    row("swish", &["swishcommand noindex"], &["swishcommand index"], BOTH),
    row("htdig", &["htdig_noindex"], &["/htdig_noindex"], BOTH),
    row("htdig", &["hldig_noindex"], &["/hldig_noindex"], BOTH),
    row("udm", &["udmcomment"], &["/udmcomment"], TEXT),
    row("udm", &["dpscomment"], &["/dpscomment"], TEXT),
    row("stopindex", &["stopindex"], &["startindex"], TEXT),
    row("beginnoindex", &["beginnoindex", "begin noindex"], &["endnoindex", "end noindex"], TEXT),
    row("zoom", &["zoomstop"], &["zoomrestart"], TEXT),
    row("zoom", &["zoomstopfollow"], &["zoomrestartfollow"], LINKS),
    row("freefind", &["freefind begin no index"], &["freefind end no index"], TEXT),
    row("freefind", &["freefind nofollow"], &["freefind end nofollow"], LINKS),
    row("sphider", &["sphider_noindex"], &["/sphider_noindex"], TEXT),
    row("picosearch", &["picosearch_skipallstart"], &["picosearch_skipallend"], BOTH),
    row("picosearch", &["picosearch_skiptextstart"], &["picosearch_skiptextend"], TEXT),
    row("picosearch", &["picosearch_skiplinkstart"], &["picosearch_skiplinkend"], LINKS),
    row("picosearch", &["nosearchstart"], &["nosearchend"], BOTH),
    row("phpdig", &["phpdigexclude"], &["phpdiginclude"], TEXT),
    row("perlfect", &["ignore_perlfect_search"], &["/ignore_perlfect_search"], TEXT),
    row("keyoti", &["keyoti_search_ignore_begin"], &["keyoti_search_ignore_end"], TEXT),
    row("contao", &["indexer::stop"], &["indexer::continue"], TEXT),
    row("botpni", &["x-botpni"], &["x-botpni-end"], TEXT),
];

/// The marks that a comment is, as it is written or by repair. What closes stands together.
pub(super) fn marks(text: &str, dialects: &Dialects) -> Vec<Mark> {
    let text = text.trim();
    let bare = mark::bare(text);
    if bare.is_empty() || is_no_mark(bare, dialects) {
        return Vec::new();
    }
    let exact = exactly(text, dialects);
    match mark::mended(text, bare).filter(|_| dialects.repairs()) {
        Some(mended) => mark::with_repaired(exact, exactly(&mended, dialects)),
        None => exact,
    }
}

fn exactly(text: &str, dialects: &Dialects) -> Vec<Mark> {
    let Some(folded) = folded(text) else { return Vec::new() };
    let mut marks = listed(folded.as_str(), |name| dialects.has(name));
    let text = unquoted(folded.as_str());
    let own = dialects.custom.closed_by(&text);
    if !own.is_empty() {
        let of_list = marks.iter_mut().find_map(|mark| match mark {
            Mark::Close { groups, .. } => groups.first_mut(),
            _ => None,
        });
        match of_list {
            Some(kinds) => kinds.extend(own),
            None => marks.push(Mark::Close { groups: vec![own], alone: None }),
        }
    }
    marks.extend(dialects.custom.opened_by(&text));
    for mark in &mut marks {
        mark.close_repaired();
    }
    marks
}

/// Whether a comment is too long for any mark but those with a list in them: most comments are known for none by that.
fn is_no_mark(text: &str, dialects: &Dialects) -> bool {
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    is_longer(text, LONGEST_OF_ROWS) && !["robots", "google"].into_iter().any(begins) && !dialects.custom.has_regions()
}

/// The longest mark of the list, with room for the `>` that is forgiven.
const LONGEST_OF_ROWS: usize = 40;

/// The marks of the list that a comment is, by the dialects that `has` knows to be in force.
pub(super) fn listed(text: &str, has: impl Fn(&str) -> bool) -> Vec<Mark> {
    if let Some(mark) = spiderline(text)
        && has("spiderline")
    {
        return vec![mark];
    }
    let text = unquoted(text);
    let text = &*text;
    if let Some(marks) = of_rows(text, &has) {
        return marks;
    }
    match text {
        "freefind no index page" if has("freefind") => {
            vec![Mark::Page { dialect: "freefind", denies: INDEX, is_repaired: false }]
        }
        "typo3search_begin" | "typo3search_end" if has("typo3") => {
            let kind = Kind { dialect: "typo3", pair: 0 };
            vec![Mark::Switch { kind, denies: INDEX, lets_in: text.ends_with("begin") }]
        }
        _ if text.starts_with("google_ad_section") && has("adsense") => adsense(text).into_iter().collect(),
        _ if text.starts_with("google") && has("googleoff") => google(text),
        _ => Vec::new(),
    }
}

/// The marks of rows that a comment is.
fn of_rows(text: &str, has: impl Fn(&str) -> bool) -> Option<Vec<Mark>> {
    // Most comments are no marks.
    let letters = letters(text.as_bytes());
    let (mut opens, mut closes) = (Vec::new(), Vec::new());
    for known in KNOWN[..OF_ROWS].iter().filter(|known| known.letters == letters && known.text == text) {
        let (row, kind) = (&ROWS[known.row], Kind { dialect: ROWS[known.row].dialect, pair: known.row });
        match known.opens {
            _ if !has(row.dialect) => {}
            true => opens.push(Mark::Open { kind, denies: row.denies, unknown: Vec::new() }),
            false => closes.push(kind),
        }
    }
    if !opens.is_empty() {
        return Some(opens);
    }
    (!closes.is_empty()).then(|| vec![Mark::Close { groups: vec![closes], alone: None }])
}

/// A mark that is known by its text, with its letters. One of a row opens a region or closes one.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) text: &'static str,
    pub(super) letters: u32,
    row: usize,
    opens: bool,
}

impl Known {
    const fn new(text: &'static str, row: usize, opens: bool) -> Self {
        Self { text, letters: letters(text.as_bytes()), row, opens }
    }
}

/// The letters of the alphabet that are in a text, a bit each.
pub(super) const fn letters(text: &[u8]) -> u32 {
    let (mut letters, mut at) = (0, 0);
    while at < text.len() {
        let letter = text[at].wrapping_sub(b'a');
        letters |= if letter < 26 { 1 << letter } else { 0 };
        at += 1;
    }
    letters
}

/// How many marks the rows have.
const OF_ROWS: usize = {
    let (mut count, mut row) = (0, 0);
    while row < ROWS.len() {
        count += ROWS[row].opens.len() + ROWS[row].closes.len();
        row += 1;
    }
    count
};
/// All marks that are known by their text, those of rows first.
pub(super) static KNOWN: [Known; OF_ROWS + OTHERS.len()] = {
    let mut known = [Known::new("", 0, false); OF_ROWS + OTHERS.len()];
    let (mut count, mut row) = (0, 0);
    while row < ROWS.len() {
        let lists = [ROWS[row].opens, ROWS[row].closes];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                known[count] = Known::new(lists[list][at], row, list == 0);
                count += 1;
                at += 1;
            }
            list += 1;
        }
        row += 1;
    }
    let mut at = 0;
    while at < OTHERS.len() {
        known[count + at] = Known::new(OTHERS[at], 0, false);
        at += 1;
    }
    known
};

/// Marks that are in no row.
const OTHERS: &[&str] = &[
    "google_ad_section_start(weight=ignore)",
    "google_ad_section_end",
    "googleon:all",
    "/robots",
    "freefind no index page",
    "typo3search_begin",
    "typo3search_end",
    "robots content=noindex",
    "robots content=nofollow",
    "robots content=none",
];

/// What is no row of its own: `googleon: all`, several flags, and flags that nobody knows.
fn google(text: &str) -> Vec<Mark> {
    let rows = || ROWS.iter().enumerate().filter(|(_, row)| row.dialect == "googleoff");
    let kind = |pair| Kind { dialect: "googleoff", pair };
    // All flags that nobody knows are one more kind.
    let nobodys = kind(NOBODYS);
    let flags = |list: &'static str| text.strip_prefix(list).map(words);
    if let Some(flags) = flags("googleoff:") {
        let flag_of = |row: &Row| row.opens[0].strip_prefix("googleoff:");
        let (mut marks, mut unknown) = (Vec::new(), Vec::new());
        for flag in flags {
            match rows().find(|(_, row)| flag_of(row) == Some(flag)) {
                Some((pair, row)) => {
                    marks.push(Mark::Open { kind: kind(pair), denies: row.denies, unknown: Vec::new() });
                }
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
        let is_on = |row: &Row| row.opens[0].strip_prefix("googleoff:") == Some(flag);
        match rows().find(|(_, row)| is_on(row)).map(|(pair, _)| kind(pair)) {
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

/// The words of a list, up to where markup was swallowed.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let list = list.split(['<', '>']).next().unwrap_or_default();
    list.split([',', ';', ' ', '|', '/', '+']).filter(|word| !word.is_empty())
}

/// Sections that advertisers are told of: those that are not to be ignored open a region too, which denies nothing.
fn adsense(text: &str) -> Option<Mark> {
    let kind = Kind { dialect: "adsense", pair: 0 };
    let (word, more) = text.split_once('(').unwrap_or((text, ")"));
    let settings = more.strip_suffix(')')?;
    match word.trim_end() {
        "google_ad_section_start" => {
            let is_ignored = words(settings).any(|setting| setting == "weight=ignore");
            let denies = if is_ignored { INDEX } else { Facets::NONE };
            Some(Mark::Open { kind, denies, unknown: Vec::new() })
        }
        "google_ad_section_end" => Some(Mark::Close { groups: vec![vec![kind]], alone: None }),
        _ => None,
    }
}

/// `robots content="noindex"` ... `/robots`. The word `robots` alone is a caption, not a mark.
fn spiderline(text: &str) -> Option<Mark> {
    let kind = Kind { dialect: "spiderline", pair: 0 };
    if text == "/robots" {
        return Some(Mark::Close { groups: vec![vec![kind]], alone: None });
    }
    let value = text.strip_prefix("robots content=")?;
    let (mut denies, mut unknown) = (Facets::NONE, Vec::new());
    for word in words(quoted(value)?) {
        match word {
            "noindex" => denies = denies.with(TEXT),
            "nofollow" => denies = denies.with(LINKS),
            "none" => denies = denies.with(BOTH),
            "index" | "follow" | "all" => {}
            _ => unknown.push(word.to_owned()),
        }
    }
    Some(Mark::Open { kind, denies, unknown })
}

/// A value in double, single or no quotes; a missing closing quote is forgiven.
fn quoted(value: &str) -> Option<&str> {
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.dialect).collect::<Vec<_>>().join(",");
        let groups = |groups: &[Vec<Kind>]| groups.iter().map(|kinds| names(kinds)).collect::<Vec<_>>().join("; ");
        let facets = |facets: Facets| facets.iter().map(Facet::name).collect::<Vec<_>>().join("+");
        let shown = |mark: &Mark| match mark {
            Mark::Open { denies, .. } => facets(*denies),
            Mark::Close { groups: closed, .. } => format!("close {}", groups(closed)),
            Mark::Page { denies, .. } => format!("page {}", facets(*denies)),
            Mark::Switch { lets_in, .. } => format!("lets in: {lets_in}"),
            Mark::Section { begins, .. } => format!("begins: {begins}"),
        };
        let marks = folded(text).map(|text| listed(text.as_str(), |_| true)).unwrap_or_default();
        if marks.is_empty() { "nothing".to_owned() } else { marks.iter().map(shown).collect::<Vec<_>>().join(" and ") }
    }

    #[test]
    fn spellings() {
        for (text, expected) in [
            (r#" robots content="noindex" "#, "index+anchor"),
            ("ROBOTS  CONTENT = 'NoFollow'", "follow"),
            ("robots content=none", "index+follow+anchor"),
            ("robots content=\"noindex, nofollow\" >", "index+follow+anchor"),
            ("robots\ncontent=\"all\"", ""),
            ("robots content=\"noindex", "index+anchor"),
            ("/robots", "close spiderline"),
            ("/ROBOTS >", "close spiderline"),
            ("Robots", "nothing"),
            ("robots indicate whether", "nothing"),
            ("robotscontent=none", "nothing"),
            ("norobots content=none", "nothing"),
            (" googleoff : index", "index+anchor"),
            ("googleoff:all", "index+follow+anchor+snippet"),
            ("googleon: all", "close googleoff; googleoff; googleoff; googleoff"),
            ("googleoff: index, snippet", "index+anchor and snippet"),
            ("googleoff: index here", "index+anchor"),
            ("googleon:index,anchor", "close googleoff; googleoff"),
            ("googleon: index index", "close googleoff"),
            ("googleoff: 'index'", "index+anchor"),
            ("robots content=\"noindex;nofollow\"", "index+follow+anchor"),
            ("robots content=\"noindex\" -- ><p>nofollow", "index+anchor"),
            ("googleoff: index><p>all", "index+anchor"),
            ("google_ad_section_start(name=a weight=ignore)", "index"),
            ("googleon: index>", "close googleoff"),
            ("googleoff: images", ""),
            ("NOINDEX", "index+anchor"),
            ("/ noindex", "close noindex-comment"),
            ("EndNoIndex", "close noindex-comment,beginnoindex"),
            ("Begin  NoIndex", "index+anchor"),
            ("noindex this", "nothing"),
            ("FreeFind No Index Page", "page index"),
            ("indexer::stop", "index+anchor"),
            ("google_ad_section_start(weight=ignore)", "index"),
            ("google_ad_section_start(name=a)", ""),
            ("google_ad_section_end(weight=ignore)", "close adsense"),
            (" TYPO3SEARCH_begin", "lets in: true"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn no_row_is_longer_than_the_bound() {
        let texts = ROWS.iter().flat_map(|row| row.opens.iter().chain(row.closes)).chain(OTHERS);
        let lists = |text: &&&str| text.starts_with("robots") || text.starts_with("google");
        assert!(texts.filter(|text| !lists(text)).all(|text| text.len() < LONGEST_OF_ROWS));
    }

    #[test]
    fn every_row_pairs() {
        for row in ROWS {
            assert!(crate::dialect::LIST.iter().any(|dialect| dialect.name() == row.dialect), "{}", row.dialect);
            for open in row.opens {
                assert_eq!(said(open), row.denies.iter().map(Facet::name).collect::<Vec<_>>().join("+"));
            }
            for close in row.closes {
                assert!(said(close).contains(row.dialect), "{close}");
            }
        }
    }
}
