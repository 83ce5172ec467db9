//! Calls the functions of `tests/faces` ("faces") with random mutations of real inputs. This test
//! works with any compiler.
//!
//! A coverage-guided engine finds more bugs (`cargo +nightly fuzz run NAME`). This test finds bugs
//! in inputs that resemble what people write. Each face (a function of `tests/faces`) runs for
//! `HEEDFUL_FUZZ` seconds, or without this variable for a fixed number of inputs. `HEEDFUL_SEED`
//! chooses the inputs, and `HEEDFUL_FACE` selects one face.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::faces::{FACES, Face};
use crate::support;
use crate::support::made::{Chance, some_of_each};

/// Number of inputs for each face (a function of `tests/faces`) if `HEEDFUL_FUZZ` is not set.
const FEW: u64 = 100;

/// Returns the inputs that are mutated: all code blocks in the files of the corpus, and an input of
/// each other kind.
fn seeds() -> Vec<Vec<u8>> {
    let corpus = support::root().join("corpus");
    let texts = files(&corpus);
    let blocks = texts.iter().flat_map(|text| {
        text.split("```")
            .skip(1)
            .step_by(2)
            .map(|block| block.as_bytes().to_vec())
    });
    let mut seeds: Vec<Vec<u8>> = blocks.collect();
    seeds.extend(some_of_each());
    seeds
}

fn files(folder: &Path) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                std::fs::read_to_string(path).into_iter().collect()
            }
        })
        .collect()
}

/// Returns a copy of one of the inputs `seeds` with random changes: bytes replaced, added, removed,
/// repeated, or copied from another input.
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
            _ => bytes[at..end]
                .iter()
                .map(|byte| byte ^ (1 << chance.below(8)))
                .collect(),
        };
        bytes.splice(at..end, new);
    }
    bytes
}

thread_local! {
    /// True on the threads that call faces (functions of `tests/faces`). A panic there prints
    /// nothing.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Time for which each face (a function of `tests/faces`) is called, and the seed of the random
/// numbers.
struct Plan {
    seconds: Option<Duration>,
    seed: u64,
}

impl Plan {
    /// Calls a face (a function of `tests/faces`) with mutated inputs. Returns their number, or a
    /// description of a failure with its input.
    fn tried(&self, (name, face): Face, seeds: &[Vec<u8>]) -> Result<u64, String> {
        let (begun, mut chance, mut tried) = (Instant::now(), Chance(self.seed), 0);
        while self
            .seconds
            .map_or(tried < FEW, |seconds| begun.elapsed() < seconds)
        {
            let input = mutated(seeds, &mut chance);
            catch_unwind(|| face(&input)).map_err(|why| {
                let (why, input) = (panic_message(why.as_ref()), String::from_utf8_lossy(&input));
                format!(
                    "{name}, seed {}, input {tried}: {why}\n{input:?}",
                    self.seed
                )
            })?;
            tried += 1;
        }
        Ok(tried)
    }
}

#[test]
fn no_input_breaks_a_promise() {
    let seconds = std::env::var("HEEDFUL_FUZZ")
        .ok()
        .map(|text| Duration::from_secs(text.parse().unwrap()));
    let seed = std::env::var("HEEDFUL_SEED").map_or(1, |text| text.parse().unwrap());
    let only = std::env::var("HEEDFUL_FACE").ok();
    let faces = FACES
        .into_iter()
        .filter(|(name, _)| only.as_ref().is_none_or(|only| only == name));
    let (plan, seeds, waiting) = (Plan { seconds, seed }, seeds(), Mutex::new(faces));
    // Panics that the program catches need no messages; those of the tests beside this one do.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_QUIET.get() {
            hook(panic);
        }
    }));
    let next = || {
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    let work = || {
        IS_QUIET.set(true);
        std::iter::from_fn(next)
            .map(|face| (face.0, plan.tried(face, &seeds)))
            .collect::<Vec<_>>()
    };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let tried: BTreeMap<_, _> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let broken: Vec<_> = tried
        .values()
        .filter_map(|tried| tried.as_ref().err())
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
    let _ = writeln!(std::io::stdout(), "{tried:?}");
}

fn panic_message(why: &dyn Any) -> &str {
    why.downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| why.downcast_ref().copied())
        .unwrap_or_default()
}
