//! Measures the speed of the index in two ways. First, pages that were parsed before are indexed,
//! and the time is compared with that of plain tantivy for the same texts. Second, indexing from
//! HTML is compared with a simple program that shares only heedful's splitting of words. That
//! program extracts text by `lol_html`, resolves character references, splits words, and adds them
//! to tantivy.
//!
//! The processor time of all threads is measured, since tantivy has its own threads. The resolution
//! of this time is 10 ms, so pages are repeated up to a fixed number of bytes.

use std::time::Duration;

use heedful::Page;
use heedful::words;
use heedful_index::{Forms, Index};
use tantivy::schema::{
    IndexRecordOption, STORED, STRING, Schema, TEXT, TextFieldIndexing, TextOptions,
};
use tempfile::TempDir;

use crate::baselines;
use crate::child::cpu;
use crate::inputs::{Inputs, filter};
use crate::table::{Amount, Goal, row};

const ROUNDS: usize = 3;
const LEAST_BYTES: usize = 60_000_000;
const THREAD_BYTES: usize = 100 << 20;

pub(crate) fn rows(inputs: &Inputs) {
    let all: Vec<_> = inputs
        .plain
        .pages
        .iter()
        .chain(&inputs.marked.pages)
        .map(Vec::as_slice)
        .collect();
    let bytes: usize = all.iter().map(|page| page.len()).sum();
    let times = LEAST_BYTES.div_ceil(bytes);
    let amount = Amount::bytes(inputs.plain.name, bytes * times, 1);
    let urls = (0..).map(|number| format!("https://site{}.example/{number}", number % 100));
    let finished = urls
        .zip((0..times).flat_map(|_| &all))
        .map(|(url, page)| filter().page(&url, &[], page).unwrap());
    let finished: Vec<_> = finished.collect();
    // The programs beside ours store exact words.
    let exact = Kind {
        with_anchors: true,
        forms: Forms::Exact,
    };
    let bare = Kind {
        with_anchors: false,
        ..exact
    };
    let stemmed = Kind {
        forms: Forms::Stemmed,
        ..exact
    };
    let works: [&dyn Fn(); 8] = [
        &|| add(exact, &finished),
        &|| add(bare, &finished),
        &|| add(stemmed, &finished),
        &|| plain(&finished),
        &|| whole(exact, times, &all),
        &|| whole(bare, times, &all),
        &|| whole(stemmed, times, &all),
        &|| naive(times, &all),
    ];
    let [
        added,
        added_bare,
        added_stemmed,
        plain,
        whole,
        whole_bare,
        whole_stemmed,
        naive,
    ] = best(works);
    let plain = ("plain tantivy", plain);
    let naive = ("lol_html, words, tantivy", naive);
    for (work, time, baseline, goal) in [
        ("exact words and tantivy", added, plain, Goal::None),
        ("the same without anchors", added_bare, plain, Goal::None),
        (
            "the same with other forms",
            added_stemmed,
            plain,
            Goal::None,
        ),
        ("from HTML to a commit", whole, naive, Goal::Ratio(0.62)),
        (
            "the same without anchors",
            whole_bare,
            naive,
            Goal::Ratio(0.72),
        ),
        (
            "the same with other forms",
            whole_stemmed,
            naive,
            Goal::None,
        ),
    ] {
        row("index", amount, (work, time), Some(baseline), goal);
    }
}

/// Settings of an index: the forms of words by which it finds pages, and whether it keeps anchor
/// texts.
#[derive(Clone, Copy)]
struct Kind {
    with_anchors: bool,
    forms: Forms,
}

/// Calls each function in turn for several rounds. Returns the minimum processor time of each
/// function.
fn best<const COUNT: usize>(works: [&dyn Fn(); COUNT]) -> [Duration; COUNT] {
    let mut best = [Duration::MAX; COUNT];
    for _ in 0..ROUNDS {
        for (work, best) in works.iter().zip(&mut best) {
            let before = cpu("/proc/self/stat");
            work();
            *best = (cpu("/proc/self/stat") - before).min(*best);
        }
    }
    best
}

