//! Turns the user's names into inputs. It follows patterns and manifests, and finds archives in
//! archives.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use url::Url;
use walkdir::WalkDir;

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::{Limits, exceeded};
use heedful_base::scratch;
use heedful_robots::SiteFile;

use super::kind::InputFormat;
use super::look::{FileStart, LOOK, is_named_archive};
use super::raw::Pipe;
use super::ready::{Input, ReadyFrom, one_page_at, without_parquet};
use super::terms::InputTerms;
use super::{folder, magic, manifest, parquet, wacz};

/// The handling of input from a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pipes {
    /// Lines are read as they come. All other kinds are kept on disk.
    #[default]
    Lines,
    /// Only kinds that cannot be read in one pass are kept on disk.
    Once,
    /// All kinds are kept on disk.
    Kept,
}

/// How inputs are opened.
///
/// ```
/// use heedful_input::{Inputs, Item};
/// use url::Url;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
/// let inputs = Inputs::default().url("https://example.com/".parse::<Url>()?).open(&[folder.path()])?;
/// let urls: Vec<_> = inputs[0].items()?.filter_map(|(item, _)| match item {
///     Item::Document(document) => Some(document.url().to_owned()),
///     _ => None,
/// }).collect();
/// assert_eq!(urls, ["https://example.com/rye.html"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Inputs {
    kind: Option<InputFormat>,
    url: Option<Url>,
    pipes: Pipes,
    hidden: bool,
    terms: InputTerms,
    /// True if the names come from a manifest.
    is_named: bool,
}

impl Inputs {
    /// Sets the kind of the inputs, whatever their content.
    pub fn kind(mut self, kind: impl Into<Option<InputFormat>>) -> Self {
        self.kind = kind.into();
        self
    }

    /// Sets the URL of a folder that is a site, or of a single page.
    pub fn url(mut self, url: impl Into<Option<Url>>) -> Self {
        self.url = url.into();
        self
    }

