//! The fuzzed functions: one for each face of the program. Each takes any bytes, and panics if a
//! promise is broken.
//!
//! `fuzz_targets/` feeds them from a fuzzing engine. `crates/run/tests/all/fuzz.rs` feeds them
//! mutations of the corpus, with any compiler.

#[path = "../support/alike.rs"]
mod alike;
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

/// A face: its name, and the function that takes the bytes.
pub(crate) type Face = (&'static str, fn(&[u8]));

/// All faces.
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
    ("sitemap", |data| drop(heedful_input::url_list(data))),
    ("snapshot", snapshot::run),
];

/// Passes bytes to the face of this name.
#[allow(dead_code, reason = "a mutation takes them all")]
pub(crate) fn run(name: &str, data: &[u8]) {
    let (_, face) = FACES
        .iter()
        .find(|(face, _)| *face == name)
        .expect("a face");
    face(data);
}

/// The bytes up to the end of the first line, and the rest.
fn halves(data: &[u8]) -> (String, &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    (
        String::from_utf8_lossy(&data[..end]).into_owned(),
        &data[end..],
    )
}
