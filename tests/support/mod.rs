//! Reads real pages for tests, from `HEEDFUL_DATA` or from the folder beside the project. Without
//! real pages, the tests that need them print a message and pass.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::print_stderr, reason = "a test that skips says so")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub(crate) mod cases;
pub(crate) mod chance;
pub(crate) mod dictionary;
pub(crate) mod made;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use base64::Engine;

/// Returns the top folder of the project. The result is the same in the tests of every package of
/// the workspace.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .ancestors()
        .find(|folder| folder.join("corpus").is_dir())
        .unwrap_or(package)
}

/// Returns a temporary folder that contains these files, each given as name and bytes.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

/// Returns the text of a document between the two marks `begin` and `end`.
pub(crate) fn between(document: &str, [begin, end]: [&str; 2]) -> String {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let (_, behind) = text.split_once(begin).unwrap();
    let (part, _) = behind.split_once(end).unwrap();
    part.to_owned()
}

/// One saved page of a real site, whole or an excerpt, with its id.
pub(crate) struct RealPage {
    pub(crate) id: String,
    pub(crate) html: Vec<u8>,
    pub(crate) is_text: bool,
}

/// Returns the folder of real pages. Returns None if there is none.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("HEEDFUL_DATA").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| root().join("../shared/data"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no real pages at {}", folder.display());
    None
}

/// Returns the JSON objects of a `.jsonl.gz` file in the folder of real pages.
fn objects(name: &str) -> Vec<serde_json::Value> {
    let Some(folder) = data() else {
        return Vec::new();
    };
    let file = std::fs::File::open(folder.join(name)).unwrap();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// Returns the bytes in the member `name` of a JSON object, or in the member `NAME_b64` as base64.
fn bytes(object: &serde_json::Value, name: &str) -> Vec<u8> {
    match object[name].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64::prelude::BASE64_STANDARD
            .decode(object[format!("{name}_b64")].as_str().unwrap())
            .unwrap(),
    }
}

/// Returns the saved pages in a `.jsonl.gz` file of the folder of real pages.
pub(crate) fn pages(name: &str) -> Vec<RealPage> {
    let page = |object: serde_json::Value| RealPage {
        id: object["id"].as_str().unwrap().to_owned(),
        html: bytes(&object, "html"),
        is_text: object["html"].is_string(),
    };
    objects(name).into_iter().map(page).collect()
}

/// Returns the excerpts of pages in the file `real-fragments.jsonl`, each named by its line.
pub(crate) fn fragments() -> Vec<RealPage> {
    let Some(folder) = data() else {
        return Vec::new();
    };
    let lines = std::fs::read_to_string(folder.join("real-fragments.jsonl")).unwrap_or_default();
    let page = |(at, line): (usize, &str)| {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        RealPage {
            id: format!("fragment {}", at + 1),
            html: bytes(&object, "excerpt"),
            is_text: true,
        }
    };
    lines.lines().enumerate().map(page).collect()
}

/// Returns the bytes of real robots.txt files. The list is empty if there are none.
pub(crate) fn robots() -> Vec<Vec<u8>> {
    robots_of_sites()
        .into_iter()
        .map(|(_, file)| file)
        .collect()
}

/// Returns real robots.txt files, each with the host of its site.
pub(crate) fn robots_of_sites() -> Vec<(String, Vec<u8>)> {
    const NAME: &str = "robots-corpus.jsonl.gz";
    if data().is_some_and(|folder| !folder.join(NAME).is_file()) {
        eprintln!("SKIPPED: no {NAME} among the real pages");
        return Vec::new();
    }
    let site = |object: &serde_json::Value| object["site"].as_str().unwrap_or_default().to_owned();
    objects(NAME)
        .iter()
        .map(|object| (site(object), bytes(object, "body")))
        .collect()
}

/// True if an element with this name separates words. docs/semantics.md (section 5) lists these
/// elements.
pub(crate) fn separates_words(name: &str) -> bool {
    const NAMES: &str = " address applet area article aside audio base basefont bgsound blockquote body br button \
        canvas caption center col colgroup dd details dialog dir div dl dt embed fieldset figcaption figure footer \
        form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe image img input isindex keygen legend \
        li link listing main map marquee math menu meta meter nav noembed noframes noscript object ol optgroup option \
        p param picture plaintext pre progress rp rt script search section select source style summary svg table \
        tbody td template textarea tfoot th thead title tr track ul video xmp ";
    NAMES.contains(&format!(" {name} "))
}
