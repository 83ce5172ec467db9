//! Compares how the streaming filter and a second reader read one page. Also compares how they read
//! randomly changed versions of this page.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::difference::{Comparison, Mismatch};
use super::inject::Injector;
use super::reader::Reader;

/// Settings of the random changes to a page: the number of changed elements, and the random seed.
#[derive(Clone, Copy, Debug)]
pub struct Injections {
    /// Number of elements of a page that are chosen at random. For each chosen element, one changed
    /// version of the page denies uses by a mark on this element. A mark is an attribute in the
    /// start tag of the element. If possible, a second version also allows uses by a mark on a
    /// later element.
    pub elements: usize,
    /// Seed of the random numbers. Equal seeds choose equal elements of a page.
    pub seed: u64,
}

/// Result of checking one page and its changed versions. Two readings of the page were compared,
/// and also two readings of each changed version.
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

/// A difference between two readings of a page. The page may be a changed version, with inserted
/// attributes that deny or allow uses.
#[derive(Debug)]
pub struct Failure {
    tags: Vec<usize>,
    mismatch: Mismatch,
}

impl Failure {
    /// Returns the numbers of the start tags into which attributes were inserted. These attributes
    /// deny or allow uses. The list is empty for the unchanged page.
    pub fn tags(&self) -> &[usize] {
        &self.tags
    }

    /// Returns the difference between the two readings. It has the text or link, its line and
    /// column, and the use that only one reading denies.
    pub fn mismatch(&self) -> &Mismatch {
        &self.mismatch
    }
}

/// Maximum number of start tags from an element with an inserted denial to the element with the
/// inserted allowance.
const NEAR: usize = 30;

impl Check {
    /// Compares two readings of a page: by the streaming filter, and by `reader`. If `more` is
    /// given, changed versions of the page are compared too. `more` describes the changes.
    ///
    /// # Errors
    /// Fails if the streaming filter refuses the unchanged page, or if a browser does not respond.
    /// If the filter refuses a changed version, that version is only counted.
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

    /// Returns the number of compared versions of the page. The unchanged page is one of them.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// Returns the number of changed versions of the page that the streaming filter refused.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// Returns the number of compared versions of the page with over-exclusions. From such a
    /// version the streaming filter withholds more than the finished HTML tree requires.
    pub fn over_excluded(&self) -> usize {
        self.over_excluded
    }

    /// Returns the number of compared versions of the page with unexplained over-exclusions. From
    /// such a version the streaming filter withholds too much, and no note of the filter explains
    /// why.
    pub fn unexplained(&self) -> usize {
        self.unexplained
    }

    /// Returns all leaks in the compared versions of the page. A leak is a text or link that the
    /// streaming filter emits and the finished tree denies.
    pub fn leaks(&self) -> &[Failure] {
        &self.leaks
    }

    /// Returns all over-exclusions in the compared versions of the page. An over-exclusion is a
    /// text or link that the streaming filter withholds and the finished tree allows.
    pub fn over_exclusions(&self) -> &[Failure] {
        &self.over
    }

    /// Returns the number of characters of text in all compared versions of the page, without white
    /// space.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Returns the number of text characters whose indexing the finished tree denies to at least
    /// one bot. The characters of all compared versions of the page are counted.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

/// Chooses start tags at random, without repetition. Returns the number of each chosen tag, with
/// the number of a random later tag nearby. If there is no later tag, the second number is `None`.
/// `tags` is the number of start tags of the page.
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
