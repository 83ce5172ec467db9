//! The faces of `fuzz/faces`, each given what chance makes of real inputs, on any compiler.
//!
//! An engine that sees which code runs finds more (`cargo +nightly fuzz run NAME`); this finds what lies near what people
//! write. `HEEDFUL_FUZZ` says for how many seconds each face is tried, else it is a fixed number of inputs; `HEEDFUL_SEED`
//! chooses them, and `HEEDFUL_FACE` a face.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

#[path = "../fuzz/faces/mod.rs"]
mod faces;
mod support;

use std::any::Any;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use faces::FACES;
use support::made::{Chance, some_of_each};

/// Inputs a face where no time is given.
const FEW: u64 = 100;

/// What is begun with: all files of the corpus, their code blocks each alone, and a few of other kinds.
fn seeds() -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let texts = files(&corpus);
    let blocks =
        texts.iter().flat_map(|text| text.split("```").skip(1).step_by(2).map(|block| block.as_bytes().to_vec()));
    let mut seeds: Vec<Vec<u8>> = blocks.collect();
    seeds.extend(some_of_each());
    seeds
}

fn files(folder: &Path) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { files(&path) } else { std::fs::read_to_string(path).into_iter().collect() })
        .collect()
}

/// One of the seeds, changed in up to eight places: bytes other, more, fewer, again, or from another seed.
fn mutated(seeds: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = seeds[chance.below(seeds.len())].clone();
    bytes.splice(0..0, chance.bytes(1));
    for _ in 0..chance.below(9) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + chance.below(17)).min(bytes.len());
        let new = match chance.below(6) {
            0 => Vec::new(),
            1 => chance.bytes(1).repeat(1 + chance.below(4)),
            2 => bytes[at..end].repeat(2 + chance.below(20)),
            3 => b"<>\"'=&;-/\\ \n\0\xff:,*$#[](){}%"[chance.below(20)..][..1].to_vec(),
            4 => {
                let other = &seeds[chance.below(seeds.len())];
                let from = chance.below(other.len() + 1);
                other[from..(from + 40).min(other.len())].to_vec()
            }
            _ => bytes[at..end].iter().map(|byte| byte ^ (1 << chance.below(8))).collect(),
        };
        bytes.splice(at..end, new);
    }
    bytes
}

#[test]
fn no_input_breaks_a_promise() {
    let seconds = std::env::var("HEEDFUL_FUZZ").ok().map(|text| Duration::from_secs(text.parse().unwrap()));
    let seed = std::env::var("HEEDFUL_SEED").map_or(1, |text| text.parse().unwrap());
    let seeds = seeds();
    // What the program catches itself needs no words.
    std::panic::set_hook(Box::new(|_| {}));
    let only = std::env::var("HEEDFUL_FACE").ok();
    let tried: BTreeMap<_, _> = FACES
        .iter()
        .filter(|(name, _)| only.as_ref().is_none_or(|only| only == name))
        .map(|(name, face)| {
            let (begun, mut chance, mut tried) = (Instant::now(), Chance(seed), 0_u64);
            while seconds.map_or(tried < FEW, |seconds| begun.elapsed() < seconds) {
                let input = mutated(&seeds, &mut chance);
                if let Err(why) = std::panic::catch_unwind(|| face(&input)) {
                    broken(why.as_ref(), &format!("{name}, seed {seed}, input {tried}"), &input);
                }
                tried += 1;
            }
            (*name, tried)
        })
        .collect();
    let _ = writeln!(std::io::stdout(), "{tried:?}");
}

fn broken(why: &dyn Any, which: &str, input: &[u8]) -> ! {
    let _ = std::panic::take_hook();
    let said = why.downcast_ref::<String>().map(String::as_str).or_else(|| why.downcast_ref::<&str>().copied());
    panic!("{which}: {}\n{:?}", said.unwrap_or_default(), String::from_utf8_lossy(input))
}
