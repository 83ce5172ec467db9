//! Real pages and real robots.txt files, where they are at hand: `HEEDFUL_DATA`, or the folder beside the project.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cases::bytes;
use crate::question::{PageQuestion, Question, RobotsFile};
use crate::urls;

fn data(root: &Path) -> PathBuf {
    std::env::var_os("HEEDFUL_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from)
}

/// The objects of a file, packed or not; none where there is no file.
fn objects(root: &Path, name: &str) -> Vec<Value> {
    let path = data(root).join(name);
    let Ok(packed) = std::fs::read(&path) else {
        println!("SKIPPED: there is no {}", path.display());
        return Vec::new();
    };
    let mut text = String::new();
    if name.ends_with(".gz") {
        let read = flate2::read::MultiGzDecoder::new(&packed[..]).read_to_string(&mut text);
        read.unwrap_or_else(|error| panic!("{name}: {error}"));
    } else {
        text = String::from_utf8_lossy(&packed).into_owned();
    }
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect()
}

/// Each real page, by the conventions of the web and by all.
pub(crate) fn pages(root: &Path) -> Vec<(String, Question)> {
    let mut questions = Vec::new();
    for name in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz", "jsoup-fuzz.jsonl.gz", "real-fragments.jsonl"] {
        for (at, object) in objects(root, name).iter().enumerate() {
            let html = bytes(object, "html").or_else(|| bytes(object, "excerpt")).unwrap_or_default();
            for dialects in ["web", "all"] {
                let page = PageQuestion::new(html.clone(), dialects);
                questions.push((format!("{name}, line {}", at + 1), Question::Page(Box::new(page))));
            }
        }
    }
    questions
}

/// Each real robots.txt, as the standard has it and as Google reads it.
pub(crate) fn robots(root: &Path) -> Vec<(String, Question)> {
    let mut questions = Vec::new();
    for (at, object) in objects(root, "robots-corpus.jsonl.gz").iter().enumerate() {
        let site = object["site"].as_str().unwrap_or("site.example");
        let url = format!("https://{site}/");
        for mode in ["rfc9309", "google"] {
            let file = RobotsFile::new(bytes(object, "body").unwrap_or_default(), mode);
            let robots = urls::question(&file, &[vec!["FooBot".to_owned()]], &url);
            questions.push((format!("robots-corpus line {}, {site}", at + 1), Question::Robots(robots)));
        }
    }
    questions
}