    /// Also reads pages in hidden files and folders of a site: names that begin with a dot, and
    /// `node_modules`.
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Sets the limits of reading.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.terms.limits = limits;
        self
    }

    /// Turns the check of digests on or off: with it, a WARC record that does not match one of its
    /// own is damage. It is on by default.
    pub fn digests(mut self, digests: bool) -> Self {
        self.terms.digests = digests;
        self
    }

    /// Hands over each record of an archive, also those that can be no page: requests, metadata,
    /// texts of pages. A file of a site, as robots.txt, is then handed over twice: as what it is,
    /// and as a record that is no page. So there are as many items besides
    /// [`Item::Robots`](super::Item::Robots) as records, lines, rows or files.
    pub fn each_record(mut self) -> Self {
        self.terms.each_record = true;
        self
    }

    /// Reads archives from a pipe once, as they come, and never keeps them on disk. By default they
    /// are kept, so that the robots.txt files in them are known before their pages.
    pub fn once(mut self) -> Self {
        self.pipes = Pipes::Once;
        self
    }

    /// Keeps everything that comes from a pipe on disk, so that every robots.txt in it is known
    /// before its pages.
    pub fn kept(mut self) -> Self {
        self.pipes = Pipes::Kept;
        self
    }

    /// Opens files, folders, patterns, manifests, and standard input (`-`).
    ///
    /// # Errors
    /// Fails if a path cannot be read, or if none of them is a page or holds pages. Among others,
    /// such a path is damage. A missing file that a manifest names is damage of its own.
    pub fn open(&self, paths: &[impl AsRef<Path>]) -> Result<Vec<Input>> {
        let inputs = self.open_each(paths)?;
        one_page_at(self.url.as_ref(), &inputs)?;
        if inputs.iter().any(Input::may_be_page) {
            return Ok(inputs);
        }
        match inputs.first() {
            Some(Input {
                name,
                from: ReadyFrom::NoPage(why),
                ..
            }) => Err(ErrorKind::Input(format!("{name}: {why}")).into()),
            _ => Ok(inputs),
        }
    }

    fn open_each(&self, paths: &[impl AsRef<Path>]) -> Result<Vec<Input>> {
        let mut inputs = Vec::new();
        for path in paths {
            inputs.extend(self.open_one(path.as_ref())?);
        }
        Ok(inputs)
    }

    fn open_one(&self, path: &Path) -> Result<Vec<Input>> {
        if path == Path::new("-") {
            return Ok(vec![self.pipe("standard input", Box::new(io::stdin()))?]);
        }
        // A shell makes such files for <(command).
        if is_special(path) {
            if self.is_named {
                return Err(ErrorKind::Input(format!("{} {SPECIAL}", path.display())).into());
            }
            let name = path.display().to_string();
            let pipe = open_file(path)?;
            return Ok(vec![self.pipe(&name, Box::new(pipe))?]);
        }
        if path.is_dir() {
            return self.folder(path);
        }
        if let Some(message) = address_message(path) {
            return Err(ErrorKind::Input(format!("{} {message}", path.display())).into());
        }
        if let Some(manifest) = path.to_str().and_then(|text| text.strip_prefix('@'))
            && !path.exists()
        {
            let manifest = Path::new(manifest);
            return self.manifest(manifest, open_file(manifest)?);
        }
        match self.pattern(path)? {
            // A pattern is not meant to name a pipe.
            Some(paths) => {
                let files: Vec<_> = paths.into_iter().filter(|path| !is_special(path)).collect();
                self.open_each(&files)
            }
            None => self.file(path),
        }
    }

    /// The files that match a pattern, if the path is one.
    fn pattern(&self, path: &Path) -> Result<Option<Vec<PathBuf>>> {
        let Some(text) = path.to_str().filter(|text| text.contains(['*', '?', '['])) else {
            return Ok(None);
        };
        if path.exists() {
            return Ok(None);
        }
        let found: Vec<_> = match glob::glob(text) {
            Ok(found) => found.filter_map(std::result::Result::ok).collect(),
            Err(error) => {
                let message = format!("{text}: no pattern ({error})");
                return Err(ErrorKind::Input(message).into());
            }
        };
        if found.is_empty() {
            return Err(ErrorKind::Input(format!("{text}: there is no such file")).into());
        }
        Ok(Some(found))
    }

    fn folder(&self, path: &Path) -> Result<Vec<Input>> {
        if self.url.is_some() {
            let input = self.input(
                path.display().to_string(),
                InputFormat::Folder,
                ReadyFrom::Path(path.to_owned()),
            );
            return Ok(vec![Input {
                size: folder::check(path, self.hidden)?,
                ..input
            }]);
        }
        let mut inputs = Vec::new();
        let mut pages = 0;
        for entry in WalkDir::new(path)
            .sort_by_file_name()
            .into_iter()
            .filter_map(std::result::Result::ok)
        {
            if entry.file_type().is_file() && holds_records(entry.path()) {
                inputs.extend(self.file(entry.path())?);
            } else if entry.file_type().is_file() {
                pages += u64::from(folder::is_named_as_page(entry.path()));
            }
        }
        if let Some(first) = inputs.first_mut() {
            first.pages_beside = pages;
        }
        if inputs.is_empty() {
            let message = format!(
                "{} is a folder without archives: if it is a site, say where it stands on the web with --url https://...",
                path.display()
            );
            return Err(ErrorKind::Input(message).into());
        }
        Ok(inputs)
    }

    fn file(&self, path: &Path) -> Result<Vec<Input>> {
        let name = path.display().to_string();
        if self.kind.is_none() && path.file_name() == Some(SiteFile::Robots.name().as_ref()) {
            return Err(ErrorKind::Input(format!("{name} {RULES}")).into());
        }
        let mut file = open_file(path)?;
        let read = file_start(&mut file);
        let (size, look) = read.map_err(|error| io_error(&name, error))?;
        if look.is_zip() && self.kind.is_none_or(|kind| kind == InputFormat::Warc) {
            return self.wacz(path, file);
        }
        let kind = match self.kind {
            Some(kind) => kind,
            None => match look.kind(Some(path)) {
                Ok(kind) => kind,
                Err(why) => return Ok(vec![self.no_page(name, why)]),
            },
        };
        match kind {
            InputFormat::Manifest => self.manifest(path, file),
            InputFormat::Parquet if !parquet::IS_BUILT => Err(without_parquet(&name)),
            InputFormat::Html if self.is_named && self.url.is_none() => Err(ErrorKind::Input(
                format!("{name} is a page: a manifest says its URL behind a tab"),
            )
            .into()),
            kind => Ok(vec![Input {
                size,
                is_blank: kind == InputFormat::Jsonl && look.is_blank(),
                ..self.input(name, kind, ReadyFrom::Path(path.to_owned()))
            }]),
        }
    }

    fn wacz(&self, path: &Path, file: File) -> Result<Vec<Input>> {
        let name = path.display().to_string();
        let mut inputs = Vec::new();
        let entries = wacz::entries(file).map_err(|error| io_error(&name, error))?;
        let terms = Arc::new(InputTerms {
            archives: entries.len().max(1) as u64,
            ..self.terms.clone()
        });
        for entry in entries {
            let name = format!("{name}!{}", entry.name);
            let (from, size) = match entry.bytes {
                Ok(wacz::Stored { part, packed }) => {
                    let path = path.to_owned();
                    let size = part.end - part.start;
                    let from = match packed {
                        Some(crc) => ReadyFrom::Packed(path, part, crc),
                        None => ReadyFrom::Part(path, part),
                    };
                    (from, size)
                }
                Err(why) => (ReadyFrom::Missing(why), 0),
            };
            inputs.push(Input {
                size,
                terms: Arc::clone(&terms),
                ..self.input(name, InputFormat::Warc, from)
            });
        }
        if inputs.is_empty() {
            let why = "it is a zip file without archives (a WACZ has them in archive/)";
            inputs.push(self.no_page(name, why));
        }
        Ok(inputs)
    }

    fn manifest(&self, path: &Path, file: File) -> Result<Vec<Input>> {
        let name = path.display().to_string();
        if self.is_named {
            let message = format!("{name} is a manifest: one cannot name another");
            return Err(ErrorKind::Input(message).into());
        }
        let mut text = String::new();
        let most = self.terms.limits.manifest_bytes;
        let read = file.take(most.saturating_add(1)).read_to_string(&mut text);
        read.map_err(|error| io_error(&name, error))?;
        self.check_limit(&name, "manifest_bytes", text.len() as u64, most)?;
        let mut inputs = Vec::new();
        for entry in manifest::read(&name, &text, path.parent().unwrap_or(Path::new("")))? {
            let opener = Self {
                kind: None,
                url: entry.url,
                is_named: true,
                ..self.clone()
            };
            match opener.open_one(&entry.path) {
                Ok(found) => inputs.extend(found.into_iter().map(Input::in_manifest)),
                Err(error) => {
                    let name = entry.path.display().to_string();
                    let why = error.to_string();
                    let why = why
                        .strip_prefix(&format!("{name}: "))
                        .unwrap_or(&why)
                        .to_owned();
                    inputs.push(self.input(name, InputFormat::Html, ReadyFrom::Missing(why)));
                }
            }
        }
        if inputs.is_empty() {
            return Err(ErrorKind::Input(format!("{name} names nothing")).into());
        }
        Ok(inputs)
    }

    fn pipe(&self, name: &str, pipe: Pipe) -> Result<Input> {
        let io = |error| io_error(name, error);
        let (start, pipe) = first_bytes(pipe).map_err(io)?;
        let kind = match self.kind {
            Some(kind) => kind,
            None => match FileStart::new(start).kind(None) {
                Ok(kind) => kind,
                Err(why) => return Ok(self.no_page(name.to_owned(), why)),
            },
        };
        let is_stream = match kind {
            InputFormat::Jsonl => self.pipes != Pipes::Kept,
            InputFormat::Warc | InputFormat::Arc => self.pipes == Pipes::Once,
            _ => false,
        };
        if is_stream {
            let from = ReadyFrom::Pipe(Mutex::new(Some(pipe)));
            return Ok(self.input(name.to_owned(), kind, from));
        }
        let mut spool = scratch::file().map_err(io)?;
        let most = self.terms.limits.temporary_bytes;
        let size = io::copy(&mut pipe.take(most.saturating_add(1)), &mut spool).map_err(io)?;
        self.check_limit(name, "temporary_bytes", size, most)?;
        spool.rewind().map_err(io)?;
        Ok(Input {
            size,
            ..self.input(name.to_owned(), kind, ReadyFrom::Spool(spool))
        })
    }

    /// An input that is no page, for this reason.
    fn no_page(&self, name: String, why: &str) -> Input {
        self.input(name, InputFormat::Html, ReadyFrom::NoPage(why.to_owned()))
    }

    /// Fails if an input passes a limit for the input as a whole.
    fn check_limit(&self, name: &str, limit: &'static str, bytes: u64, most: u64) -> Result<()> {
        if bytes <= most {
            return Ok(());
        }
        Err(ErrorKind::At {
            place: name.to_owned(),
            error: exceeded(limit, &self.terms.limits),
        }
        .into())
    }

    fn input(&self, name: String, kind: InputFormat, from: ReadyFrom) -> Input {
        Input {
            name: name.into(),
            kind,
            url: self.url.clone(),
            from,
            hidden: self.hidden,
            size: 0,
            is_blank: false,
            pages_beside: 0,
            read: Arc::default(),
            terms: Arc::new(self.terms.clone()),
        }
    }
}

