//! Compares the readings of one page, and of a number of randomly changed versions of it.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::difference::{Comparison, Mismatch};
use super::inject::Injector;
use super::reader::Reader;

/// Settings of the random changes to a page: their number, and the seed.
#[derive(Clone, Copy, Debug)]
pub struct Injections {
    /// Number of elements of each page that are marked, one at a time. Each of them also begins a
    /// pair of a denial and a later allowance.
    pub elements: usize,
    /// Seed of the random numbers: equal seeds choose equal elements.
    pub seed: u64,
}

/// Result of comparing the readings of one page and of its changed versions.
#[derive(Debug, Default)]
pub struct Check {
    pub(crate) compared: usize,
    pub(crate) refused: usize,
    pub(crate) over_excluded: usize,
    pub(crate) unexplained: usize,
    pub(crate) leaks: Vec<Failure>,
    pub(crate) over: Vec<Failure>,
    pub(crate) characters: usize,
    pub(crate) withheld: usize,
}

/// A difference between two readings of a page, with the changes to that page.
#[derive(Debug)]
pub struct Failure {
    tags: Vec<usize>,
    mismatch: Mismatch,
}

impl Failure {
    /// Returns the numbers of the start tags into which marks were inserted; empty for the
    /// unchanged page.
    pub fn tags(&self) -> &[usize] {
        &self.tags
    }

    /// Returns the difference: the text or link, its place, and the use that only one reading
    /// denies.
    pub fn mismatch(&self) -> &Mismatch {
        &self.mismatch
    }
}

/// Maximum distance from a denial to the allowance after it, in start tags.
const NEAR: usize = 30;

impl Check {
    /// Compares the readings of a page, and of the changed versions of it that `more` describes, if
    /// any.
    ///
    /// # Errors
    /// Fails if the streaming filter refuses the unchanged page, or if a browser does not respond.
    /// A refused changed page is only counted.
    pub fn run(
        filter: &Filter,
        (url, page): (&str, &[u8]),
        around: &Surroundings<'_>,
        more: Option<Injections>,
        reader: &Reader,
    ) -> Result<Self> {
        let mut check = Self::default();
        check.add(&[], reader.compare(filter, url, page, around)?);
        let Some(injections) = more else {
            return Ok(check);
        };
        let injector = Injector::new(filter, page, around.is_utf8)?;
        let around = Surroundings {
            is_utf8: true,
            ..*around
        };
        for (denied, allowed) in choose_tags(injector.tags(), url, injections) {
            let pair = allowed.and_then(|allowed| injector.deny_and_allow(denied, allowed));
            for experiment in [Some(injector.deny(denied)), pair].into_iter().flatten() {
                match reader.compare(filter, url, experiment.page().as_bytes(), &around) {
                    Ok(comparison) => check.add(experiment.tags(), comparison),
                    Err(_) => check.refused += 1,
                }
            }
        }
        Ok(check)
    }

    fn add(&mut self, tags: &[usize], comparison: Comparison) {
        self.compared += 1;
        self.characters += comparison.characters;
        self.withheld += comparison.withheld;
        if !comparison.over.is_empty() {
            self.over_excluded += 1;
            self.unexplained += usize::from(!comparison.explained);
        }
        let failure = |mismatch| Failure {
            tags: tags.to_vec(),
            mismatch,
        };
        self.leaks.extend(comparison.leaks.into_iter().map(failure));
        self.over.extend(comparison.over.into_iter().map(failure));
    }

    /// Returns the number of compared pages, including the changed ones.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// Returns the number of changed pages that the streaming filter refused.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// Returns the number of pages of which the streaming filter withholds more than the finished
    /// HTML tree requires.
    pub fn over_excluded(&self) -> usize {
        self.over_excluded
    }

    /// Returns the number of over-excluded pages without a note that explains the over-exclusion.
    pub fn unexplained(&self) -> usize {
        self.unexplained
    }

    /// Returns all leaks: parts that the streaming filter emits and the finished tree denies.
    pub fn leaks(&self) -> &[Failure] {
        &self.leaks
    }

    /// Returns all over-exclusions: parts that the streaming filter withholds and the finished tree
    /// allows.
    pub fn over_exclusions(&self) -> &[Failure] {
        &self.over
    }

    /// Returns the number of characters of text in all compared pages, without white space.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Returns the number of characters whose indexing the finished tree denies to any bot.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

/// Chooses start tags at random, without repetition. Each is paired with a random later tag nearby,
/// if there is one.
fn choose_tags(tags: usize, url: &str, injections: Injections) -> Vec<(usize, Option<usize>)> {
    let mut seed = injections.seed;
    for byte in url.bytes() {
        seed = seed.wrapping_mul(31).wrapping_add(u64::from(byte));
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut chosen = Vec::new();
    for tag in random.choose_multiple(0..tags, injections.elements.min(tags)) {
        let last = tags.min(tag + 1 + NEAR);
        let later = if tag + 1 < last {
            Some(random.usize(tag + 1..last))
        } else {
            None
        };
        chosen.push((tag, later));
    }
    chosen
}
