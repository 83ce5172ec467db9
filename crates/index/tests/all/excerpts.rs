//! Tests of which part of a page's text a hit shows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use heedful::words;
use heedful_index::{Analysis, Forms, Index, Query};
use proptest::prelude::*;

use crate::common::{add, filter, folder};

/// Maximum number of bytes of an excerpt, unless its only word is longer.
const MOST: usize = 200;

/// Returns the first part of a text with the greatest sum of weights, each word counted once, and
/// the places of these words in it. The text is cut into parts of at most [`MOST`] bytes.
fn expected(text: &str, weights: &BTreeMap<&str, u64>) -> (String, Vec<Range<usize>>) {
    let mut parts: Vec<Vec<(Range<usize>, String)>> = Vec::new();
    for word in words(text) {
        let Some(folded) = word.folded() else {
            continue;
        };
        let word = (word.start()..word.end(), folded.into_owned());
        match parts.last_mut() {
            Some(part) if word.0.end - part[0].0.start <= MOST => part.push(word),
            _ => parts.push(vec![word]),
        }
    }
    let weight = |part: &[(Range<usize>, String)]| -> u64 {
        let found: BTreeSet<_> = part.iter().map(|(_, word)| word.as_str()).collect();
        found.iter().filter_map(|word| weights.get(word)).sum()
    };
    let mut best = &parts[0];
    for part in &parts {
        if weight(part) > weight(best) {
            best = part;
        }
    }
    let start = best[0].0.start;
    let end = best[best.len() - 1].0.end;
    let marked = best
        .iter()
        .filter(|(_, word)| weights.contains_key(word.as_str()))
        .map(|(place, _)| place.start - start..place.end - start)
        .collect();
    (text[start..end].to_owned(), marked)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn an_excerpt_is_the_first_part_with_the_most_weight(
        texts in prop::collection::vec("((rye|oat|brèad|and so on|[a-zé]{1,9}|[a-z]{300})[ .,-]){1,120}", 1..4),
    ) {
        let folder = folder();
        let analysis = Analysis::default().with_forms(Forms::Exact);
        let index = Index::create_with(folder.path(), &filter(), analysis).unwrap();
        let mut writer = index.writer(1).unwrap();
        for (number, text) in texts.iter().enumerate() {
            add(&mut writer, &format!("https://site.example/{number}"), &format!("<p>{text}"));
        }
        writer.commit().unwrap();
        let search = index.search().unwrap();
        let sought = ["rye", "oat", "brèad"];
        let mut weights = BTreeMap::new();
        for word in sought {
            let pages = search.find(&Query::new(word)).unwrap().total();
            if pages > 0 {
                weights.insert(word, (1 << 40) / (1 + pages));
            }
        }
        let found = search.find(&Query::new("rye OR oat OR brèad")).unwrap();
        for hit in found.hits() {
            let number: usize = hit.url()["https://site.example/".len()..].parse().unwrap();
            let page = filter().page(hit.url(), &[], format!("<p>{}", texts[number]).as_bytes());
            let (excerpt, highlights) = expected(&page.unwrap().showable(), &weights);
            prop_assert_eq!(hit.excerpt(), excerpt);
            prop_assert_eq!(hit.highlights(), highlights);
        }
    }
}
