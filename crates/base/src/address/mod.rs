//! The form of URLs, for all rooms.
//!
//! The file `key` has the one form in which URLs are compared, and by which pages are kept. In
//! `site` are the site that a URL is of, and the hosts that belong to others. Addresses of links
//! are made absolute in `join`. The key that indexes of crawls have for a URL is in `surt`. Parsing
//! is the `url` crate's.

mod join;
mod key;
mod site;
mod surt;

pub use join::{Base, base};
pub use key::{Key, LONGEST, path_and_query};
pub use site::{authority, host, host_and_sites, host_of, is_in, is_same_but_www, is_same_page};
pub use surt::surt;
