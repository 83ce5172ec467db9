//! Writes snapshots and texts as WARC records.

pub use heedful_base::warc::{RecordInfo, WarcWriter};
