//! Writes a log: one entry for each decision about a page.
//!
//! Complete bundles are written as soon as they are full, the others by [`Evidence::finish`], which
//! returns the head that the commit of the index or mask must contain. After that commit,
//! [`Evidence::committed`] stores the state of the log and signs its checkpoint. After a crash, the
//! next writer restores the log to the last commit: it deletes all files that the head does not
//! name, and finishes what was being erased.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use signed_note::Note;
use tlog_tiles::{Checkpoint, Tile, record_hash};

use heedful_base::error::{Error, Result};
use heedful_index::Terms;
use heedful_index::decision::hex::{self, Hex, digest_name};
use heedful_index::decision::{Basis, DecisionRecord, Hash};

use super::bundles::{self, Sequence, names_at, partial_names_at, tile_name};
use super::erase::finish_erasing;
use super::files::{LogFiles, LogFolder, UNFINISHED};
use super::keys::{self, SigningKey};
use super::log::{CHECKPOINT, KEYS, Log, PRIVATE_KEY, UrlRow, tag, url_rows};
use super::record::{Record, Salt, SaltedRecord, digests_of};
use super::state::{Head, LogOwner, LogState, MOST, STATE};
use super::terms::BotTerms;
use super::tiles::{FreshHashes, Tree};

/// Number of random bytes for salts that the writer requests from the operating system at a time.
const RANDOM: usize = 4096;

/// Writer of a log of evidence, for the decisions of an index or a mask. A log has only one writer
/// at a time.
#[derive(Debug)]
pub struct Evidence {
    pub(super) files: Arc<dyn LogFiles>,
    /// State of the log at its last commit.
    pub(super) state: LogState,
    /// Head that [`Evidence::finish`] returned for a commit that is not complete yet. `None` if no
    /// commit is in progress.
    next: Option<Head>,
    terms: Vec<BotTerms>,
    size: u64,
    fresh: FreshHashes,
    /// Entries of the last bundle. Empty if this bundle is full. In the same way, `records`, `urls`
    /// and `site_files` have the elements of the last bundles of records, URLs and site files.
    entries: Vec<Vec<u8>>,
    records: Vec<Vec<u8>>,
    urls: Vec<UrlRow>,
    site_files: Vec<Vec<u8>>,
    digests: Vec<Hash>,
    known_files: HashSet<Hash>,
    random: Vec<u8>,
}

/// State that a log must have when a writer opens it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LogStart<'a> {
    /// The log must be empty or new, because its index has no evidence yet.
    New,
    /// The log must contain all entries up to this head, which the last commit of the index names.
    At(&'a Head),
    /// The log belongs to masks, or is new. The writer continues from the state that the log itself
    /// stores.
    Own,
}

impl LogStart<'_> {
    fn owner(self) -> LogOwner {
        match self {
            Self::Own => LogOwner::Masks,
            Self::New | Self::At(_) => LogOwner::Index,
        }
    }
}

impl Evidence {
    /// Opens the log of an index in `folder` for writing. `head` is the log's head in the last
    /// commit of the index. It is `None` if the index has no evidence yet.
    pub(crate) fn open(folder: &Path, head: Option<&Head>, terms: &[Terms]) -> Result<Self> {
        Self::open_folder(folder, head.map_or(LogStart::New, LogStart::At), terms)
    }

    /// Opens the log of masks in `folder` for writing. New entries are added after the entries of
    /// earlier masks.
    #[doc(hidden)]
    pub fn open_for_masks(folder: &Path, terms: &[Terms]) -> Result<Self> {
        Self::open_folder(folder, LogStart::Own, terms)
    }

    fn open_folder(folder: &Path, start: LogStart<'_>, terms: &[Terms]) -> Result<Self> {
        // The check precedes the lock, so that a wrong folder is not changed.
        if let LogStart::At(head) = start
            && !folder.join(STATE).exists()
        {
            return Err(missing(&folder.display().to_string(), head));
        }
        let files = Arc::new(LogFolder::lock(folder)?);
        Self::open_files(files, start, terms)
    }

