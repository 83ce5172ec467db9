//! Compares one page, and as many changed versions of it as are wanted.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::difference::{Comparison, Mismatch};
use super::inject::Injector;
use super::reader::Reader;

/// How many changed pages are made of a page, and from which seed.
#[derive(Clone, Copy, Debug)]
pub struct Injections {
    /// The number of elements in each page that get a mark, one at a time. It is also the number of
    /// pairs of a denial and an allowance.
    pub elements: usize,
    /// The seed: the same one gives the same elements.
    pub seed: u64,
}

/// The differences found in one page and in its changed versions.
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

/// A difference, and the page in which it was found.
#[derive(Debug)]
pub struct Failure {
    tags: Vec<usize>,
    mismatch: Mismatch,
}

impl Failure {
    /// The numbers of the start tags that were changed; empty for the unchanged page.
    pub fn tags(&self) -> &[usize] {
        &self.tags
    }

    /// The kind of the token.
    pub fn mismatch(&self) -> &Mismatch {
        &self.mismatch
    }
}

/// The maximum distance, in start tags, from a denial to its allowance.
const NEAR: usize = 30;

impl Check {
    /// Compares a page, and the changed pages made of it.
    ///
    /// # Errors
    /// When the stream refuses the page as it is, or a browser does not answer.
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

    /// The number of pages compared, the changed ones included.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// The number of changed pages that the stream refused.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// The number of pages of which heedful, reading them as a stream, withholds more than the
    /// finished HTML tree calls for.
    pub fn over_excluded(&self) -> usize {
        self.over_excluded
    }

    /// The number of over-excluded pages without a note that explains it.
    pub fn unexplained(&self) -> usize {
        self.unexplained
    }

    /// All leaks.
    pub fn leaks(&self) -> &[Failure] {
        &self.leaks
    }

    /// All over-exclusions.
    pub fn over_exclusions(&self) -> &[Failure] {
        &self.over
    }

    /// The number of characters of text in all pages compared, white space excluded.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// The number of characters that the tree withholds from some bot's index.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

/// Start tags chosen at random, without repetition; each with a later one, if there is one.
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
