//! An input that was opened: its format is known, and its items can be read.

use std::fmt;
use std::fs::File;
use std::io::Seek;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

use url::Url;

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::exceeded;

use super::ahead::ReadAhead;
use super::item::{Body, Damage, FetchedPage, InputPlace, Item, Items, Position};
use super::key_scan::{self, SpelledWord};
use super::kind::InputFormat;
use super::raw::{Pipe, RawInput};
use super::robots::Robots;
use super::sites::{self, ArchivedSite};
use super::source::ByteSource;
use super::terms::InputTerms;
use super::{archive, folder, jsonl, parquet, wacz};

/// Error message for an empty file in place of a page.
pub(super) const EMPTY: &str = "it is empty, which is no page";

/// An input that was opened by [`Inputs`](super::Inputs). Its items can be read.
///
/// ```
/// use heedful_input::{InputFormat, Inputs, Item};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rye.html");
/// std::fs::write(&path, "<p>Rye")?;
/// let input = &Inputs::default().open(&[&path])?[0];
///
/// assert_eq!(input.name(), path.display().to_string());
/// assert_eq!((input.kind(), input.size()), (InputFormat::Html, 6));
/// let (item, _) = input.items()?.next().unwrap();
/// assert!(matches!(item, Item::Document(page) if page.bytes() == b"<p>Rye"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Input {
    pub(super) name: Arc<str>,
    pub(super) kind: InputFormat,
    /// URL prefix of a folder that mirrors a site, or URL of a single page. `None` for other
    /// inputs.
    pub(super) url: Option<Url>,
    pub(super) from: ReadyFrom,
    /// True if hidden files of a folder are read as pages, too.
    pub(super) hidden: bool,
    pub(super) size: u64,
    pub(super) is_blank: bool,
    pub(super) pages_beside: u64,
    /// Number of bytes of the input's files that were read to yield items. Bytes that were read
    /// only in the survey are not counted. The survey is the first reading of all inputs, before
    /// the pages are processed.
    pub(super) read: Arc<AtomicU64>,
    /// Items that the survey (the first reading of all inputs) keeps in memory for the second
    /// reading. `None` if there are no such items, or if the second reading has taken them.
    pub(super) ahead: Mutex<Option<ReadAhead>>,
    pub(super) terms: Arc<InputTerms>,
}

pub(super) enum ReadyFrom {
    Path(PathBuf),
    Part(PathBuf, Range<u64>),
    /// A compressed entry of a zip file: path of the file, byte range of the entry, and CRC-32 of
    /// the unpacked bytes.
    Packed(PathBuf, Range<u64>, u32),
    /// Data from a pipe, copied to a temporary file so that it can be read twice.
    Spool(File),
    /// A pipe that is read once, as its data arrives. `None` once reading has begun.
    Pipe(Mutex<Option<Pipe>>),
    /// An entry of a manifest or of a WACZ file that cannot be read. The string is the reason.
    Missing(String),
    /// A file that is not a page and contains no pages. The string is the reason.
    NoPage(String),
}

impl fmt::Debug for ReadyFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "Path({})", path.display()),
            Self::Part(path, range) => write!(f, "Part({}, {range:?})", path.display()),
            Self::Packed(path, range, _) => write!(f, "Packed({}, {range:?})", path.display()),
            Self::Spool(_) => f.write_str("Spool"),
            Self::Pipe(_) => f.write_str("Pipe"),
            Self::Missing(why) => write!(f, "Missing({why})"),
            Self::NoPage(why) => write!(f, "NoPage({why})"),
        }
    }
}

/// Returns an error if several of the inputs are single pages at `url`. Rules apply to a page by
/// its URL, so two pages must not share a URL.
pub(super) fn one_page_at(url: Option<&Url>, inputs: &[Input]) -> Result<()> {
    let is_page = |input: &&Input| {
        input.kind == InputFormat::Html && input.url.is_some() && input.url.as_ref() == url
    };
    match inputs.iter().filter(is_page).count() {
        0 | 1 => Ok(()),
        pages => Err(Error::setting(format!(
            "one URL is given for {pages} pages: put them in a folder that is a site, or name each in a manifest"
        ))),
    }
}