    /// Opens an existing log in `folder` for writing, without its index. The last commit of the
    /// index is not known. So the log's own stored head is used.
    ///
    /// # Errors
    /// An evidence error if the folder has no log. Also an evidence error if the stored head may be
    /// older than the head in the last commit of the index.
    pub(super) fn open_alone(folder: &Path) -> Result<Self> {
        // The lock creates a file, so the check for a log comes first.
        let none = || Error::evidence(format!("{} holds no evidence", folder.display()));
        LogState::read(&LogFolder::open(folder))?.ok_or_else(none)?;
        let files: Arc<dyn LogFiles> = Arc::new(LogFolder::lock(folder)?);
        let own = LogState::read(&*files)?.ok_or_else(none)?;
        if own.head.of == LogOwner::Masks {
            return Self::open_files(files, LogStart::Own, &[]);
        }
        let names = files.in_folder(files.names())?;
        if names.iter().any(|name| bundles::is_newer(name, &own.head)) {
            return Err(Error::evidence(format!(
                "{} has files of a run that broke off, and only its index knows if they are part of the log: name that \
                 with --index DIR",
                files.place()
            )));
        }
        Self::open_files(files, LogStart::At(&own.head), &[])
    }

    pub(crate) fn open_files(
        files: Arc<dyn LogFiles>,
        start: LogStart<'_>,
        terms: &[Terms],
    ) -> Result<Self> {
        let mut state = opened_state(&*files, start)?;
        finish_erasing(&files, &mut state)?;
        let log = Log::from_state(Arc::clone(&files), state);
        let mut evidence = Self {
            state: log.state.clone(),
            next: None,
            terms: terms.iter().map(BotTerms::from_terms).collect(),
            size: log.head().size,
            fresh: FreshHashes::default(),
            entries: last_bundle(&log, Sequence::Entries, |n| log.entries(n))?,
            records: last_bundle(&log, Sequence::Records, |n| {
                log.packed(Sequence::Records, n)
            })?,
            urls: last_bundle(&log, Sequence::Urls, |n| log.read_url_rows(n))?,
            site_files: last_bundle(&log, Sequence::SiteFiles, |n| {
                log.packed(Sequence::SiteFiles, n)
            })?,
            digests: log.digests()?,
            known_files: HashSet::new(),
            random: Vec::new(),
            files,
        };
        evidence.known_files = evidence.digests.iter().copied().collect();
        if evidence.tree().root(evidence.size)?.0 != evidence.state.head.root.0 {
            return Err(Error::evidence(format!(
                "{}: its entries do not lead to the root of its head; `heedful evidence audit` names the first bad one",
                evidence.folder()
            )));
        }
        // A file that cannot be deleted does no harm here, and the next writer tries again.
        let _ = evidence.sweep();
        evidence.keep_state()?;
        Ok(evidence)
    }

