//! The library as it was.

use heedful_before as library;
use heedful_before::json;

#[path = "reading.rs"]
mod reading;

pub(crate) use reading::{pages, robots};
