//! Erases records: the part of forgetting that every writer finishes after a crash (`forget`).

use std::collections::BTreeMap;
use std::sync::Arc;

use heedful_base::error::Result;

use super::bundles::{self, Sequence};
use super::files::LogFiles;
use super::log::{Log, url_rows};
use super::state::LogState;

/// Erases the records of the entries in `state.erasing`, and the stored short hashes of their URLs.
/// Then empties `state.erasing` and stores the state.
pub(super) fn finish_erasing(files: &Arc<dyn LogFiles>, state: &mut LogState) -> Result<()> {
    if state.erasing.is_empty() {
        return Ok(());
    }
    let erasing = std::mem::take(&mut state.erasing);
    let log = Log::from_state(Arc::clone(files), state.clone());
    let replace = |sequence: Sequence, bundle: u64, bytes: &[u8]| {
        files.replace_file(&sequence.name_at(bundle, log.head()), bytes)
    };
    for (bundle, entries) in by_bundle(&erasing, Sequence::Records.width()) {
        let mut records = log.packed(Sequence::Records, bundle)?;
        for (at, record) in (0..).zip(&mut records) {
            if entries.binary_search(&at).is_ok() {
                record.clear();
            }
        }
        let packed = bundles::pack(records.iter().map(Vec::as_slice));
        replace(Sequence::Records, bundle, &packed)?;
    }
    for (bundle, entries) in by_bundle(&erasing, Sequence::Urls.width()) {
        let mut rows = log.read_url_rows(bundle)?;
        rows.retain(|row| entries.binary_search(&u64::from(row.entry)).is_err());
        replace(Sequence::Urls, bundle, &url_rows(&rows))?;
    }
    state.forgotten += erasing.len() as u64;
    state.write(&**files)
}

/// Groups the numbers of entries by bundle, where a bundle has `width` entries. In the result, an
/// entry's number is counted from the first entry of its bundle. `numbers` must be in ascending
/// order.
fn by_bundle(numbers: &[u64], width: u64) -> BTreeMap<u64, Vec<u64>> {
    let mut bundles: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for number in numbers {
        bundles
            .entry(number / width)
            .or_default()
            .push(number % width);
    }
    bundles
}
