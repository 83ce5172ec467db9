//! The map of the cuts in copies, a line a cut. docs/json.md describes it.
//!
//! It has the cuts of the copies that stay. A later capture may take a copy away, so where that can
//! happen, the lines wait until the end. Then they are written in the order of the URLs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use heedful::{Page, Result};
use heedful_json as json;

use crate::ending::written;

use super::copies::cuts;
use super::destination::create_file;

/// The map, if there is one.
pub(super) struct SnapshotMap {
    out: Option<BufWriter<File>>,
    /// The lines of each URL that may lose its copy. None if no URL can.
    waiting: Option<BTreeMap<String, String>>,
}

impl SnapshotMap {
    /// A map in this file, which is created. `waits` says that URLs may lose their copies.
    pub(super) fn create(path: Option<&Path>, waits: bool) -> Result<Self> {
        Ok(Self {
            out: path.map(create_file).transpose()?,
            waiting: waits.then(BTreeMap::new),
        })
    }

    /// Adds the cuts of a page's copy.
    pub(super) fn add(&mut self, url: &str, page: &Page) -> Result<()> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        let lines: String = cuts(page)
            .map(|cut| json::line(&cut.for_page(page.url())) + "\n")
            .collect();
        match &mut self.waiting {
            Some(waiting) if !lines.is_empty() => drop(waiting.insert(url.to_owned(), lines)),
            Some(_) => {}
            None => written(out.write_all(lines.as_bytes()))?,
        }
        Ok(())
    }

    /// Drops the cuts of a copy that was removed.
    pub(super) fn remove(&mut self, url: &str) {
        if let Some(waiting) = &mut self.waiting {
            waiting.remove(url);
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        let Some(mut out) = self.out else {
            return Ok(());
        };
        let mut lines = self.waiting.iter().flat_map(BTreeMap::values);
        written(
            lines
                .try_for_each(|lines| out.write_all(lines.as_bytes()))
                .and_then(|()| out.flush()),
        )
    }
}
