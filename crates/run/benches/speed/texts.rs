//! Measures the handling of words. The texts of pages are split into words, which are folded and
//! packed into one string per page, as in the index.
//!
//! Before the measurement, heedful's words are compared with those of unicode-segmentation, which
//! are folded by NFKC and converted to lower case.

use std::hint::black_box;

use heedful::internals::words::LONGEST;
use heedful::words;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::inputs::{Inputs, URL, filter};
use crate::table::{Amount, Goal, rows as table};

/// Number of pages in one piece of a measured task.
const AT_ONCE: usize = 10;

pub(crate) fn rows(inputs: &Inputs) {
    let filter = filter();
    let pages = inputs
        .plain
        .pages
        .iter()
        .map(|page| filter.page(URL, &[], page).unwrap());
    let texts: Vec<Vec<String>> = pages.map(|page| page.phrases().to_vec()).collect();
    for text in texts.iter().flatten() {
        assert!(
            words(text).filter_map(|word| word.folded()).eq(plain(text)),
            "other words than unicode-segmentation's: {text}"
        );
    }
    let packed = each(&texts, pack);
    let folded = each(&texts, |phrases| {
        phrases
            .iter()
            .map(|text| plain(text).map(|word| word.len()).sum::<usize>())
            .sum()
    });
    let split = each(&texts, |phrases| {
        phrases
            .iter()
            .map(|text| text.unicode_words().count())
            .sum()
    });
    table(
        "words",
        Amount::bytes(
            "text of real",
            texts.iter().flatten().map(String::len).sum(),
            texts.len().div_ceil(AT_ONCE),
        ),
        ("split, folded, packed", &packed),
        &[
            (("unicode_words, bare", &split), Goal::Rate(300.0)),
            (("unicode_words, folded", &folded), Goal::None),
        ],
    );
}

fn each(texts: &[Vec<String>], read: impl Fn(&[String]) -> usize) -> impl Fn(usize) {
    move |piece| {
        let texts = texts.iter().skip(piece * AT_ONCE).take(AT_ONCE);
        black_box(texts.map(|phrases| read(phrases)).sum::<usize>());
    }
}

/// Packs the words of phrases into one string as the index does, and returns the length of the
/// string. The first word of each phrase follows U+0002, and every other word follows a space.
fn pack(phrases: &[String]) -> usize {
    let mut packed = String::new();
    for phrase in phrases {
        packed.reserve(phrase.len() + 1);
        let (mut mark, mut words) = ('\u{2}', words(phrase));
        while let Some((some, _)) = words.next_run(usize::MAX) {
            packed.push(mark);
            packed.push_str(&some);
            mark = ' ';
        }
    }
    packed.make_ascii_lowercase();
    black_box(packed).len()
}

/// Returns the words of a text as unicode-segmentation finds them, folded in the same way as
/// heedful's words. The benchmark compares heedful's words with these.
fn plain(text: &str) -> impl Iterator<Item = String> {
    let folded = text
        .unicode_words()
        .map(|word| word.nfkc().collect::<String>().to_lowercase());
    let joined = folded.map(|word| word.split_whitespace().collect::<String>());
    joined.filter(|word| !word.is_empty() && word.len() <= LONGEST)
}
