//! A census: counts how often publishers use each convention for robots, for which uses, and on how
//! many pages and sites. It also counts the text that their statements withhold.
//!
//! All counts of a census are integers, and sums do not depend on their order. So the census of a
//! crawl is the sum of the censuses of its parts, bit for bit. A census contains no text, no URL
//! and no name of a site: sites of the sample are identified by a hash. This crate makes no
//! decision, and gives out no content of a page. If robots.txt disallows a page for a bot, only the
//! deciding rule is added to that bot's counts. docs/census.md explains each number.

mod counter;
mod estimate;
mod names;
mod page;
mod row;
mod sample;
mod settings;
mod sums;
mod wire;

pub use counter::Counter;
pub use estimate::{Estimate, LEAST_SITES};
pub use names::{Audience, Carrier, PagePlace, StatementKind, StatementSide, StatementSubject};
pub use page::{PageCount, Tally};
pub use row::{CensusRow, CensusStatement, ConventionId, Count};
pub use sums::Census;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
