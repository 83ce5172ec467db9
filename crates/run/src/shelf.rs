//! Stores the parsed robots.txt files of a run. Equal files are stored once. Recently used files
//! are in memory, and all others in a temporary file.
//!
//! Two limits bound the files that are stored: one of memory (`robots_bytes`) and one of disk space
//! (`robots_file_bytes`). A file that is not in memory is read from disk again. If the disk has no
//! room for a file, [`Shelf::put`] returns `None`. A file that cannot be read back from disk counts
//! as forbidding everything.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use sha1::{Digest, Sha1};

use heedful_base::limits::Limits;
use heedful_base::scratch::Pieces;
use heedful_index::decision::Originals;
use heedful_robots::RobotsTxt;

/// Number that identifies a robots.txt file on the [`Shelf`], the store for parsed files.
pub(super) type ShelfId = u32;
type Sum = [u8; 20];

#[derive(Debug)]
pub(super) struct Shelf {
    inner: Mutex<Inner>,
    /// Store of the original bytes of robots.txt files. `None` if the run keeps no evidence.
    pub(super) originals: Option<Originals>,
    most_in_memory: u64,
    most_on_disk: u64,
}

#[derive(Debug)]
struct Inner {
    known: HashMap<Sum, ShelfId>,
    files: Vec<ShelvedFile>,
    /// Parsed robots.txt files in memory, each with its size in bytes.
    near: LruCache<ShelfId, (RobotsTxt, u64)>,
    in_memory: u64,
    disk: Pieces,
}

#[derive(Debug)]
struct ShelvedFile {
    sum: Sum,
    /// Memory that the parsed robots.txt file needs, in bytes.
    memory: u64,
    /// Start and end of the file's bytes in the temporary file. `None` if they were not written
    /// there.
    place: Option<(u64, u64)>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl Shelf {
    pub(super) fn new(limits: &Limits) -> Self {
        let near = LruCache::unbounded();
        let inner = Inner {
            known: HashMap::new(),
            files: Vec::new(),
            near,
            in_memory: 0,
            disk: Pieces::default(),
        };
        Self {
            inner: Mutex::new(inner),
            originals: None,
            most_in_memory: limits.robots_bytes,
            most_on_disk: limits.robots_file_bytes,
        }
    }

    /// Stores the bytes of the response that contained `robots`, and adds their digest to `robots`.
    /// If the run keeps no evidence, returns `robots` unchanged.
    pub(super) fn with_digest(&self, robots: RobotsTxt) -> RobotsTxt {
        match &self.originals {
            Some(originals) => robots.keep_response(|bytes| originals.keep(bytes)),
            None => robots,
        }
    }

    /// Stores the rules of a robots.txt on the shelf, but not their source (where they were read).
    /// Returns `None` if the shelf has no room.
    pub(super) fn put(&self, robots: &RobotsTxt) -> Option<ShelfId> {
        let stored = robots.to_bytes();
        let sum: Sum = Sha1::digest(&stored).into();
        let mut inner = self.inner();
        if let Some(id) = inner.known.get(&sum) {
            return Some(*id);
        }
        let id = ShelfId::try_from(inner.files.len()).ok()?;
        let memory = robots.memory();
        let mut place = None;
        if inner.in_memory.saturating_add(memory) > self.most_in_memory {
            // The files in memory may be the next ones in use, so this one stays on disk until it
            // is used.
            place = Some(inner.disk.write(&stored, self.most_on_disk).ok()?);
        }
        inner.known.insert(sum, id);
        inner.files.push(ShelvedFile { sum, memory, place });
        if place.is_none() {
            inner.in_memory += memory;
            inner.near.put(id, (robots.bare(), memory));
        }
        Some(id)
    }

    /// Returns the memory that a robots.txt file on the shelf needs, in bytes.
    pub(super) fn memory(&self, id: ShelfId) -> u64 {
        self.inner()
            .files
            .get(id as usize)
            .map_or(0, |kept| kept.memory)
    }

    /// Returns a robots.txt file on the shelf. Returns rules that forbid everything if the file
    /// cannot be read back from disk.
    pub(super) fn get(&self, id: ShelfId) -> RobotsTxt {
        let mut inner = self.inner();
        if let Some((robots, _)) = inner.near.get(&id) {
            return robots.clone();
        }
        let Ok(robots) = inner.read(id) else {
            return RobotsTxt::deny_all();
        };
        let held = robots.memory();
        while inner.in_memory.saturating_add(held) > self.most_in_memory && !inner.near.is_empty() {
            if inner.forget(self.most_on_disk).is_err() {
                return robots;
            }
        }
        inner.in_memory += held;
        inner.near.put(id, (robots.clone(), held));
        robots
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn read(&mut self, id: ShelfId) -> io::Result<RobotsTxt> {
        let lost = || io::Error::from(io::ErrorKind::InvalidData);
        let kept = self.files.get(id as usize).ok_or_else(lost)?;
        let stored = self.disk.read(kept.place.ok_or_else(lost)?)?;
        let is_whole = <Sum>::from(Sha1::digest(&stored)) == kept.sum;
        Some(stored)
            .filter(|_| is_whole)
            .and_then(|stored| RobotsTxt::from_bytes(&stored))
            .ok_or_else(lost)
    }

    /// Moves the least recently used robots.txt file from memory to disk.
    fn forget(&mut self, most: u64) -> io::Result<()> {
        let Some((id, (robots, held))) = self.near.pop_lru() else {
            return Ok(());
        };
        if self.files[id as usize].place.is_none() {
            match self.disk.write(&robots.to_bytes(), most) {
                Ok(place) => self.files[id as usize].place = Some(place),
                Err(error) => {
                    // The disk has no room, so the file stays in memory.
                    self.near.put(id, (robots, held));
                    return Err(error);
                }
            }
        }
        self.in_memory -= held;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::Bot;

    fn file(number: usize) -> RobotsTxt {
        RobotsTxt::parse(format!("User-agent: *\nDisallow: /{number}\n").as_bytes())
    }

    #[test]
    fn what_leaves_memory_comes_back_and_equal_files_are_one() {
        let shelf = Shelf::new(&Limits::default().robots_bytes(1000));
        let ids: Vec<_> = (0..100)
            .map(|number| shelf.put(&file(number)).unwrap())
            .collect();
        let again: Vec<_> = (0..100)
            .map(|number| shelf.put(&file(number)).unwrap())
            .collect();
        assert_eq!(ids, again);
        let bot = Bot::new("FooBot").unwrap();
        for round in 0..300 {
            let number = round * 37 % 100;
            let robots = shelf.get(ids[number]);
            assert!(!robots.ruling(&bot, &format!("/{number}")).allowed());
            assert!(robots.ruling(&bot, "/x").allowed());
            assert!(shelf.inner().in_memory <= 1000 || shelf.inner().near.len() == 1);
        }
    }

    #[test]
    fn what_finds_no_room_is_told() {
        let shelf = Shelf::new(&Limits::default().robots_bytes(0).robots_file_bytes(200));
        let ids: Vec<_> = (0..10).map(|number| shelf.put(&file(number))).collect();
        assert!(ids[0].is_some() && ids[9].is_none());
        assert!(
            !shelf
                .get(ids[0].unwrap())
                .ruling(&Bot::new("FooBot").unwrap(), "/0")
                .allowed()
        );
    }
}