    fn tree(&self) -> Tree<'_> {
        self.fresh.tree(&*self.files, self.state.head.size)
    }

    /// Deletes all incomplete files, and all bundles and tiles that the log does not need at its
    /// last commit. An interrupted run may have left such files. If a file cannot be deleted, the
    /// other files are still deleted. Then the first error is returned.
    pub(super) fn sweep(&self) -> std::io::Result<()> {
        let named = names_at(&self.state.head);
        let mut swept = Ok(());
        for name in self.files.names()? {
            if is_left_over(&name, &named, &self.state.head) {
                swept = swept.and(self.files.delete(&name));
            }
        }
        swept
    }

    /// Stores the state of the log, and signs a checkpoint of it, unless both are stored already.
    fn keep_state(&self) -> Result<()> {
        if LogState::read(&*self.files)?.as_ref() != Some(&self.state) {
            self.state.write(&*self.files)?;
        }
        let log = Log::from_state(Arc::clone(&self.files), self.state.clone());
        let head = &self.state.head;
        let root = tlog_tiles::Hash(head.root.0);
        if let Some(bytes) = self.files.read_if_any(CHECKPOINT)? {
            let (_, last) =
                super::log::parse_checkpoint(&bytes).ok_or_else(|| log.damaged(CHECKPOINT))?;
            if last.size() == head.size && *last.hash() == root {
                return Ok(());
            }
            // A log must never sign what contradicts its last checkpoint.
            if last.size() > head.size || self.tree().root(last.size())? != *last.hash() {
                return Err(Error::evidence(format!(
                    "{} has signed another log than the one that its head names: one of the two is an older copy",
                    self.folder()
                )));
            }
        }
        let read = self.files.read(PRIVATE_KEY);
        let key = read.map_err(|error| self.files.file_error(PRIVATE_KEY, error))?;
        let key = SigningKey::read(&String::from_utf8_lossy(&key))
            .map_err(|_| log.damaged(PRIVATE_KEY))?;
        let malformed = || log.damaged(STATE);
        let checkpoint =
            Checkpoint::new(&head.origin, head.size, root, "").map_err(|_| malformed())?;
        let text = checkpoint.to_bytes();
        let signature = key.sign(&text)?;
        let note = Note::new(&text, &[signature]).map_err(|_| malformed())?;
        self.files.replace_file(CHECKPOINT, &note.to_bytes())
    }

    /// Returns the path of the log's folder.
    pub(crate) fn folder(&self) -> String {
        self.files.place()
    }

    /// Returns the head of the log at its last commit.
    pub fn head(&self) -> &Head {
        &self.state.head
    }

    /// Adds the entry of the decision `decided`. Also stores the site files of `basis` that the log
    /// does not have yet. Returns the number of the new entry.
    pub(crate) fn add(&mut self, decided: &DecisionRecord, basis: &Basis) -> Result<u64> {
        if self.size >= MOST {
            return Err(Error::evidence("the log is full"));
        }
        for digest in digests_of(&basis.files) {
            self.add_site_file(digest, basis)?;
        }
        let salted = SaltedRecord {
            salt: self.salt()?,
            text: heedful_json::line(&Record::new(decided, basis, &self.terms)),
        };
        let entry = salted.entry(decided.kind).bytes();
        let number = self.size;
        let stored = self.state.head.size;
        self.fresh
            .add(&*self.files, stored, number, record_hash(&entry))?;
        self.entries.push(entry);
        self.records.push(salted.bytes());
        self.urls.push(UrlRow {
            tag: tag(&decided.url),
            entry: u16::try_from(number % Sequence::Urls.width()).unwrap_or(u16::MAX),
        });
        self.size += 1;
        if self.size.is_multiple_of(Sequence::Entries.width()) {
            self.write_full_bundles()?;
        }
        Ok(number)
    }

    fn add_site_file(&mut self, digest: Hash, basis: &Basis) -> Result<()> {
        if !self.known_files.insert(digest) {
            return Ok(());
        }
        let bytes = basis.bytes_of(&digest).unwrap_or_default();
        if Hash::from(Sha256::digest(&bytes)) != digest {
            return Err(Error::evidence(format!(
                "a file of a site with the digest {} is no longer available",
                digest_name(&digest)
            )));
        }
        self.digests.push(digest);
        self.site_files.push(bytes);
        if self.site_files.len() as u64 == Sequence::SiteFiles.width() {
            self.write_site_files()?;
            self.site_files.clear();
        }
        Ok(())
    }

    fn salt(&mut self) -> Result<Salt> {
        if self.random.len() < size_of::<Salt>() {
            self.random = vec![0; RANDOM];
            fill(&mut self.random)?;
        }
        let at = self.random.len() - size_of::<Salt>();
        Ok(self.random.split_off(at).try_into().unwrap_or_default())
    }

    /// Writes the bundles that became full with the last entry. Also writes the tile with the
    /// hashes of the entries in these bundles.
    fn write_full_bundles(&mut self) -> Result<()> {
        let number = self.size / Sequence::Entries.width() - 1;
        self.write_tile(&Tile::new(8, 0, number, 256, false))?;
        self.fresh.forget_tile(number);
        self.write_entries()?;
        self.entries.clear();
        self.records.clear();
        if self.urls.len() as u64 == Sequence::Urls.width() {
            self.write_urls()?;
            self.urls.clear();
        }
        Ok(())
    }

    fn write_tile(&self, tile: &Tile) -> Result<()> {
        let tree = self.tree();
        let data = tree.result(tile.read_data(&tree))?;
        self.files.write_file(&tile_name(tile), &data)
    }

    /// Writes the last bundle of entries and the last bundle of records.
    fn write_entries(&self) -> Result<()> {
        self.write_last(
            Sequence::Entries,
            self.size,
            &bundles::entries(&self.entries),
        )?;
        let packed = bundles::pack(self.records.iter().map(Vec::as_slice));
        self.write_last(Sequence::Records, self.size, &packed)
    }

    fn write_urls(&mut self) -> Result<()> {
        self.urls.sort_unstable();
        self.write_last(Sequence::Urls, self.size, &url_rows(&self.urls))
    }

    fn write_site_files(&self) -> Result<()> {
        let packed = bundles::pack(self.site_files.iter().map(Vec::as_slice));
        self.write_last(Sequence::SiteFiles, self.digests.len() as u64, &packed)
    }

    /// Writes the last bundle of a sequence that has `size` elements. `bytes` is the content of its
    /// file.
    fn write_last(&self, sequence: Sequence, size: u64, bytes: &[u8]) -> Result<()> {
        let last = (size - 1) / sequence.width();
        self.files.write_file(&sequence.name(last, size), bytes)
    }

    /// Writes and syncs all entries that were added since the last commit. Returns the new head of
    /// the log. The next commit of the index or mask (a file with allowed uses) must contain this
    /// head. `time` is the time of the next commit, in seconds since 1970.
    ///
    /// # Errors
    /// An I/O error if a file of the log cannot be written. The entries of earlier commits are not
    /// affected by the error.
    pub(crate) fn finish(&mut self, time: i64) -> Result<Head> {
        let before = &self.state.head;
        if self.size == before.size {
            return Ok(before.clone());
        }
        let files_before = before.files;
        let tiles = Tile::new_tiles(8, before.size, self.size);
        // Complete tiles of the lowest level were written before.
        let tiles = tiles
            .iter()
            .filter(|tile| tile.level() > 0 || tile.width() < 256);
        for tile in tiles {
            self.write_tile(tile)?;
        }
        if !self.entries.is_empty() {
            self.write_entries()?;
        }
        if !self.urls.is_empty() {
            self.write_urls()?;
        }
        if !self.site_files.is_empty() {
            self.write_site_files()?;
        }
        self.write_digests(files_before)?;
        self.files.in_folder(self.files.sync())?;
        let head = Head {
            size: self.size,
            root: Hex(self.tree().root(self.size)?.0),
            time,
            files: self.digests.len() as u64,
            ..self.state.head.clone()
        };
        self.next = Some(head.clone());
        Ok(head)
    }

    /// Writes the bundles with the digests of new site files. `before` is the number of site files
    /// at the last commit.
    fn write_digests(&self, before: u64) -> Result<()> {
        let size = self.digests.len() as u64;
        let width = Sequence::Digests.width();
        for bundle in before / width..size.div_ceil(width) {
            let from = usize::try_from(bundle * width).unwrap_or(usize::MAX);
            let to = from + 256;
            let digests = &self.digests[from..to.min(self.digests.len())];
            let name = Sequence::Digests.name(bundle, size);
            self.files.write_file(&name, digests.as_flattened())?;
        }
        Ok(())
    }

    /// Stores the new state of the log after a commit of the index or mask (a file with allowed
    /// uses). The commit must be complete. It must contain the head that [`Evidence::finish`]
    /// returned.
    ///
    /// # Errors
    /// An I/O error if a file of the log cannot be written. In this case the next writer stores the
    /// state.
    pub(crate) fn committed(&mut self) -> Result<()> {
        let Some(head) = self.next.take() else {
            return Ok(());
        };
        let before = partial_names_at(&self.state.head);
        self.state.head = head;
        self.fresh.clear();
        self.keep_state()?;
        let named = partial_names_at(&self.state.head);
        for name in before.difference(&named) {
            if bundles::widened(name, &self.state.head).is_none() {
                let _ = self.files.delete(name);
            }
        }
        Ok(())
    }

    /// Adds decisions to the log, and commits them. Each decision comes with the data on which it
    /// is based.
    #[doc(hidden)]
    pub fn record(
        &mut self,
        decided: impl Iterator<Item = (DecisionRecord, Basis)>,
        now: SystemTime,
    ) -> Result<()> {
        for (decided, basis) in decided {
            self.add(&decided, &basis)?;
        }
        let since = now.duration_since(SystemTime::UNIX_EPOCH);
        let time = since.map_or(0, |since| since.as_secs());
        self.finish(i64::try_from(time).unwrap_or(i64::MAX))?;
        self.committed()
    }
}

