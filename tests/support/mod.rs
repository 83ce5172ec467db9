//! Real pages, where they are at hand: `HEEDFUL_DATA`, or the folder beside the project. Without them the tests that
//! want them say so and pass.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::print_stderr, reason = "a test that skips says so")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub(crate) mod dictionary;
pub(crate) mod made;

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

/// The objects of a `.jsonl.gz`.
fn objects(name: &str) -> Vec<serde_json::Value> {
    let Some(folder) = data() else { return Vec::new() };
    let file = std::fs::File::open(folder.join(name)).unwrap();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

/// The bytes of `NAME`, or of `NAME_b64`.
fn bytes(object: &serde_json::Value, name: &str) -> Vec<u8> {
    match object[name].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64::prelude::BASE64_STANDARD.decode(object[format!("{name}_b64")].as_str().unwrap()).unwrap(),
    }
}

/// The pages of a `.jsonl.gz`.
pub(crate) fn pages(name: &str) -> Vec<RealPage> {
    let page = |object: serde_json::Value| RealPage {
        id: object["id"].as_str().unwrap().to_owned(),
        html: bytes(&object, "html"),
        is_text: object["html"].is_string(),
    };
    objects(name).into_iter().map(page).collect()
}

/// Real robots.txt files.
pub(crate) fn robots() -> Vec<Vec<u8>> {
    const NAME: &str = "robots-corpus.jsonl.gz";
    if data().is_some_and(|folder| !folder.join(NAME).is_file()) {
        eprintln!("SKIPPED: no {NAME} among the real pages");
        return Vec::new();
    }
    objects(NAME).iter().map(|object| bytes(object, "body")).collect()
}