/// The message for a path that is no file.
const SPECIAL: &str =
    "is no file: a pipe or a device is read only where it is named on the command line";

/// The message for a robots.txt in place of a page.
const RULES: &str = "has the rules of a site, and is no page: give it as such (--robots)";

/// The message for a URL of a page in place of a path.
const ADDRESS: &str =
    "is a URL: pages are not fetched. Name a file or an archive, and the page in it with --url";

/// The message for a URL of an object store in place of a path.
const OBJECT: &str = "is in an object store: copy it to a file, or pipe it in (`aws s3 cp URL - | heedful VERB -` and the like)";

/// The schemes of object stores and distributed file systems.
const STORES: [&str; 13] = [
    "s3", "s3a", "s3n", "gs", "gcs", "az", "abfs", "abfss", "wasb", "wasbs", "adl", "hdfs", "dbfs",
];

/// The message for a path that is a URL and names no file.
fn address_message(path: &Path) -> Option<&'static str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if path.exists() {
        return None;
    }
    match scheme.as_str() {
        "http" | "https" => Some(ADDRESS),
        scheme if STORES.contains(&scheme) => Some(OBJECT),
        _ => None,
    }
}

fn io_error(name: &str, source: io::Error) -> Error {
    let what = name.to_owned();
    ErrorKind::Io { what, source }.into()
}

fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| io_error(&path.display().to_string(), error))
}

/// The size of a file, and its beginning. Reading it begins anew afterwards.
fn file_start(file: &mut File) -> io::Result<(u64, FileStart)> {
    let size = file.metadata()?.len();
    let start = FileStart::read(file)?;
    file.rewind()?;
    Ok((size, start))
}

/// True if reading it may never end, or never begin.
fn is_special(path: &Path) -> bool {
    match path.metadata() {
        Ok(data) => !data.is_file() && !data.is_dir(),
        Err(_) => false,
    }
}

/// The first bytes of a pipe, and all of it. It does not wait for a line of JSON or an object of an
/// array to end.
fn first_bytes(mut pipe: Pipe) -> io::Result<(Vec<u8>, Pipe)> {
    let mut start = vec![0; LOOK];
    let mut length = 0;
    while length < LOOK
        && !start[..length].trim_ascii_start().starts_with(b"{")
        && !magic::is_array(&start[..length])
    {
        match pipe.read(&mut start[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(length);
    Ok((start.clone(), Box::new(Cursor::new(start).chain(pipe))))
}

/// True if a file in a folder that is no site is an input by itself.
fn holds_records(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let Ok(look) = FileStart::read(&file) else {
        return false;
    };
    match look.kind(None) {
        Ok(InputFormat::Warc | InputFormat::Arc | InputFormat::Parquet) => true,
        Ok(InputFormat::Jsonl) => look.has_html(),
        // Nothing but its name may be left of an archive.
        _ => look.is_zip() || is_named_archive(path),
    }
}
