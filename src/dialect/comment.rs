//! Comments that open and close regions (docs/semantics.md, section 4.4).
//!
//! Conventions are rows of one table. Matching is on the comment's text: trimmed, white space single, ASCII lower case;
//! blanks round `=` and `:` and behind a leading `/` are optional; one stray `>` at the end is forgiven. Spiderline's
//! marks have a list in them (quotes double, single or missing), so they are read by a function. Which regions are open
//! is not known here.

use crate::policy::{Facet, Facets};

/// Which regions belong together: those of a convention, or of one of its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) dialect: &'static str,
    flag: &'static str,
}

/// What a comment does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Opens a region that denies these facets (none is possible: the region still counts for pairing).
    Open { kind: Kind, denies: Facets, unknown: Vec<String> },
    /// Closes the innermost open region of these kinds.
    Close { kinds: Vec<Kind> },
    /// Closes one region of each of these kinds.
    CloseEach { kinds: Vec<Kind> },
    /// Says something of the page.
    Page { dialect: &'static str, denies: Facets },
}

/// A convention, or one flag of it.
struct Row {
    kind: Kind,
    opens: &'static [&'static str],
    closes: &'static [&'static str],
    denies: Facets,
}

const TEXT: Facets = Facets::of(&[Facet::Index, Facet::Anchor]);
const LINKS: Facets = Facets::of(&[Facet::Follow]);
const BOTH: Facets = Facets::of(&[Facet::Index, Facet::Anchor, Facet::Follow]);
const ALL_FLAGS: Facets = Facets::of(&[Facet::Index, Facet::Anchor, Facet::Snippet, Facet::Follow]);

const fn row(
    dialect: &'static str,
    flag: &'static str,
    opens: &'static [&'static str],
    closes: &'static [&'static str],
    denies: Facets,
) -> Row {
    Row { kind: Kind { dialect, flag }, opens, closes, denies }
}

#[rustfmt::skip]
const ROWS: [Row; 26] = [
    row("googleoff", "index", &["googleoff:index"], &["googleon:index"], TEXT),
    row("googleoff", "anchor", &["googleoff:anchor"], &["googleon:anchor"], Facets::of(&[Facet::Anchor])),
    row("googleoff", "snippet", &["googleoff:snippet"], &["googleon:snippet"], Facets::of(&[Facet::Snippet])),
    row("googleoff", "all", &["googleoff:all"], &[], ALL_FLAGS),
    row("noindex-comment", "", &["noindex"], &["/noindex", "endnoindex", "index"], TEXT),
    row("swish", "", &["swishcommand noindex"], &["swishcommand index"], BOTH),
    row("htdig", "htdig", &["htdig_noindex"], &["/htdig_noindex"], BOTH),
    row("htdig", "hldig", &["hldig_noindex"], &["/hldig_noindex"], BOTH),
    row("udm", "udm", &["udmcomment"], &["/udmcomment"], TEXT),
    row("udm", "dps", &["dpscomment"], &["/dpscomment"], TEXT),
    row("stopindex", "", &["stopindex"], &["startindex"], TEXT),
    row("beginnoindex", "", &["beginnoindex", "begin noindex"], &["endnoindex", "end noindex"], TEXT),
    row("zoom", "text", &["zoomstop"], &["zoomrestart"], TEXT),
    row("zoom", "links", &["zoomstopfollow"], &["zoomrestartfollow"], LINKS),
    row("freefind", "text", &["freefind begin no index"], &["freefind end no index"], TEXT),
    row("freefind", "links", &["freefind nofollow"], &["freefind end nofollow"], LINKS),
    row("sphider", "", &["sphider_noindex"], &["/sphider_noindex"], TEXT),
    row("picosearch", "all", &["picosearch_skipallstart"], &["picosearch_skipallend"], BOTH),
    row("picosearch", "text", &["picosearch_skiptextstart"], &["picosearch_skiptextend"], TEXT),
    row("picosearch", "links", &["picosearch_skiplinkstart"], &["picosearch_skiplinkend"], LINKS),
    row("phpdig", "", &["phpdigexclude"], &["phpdiginclude"], TEXT),
    row("perlfect", "", &["ignore_perlfect_search"], &["/ignore_perlfect_search"], TEXT),
    row("keyoti", "", &["keyoti_search_ignore_begin"], &["keyoti_search_ignore_end"], TEXT),
    row("contao", "", &["indexer::stop"], &["indexer::continue"], TEXT),
    row("botpni", "", &["x-botpni"], &["x-botpni-end"], TEXT),
    row("adsense", "", &["google_ad_section_start(weight=ignore)"], &["google_ad_section_end"], Facets::of(&[Facet::Index])),
];

