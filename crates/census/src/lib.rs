//! A census: how often publishers use each convention, for what, on how many pages and sites, and
//! how much text that withholds.
//!
//! All counts are integers, and sums do not depend on their order. So the census of a whole is the
//! sum of the censuses of its parts, bit for bit. It holds no text, no URL and no name of a site:
//! sites of the sample are known by a hash. It decides nothing, and nothing of a page can be had
//! from it. A page that a bot may not enter is not counted for that bot beyond the rule that keeps
//! it out. docs/census.md explains each number.

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

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
