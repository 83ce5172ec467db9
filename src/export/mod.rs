//! What other programs read: WARC records.

pub mod warc;
