//! Queries over a made web, of thirteen kinds. Most of them find some page.

use super::plan::Plan;
use super::text::{LINK_WORDS, word};

/// A query over a made web.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// One of [`KINDS`].
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// The maximum number of hits, and the number of better hits that are left out.
    pub(crate) most: usize,
    pub(crate) skip: usize,
}

/// The kinds of queries, each with its share of 300.
///
/// A link word ends 0.1 to 18 % of all link texts. A rare word stands in one page. A common word
/// stands in 15 to 60 % of all pages, a medium one in half a percent to 5.
pub(crate) const KINDS: [(&str, usize); 13] = [
    ("link word", 30),
    ("rare", 20),
    ("common", 30),
    ("medium", 40),
    ("two medium", 35),
    ("two common", 25),
    ("phrase", 30),
    ("near", 20),
    ("title:", 15),
    ("anchor:", 15),
    ("top 100", 20),
    ("page 20", 15),
    ("not", 5),
];

impl Plan {
    /// Returns `count` queries, of each kind its share.
    pub(super) fn queries(self, count: usize) -> Vec<Asked> {
        let mut queries = Vec::new();
        for (kind, share) in KINDS {
            for number in 0..(share * count).div_ceil(300) {
                queries.push(self.query(kind, number));
            }
        }
        queries
    }

    fn query(self, kind: &'static str, number: usize) -> Asked {
        let mut chance = self.chance(kind, number, 0);
        let page = chance.below(self.first_pages);
        let title = self.title(page);
        let mut common = || word(chance.below(512 - 64) + 64);
        let link_word = LINK_WORDS[number % LINK_WORDS.len()].0;
        let text = match kind {
            "link word" => link_word.to_owned(),
            "rare" => title[title.len() - 1].clone(),
            "two common" => format!("{} {}", common(), common()),
            "not" => format!("{} -{}", common(), common()),
            "medium" => word((1 << 11) + chance.below(3 << 11)),
            "two medium" => format!("{} {}", title[0], title[1]),
            "phrase" | "near" => {
                let sentences = self.sentences(page, 0);
                let sentence = &sentences[chance.below(sentences.len())];
                let at = chance.below(sentence.len() - 3);
                match kind {
                    "near" => format!("\"{} {}\"~4", sentence[at], sentence[at + 3]),
                    _ => format!("\"{} {}\"", sentence[at], sentence[at + 1]),
                }
            }
            "title:" => format!("title:{}", title[0]),
            "anchor:" if number.is_multiple_of(2) => format!("anchor:{}", title[0]),
            "anchor:" => format!("anchor:{link_word}"),
            _ => common(),
        };
        let (most, skip) = match kind {
            "top 100" => (100, 0),
            "page 20" => (10, 190),
            _ => (10, 0),
        };
        Asked {
            kind,
            text,
            most,
            skip,
        }
    }
}
