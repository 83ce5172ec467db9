//! The library as it is.

use heedful as library;
use heedful_json as json;

#[path = "reading.rs"]
mod reading;

pub(crate) use reading::{pages, robots};
