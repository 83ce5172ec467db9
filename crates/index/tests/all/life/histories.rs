//! Tests that queries find the same in indexes of the same pages, whatever became of the index
//! before: compaction, a merge of shards, recrawls. Hits, their order and their scores are compared
//! exactly.
//!
//! The pages are those of a made web. `HEEDFUL_WEB` sets the number of its pages, `HEEDFUL_ASKED`
//! that of the queries, and `HEEDFUL_ROUNDS` that of the recrawls.

use std::path::PathBuf;
use std::time::SystemTime;

use heedful_index::{Compaction, Index, Memory, Query, Search};
use tempfile::TempDir;

use crate::common::{at, create, filter, folder, setting};
use crate::crawled::Crawled;
use crate::web::{Answer, Asked, Capture, Recrawl, WITHHELD, Web};

const SEED: u64 = 7;
/// Between the two ends that pages of the web have.
const LATER: u64 = 2_400_000_000;
/// The most hits of a query that are compared, and the most that are left out before them.
const MOST: usize = 20;
/// Number of shards that are merged.
const SHARDS: usize = 3;

fn web() -> Web {
    Web::with_short_texts(SEED, setting("HEEDFUL_WEB", 120))
}

fn queries(web: &Web) -> Vec<Asked> {
    web.queries(setting("HEEDFUL_ASKED", 120))
}

/// Creates an index of these captures, in one commit.
fn index_of(captures: impl Iterator<Item = Capture>) -> (TempDir, Index) {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    let mut crawled = Crawled::new(filter());
    for capture in captures {
        crawled.write(&capture, &mut writer);
    }
    writer.commit().unwrap();
    drop(writer);
    (folder, index)
}

/// Returns the total and the hits of a query as text, with scores, titles and excerpts.
fn answer(search: &Search, asked: &Asked, now: Option<SystemTime>) -> String {
    let (most, skip) = (asked.most.min(MOST), asked.skip.min(MOST));
    let mut query = Query::new(&asked.text).most(most).skip(skip);
    if let Some(now) = now {
        query = query.now(now);
    }
    let found = search.find(&query).unwrap();
    let hits = serde_json::to_string(found.hits()).unwrap();
    format!("{}: {} {hits}", asked.text, found.total())
}

/// Returns the answers to all queries. Every other query is asked at a time at which some pages have
/// expired.
fn answers(index: &Index, queries: &[Asked]) -> Vec<String> {
    let search = index.search().unwrap();
    let asked = queries.iter().enumerate();
    asked
        .map(|(number, asked)| answer(&search, asked, (number % 2 == 1).then(|| at(LATER))))
        .collect()
}

/// Checks that an index answers as expected, and again when it is compacted.
fn assert_answers(index: &Index, queries: &[Asked], expected: &[String]) {
    for is_compacted in [false, true] {
        if is_compacted {
            index.compact().unwrap();
        }
        assert_eq!(index.check().unwrap(), [""; 0]);
        for (found, expected) in answers(index, queries).iter().zip(expected) {
            assert_eq!(found, expected, "compacted: {is_compacted}");
        }
    }
}

#[test]
fn a_web_has_queries_of_each_kind_that_find_pages() {
    let web = web();
    let (_folder, index) = index_of(web.state());
    let search = index.search().unwrap();
    let queries = queries(&web);
    for kind in crate::web::KINDS.map(|(kind, _)| kind) {
        let asked = queries.iter().filter(|asked| asked.kind == kind);
        let found = asked.map(|asked| search.find(&Query::new(&asked.text)).unwrap().total());
        assert!(found.max() > Some(0), "{kind}");
    }
    assert_eq!(search.find(&Query::new(WITHHELD)).unwrap().total(), 0);
    let expiring = Query::new("index OR read OR back").most(0);
    let all = search.find(&expiring).unwrap().total();
    assert!(search.find(&expiring.now(at(LATER))).unwrap().total() < all);
}

#[test]
fn compaction_and_a_merge_of_shards_change_no_answer() {
    let web = web();
    let queries = queries(&web);
    let (_whole, whole) = index_of(web.state());
    let expected = answers(&whole, &queries);
    assert_answers(&whole, &queries, &expected);
    let shards: Vec<(TempDir, Index)> = (0..SHARDS)
        .map(|shard| {
            let is_robots = |capture: &Capture| matches!(capture.answer, Answer::Robots(_));
            let state = web.state().enumerate();
            let of_shard =
                state.filter(|(number, capture)| is_robots(capture) || number % SHARDS == shard);
            index_of(of_shard.map(|(_, capture)| capture))
        })
        .collect();
    let paths: Vec<PathBuf> = shards
        .iter()
        .map(|(folder, _)| folder.path().to_owned())
        .collect();
    let place = folder();
    let path = place.path().join("merged");
    Index::merge(&paths, &path).unwrap();
    assert_answers(&Index::open(&path).unwrap(), &queries, &expected);
}

#[test]
fn a_recrawled_index_answers_as_a_fresh_one() {
    let mut web = web();
    let folder = folder();
    let index = create(folder.path());
    let mut crawled = Crawled::new(filter());
    let rounds = setting("HEEDFUL_ROUNDS", 30);
    for round in 0..=rounds {
        let heard = match round {
            0 => web.state().collect(),
            _ => web.recrawl(&Recrawl::default()),
        };
        let mut writer = index.writer(1).unwrap();
        for capture in heard {
            crawled.write(&capture, &mut writer);
        }
        writer.commit().unwrap();
        drop(writer);
        if round == rounds / 2 {
            index.compact().unwrap();
        }
    }
    let queries = queries(&web);
    let (_fresh, fresh) = index_of(web.state());
    let urls = |index: &Index| index.search().unwrap().urls().unwrap();
    assert_eq!(urls(&index), urls(&fresh));
    assert_answers(&index, &queries, &answers(&fresh, &queries));
}

#[test]
fn the_room_of_a_compaction_is_told_beforehand() {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    let path = "dark-rye-bread/".repeat(120);
    for page in 0..60 {
        let links: String = (0..200)
            .map(|link| format!("<p><a href='/{path}{link}'>rye {link}</a>"))
            .collect();
        let url = format!("https://h{page}.example/");
        writer
            .add(&filter().page(&url, &[], links.as_bytes()).unwrap())
            .unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(index.compact_room(None).unwrap(), 0);
    let memory = Memory::new(Memory::LEAST).unwrap();
    let room = index.compact_room(Some(memory)).unwrap();
    let written = index
        .compact_with(&Compaction::default().memory(memory))
        .unwrap()
        .temporary_bytes;
    assert!(
        written > 0 && written <= room && room / 2 < written,
        "{written} bytes of {room}"
    );
}
