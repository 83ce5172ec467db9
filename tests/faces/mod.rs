//! The fuzzed functions, one for each face (a part of the program that takes foreign data). Each
//! takes any bytes, and panics if a promise is broken.
//!
//! `fuzz_targets/` feeds the faces from a fuzzing engine. `crates/run/tests/all/fuzz.rs` feeds them
//! mutations of the corpus, with any compiler.

#[path = "../support/alike.rs"]
mod alike;
#[path = "../support/blocks.rs"]
mod blocks;
#[path = "../support/soup.rs"]
mod soup;

mod header;
mod index;
mod input;
mod oracle;
mod policies;
mod policy;
mod query;
mod robots;
mod settings;
mod snapshot;

/// A fuzzed face: its name, and the function that takes the bytes.
pub(crate) type Face = (&'static str, fn(&[u8]));

/// All fuzzed faces, with their names.
#[allow(dead_code, reason = "a target of the engine takes one")]
pub(crate) const FACES: [Face; 11] = [
    ("header", header::run),
    ("index", index::run),
    ("input", input::run),
    ("oracle", oracle::run),
    ("policies", policies::run),
    ("policy", policy::run),
    ("query", query::run),
    ("robots", robots::run),
    ("settings", settings::run),
    ("sitemap", |data| {
        drop(heedful_input::url_list(data, &heedful::Limits::default()));
    }),
    ("snapshot", snapshot::run),
];

/// Passes fuzzed bytes to the face with this name.
#[allow(dead_code, reason = "a mutation takes them all")]
pub(crate) fn run(name: &str, data: &[u8]) {
    let (_, face) = FACES
        .iter()
        .find(|(face, _)| *face == name)
        .expect("a face");
    face(data);
}

/// Splits fuzzed bytes. Returns the text of the first line, and the bytes that follow it.
fn halves(data: &[u8]) -> (String, &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    (
        String::from_utf8_lossy(&data[..end]).into_owned(),
        &data[end..],
    )
}
