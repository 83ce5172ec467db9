//! Measures what it costs to merge many indexes of many small segments.
//!
//! `cargo run -p heedful-index --example shards -- DIR 1600 7 10` makes 1,600 indexes in DIR, unless
//! they are there. Each has 7 segments, and each segment has 10 pages. Then it merges them into
//! `DIR/all`, and prints the number of files, the time, and the peaks of maps, descriptors and
//! memory that is not mapped. `DIR/all` is deleted at the end. Linux only.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints and may fail"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heedful::{Bot, Filter};
use heedful_index::Index;

/// Time between two looks at the program's own resources.
const PAUSE: Duration = Duration::from_millis(20);

/// Peaks of the program's resources: memory maps, open files, and bytes of anonymous memory.
#[derive(Debug, Default)]
struct Peaks {
    maps: usize,
    files: usize,
    anonymous: u64,
}

impl Peaks {
    fn look(&mut self) {
        if let Ok(maps) = std::fs::read_to_string("/proc/self/maps") {
            self.maps = self.maps.max(maps.lines().count());
        }
        if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
            self.files = self.files.max(files.count());
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        self.anonymous = self.anonymous.max(number.unwrap_or(0));
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = arguments.as_slice() else {
        println!("usage: shards DIR INDEXES SEGMENTS PAGES");
        return;
    };
    let number = |at: usize, otherwise| {
        numbers
            .get(at)
            .map_or(otherwise, |text| text.parse().unwrap())
    };
    let (indexes, segments, pages) = (number(0, 1600), number(1, 7), number(2, 10));
    let folder = Path::new(folder);
    let shards: Vec<PathBuf> = (0..indexes).map(|n| folder.join(n.to_string())).collect();
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let started = Instant::now();
    let half = shards.len().div_ceil(2);
    thread::scope(|scope| {
        for (chunk, shards) in shards.chunks(half).enumerate() {
            let filter = &filter;
            scope.spawn(move || {
                for (number, shard) in shards.iter().enumerate() {
                    if !shard.exists() {
                        make(shard, filter, chunk * half + number, segments, pages);
                    }
                }
            });
        }
    });
    println!("made in {} s", started.elapsed().as_secs());
    let files: usize = shards
        .iter()
        .map(|shard| std::fs::read_dir(shard).unwrap().count())
        .sum();
    println!("{files} files in {indexes} indexes");
    merge(&shards, &folder.join("all"));
}

fn make(shard: &Path, filter: &Filter, number: usize, segments: usize, pages: usize) {
    let mut writer = Index::create(shard, filter).unwrap().writer(1).unwrap();
    for segment in 0..segments {
        for page in 0..pages {
            let url = format!("https://s{number}.example/{segment}/{page}");
            let html = format!(
                "<title>page {page}</title><p>rye bread {segment} <a href=/{page}>oven</a>"
            );
            writer
                .add(&filter.page(&url, &[], html.as_bytes()).unwrap())
                .unwrap();
        }
        writer.commit().unwrap();
    }
}

fn merge(shards: &[PathBuf], all: &Path) {
    let is_over = AtomicBool::new(false);
    let started = Instant::now();
    thread::scope(|scope| {
        let peaks = scope.spawn(|| {
            let mut peaks = Peaks::default();
            while !is_over.load(Ordering::Relaxed) {
                peaks.look();
                thread::sleep(PAUSE);
            }
            peaks
        });
        let merged = Index::merge(shards, all);
        is_over.store(true, Ordering::Relaxed);
        let time = started.elapsed().as_secs();
        println!("{merged:?} in {time} s, {:?}", peaks.join().unwrap());
    });
    println!("the new index is there: {}", all.exists());
    let _ = std::fs::remove_dir_all(all);
}
