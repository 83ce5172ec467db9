//! Reads documents from folders, web archives, JSON Lines, Parquet and single pages, one at a time,
//! with the robots.txt files among them.
//!
//! The content of a file decides its kind (`open`). Damage costs only the record that it strikes:
//! it is reported with its place, and reading goes on after it. Memory does not grow with the
//! input. This crate never judges a page. [`fetch`] alone uses the network, and crawls nothing: it
//! asks for files about a site, and for documents that pages name.

mod arc;
mod archive;
mod astray;
#[cfg(feature = "parquet")]
mod cells;
mod coding;
mod digest;
pub mod fetch;
mod folder;
mod gzip;
mod head;
mod http;
mod item;
mod jsonl;
mod kind;
mod look;
mod magic;
mod manifest;
mod objects;
mod open;
mod packing;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet;
mod raw;
mod ready;
mod records;
mod robots;
mod row;
mod sites;
mod source;
mod spelled;
mod terms;
mod url_list;
mod wacz;
mod warc;
mod zstd;

pub use folder::file_of_site;
pub use item::{Damage, FetchedPage, InputPlace, Item, Items, Position, Skip, Skipped};
pub use jsonl::{json_line, lost_json_line};
pub use kind::InputFormat;
pub use open::Inputs;
pub use ready::Input;
pub use robots::{Robots, RobotsAnswer, authority, is_site_file};
pub use row::{JsonRow, RowHeaders};
pub use sites::ArchivedSite;
#[doc(hidden)]
pub use spelled::SpelledWord;
pub use url_list::{UrlList, url_list};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
