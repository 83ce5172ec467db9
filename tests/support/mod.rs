//! Real pages, where they are at hand: `HEEDFUL_DATA`, or the folder beside the project. Without them the tests that
//! want them say so and pass.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::print_stderr, reason = "a test that skips says so")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use base64::Engine;

/// One saved page.
pub(crate) struct RealPage {
    pub(crate) id: String,
    pub(crate) html: Vec<u8>,
    pub(crate) is_text: bool,
}

/// The folder of real pages, if there is one.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("HEEDFUL_DATA").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no real pages at {}", folder.display());
    None
}

/// The pages of a `.jsonl.gz`.
pub(crate) fn pages(name: &str) -> Vec<RealPage> {
    let Some(folder) = data() else { return Vec::new() };
    let file = std::fs::File::open(folder.join(name)).unwrap();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    lines.map(|line| page(&line.unwrap())).collect()
}

fn page(line: &str) -> RealPage {
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    let text = object["html"].as_str();
    let html = match text {
        Some(text) => text.as_bytes().to_vec(),
        None => base64::prelude::BASE64_STANDARD.decode(object["html_b64"].as_str().unwrap()).unwrap(),
    };
    RealPage { id: object["id"].as_str().unwrap().to_owned(), html, is_text: text.is_some() }
}
