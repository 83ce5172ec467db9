//! Temporary store for the original bytes of site files, such as robots.txt. A temporary file
//! contains them until an evidence log stores them. They are found by their digest.
//!
//! A site file is not stored and gets no digest if the temporary store has reached its limit. If
//! the temporary file cannot be read, its site files count as not stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use heedful_base::limits::Limits;
use heedful_base::scratch::Pieces;

use super::hex::Hash;

/// Temporary store for the original bytes of site files, such as robots.txt. All clones of this
/// value share one store.
///
/// # Examples
/// ```
/// use heedful::Limits;
/// use heedful_index::decision::Originals;
///
/// let originals = Originals::new(&Limits::default().robots_file_bytes(8));
/// assert!(originals.keep(b"one").is_some());
/// assert_eq!(originals.keep(b"one"), originals.keep(b"one")); // stored once
/// assert_eq!(originals.keep(b"too long for it"), None);
///
/// originals.keep_at("https://example.com/rsl.xml", b"two");
/// assert_eq!(originals.digests("https://example.com/rsl.xml").len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Originals(Arc<Mutex<OriginalsStore>>);

#[derive(Debug)]
struct OriginalsStore {
    places: HashMap<Hash, (u64, u64)>,
    /// SHA-256 digests of the documents that were seen at each URL. The key is the URL.
    documents: HashMap<String, Vec<Hash>>,
    disk: Pieces,
    most: u64,
}

impl Originals {
    /// Creates an empty temporary store for site files. The store accepts at most as many bytes as
    /// the limit `robots_file_bytes`.
    pub fn new(limits: &Limits) -> Self {
        Self(Arc::new(Mutex::new(OriginalsStore {
            places: HashMap::new(),
            documents: HashMap::new(),
            disk: Pieces::default(),
            most: limits.robots_file_bytes,
        })))
    }

    /// Stores the bytes of a site file, unless they are stored already, and returns their SHA-256
    /// digest. Returns None if the limit is reached or the temporary file cannot be written.
    pub fn keep(&self, bytes: &[u8]) -> Option<Hash> {
        let digest = Sha256::digest(bytes).into();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.places.contains_key(&digest) {
            let most = kept.most;
            let place = kept.disk.write(bytes, most).ok()?;
            kept.places.insert(digest, place);
        }
        Some(digest)
    }

    /// Stores the bytes of a document that was seen at `url`. Earlier documents of that URL remain
    /// stored. If `url` is empty, the document counts for all URLs: [`Originals::digests`] returns
    /// its digest for any URL.
    pub fn keep_at(&self, url: &str, bytes: &[u8]) {
        let Some(digest) = self.keep(bytes) else {
            return;
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let documents = kept.documents.entry(url.to_owned()).or_default();
        if !documents.contains(&digest) {
            documents.push(digest);
        }
    }

    /// Returns the SHA-256 digests of all documents that were stored for `url`. Documents that were
    /// stored with an empty URL are included. The list is empty if there are none.
    pub fn digests(&self, url: &str) -> Vec<Hash> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        [url, ""]
            .into_iter()
            .filter_map(|url| kept.documents.get(url))
            .flatten()
            .copied()
            .collect()
    }

    /// Returns the bytes of the stored site file with this SHA-256 digest. Returns None if no such
    /// file is stored, or if its bytes cannot be read.
    pub(crate) fn get(&self, digest: &Hash) -> Option<Vec<u8>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = *kept.places.get(digest)?;
        kept.disk.read(place).ok()
    }
}

impl PartialEq for Originals {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Originals {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_what_has_no_room_is_not_named() {
        let originals = Originals::new(&Limits::default().robots_file_bytes(8));
        let (one, two) = (
            originals.keep(b"one").unwrap(),
            originals.keep(b"two").unwrap(),
        );
        assert_eq!(originals.keep(b"one"), Some(one));
        assert_eq!(originals.keep(b"three"), None);
        assert_eq!(
            (originals.get(&one).unwrap(), originals.get(&two).unwrap()),
            (b"one".to_vec(), b"two".to_vec())
        );
        assert_eq!(originals.get(&[0; 32]), None);
        originals.keep_at("https://a.example/rsl.xml", b"two");
        originals.keep_at("", b"one");
        assert_eq!(originals.digests("https://a.example/rsl.xml"), [two, one]);
    }
}
