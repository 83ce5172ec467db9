//! Whether an index is whole: every file by its checksum, every snapshot by its digest, and each document's place among the
//! others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Result;

use super::Index;

impl Index {
    /// Reads all there is and says what is damaged; nothing where the index is whole.
    ///
    /// # Errors
    /// When what is damaged is so near the root that nothing can be read.
    pub fn check(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        match self.tantivy.validate_checksum() {
            Ok(files) => found.extend(files.iter().map(|file| format!("{}: its checksum is another", file.display()))),
            Err(error) => found.push(error.to_string()),
        }
        // What is below a damaged file may be read as anything.
        if found.is_empty() {
            let looked = catch_unwind(AssertUnwindSafe(|| self.check_contents()));
            found.extend(looked.unwrap_or_else(|_| Ok(vec!["a file is damaged that has no checksum".to_owned()]))?);
        }
        found.sort();
        Ok(found)
    }

    fn check_contents(&self) -> Result<Vec<String>> {
        let search = self.search()?;
        let mut found = Vec::new();
        let urls = search.urls()?;
        let (mut copies, mut before) = (0, None);
        for url in &urls {
            if before == Some(url) {
                found.push(format!("{url} is there twice"));
            }
            before = Some(url);
            if let Some(spot) = search.spot(url)? {
                copies += 1;
                found.extend(search.snapshots.read(url, spot).err().map(|error| error.to_string()));
            }
        }
        for gone in search.gone()? {
            if urls.binary_search(&gone).is_ok() {
                found.push(format!("{gone} is there and gone"));
            }
        }
        let snapshots = search.stats()?.snapshots();
        if snapshots != copies {
            found.push(format!("{snapshots} snapshots are kept and {copies} of them belong to a page"));
        }
        let strays = search.anchors()?.iter().filter(|anchor| anchor.source().is_empty()).count();
        if strays > 0 {
            found.push(format!("{strays} anchors are of no page"));
        }
        Ok(found)
    }
}