/// Reads the bundle to which the next element of a sequence will be added. `read` reads a bundle by
/// its number. Returns an empty list if the next element begins a new bundle. This is the case if
/// the last bundle is full, or if the sequence is empty.
fn last_bundle<T>(
    log: &Log,
    sequence: Sequence,
    read: impl Fn(u64) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let Some(last) = sequence.bundles(log.head()).last() else {
        return Ok(Vec::new());
    };
    if sequence.name_at(last, log.head()).contains(".p/") {
        read(last)
    } else {
        Ok(Vec::new())
    }
}

/// True if the file `name` is left over at a commit: an incomplete file, or an unneeded tile or
/// bundle. `head` is the log's head at the commit. `named` has the names of the tiles and bundles
/// of the commit.
fn is_left_over(name: &str, named: &HashSet<String>, head: &Head) -> bool {
    let is_needed = named.contains(name) || bundles::widened(name, head).is_some();
    name.ends_with(UNFINISHED) || bundles::is_name(name, head) && !is_needed
}

/// Returns the state at which a writer opens the log. Creates a log if there is none and `start`
/// allows a new one.
fn opened_state(files: &dyn LogFiles, start: LogStart<'_>) -> Result<LogState> {
    let place = files.place();
    let own = LogState::read(files)?;
    let other = || {
        Error::evidence(format!(
            "{place} holds the evidence of something else: choose another folder"
        ))
    };
    match (own, start) {
        (None, LogStart::At(head)) => Err(missing(&place, head)),
        (None, LogStart::New | LogStart::Own) => create_log(files, start.owner()),
        (Some(own), _) if own.head.of != start.owner() => Err(other()),
        (Some(own), LogStart::Own) => Ok(own),
        (Some(own), LogStart::New) if own.head.size == 0 => Ok(own),
        (Some(_), LogStart::New) => Err(other()),
        (Some(own), LogStart::At(head)) if own.head.origin != head.origin => {
            Err(missing(&place, head))
        }
        (Some(own), LogStart::At(head)) => {
            let is_newer = own.head.size > head.size;
            if is_newer || own.head.size == head.size && own.head.root != head.root {
                return Err(Error::evidence(format!(
                    "{place} has {} entries, and what it is for knows of {}: one of the two is an older copy; restore the \
                     other, or begin new evidence in another folder",
                    own.head.size, head.size
                )));
            }
            let head = head.clone();
            Ok(LogState { head, ..own })
        }
    }
}

