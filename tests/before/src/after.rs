//! The library as it is.

/// The library, and its JSON where the one before has it.
mod library {
    pub(crate) use heedful::*;
    pub(crate) use heedful_json as json;
}

#[path = "reading.rs"]
mod reading;

pub(crate) use reading::{pages, robots};
