//! Snapshots of an index that is being written: appends them to files, counts the bytes of each
//! file that belong to a page, and chooses the files that a commit rewrites.
//!
//! A page that is removed or replaced leaves the record of its snapshot in a file. So a commit
//! rewrites files (`rewrite`), for two reasons:
//! * Together, the records without a page are more than [`DEAD_SHARE`] of all. Then the files with
//!   the smallest share of living bytes are rewritten, until they are less.
//! * There are [`JOINED`] files of similar size, or more. Then these and all smaller files are
//!   joined. Sizes are similar within a factor of [`JOINED`].
//!
//! The bytes that one commit copies are bounded by the bytes of its own new snapshots, or by
//! [`FULL`] if they are fewer. All counts are in the payload, so no commit reads the documents of
//! all snapshots.

use std::collections::HashMap;

use crate::id::id;
use crate::payload::Payload;
use crate::store::{Store, StoreFile, StoreOffset, StoreWriter};
use heedful_base::address::Key;
use heedful_base::error::{ErrorKind, Result};

/// Size in bytes at which a snapshot file is full. The next snapshot then begins a new file.
const FULL: u64 = 128 << 20;
/// Size in bytes below which all snapshot files count as equally small.
const SMALL: u64 = 1 << 20;
/// Number of snapshot files of similar size that are joined into one. Sizes are similar if they
/// differ by at most this factor.
const JOINED: usize = 8;
/// Maximum share of dead bytes in all snapshot files, as numerator and denominator. Dead bytes are
/// in records that belong to no page. Above this share, a commit rewrites snapshot files. At two
/// sevenths, the files take 1.4 times the bytes of the snapshots of all pages. If pages are
/// replaced at random, a commit copies about as many old bytes as it adds new ones.
const DEAD_SHARE: (u64, u64) = (2, 7);

/// Snapshot files of an index, as its writer sees them. They are the files of the last commit, with
/// the changes since that commit.
pub(super) struct Copies {
    store: Store,
    /// All completed files that the next commit keeps, in the order of their numbers.
    files: Vec<StoreFile>,
    /// The file to which snapshots are appended. None if no file is begun.
    begun: Option<StoreWriter>,
    /// Number of the next snapshot file to begin.
    next: u64,
    /// Number of the first file that was begun since the last commit.
    first_number_since_commit: u64,
    /// Bytes of the snapshots that were added since the last commit.
    added: u64,
    /// Snapshots that changed since the last commit. The key is the hash of the page's URL. The
    /// value is the location of the page's new snapshot. The value is None if the page has lost its
    /// snapshot.
    changed: HashMap<u64, Option<StoreOffset>>,
    /// Files of the last commit that the next commit drops.
    dropped: Vec<StoreFile>,
}

impl Copies {
    pub(super) fn new(store: &Store, payload: &Payload) -> Self {
        let mut files = payload.snapshots.clone();
        files.sort_by_key(|file| file.number);
        Self {
            store: store.clone(),
            files,
            begun: None,
            next: payload.next_file,
            first_number_since_commit: payload.next_file,
            added: 0,
            changed: HashMap::new(),
            dropped: Vec::new(),
        }
    }

    /// Appends the snapshot of a page, and returns its location. The page must have no other
    /// snapshot.
    pub(super) fn add(&mut self, key: &Key<'_>, html: &str) -> Result<StoreOffset> {
        let spot = self.begun()?.add(key.as_str(), html)?;
        self.added += spot.length;
        self.changed.insert(id(key), Some(spot));
        self.end_if_full()?;
        Ok(spot)
    }

    /// Appends a record that was copied from another snapshot file, and returns its location.
    pub(super) fn copy(&mut self, member: &[u8]) -> Result<StoreOffset> {
        let spot = self.begun()?.copy(member)?;
        self.end_if_full()?;
        Ok(spot)
    }

    /// Records that a page loses its snapshot. Does nothing if the page has no snapshot.
    /// `committed` is the location of the page's snapshot at the last commit, or None if there was
    /// none.
    pub(super) fn release(&mut self, key: &Key<'_>, committed: Option<StoreOffset>) {
        let now = match self.changed.get(&id(key)) {
            Some(now) => *now,
            None => committed,
        };
        let Some(spot) = now else { return };
        self.changed.insert(id(key), None);
        if let Some(begun) = &mut self.begun
            && begun.number() == spot.file
        {
            begun.release(spot);
        } else if let Ok(at) = self
            .files
            .binary_search_by_key(&spot.file, |file| file.number)
            && let Some(file) = self.files.get_mut(at)
        {
            file.living = file.living.saturating_sub(spot.length);
            file.dead += spot.length;
        }
    }

    fn begun(&mut self) -> Result<&mut StoreWriter> {
        if self.begun.is_none() {
            self.begun = Some(self.store.begin(self.next)?);
            self.next += 1;
        }
        self.begun.as_mut().ok_or_else(|| {
            ErrorKind::Internal("a file was begun and is not there".to_owned()).into()
        })
    }

    fn end_if_full(&mut self) -> Result<()> {
        match &self.begun {
            Some(begun) if begun.length() >= FULL => self.end(),
            _ => Ok(()),
        }
    }

    /// Completes and syncs the file to which snapshots are appended.
    fn end(&mut self) -> Result<()> {
        if let Some(begun) = self.begun.take() {
            self.files.push(self.store.finish(begun)?);
        }
        Ok(())
    }

    /// Completes all files for a commit. Writes the list of files and the number of the next one to
    /// the commit's payload.
    pub(super) fn finish(&mut self, payload: &mut Payload) -> Result<()> {
        self.end()?;
        self.dropped
            .extend(self.files.extract_if(.., |file| file.living == 0));
        payload.snapshots.clone_from(&self.files);
        payload.next_file = self.next;
        Ok(())
    }