/// Creates an empty log for an owner of the kind `of`.
fn create_log(files: &dyn LogFiles, of: LogOwner) -> Result<LogState> {
    let own = [PRIVATE_KEY, KEYS, STATE];
    for name in files.in_folder(files.names())? {
        if !own.iter().any(|own| name.starts_with(own)) {
            return Err(Error::evidence(format!(
                "{} is not empty and holds no evidence: choose another folder",
                files.place()
            )));
        }
    }
    let mut seed = [0; 32];
    let mut id = [0; 16];
    fill(&mut seed)?;
    fill(&mut id)?;
    let origin = format!("heedful.evidence/{}", hex::text(&id));
    let key = SigningKey::from_seed(&origin, seed);
    files.replace_file(PRIVATE_KEY, key.text().as_bytes())?;
    files.replace_file(KEYS, keys::file(&[key.public()]).as_bytes())?;
    let state = LogState {
        head: Head {
            origin,
            of,
            size: 0,
            root: Hex(tlog_tiles::EMPTY_HASH.0),
            time: 0,
            files: 0,
        },
        forgotten: 0,
        erasing: Vec::new(),
    };
    state.write(files)?;
    Ok(state)
}

fn missing(place: &str, head: &Head) -> Error {
    let (origin, size) = (&head.origin, head.size);
    Error::evidence(format!(
        "{place} does not hold the log {origin}, which the last commit names with {size} entries: say where that is with \
         --evidence DIR, or begin new evidence with `heedful index` and --evidence DIR --new-evidence"
    ))
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|error| Error::evidence(format!("the system gives no random bytes ({error})")))
}
