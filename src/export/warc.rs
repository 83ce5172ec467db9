//! Snapshots and texts as WARC records.

pub use crate::warc::{About, WarcWriter};
