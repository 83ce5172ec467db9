//! An input that was looked at and is ready to be read.

use std::fmt;
use std::fs::File;
use std::io::Seek;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use url::Url;

use heedful_base::built;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::exceeded;

use super::item::{Body, Damage, FetchedPage, InputPlace, Item, Items, Position};
use super::kind::InputFormat;
use super::raw::{Pipe, RawInput};
use super::robots::Robots;
use super::sites::{self, ArchivedSite};
use super::source::ByteSource;
use super::spelled::{self, SpelledWord};
use super::terms::InputTerms;
use super::{archive, folder, jsonl, parquet, wacz};

/// The message for a file without content.
pub(super) const EMPTY: &str = "it is empty, which is no page";

/// An input that was looked at and is ready to be read.
#[derive(Debug)]
pub struct Input {
    pub(super) name: Arc<str>,
    pub(super) kind: InputFormat,
    /// The URL of a folder that is a site, or of a single page.
    pub(super) url: Option<Url>,
    pub(super) from: ReadyFrom,
    /// True if hidden files of a folder that is a site are pages too.
    pub(super) hidden: bool,
    pub(super) size: u64,
    pub(super) is_blank: bool,
    pub(super) pages_beside: u64,
    /// The bytes of its files that were read for their pages.
    pub(super) read: Arc<AtomicU64>,
    pub(super) terms: Arc<InputTerms>,
}

pub(super) enum ReadyFrom {
    Path(PathBuf),
    Part(PathBuf, Range<u64>),
    /// An entry of a zip that is packed there, and the checksum of its unpacked bytes.
    Packed(PathBuf, Range<u64>, u32),
    /// Data from a pipe, kept so that it can be read twice.
    Spool(File),
    /// Data from a pipe.
    Pipe(Mutex<Option<Pipe>>),
    /// A manifest names it, and this is the problem with it.
    Missing(String),
    /// It is no page, and holds no pages.
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

/// Fails if the one URL that is given would be that of several pages: each is judged by its URL.
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
    /// True unless it is known to be no page, and to hold none.
    pub(super) fn may_be_page(&self) -> bool {
        !matches!(self.from, ReadyFrom::NoPage(_))
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its kind.
    pub fn kind(&self) -> InputFormat {
        self.kind
    }

    /// The bytes of its files; 0 for standard input.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// True for a table of JSON without a row: a file with nothing but blanks, packed or not. That
    /// is no damage, but may be a failed copy.
    pub fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// For the first archive of a folder: the number of HTML files in it, which are no part of the
    /// input.
    pub fn pages_beside(&self) -> u64 {
        self.pages_beside
    }

    /// When its file was last written, in seconds since 1970; 0 if that is not known.
    pub fn modified(&self) -> u64 {
        let time = self
            .path()
            .filter(|_| self.kind != InputFormat::Folder)
            .and_then(|path| path.metadata().ok()?.modified().ok());
        time.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs())
    }

    /// The bytes that were read so far for the pages in them.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// True if it comes from a pipe and can be read only once. Its robots.txt files apply as they
    /// come.
    pub fn is_stream(&self) -> bool {
        matches!(self.from, ReadyFrom::Pipe(_))
    }

    /// The robots.txt files in it: the authority of each, and the answer. The list is empty for an
    /// input that can be read only once.
    ///
    /// # Errors
    /// Fails if the file cannot be read at all.
    pub fn robots(&self) -> Result<Vec<Robots>> {
        let mut found = Vec::new();
        self.each_robots(&mut |robots| found.push(robots))?;
        Ok(found)
    }

    /// Passes the robots.txt files to the caller one by one, because all of them may need too much
    /// memory.
    ///
    /// # Errors
    /// Fails if the file cannot be read at all.
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

    /// The sites that an archive has pages of, and the robots.txt files in it. Its pages are read
    /// only if `page` is given.
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

    /// All items in it, in order.
    ///
    /// # Errors
    /// Fails if the file cannot be read at all.
    pub fn items(&self) -> Result<Items> {
        self.items_from(&Position::default())
    }

    /// The items after a position in it. A damaged robots.txt gives two items, [`Item::Robots`]
    /// and [`Item::Damage`]: the position of the first is before both.
    ///
    /// # Errors
    /// Fails if the file cannot be read at all.
    pub fn items_from(&self, position: &Position) -> Result<Items> {
        self.items_counting(position, self.read.clone())
    }

    /// All items in it, for a survey before its pages are read. It is empty for an input that can
    /// be read only once.
    ///
    /// # Errors
    /// Fails if the file cannot be read at all.
    pub fn survey(&self) -> Result<Items> {
        if self.is_stream() {
            Ok(Box::new(std::iter::empty()))
        } else {
            self.items_counting(&Position::default(), Arc::default())
        }
    }

    /// The site files in it, and the pages that hold one of these words. Other items may be among
    /// them.
    ///
    /// # Errors
    /// Fails if the file cannot be read at all.
    #[doc(hidden)]
    pub fn survey_for(&self, words: Vec<SpelledWord>) -> Result<Items> {
        if self.kind != InputFormat::Jsonl || self.is_stream() || self.is_unreadable() {
            return self.survey();
        }
        let start = Position::default();
        let is_wanted = move |line: &[u8]| spelled::may_hold(line, &words);
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
                self.single()?,
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

    /// Marks the input as named by a manifest: one among others, even if it is alone.
    pub(super) fn in_manifest(mut self) -> Self {
        self.from = match self.from {
            ReadyFrom::NoPage(why) => ReadyFrom::Missing(why),
            from => from,
        };
        self
    }

    /// True if nothing of it can be read.
    fn is_unreadable(&self) -> bool {
        self.trouble_in_place().is_some()
    }

    /// The one item of an input of which nothing can be read.
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

    fn single(&self) -> Result<Item> {
        let mut bytes = Vec::new();
        let most = self.terms.limits.page_bytes;
        let mut source = self.source(&Position::default(), self.read.clone())?;
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

    /// Its limits.
    #[doc(hidden)]
    pub fn limits(&self) -> &heedful_base::limits::Limits {
        &self.terms.limits
    }

    /// The one item for the rest, which is not read any more.
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

    /// The URL for a page that has none of its own.
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
                what: self.name.to_string(),
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

pub(super) fn without_parquet(name: &str) -> Error {
    ErrorKind::Input(format!("{name} is Parquet: {}", built::without_parquet())).into()
}