impl Input {
    /// True if the input may be or contain a page. False only if its content was recognized as
    /// something without pages.
    pub(super) fn may_be_page(&self) -> bool {
        !matches!(self.from, ReadyFrom::NoPage(_))
    }

    /// Returns the name of the input for messages: its path, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the format of the input.
    pub fn kind(&self) -> InputFormat {
        self.kind
    }

    /// Returns the size of the input's files in bytes. 0 for a pipe that is read as its data
    /// arrives.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// True if the input is a JSON Lines file that has only white space or an empty array. The file
    /// may be compressed. Such a file is valid, but may come from a failed copy.
    ///
    /// ```
    /// use heedful_input::{InputFormat, Inputs};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("pages.jsonl");
    /// std::fs::write(&path, "\n\n")?;
    /// let inputs = Inputs::default().kind(InputFormat::Jsonl).open(&[&path])?;
    ///
    /// assert!(inputs[0].is_blank());
    /// assert_eq!(inputs[0].items()?.count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Returns the number of ignored HTML files in a folder. If a folder is opened without a URL,
    /// only the archives in it are read, and its HTML files are ignored. The first archive of the
    /// folder returns their number. All other inputs return 0.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("a.jsonl"), "{\"html\": \"<p>Rye\"}\n")?;
    /// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
    /// let inputs = Inputs::default().open(&[folder.path()])?;
    ///
    /// assert_eq!((inputs.len(), inputs[0].pages_beside()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pages_beside(&self) -> u64 {
        self.pages_beside
    }

    /// Returns the time of the last modification of the input's file, in seconds since 1970. 0 if
    /// unknown, and for a folder.
    pub fn modified(&self) -> u64 {
        let time = self
            .path()
            .filter(|_| self.kind != InputFormat::Folder)
            .and_then(|path| path.metadata().ok()?.modified().ok());
        time.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs())
    }

    /// Returns the number of bytes of the input's files that were read so far to yield items.
    /// Divided by [`size`](Self::size), it is the progress of reading.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("pages.jsonl");
    /// std::fs::write(&path, "{\"html\": \"<p>Rye\"}\n")?;
    /// let input = &Inputs::default().open(&[path])?[0];
    ///
    /// assert_eq!(input.read(), 0);
    /// input.items()?.for_each(drop);
    /// assert_eq!(input.read(), input.size());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// True if the input is a pipe that is read once, as its data arrives. A robots.txt in such an
    /// input applies only to the items after the robots.txt, in this input and in later inputs.
    pub fn is_stream(&self) -> bool {
        matches!(self.from, ReadyFrom::Pipe(_))
    }

    /// Returns the site files in the input, such as robots.txt. The list is empty for an input that
    /// can be read only once.
    ///
    /// # Errors
    /// An I/O error if the input's file, or the robots.txt of a folder, cannot be opened.
    ///
    /// ```
    /// use heedful_input::{Inputs, SiteFileResponse};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("pages.jsonl");
    /// std::fs::write(
    ///     &path,
    ///     r#"{"url": "https://example.com/rye", "html": "<p>Rye"}
    /// {"url": "https://example.com/robots.txt", "html": "User-agent: *\nDisallow: /"}"#,
    /// )?;
    /// let input = &Inputs::default().open(&[path])?[0];
    ///
    /// // The file is known before the first page is read, though it comes last.
    /// let robots = input.robots()?.remove(0);
    /// assert_eq!(robots.authority(), "https://example.com");
    /// assert!(matches!(robots.into_response(), SiteFileResponse::Rules(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn robots(&self) -> Result<Vec<Robots>> {
        let mut found = Vec::new();
        self.each_robots(&mut |robots| found.push(robots))?;
        Ok(found)
    }

    /// Calls `take` with each site file in the input, such as robots.txt. The files are passed one
    /// by one, because all of them together may not fit in memory. `take` is not called for an
    /// input that can be read only once.
    ///
    /// # Errors
    /// An I/O error if the input's file, or the robots.txt of a folder, cannot be opened.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("pages.jsonl");
    /// let line = r#"{"url": "https://example.com/robots.txt", "html": "User-agent: *"}"#;
    /// std::fs::write(&path, line)?;
    /// let mut sites = 0;
    /// Inputs::default().open(&[path])?[0].each_robots(&mut |_| sites += 1)?;
    ///
    /// assert_eq!(sites, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn each_robots(&self, take: &mut dyn FnMut(Robots)) -> Result<()> {
        if self.is_stream() || self.is_unreadable() {
            return Ok(());
        }
        match self.kind {
            InputFormat::Warc | InputFormat::Arc => {
                archive::robots(
                    self.source(&Position::default(), Arc::default())?,
                    self.kind,
                    &self.terms,
                    take,
                );
            }
            InputFormat::Folder => {
                for robots in folder::robots(self.path(), self.url.as_ref())? {
                    take(robots);
                }
            }
            InputFormat::Jsonl => jsonl::robots(
                self.source(&Position::default(), Arc::default())?,
                &self.terms,
                take,
            ),
            InputFormat::Parquet => {
                for (item, _) in self.items_counting(&Position::default(), Arc::default())? {
                    if let Item::Robots(robots) = item {
                        take(robots);
                    }
                }
            }
            InputFormat::Html | InputFormat::Manifest => {}
        }
        Ok(())
    }

    /// Returns the sites that have pages in an archive, and the robots.txt files in the archive. If
    /// `page` is given, it is called with each page. Otherwise the bodies of pages are not read.
    /// Returns an error if the input is neither WARC nor ARC.
    #[doc(hidden)]
    pub fn sites(&self, page: Option<&mut dyn FnMut(&FetchedPage)>) -> Result<Vec<ArchivedSite>> {
        match self.kind {
            InputFormat::Warc | InputFormat::Arc => {
                let source = self.source(&Position::default(), Arc::default())?;
                Ok(sites::sites(
                    source,
                    self.kind,
                    &self.name,
                    &self.terms,
                    page,
                ))
            }
            _ => Err(self.trouble("is no archive")),
        }
    }

    /// Returns an iterator over all items of the input, in order. Each item is paired with the
    /// position at which [`items_from`](Self::items_from) can resume after the item.
    ///
    /// # Errors
    /// An I/O error if the input's file cannot be opened. An input error for a pipe that was
    /// already read. A record that cannot be read is no error, but yields an [`Item::Damage`].
    pub fn items(&self) -> Result<Items> {
        self.items_from(&Position::default())
    }

    /// Returns an iterator over the items of the input after `position`. A damaged robots.txt
    /// yields two items: an [`Item::Robots`], and then an [`Item::Damage`]. The `Item::Robots` is
    /// paired with the position before the robots.txt. So a run that resumes at this position gets
    /// both items.
    ///
    /// # Errors
    /// An I/O error if the input's file cannot be opened. An input error for a pipe that was
    /// already read.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// for name in ["oat.html", "rye.html"] {
    ///     std::fs::write(folder.path().join(name), "<p>Bread")?;
    /// }
    /// let site: url::Url = "https://example.com/".parse()?;
    /// let input = &Inputs::default().url(site).open(&[folder.path()])?[0];
    /// let (_, position) = input.items()?.next().unwrap();
    ///
    /// let (next, _) = input.items_from(&position)?.next().unwrap();
    /// assert_eq!(next.url(), Some("https://example.com/rye.html"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn items_from(&self, position: &Position) -> Result<Items> {
        self.items_counting(position, self.read.clone())
    }

    /// Returns an iterator over all items of the input, for a first pass before the pages are read.
    /// The bytes that the first pass reads are not counted by [`read`](Self::read). The iterator is
    /// empty for an input that can be read only once.
    ///
    /// # Errors
    /// An I/O error if the input's file cannot be opened.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("pages.jsonl");
    /// std::fs::write(&path, "{\"html\": \"<p>Rye\"}\n")?;
    /// let input = &Inputs::default().open(&[path])?[0];
    ///
    /// assert_eq!(input.survey()?.count(), 1);
    /// assert_eq!(input.read(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn survey(&self) -> Result<Items> {
        if self.is_stream() {
            Ok(Box::new(std::iter::empty()))
        } else {
            self.items_counting(&Position::default(), Arc::default())
        }
    }

    /// Calls `take` with the items that a survey needs. The survey is the first reading of all
    /// inputs. It needs at least the site files, such as robots.txt, and the pages that contain one
    /// of `words`. `take` may be called with other items, too. It is never called for an input that
    /// can be read only once.
    ///
    /// `take` returns the item if the item is needed again after the survey. For an archive, the
    /// returned items stay in memory until [`Input::items_after_survey`] yields them. `room` is the
    /// number of bytes of memory that are left for these items.
    ///
    /// # Errors
    /// An I/O error if the input's file, or the robots.txt of a folder, cannot be opened.
    #[doc(hidden)]
    pub fn survey_for(
        &self,
        words: &[SpelledWord],
        room: &mut u64,
        take: &mut dyn FnMut(Item) -> Option<Item>,
    ) -> Result<()> {
        if self.is_stream() {
            return Ok(());
        }
        if self.is_archive() && !self.is_unreadable() {
            return self.survey_archive(words, room, take);
        }
        if words.is_empty() || self.kind == InputFormat::Folder {
            self.each_robots(&mut |robots| drop(take(Item::Robots(robots))))?;
        }
        if words.is_empty() {
            return Ok(());
        }
        for (item, _) in self.items_for(words)? {
            take(item);
        }
        Ok(())
    }

    /// Returns a second handle to the input if the input is a folder that mirrors a site, or a
    /// single page. Such an input can be read at any time, and has no site files between its pages.
    /// `None` for all other inputs.
    #[doc(hidden)]
    pub fn page_input(&self) -> Option<Self> {
        let (InputFormat::Folder | InputFormat::Html, ReadyFrom::Path(path)) =
            (self.kind, &self.from)
        else {
            return None;
        };
        Some(Self {
            name: Arc::clone(&self.name),
            url: self.url.clone(),
            from: ReadyFrom::Path(path.clone()),
            read: Arc::default(),
            ahead: Mutex::default(),
            terms: Arc::clone(&self.terms),
            ..*self
        })
    }

    fn is_archive(&self) -> bool {
        matches!(self.kind, InputFormat::Warc | InputFormat::Arc)
    }

    /// Reads an archive for a survey (the first reading of all inputs), as [`Input::survey_for`]
    /// does. Items that `take` returns are kept in memory. `room` is the number of bytes of memory
    /// that are left for them. The survey needs the site files, and the pages that contain one of
    /// `words`. If `words` is empty, the survey needs no pages. If an item then does not fit in
    /// memory, `take` gets only the site files from the rest of the archive.
    fn survey_archive(
        &self,
        words: &[SpelledWord],
        room: &mut u64,
        take: &mut dyn FnMut(Item) -> Option<Item>,
    ) -> Result<()> {
        let counter = Arc::<AtomicU64>::default();
        let start = Position::default();
        let source = self.source(&start, counter.clone())?;
        let mut items = archive::items(source, self.kind, &self.name, &self.terms);
        let mut ahead = ReadAhead::default();
        while let Some((item, position)) = items.next() {
            let read = counter.load(Ordering::Relaxed);
            ahead.add(take(item), position, read, items.costs(), room);
            if ahead.is_part() && words.is_empty() {
                break;
            }
        }
        ahead.end(counter.load(Ordering::Relaxed));
        if words.is_empty()
            && let Some((position, _)) = ahead.rest()
        {
            let source = self.source(&position, Arc::default())?;
            archive::robots(source, self.kind, &self.terms, &mut |robots| {
                drop(take(Item::Robots(robots)));
            });
        }
        *self.ahead() = Some(ahead);
        Ok(())
    }

    fn ahead(&self) -> MutexGuard<'_, Option<ReadAhead>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an iterator over the items of the input after `position`. [`Input::survey_for`] may
    /// have kept the first items in memory. If `position` is the beginning of the input, the first
    /// call takes these items from memory. Then only the later items are read from the input.
    ///
    /// # Errors
    /// The errors of [`Input::items_from`].
    #[doc(hidden)]
    pub fn items_after_survey(&self, position: &Position) -> Result<Items> {
        let Some(ahead) = self.ahead().take() else {
            return self.items_from(position);
        };
        if *position != Position::default() {
            return self.items_from(position);
        }
        let rest = match ahead.rest() {
            Some((position, costs)) => {
                let source = self.source(&position, self.read.clone())?;
                let items = archive::items(source, self.kind, &self.name, &self.terms);
                Some(match costs {
                    Some(costs) => items.with_costs(costs),
                    None => items,
                })
            }
            None => None,
        };
        let kept = ahead.into_items(self.read.clone());
        Ok(Box::new(kept.chain(rest.into_iter().flatten())))
    }

    /// Frees the items that [`Input::survey_for`] has kept in memory. Callers use it if no run will
    /// read the input.
    #[doc(hidden)]
    pub fn forget_survey(&self) {
        *self.ahead() = None;
    }

    /// Returns an iterator over the items of the input that a survey needs. It yields at least the
    /// site files, such as robots.txt, and the pages that contain one of `words`. It may yield
    /// other items, too.
    fn items_for(&self, words: &[SpelledWord]) -> Result<Items> {
        if self.kind != InputFormat::Jsonl || self.is_unreadable() {
            return self.survey();
        }
        let start = Position::default();
        let words = words.to_vec();
        let is_wanted = move |line: &[u8]| key_scan::may_hold(line, &words);
        let source = self.source(&start, Arc::default())?;
        Ok(Box::new(jsonl::items(
            source,
            &self.name,
            self.own_url(),
            &start,
            &self.terms,
            is_wanted,
        )))
    }

    fn items_counting(&self, position: &Position, read: Arc<AtomicU64>) -> Result<Items> {
        if let Some(trouble) = self.trouble_in_place() {
            let once = (position.number == 0).then_some((
                trouble,
                Position {
                    number: 1,
                    ..Position::default()
                },
            ));
            return Ok(Box::new(once.into_iter()));
        }
        Ok(match self.kind {
            InputFormat::Warc | InputFormat::Arc => Box::new(archive::items(
                self.source(position, read)?,
                self.kind,
                &self.name,
                &self.terms,
            )),
            InputFormat::Jsonl => {
                let source = self.source(position, read)?;
                Box::new(jsonl::items(
                    source,
                    &self.name,
                    self.own_url(),
                    position,
                    &self.terms,
                    |_| true,
                ))
            }
            InputFormat::Folder => {
                let url = self.url.as_ref();
                Box::new(folder::items(
                    self.path(),
                    url,
                    self.hidden,
                    read,
                    position,
                    &self.terms,
                )?)
            }
            InputFormat::Html if position.number > 0 => Box::new(std::iter::empty()),
            InputFormat::Html => Box::new(std::iter::once((
                self.single(read)?,
                Position {
                    number: 1,
                    ..Position::default()
                },
            ))),
            InputFormat::Parquet => self.table(position, &read)?,
            InputFormat::Manifest => Box::new(std::iter::empty()),
        })
    }

    fn table(&self, position: &Position, read: &Arc<AtomicU64>) -> Result<Items> {
        let number = position.number;
        let items = parquet::items(
            self.file()?,
            &self.name,
            self.own_url(),
            number,
            read.clone(),
            &self.terms,
        );
        Ok(items.unwrap_or_else(|why| {
            let damage = self.given_up(ErrorKind::Input(why).into());
            Box::new(
                (number == 0)
                    .then_some((
                        damage,
                        Position {
                            number: 1,
                            ..Position::default()
                        },
                    ))
                    .into_iter(),
            )
        }))
    }

    /// Marks the input as an entry of a manifest (a list of inputs). An entry may turn out to
    /// contain no page. If so, opening the entry is no error, even if the entry is the only input.
    /// Reading the entry then yields an [`Item::Damage`] with the reason.
    pub(super) fn in_manifest(mut self) -> Self {
        self.from = match self.from {
            ReadyFrom::NoPage(why) => ReadyFrom::Missing(why),
            from => from,
        };
        self
    }

    /// True if no item of the input can be read.
    fn is_unreadable(&self) -> bool {
        self.trouble_in_place().is_some()
    }

    /// Returns the damage item that is the only item of an input that cannot be read. `None` for
    /// all other inputs.
    fn trouble_in_place(&self) -> Option<Item> {
        match &self.from {
            ReadyFrom::Missing(why) => Some(self.given_up(ErrorKind::Input(why.clone()).into())),
            ReadyFrom::NoPage(why) => Some(Item::Damage(Damage::new(
                InputPlace {
                    file: self.name.clone(),
                    at: None,
                },
                why.as_str(),
            ))),
            _ => None,
        }
    }

    fn single(&self, read: Arc<AtomicU64>) -> Result<Item> {
        let mut bytes = Vec::new();
        let most = self.terms.limits.page_bytes;
        let mut source = self.source(&Position::default(), read)?;
        self.io(source.take(most.saturating_add(1), Some(&mut bytes)))?;
        let origin = InputPlace {
            file: self.name.clone(),
            at: None,
        };
        if bytes.len() as u64 > most {
            let damage = Damage::from_error(origin, exceeded("page_bytes", &self.terms.limits));
            return Ok(Item::Damage(damage.for_page(Some(self.own_url()), None)));
        }
        if bytes.is_empty() {
            return Ok(Item::Damage(
                Damage::new(origin, EMPTY).for_page(Some(self.own_url()), None),
            ));
        }
        Ok(Item::Document(FetchedPage::new(
            self.own_url(),
            Vec::new(),
            Body::Bytes(bytes),
            origin,
        )))
    }

    /// Returns the limits under which the input is read.
    #[doc(hidden)]
    pub fn limits(&self) -> &heedful_base::limits::Limits {
        &self.terms.limits
    }

    /// Returns a damage item for the rest of the input, which is not read because of the error
    /// `why`.
    #[doc(hidden)]
    pub fn given_up(&self, why: Error) -> Item {
        let origin = InputPlace {
            file: self.name.clone(),
            at: None,
        };
        Item::Damage(Damage {
            unread: u64::MAX,
            ..Damage::from_error(origin, why)
        })
    }

    /// Returns the URL for a page that has no URL of its own. It is the URL that the user gave for
    /// the input, or else the `file:` URL of the input's path.
    fn own_url(&self) -> String {
        match (&self.url, self.path()) {
            (Some(url), _) => url.to_string(),
            (None, Some(path)) => file_url(path),
            (None, None) => "file:///stdin".to_owned(),
        }
    }

    fn path(&self) -> Option<&Path> {
        match &self.from {
            ReadyFrom::Path(path) | ReadyFrom::Part(path, _) | ReadyFrom::Packed(path, ..) => {
                Some(path)
            }
            _ => None,
        }
    }

    fn source(&self, position: &Position, read: Arc<AtomicU64>) -> Result<ByteSource> {
        let raw = match &self.from {
            ReadyFrom::Pipe(pipe) => {
                let pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner).take();
                RawInput::pipe(
                    pipe.ok_or_else(|| self.trouble("can be read only once"))?,
                    read,
                )
            }
            ReadyFrom::Packed(_, part, crc) => {
                let pipe = self.io(wacz::unpacked(self.file()?, part, *crc, &self.terms))?;
                RawInput::pipe(pipe, read)
            }
            ReadyFrom::Part(_, part) => {
                self.io(RawInput::part(self.file()?, part.clone(), read))?
            }
            _ => {
                let file = self.file()?;
                let length = self.io(file.metadata())?.len();
                self.io(RawInput::part(file, 0..length, read))?
            }
        };
        Ok(ByteSource::from_position(raw, position, &self.terms))
    }

    fn file(&self) -> Result<File> {
        match &self.from {
            ReadyFrom::Path(path) | ReadyFrom::Part(path, _) | ReadyFrom::Packed(path, ..) => {
                self.io(File::open(path))
            }
            ReadyFrom::Spool(spool) => {
                let mut file = self.io(spool.try_clone())?;
                self.io(file.rewind())?;
                Ok(file)
            }
            ReadyFrom::Pipe(_) | ReadyFrom::Missing(_) | ReadyFrom::NoPage(_) => {
                Err(self.trouble("is no file"))
            }
        }
    }

    fn io<T>(&self, outcome: std::io::Result<T>) -> Result<T> {
        outcome.map_err(|source| {
            ErrorKind::Io {
                subject: self.name.to_string(),
                source,
            }
            .into()
        })
    }

    fn trouble(&self, what: &str) -> Error {
        ErrorKind::Input(format!("{} {what}", self.name)).into()
    }
}

fn file_url(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Url::from_file_path(absolute).map_or_else(|()| "file:///".to_owned(), String::from)
}
