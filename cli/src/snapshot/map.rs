//! The map of the ranges that were cut out of copies (`--map`), a JSON line for each range.
//! docs/json.md describes its keys.
//!
//! The map lists only cuts of copies that exist at the end of the run. In a folder or a single
//! file, a later capture may remove a copy. For these destinations the lines are buffered until the
//! end, and written in the order of their URLs.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use heedful::{Page, Result};
use heedful_base::new_file::NewFile;
use heedful_json as json;

use crate::ending::written;

use super::copies::cuts;
use super::destination::{create_file, finish_file};

/// The map of cuts (ranges that were cut out of copies), and the file to which the map is written.
/// All methods do nothing if no map was requested.
pub(super) struct SnapshotMap {
    out: Option<BufWriter<NewFile>>,
    /// The lines of the map, by the URL of the copy. They are buffered because a copy may be
    /// removed later. `None` for a WARC, whose copies are never removed.
    waiting: Option<BTreeMap<String, String>>,
}

impl SnapshotMap {
    /// Creates the map of cuts in the file `path`. If `waits` is true, the lines of the map are
    /// buffered until the end of the run, because a later record may remove a copy. If `waits` is
    /// false, each line is written when it is added.
    pub(super) fn create(path: Option<&Path>, waits: bool) -> Result<Self> {
        Ok(Self {
            out: path.map(create_file).transpose()?,
            waiting: waits.then(BTreeMap::new),
        })
    }

    /// Adds a line to the map for each range that was cut out of the copy of a page.
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

    /// Drops the map's lines for the copy of a URL that was removed.
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
        written(lines.try_for_each(|lines| out.write_all(lines.as_bytes())))?;
        finish_file(out)
    }
}
