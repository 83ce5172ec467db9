//! Measures what the forms of words cost: the size of an index, and the processor time to make it
//! and to ask it.
//!
//! ```sh
//! zcat pages.jsonl.gz | cargo run --release -p heedful-index --example forms
//! ```
//!
//! Standard input is JSON Lines with the text of a page in `html`; other lines are left out. Each
//! page is indexed `COPIES` times, at other URLs. Processor time is that of all threads, as Linux
//! counts it.

#![allow(clippy::print_stdout, reason = "it prints what it measured")]

use std::collections::BTreeSet;
use std::io::stdin;
use std::path::Path;

use heedful::{Bot, Filter, Page, words};
use heedful_index::{Forms, Index, Query};

/// Number of times that each page is indexed.
const COPIES: usize = 1;
/// Number of words that are asked for, spread over all words of the pages.
const QUERIES: usize = 500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let filter = Filter::new(Bot::new("FooBot")?);
    let mut pages = Vec::new();
    let mut bytes = 0;
    for (number, line) in stdin().lines().enumerate() {
        let value: serde_json::Value = serde_json::from_str(&line?)?;
        let Some(html) = value["html"].as_str() else {
            continue;
        };
        for copy in 0..COPIES {
            let url = format!("https://h{copy}.example/{number}");
            if let Ok(page) = filter.page(&url, &[], html.as_bytes()) {
                bytes += html.len();
                pages.push(page);
            }
        }
    }
    println!("{} pages, {} kB of HTML", pages.len(), bytes / 1000);
    let queries = queries(&pages);
    println!("| forms | index | time to make | time of {QUERIES} queries | hits |");
    for forms in [Forms::Exact, Forms::Folded, Forms::Stemmed] {
        let folder = tempfile::tempdir()?;
        let before = processor_seconds();
        let index = Index::create_with(folder.path(), &filter, forms)?;
        let mut writer = index.writer(1)?;
        for page in &pages {
            writer.add(page)?;
        }
        writer.commit()?;
        drop(writer);
        let made = processor_seconds() - before;
        index.compact()?;
        let before = processor_seconds();
        let search = index.search()?;
        let mut hits = 0;
        for query in &queries {
            hits += search.find(&Query::new(query))?.total();
        }
        let asked = processor_seconds() - before;
        let size = size(folder.path())? / 1000;
        println!("| {forms} | {size} kB | {made:.2} s | {asked:.2} s | {hits} |");
    }
    Ok(())
}

/// Returns words of the pages as queries, spread over the alphabet.
fn queries(pages: &[Page]) -> Vec<String> {
    let mut all = BTreeSet::new();
    for page in pages.iter().step_by(COPIES) {
        for text in page.phrases() {
            all.extend(words(text).filter_map(|word| word.folded().map(|word| word.into_owned())));
        }
    }
    let plain = all
        .into_iter()
        .filter(|word| word.chars().all(char::is_alphabetic) && word.len() > 2)
        .collect::<Vec<_>>();
    let step = (plain.len() / QUERIES).max(1);
    plain.into_iter().step_by(step).take(QUERIES).collect()
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let data = entry?.metadata()?;
        bytes += if data.is_file() { data.len() } else { 0 };
    }
    Ok(bytes)
}

/// Returns the processor time of this process in seconds. It is 0 on a system without `/proc`.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let mut ticks = 0.0;
    for field in after_name.split_whitespace().skip(11).take(2) {
        ticks += field.parse::<f64>().unwrap_or_default();
    }
    ticks / 100.0
}