/// Creates a heedful index in a new folder, calls `fill` with its writer, and commits.
fn written(kind: Kind, fill: impl FnOnce(&mut heedful_index::Writer)) {
    let folder = TempDir::new().unwrap();
    let filter = heedful::Filter::new(heedful::Bot::new("FooBot").unwrap());
    let index = Index::create_with(folder.path().join("index"), &filter, kind.forms).unwrap();
    let mut writer = index.writer(1).unwrap();
    if !kind.with_anchors {
        writer = writer.without_anchors();
    }
    fill(&mut writer);
    writer.commit().unwrap();
}

fn add(kind: Kind, pages: &[Page]) {
    written(kind, |writer| {
        for page in pages {
            writer.add(page).unwrap();
        }
    });
}

fn whole(kind: Kind, times: usize, pages: &[&[u8]]) {
    let filter = filter();
    written(kind, |writer| {
        for (number, page) in (0..times).flat_map(|_| pages).enumerate() {
            let page = filter
                .page(
                    &format!("https://site{}.example/{number}", number % 100),
                    &[],
                    page,
                )
                .unwrap();
            writer.add(&page).unwrap();
        }
    });
}

/// Indexes the text of title and body in plain tantivy. The text is extracted from the HTML
/// `pages`, and its words are split by heedful.
fn naive(times: usize, pages: &[&[u8]]) {
    let mut schema = Schema::builder();
    let url = schema.add_text_field("url", STRING | STORED);
    let indexing = TextFieldIndexing::default().set_tokenizer("whitespace");
    let words = TextOptions::default()
        .set_indexing_options(indexing.set_index_option(IndexRecordOption::WithFreqsAndPositions));
    let title = schema.add_text_field("title", words.clone() | STORED);
    let body = schema.add_text_field("body", words);
    let excerpt = schema.add_text_field("excerpt", STORED);
    let folder = TempDir::new().unwrap();
    let index = tantivy::Index::create_in_dir(folder.path(), schema.build()).unwrap();
    let mut writer = index.writer_with_num_threads(1, THREAD_BYTES).unwrap();
    for (number, page) in (0..times).flat_map(|_| pages).enumerate() {
        let (page_title, text) = baselines::texts(page);
        let mut document = tantivy::TantivyDocument::new();
        document.add_text(
            url,
            format!("https://site{}.example/{number}", number % 100),
        );
        document.add_text(title, apart(&page_title));
        document.add_text(body, apart(&text));
        document.add_text(excerpt, text);
        writer.add_document(document).unwrap();
    }
    writer.commit().unwrap();
}

/// Returns the words of a text as heedful splits them, each followed by a space.
fn apart(text: &str) -> String {
    let (mut apart, mut words) = (String::with_capacity(text.len()), words(text));
    while let Some((some, _)) = words.next_run(usize::MAX) {
        apart.push_str(&some);
        apart.push(' ');
    }
    apart.make_ascii_lowercase();
    apart
}

/// Indexes title, text and URL of filtered pages in plain tantivy, with tantivy's own splitting of
/// words.
fn plain(pages: &[Page]) {
    let mut schema = Schema::builder();
    let url = schema.add_text_field("url", STRING | STORED);
    let title = schema.add_text_field("title", TEXT | STORED);
    let body = schema.add_text_field("body", TEXT);
    let folder = TempDir::new().unwrap();
    let index = tantivy::Index::create_in_dir(folder.path(), schema.build()).unwrap();
    let mut writer = index.writer_with_num_threads(1, THREAD_BYTES).unwrap();
    for page in pages {
        let mut document = tantivy::TantivyDocument::new();
        document.add_text(url, page.url());
        document.add_text(title, page.title().join(" "));
        document.add_text(body, page.phrases().join("\n"));
        writer.add_document(document).unwrap();
    }
    writer.commit().unwrap();
}