/// A mark is short, but for spiderline's list of words.
const LONGEST: usize = 400;

/// The mark that a comment is, by the dialects that `has` knows to be in force.
pub(super) fn mark(text: &str, has: impl Fn(&str) -> bool) -> Option<Mark> {
    let text = text.trim();
    let is_list = text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("robots"));
    if text.is_empty() || text.len() > LONGEST && !is_list {
        return None;
    }
    let text = fold(text);
    let rows = || ROWS.iter().filter(|row| has(row.kind.dialect));
    if let Some(row) = rows().find(|row| row.opens.contains(&text.as_str())) {
        return Some(Mark::Open { kind: row.kind, denies: row.denies, unknown: Vec::new() });
    }
    let kinds: Vec<_> = rows().filter(|row| row.closes.contains(&text.as_str())).map(|row| row.kind).collect();
    if !kinds.is_empty() {
        return Some(Mark::Close { kinds });
    }
    match text.as_str() {
        "freefind no index page" if has("freefind") => {
            Some(Mark::Page { dialect: "freefind", denies: Facets::of(&[Facet::Index]) })
        }
        _ if text.starts_with("google") && has("googleoff") => google(&text),
        _ if has("spiderline") => spiderline(&text),
        _ => None,
    }
}

/// Trimmed, one blank between words and none round `=` and `:`, lower case, one `>` at the end forgiven.
fn fold(text: &str) -> String {
    let text = text.strip_suffix('>').unwrap_or(text);
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let is_glued = word.starts_with([':', '=']) || folded.ends_with([':', '=']) || folded == "/";
        if !folded.is_empty() && !is_glued {
            folded.push(' ');
        }
        folded.push_str(&word.to_ascii_lowercase());
    }
    folded
}

/// What is no row of its own: `googleon: all`, and flags that nobody knows.
fn google(text: &str) -> Option<Mark> {
    if text == "googleon:all" {
        let flags = ROWS.iter().filter(|row| row.kind.dialect == "googleoff");
        return Some(Mark::CloseEach { kinds: flags.map(|row| row.kind).collect() });
    }
    let kind = Kind { dialect: "googleoff", flag: "unknown" };
    if let Some(flag) = text.strip_prefix("googleoff:") {
        return Some(Mark::Open { kind, denies: Facets::NONE, unknown: vec![flag.to_owned()] });
    }
    text.strip_prefix("googleon:").map(|_| Mark::Close { kinds: vec![kind] })
}

/// `robots content="noindex"` ... `/robots`. The word `robots` alone is a caption, not a mark.
fn spiderline(text: &str) -> Option<Mark> {
    let kind = Kind { dialect: "spiderline", flag: "" };
    if text == "/robots" {
        return Some(Mark::Close { kinds: vec![kind] });
    }
    let value = text.strip_prefix("robots content=")?;
    let value = unquoted(value)?;
    let (mut denies, mut unknown) = (Facets::NONE, Vec::new());
    for word in value.split([',', ' ']).filter(|word| !word.is_empty()) {
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
fn unquoted(value: &str) -> Option<&str> {
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
        let facets = |facets: Facets| facets.iter().map(Facet::name).collect::<Vec<_>>().join("+");
        match mark(text, |_| true) {
            Some(Mark::Open { denies, .. }) => facets(denies),
            Some(Mark::Close { kinds }) => format!("close {}", names(&kinds)),
            Some(Mark::CloseEach { kinds }) => format!("close each of {}", kinds.len()),
            Some(Mark::Page { denies, .. }) => format!("page {}", facets(denies)),
            None => "nothing".to_owned(),
        }
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
            ("googleon: all", "close each of 4"),
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
            ("google_ad_section_start", "nothing"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn every_row_pairs() {
        for row in &ROWS {
            for open in row.opens {
                assert_eq!(said(open), row.denies.iter().map(Facet::name).collect::<Vec<_>>().join("+"));
            }
            for close in row.closes {
                assert!(said(close).contains(row.kind.dialect), "{close}");
            }
        }
    }
}
