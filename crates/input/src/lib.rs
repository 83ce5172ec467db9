//! Reads pages and robots.txt files, one at a time, from folders, web archives, JSON Lines, Parquet
//! tables and single files.
//!
//! The content of a file decides its format (`open`). A damaged record does not affect other
//! records: the iterator yields the damage with its location and continues with the next record.
//! Memory does not grow with the size of the input. In doubt, the stricter interpretation applies:
//! a robots.txt that cannot be read forbids its whole site. This crate never judges a page. Only
//! [`fetch`] uses the network, and it never crawls: it requests robots.txt and other site files,
//! and documents that a page links to, such as licences.

mod ahead;
mod arc;
mod archive;
mod cells;
mod coding;
mod detect;
mod digest;
pub mod fetch;
mod folder;
mod gzip;
mod head;
mod http;
mod item;
mod jsonl;
mod key_scan;
mod kind;
mod magic;
mod manifest;
mod misplaced;
mod objects;
mod open;
mod packing;
mod parquet;
mod raw;
mod ready;
mod records;
mod remote;
mod robots;
mod row;
mod sites;
mod source;
mod table_file;
mod table_pages;
mod terms;
mod url_list;
mod wacz;
mod warc;
mod wat;
mod zstd;

pub use folder::file_of_site;
pub use item::{Damage, FetchedPage, InputPlace, Item, Items, Position, Skip, Skipped};
pub use jsonl::{json_line, lost_json_line};
#[doc(hidden)]
pub use key_scan::SpelledWord;
pub use kind::InputFormat;
pub use open::Inputs;
pub use ready::Input;
pub use robots::{Robots, SiteFileResponse, authority, is_site_file};
pub use row::{JsonRow, RowHeaders};
pub use sites::ArchivedSite;
pub use url_list::{UrlList, url_list};

/// Runs the example of `README.md` as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
