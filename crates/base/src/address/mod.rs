//! Forms of URLs that heedful's crates share. The `url` crate does the parsing.
//!
//!  - `key` has [`Key`], the one form in which URLs are compared, and by which pages are stored.
//!  - `site` finds the site of a URL, and the domains that a host is in.
//!  - `join` makes addresses of links absolute.
//!  - `surt` computes the key by which crawl indexes sort URLs.

mod join;
mod key;
mod site;
mod surt;

pub use join::{Base, base};
pub use key::{Key, LONGEST, path_and_query};
pub use site::{authority, host, host_and_sites, host_of, is_in, is_same_but_www, is_same_page};
pub use surt::surt;
