//! The form of URLs, for all rooms.
//!
//! `key` has the one form in which two URLs are compared, and by which pages are kept. `site` tells which site a URL is
//! of, and which hosts belong to others. `join` makes the addresses of links absolute. Parsing is the `url` crate's.

mod join;
mod key;
mod site;

pub(crate) use join::Base;
#[cfg(any(feature = "index", feature = "input"))]
pub(crate) use key::LONGEST;
pub(crate) use key::{Key, path_and_query};
pub(crate) use site::authority;
#[cfg(any(feature = "index", feature = "input"))]
pub(crate) use site::host_and_sites;
#[cfg(feature = "run")]
pub(crate) use site::{host, host_of, is_in};
