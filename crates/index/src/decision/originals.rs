//! The files of sites as they were sent, by digest, in a temporary file. They wait there until an
//! entry of a log refers to them.
//!
//! A file for which the limit leaves no room is not kept, and its digest is not named. What cannot
//! be read back is not there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use heedful_base::limits::Limits;
use heedful_base::scratch::Pieces;

use super::hex::Hash;

/// The files of sites, as they were sent. Clones share them.
#[derive(Clone, Debug)]
pub struct Originals(Arc<Mutex<OriginalsStore>>);

#[derive(Debug)]
struct OriginalsStore {
    places: HashMap<Hash, (u64, u64)>,
    /// The digests of the documents at these URLs.
    documents: HashMap<String, Vec<Hash>>,
    disk: Pieces,
    most: u64,
}

impl Originals {
    /// Keeps at most as many bytes as the limit `robots_file_bytes`.
    pub fn new(limits: &Limits) -> Self {
        Self(Arc::new(Mutex::new(OriginalsStore {
            places: HashMap::new(),
            documents: HashMap::new(),
            disk: Pieces::default(),
            most: limits.robots_file_bytes,
        })))
    }

    /// Keeps a file, once, and returns its digest. None if there is no room for it.
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

    /// Keeps a document at this URL, besides others that were seen there. An empty URL
    /// is for a document that counts at every URL.
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

    /// The digests of the documents at this URL.
    pub fn digests(&self, url: &str) -> Vec<Hash> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        [url, ""]
            .into_iter()
            .filter_map(|url| kept.documents.get(url))
            .flatten()
            .copied()
            .collect()
    }

    /// The bytes of a file.
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
