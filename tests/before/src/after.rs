//! The library as it is.

use heedful as library;

#[path = "reading.rs"]
mod reading;

pub(crate) use reading::{pages, robots};