    /// Deletes the files that the last commit dropped. Must be called after the commit with the
    /// payload of [`Copies::finish`].
    pub(super) fn committed(&mut self) {
        for file in self.dropped.drain(..) {
            self.store.delete(file);
        }
        self.changed = HashMap::new();
        self.added = 0;
        self.first_number_since_commit = self.next;
    }

    /// Returns the snapshot files that the next commit should rewrite. These are files with many
    /// records that belong to no page. If there are many small files, these are included.
    pub(super) fn chosen(&self) -> Vec<StoreFile> {
        let (mut living, mut dead) = match &self.begun {
            Some(begun) => (begun.living(), begun.dead()),
            None => (0, 0),
        };
        // A file without living bytes is dropped in any case.
        for file in self.files.iter().filter(|file| file.living > 0) {
            living += file.living;
            dead += file.dead;
        }
        choose(&self.of_last_commit(), living, dead, self.added)
    }

    /// Returns the files of the last commit that still have snapshots of pages.
    pub(super) fn of_last_commit(&self) -> Vec<StoreFile> {
        let files = self.files.iter().copied();
        files
            .filter(|file| file.number < self.first_number_since_commit && file.living > 0)
            .collect()
    }

    /// True if the page got, lost or changed its snapshot since the last commit.
    pub(super) fn has_changed(&self, key: &Key<'_>) -> bool {
        self.changed.contains_key(&id(key))
    }

    /// Leaves a file out of the next commit, after it was rewritten.
    pub(super) fn drop_file(&mut self, file: StoreFile) {
        self.dropped.extend(
            self.files
                .extract_if(.., |other| other.number == file.number),
        );
    }
}

/// Chooses the snapshot files that a commit rewrites, among `files`. `living` is the number of
/// bytes in all records that belong to a page. `dead` is the number of bytes in all other records.
/// `added` is the number of bytes in the commit's new snapshots. The chosen files have together at
/// most `added` living bytes, or [`FULL`] if that is more.
fn choose(files: &[StoreFile], living: u64, dead: u64, added: u64) -> Vec<StoreFile> {
    let mut room = added.max(FULL);
    let mut chosen = Vec::new();
    let mut take = |file: StoreFile| {
        let fits = file.living <= room;
        if fits {
            room -= file.living;
            chosen.push(file);
        }
        fits
    };
    let (mut rest, mut dead) = (files.to_vec(), dead);
    rest.sort_by_key(|file| std::cmp::Reverse(file.dead * 1000 / (file.living + file.dead).max(1)));
    rest.retain(|file| {
        let (part, whole) = DEAD_SHARE;
        let is_too_much = dead * whole > (living + dead) * part;
        let is_taken = is_too_much && file.dead > 0 && take(*file);
        if is_taken {
            dead -= file.dead;
        }
        !is_taken
    });
    rest.sort_by_key(|file| file.length);
    let joined = rest
        .chunk_by(|one, other| size_class(*one) == size_class(*other))
        .filter(|of_class| of_class.len() >= JOINED)
        .filter_map(|of_class| size_class(*of_class.first()?))
        .max();
    if let Some(joined) = joined {
        for file in rest {
            if size_class(file).is_none_or(|class| class > joined) || !take(file) {
                break;
            }
        }
    }
    chosen.sort_by_key(|file| file.number);
    chosen
}

/// Returns the size class of a file. Sizes in one class differ by a factor of [`JOINED`] at most,
/// except in the lowest class. Returns None for a file that is large enough to stay alone.
fn size_class(file: StoreFile) -> Option<u32> {
    (file.length < FULL / 2).then(|| {
        (file.length / SMALL)
            .checked_ilog(JOINED as u64)
            .map_or(0, |class| class + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(number: u64, living: u64, dead: u64) -> StoreFile {
        StoreFile {
            number,
            length: living + dead + 300,
            living,
            dead,
            checksum: None,
        }
    }

    fn chosen(files: &[StoreFile], added: u64) -> Vec<u64> {
        let living = files.iter().map(|file| file.living).sum();
        let dead = files.iter().map(|file| file.dead).sum();
        let chosen = choose(files, living, dead, added);
        chosen.into_iter().map(|file| file.number).collect()
    }

    #[test]
    fn the_sparsest_files_are_rewritten_first_and_no_more_than_needed() {
        let files = [file(1, 700, 300), file(2, 100, 900), file(3, 1000, 0)];
        assert_eq!(chosen(&files, 0), [2]);
        assert_eq!(chosen(&[file(1, 800, 200)], 0), [0; 0]);
        assert_eq!(chosen(&[file(1, 700, 300)], 0), [1]);
    }

    #[test]
    fn files_of_similar_size_are_joined_with_all_smaller_ones() {
        let small: Vec<_> = (1..8).map(|number| file(number, 1000, 0)).collect();
        assert_eq!(chosen(&small, 0), [0; 0]);
        let larger = (8..16).map(|number| file(number, 2 * SMALL, 0));
        let mut all: Vec<_> = small.into_iter().chain(larger).collect();
        all.push(file(16, 9 * SMALL, 0));
        all.push(file(17, FULL, 0));
        assert_eq!(chosen(&all, 0), (1..16).collect::<Vec<_>>());
    }

    #[test]
    fn no_commit_copies_more_than_its_bound() {
        let files: Vec<_> = (1..40).map(|number| file(number, FULL / 3, FULL)).collect();
        assert_eq!(chosen(&files, 0).len(), 3);
        assert_eq!(chosen(&files, 2 * FULL).len(), 6);
        let joined: Vec<_> = (1..40).map(|number| file(number, FULL / 3, 0)).collect();
        assert_eq!(chosen(&joined, 0).len(), 3);
    }
}
