//! Opens inputs by the names that a user gives: files, folders, glob patterns, manifests, pipes.
//!
//! The content of a file decides its format; its name decides only where the content leaves doubt.
//! Each archive inside a WACZ file or a folder becomes an input of its own. Nothing is ever
//! fetched: a URL in place of a path is an error.

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

use super::detect::{FileStart, LOOK, is_named_archive};
use super::kind::InputFormat;
use super::raw::{Pipe, RawInput};
use super::ready::{Input, ReadyFrom, one_page_at};
use super::remote::address_message;
use super::source::ByteSource;
use super::terms::InputTerms;
use super::{folder, magic, manifest, wacz};

/// Setting for data from a pipe. Each variant states which formats are read as they arrive. The
/// other formats are first copied to a temporary file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pipes {
    /// From a pipe, JSON Lines are read as they arrive. All other formats are first copied to a
    /// temporary file.
    #[default]
    Lines,
    /// From a pipe, JSON Lines, WARC and ARC are read as they arrive. All other formats need a
    /// seek, so they are first copied to a temporary file.
    Once,
    /// Data from a pipe is always first copied to a temporary file, even if it is JSON Lines.
    Kept,
}

/// Builder with the settings for opening inputs, such as the format and the URL. With these
/// settings, [`open`](Self::open) opens inputs by their paths.
///
/// ```
/// use heedful_input::{Inputs, Item};
/// use url::Url;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
/// let site: Url = "https://example.com/".parse()?;
/// let inputs = Inputs::default().url(site).open(&[folder.path()])?;
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
    /// Folder or URL to which relative paths in manifests are joined. `None` for the default of
    /// [`Inputs::manifest_base`].
    manifest_base: Option<String>,
    terms: InputTerms,
    /// True if the paths to open are entries of a manifest.
    is_in_manifest: bool,
}

impl Inputs {
    /// Sets the format of all inputs. By default, the format of each input is detected by its
    /// content.
    ///
    /// ```
    /// use heedful_input::{InputFormat, Inputs};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("note");
    /// std::fs::write(&path, "Rye bread, without a tag")?;
    ///
    /// assert!(Inputs::default().open(&[&path]).is_err());
    /// let inputs = Inputs::default().kind(InputFormat::Html).open(&[&path])?;
    /// assert_eq!(inputs[0].kind(), InputFormat::Html);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kind(mut self, kind: impl Into<Option<InputFormat>>) -> Self {
        self.kind = kind.into();
        self
    }

    /// Sets the URL of an input that is a single page, or the URL prefix of the pages in a folder.
    /// If a URL is set, a folder is read as the mirror of a site. Otherwise a folder is searched
    /// for archives.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("rye.html");
    /// std::fs::write(&path, "<p>Rye")?;
    /// let url: url::Url = "https://example.com/bread/rye".parse()?;
    /// let input = &Inputs::default().url(url).open(&[path])?[0];
    /// let (item, _) = input.items()?.next().unwrap();
    ///
    /// assert_eq!(item.url(), Some("https://example.com/bread/rye"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn url(mut self, url: impl Into<Option<Url>>) -> Self {
        self.url = url.into();
        self
    }

    /// Sets whether hidden files are read in a folder that mirrors a site. By default, they are not
    /// read, because servers do not publish them. A file is hidden if its name begins with a dot or
    /// is `node_modules`. All files in a hidden folder are hidden, too. The name `.well-known` is
    /// not hidden.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
    /// std::fs::write(folder.path().join(".draft.html"), "<p>Oat")?;
    /// let site: url::Url = "https://example.com/".parse()?;
    /// let pages = |inputs: Inputs| -> heedful::Result<usize> {
    ///     let items = inputs.url(site.clone()).open(&[folder.path()])?[0].items()?;
    ///     Ok(items.filter(|(item, _)| matches!(item, Item::Document(_))).count())
    /// };
    ///
    /// assert_eq!(pages(Inputs::default())?, 1);
    /// assert_eq!(pages(Inputs::default().hidden(true))?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Sets the folder to which relative paths in manifests are joined. Without this setting, a
    /// relative path is looked up in the working directory first, and then in the manifest's
    /// folder.
    ///
    /// `base` may also be a URL, for a manifest that lists files on a web server. Each relative
    /// path in the manifest then becomes a URL. [`open`](Self::open) fetches nothing, so it returns
    /// an error for such a manifest. The error message has the whole URL, so the user can download
    /// the file.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let archives = folder.path().join("archives");
    /// std::fs::create_dir(&archives)?;
    /// std::fs::write(archives.join("a.jsonl"), "{\"html\": \"<p>Rye\"}\n")?;
    /// std::fs::write(folder.path().join("paths"), "a.jsonl\n")?;
    /// let manifest = format!("@{}", folder.path().join("paths").display());
    ///
    /// let inputs = Inputs::default().manifest_base(archives.display().to_string()).open(&[&manifest])?;
    /// assert!(inputs[0].name().ends_with("a.jsonl"));
    /// let far = Inputs::default().manifest_base("https://site.example/".to_owned());
    /// let far = far.open(&[&manifest]);
    /// assert!(far.unwrap_err().to_string().contains("is a URL"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn manifest_base(mut self, base: impl Into<Option<String>>) -> Self {
        self.manifest_base = base.into();
        self
    }

    /// Sets the limits for reading. An item that exceeds a limit is reported as
    /// [`Item::Damage`](super::Item::Damage).
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("rye.html");
    /// std::fs::write(&path, "<p>Rye bread")?;
    /// let mut limits = Limits::default();
    /// limits.page_bytes = 8;
    /// let input = &Inputs::default().limits(limits).open(&[path])?[0];
    ///
    /// let (item, _) = input.items()?.next().unwrap();
    /// let Item::Damage(damage) = item else { panic!() };
    /// assert_eq!(damage.error().passed_limit(), Some("page_bytes"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.terms.limits = limits;
        self
    }

    /// Sets whether the digests of WARC records are verified; the default is true. If they are
    /// verified, a record whose content does not match its digest becomes an
    /// [`Item::Damage`](super::Item::Damage).
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("crawl.warc");
    /// let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Rye";
    /// let record = format!(
    ///     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/\r\n\
    ///      WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n\
    ///      Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
    ///     http.len()
    /// );
    /// std::fs::write(&path, record)?;
    /// let first = |inputs: Inputs| -> heedful::Result<Item> {
    ///     Ok(inputs.open(&[&path])?[0].items()?.next().unwrap().0)
    /// };
    ///
    /// assert!(matches!(first(Inputs::default())?, Item::Damage(_)));
    /// assert!(matches!(first(Inputs::default().digests(false))?, Item::Document(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn digests(mut self, digests: bool) -> Self {
        self.terms.digests = digests;
        self
    }

    /// Makes each record of an archive yield an item. By default, requests, metadata and extracted
    /// texts yield no item, because they are never pages. With this setting, a site file such as
    /// robots.txt yields two items: an [`Item::Robots`](super::Item::Robots), and an
    /// [`Item::Skipped`](super::Item::Skipped). So each record, line, row or file of the input
    /// yields one item other than `Item::Robots`.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("crawl.warc");
    /// let record = "WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 3\r\n\r\nRye\r\n\r\n";
    /// std::fs::write(&path, record)?;
    ///
    /// assert_eq!(Inputs::default().open(&[&path])?[0].items()?.count(), 0);
    /// let input = &Inputs::default().each_record().open(&[&path])?[0];
    /// assert!(matches!(input.items()?.next(), Some((Item::Skipped(_), _))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn each_record(mut self) -> Self {
        self.terms.each_record = true;
        self
    }

    /// Makes each record of a WAT archive yield an [`Item::Skipped`](super::Item::Skipped), if the
    /// record is about a page. The [`head`](super::Skipped::head) of this item has the page's
    /// response headers and META elements. [`each_record`](Self::each_record) has this effect, too.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("crawl.warc.wat");
    /// let json = r#"{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{
    ///     "Response-Message":{"Status":"200"},"Headers":{"Content-Type":"text/html"},
    ///     "HTML-Metadata":{"Head":{"Metas":[{"name":"robots","content":"noindex"}]}}}}}}"#;
    /// let length = json.len();
    /// let record = format!(
    ///     "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: https://site.example/\r\n\
    ///     Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{json}\r\n\r\n"
    /// );
    /// std::fs::write(&path, record)?;
    /// let input = &Inputs::default().heads().open(&[path])?[0];
    /// let (Item::Skipped(record), _) = input.items()?.next().unwrap() else { panic!() };
    ///
    /// let head = record.head().unwrap();
    /// assert_eq!(head.headers(), [("Content-Type".to_owned(), "text/html".to_owned())]);
    /// assert!(String::from_utf8_lossy(head.bytes()).contains("noindex"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn heads(mut self) -> Self {
        self.terms.heads = true;
        self
    }

    /// Reads archives from a pipe in one pass, without a copy on disk. A robots.txt in such an
    /// archive applies only to the pages after it. By default, archives from a pipe are first
    /// copied to disk. Then every robots.txt is known before the first page is read.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// use heedful_input::{InputFormat, Inputs};
    ///
    /// // A device is read like a pipe.
    /// let inputs = Inputs::default().kind(InputFormat::Warc);
    /// assert!(!inputs.clone().open(&["/dev/null"])?[0].is_stream());
    /// assert!(inputs.once().open(&["/dev/null"])?[0].is_stream());
    /// # }
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn once(mut self) -> Self {
        self.pipes = Pipes::Once;
        self
    }

    /// Copies all data from a pipe to disk before reading. By default, JSON Lines are read as they
    /// arrive, and only other formats are copied. Once the data is copied, every robots.txt is
    /// known before the first page is read.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// use heedful_input::{InputFormat, Inputs};
    ///
    /// // A device is read like a pipe.
    /// let inputs = Inputs::default().kind(InputFormat::Jsonl);
    /// assert!(inputs.clone().open(&["/dev/null"])?[0].is_stream());
    /// assert!(!inputs.copied_to_disk().open(&["/dev/null"])?[0].is_stream());
    /// # }
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn copied_to_disk(mut self) -> Self {
        self.pipes = Pipes::Kept;
        self
    }

    /// Opens files, folders, glob patterns, manifests (`@FILE`), and standard input (`-`). A
    /// manifest is a list of other inputs.
    ///
    /// # Errors
    /// An I/O error if a path cannot be opened. A limit error if a manifest or a pipe is too long.
    /// A setting error if several pages would share the URL that [`url`](Self::url) set. An input
    /// error for each of these:
    /// * a URL in place of a path
    /// * a pattern without a match
    /// * a robots.txt in place of a page
    /// * a manifest that names nothing
    /// * a folder without pages, if a URL is set: the folder is then a site
    /// * a folder without archives, if no URL is set: pages of the folder would have no URL
    /// * paths of which none is a page or contains pages
    ///
    /// A single path without pages does not fail if another path has pages. Its input then yields an
    /// [`Item::Damage`](super::Item::Damage). An entry of a manifest that cannot be opened yields an
    /// `Item::Damage` too, even if the entry is itself a manifest.
    ///
    /// ```
    /// use heedful_input::Inputs;
    ///
    /// let folder = tempfile::tempdir()?;
    /// for name in ["a.jsonl", "b.jsonl"] {
    ///     std::fs::write(folder.path().join(name), "{\"html\": \"<p>Rye\"}\n")?;
    /// }
    ///
    /// let inputs = Inputs::default().open(&[folder.path().join("*.jsonl")])?;
    /// assert_eq!(inputs.len(), 2);
    /// assert!(Inputs::default().open(&["https://example.com/"]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        // The shell makes a pipe of this kind for `<(command)`.
        if is_special(path) {
            if self.is_in_manifest {
                return Err(
                    ErrorKind::Input(format!("{} {IS_SPECIAL_FILE}", path.display())).into(),
                );
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
            // A user who writes a pattern does not mean the pipes among its matches.
            Some(paths) => {
                let files: Vec<_> = paths.into_iter().filter(|path| !is_special(path)).collect();
                self.open_each(&files)
            }
            None => self.file(path),
        }
    }

    /// Returns the files that match `path` as a glob pattern. `None` if `path` is no pattern: it
    /// has no wildcard, or a file with this name exists. Returns an error if no file matches.
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
            return Err(ErrorKind::Input(format!("{name} {IS_ROBOTS_TXT}")).into());
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
            InputFormat::Html if self.is_in_manifest && self.url.is_none() => {
                Err(ErrorKind::Input(format!(
                    "{name} is a page: in a manifest its URL follows after a tab"
                ))
                .into())
            }
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
        if self.is_in_manifest {
            let message = format!("{name} is a manifest: one cannot name another");
            return Err(ErrorKind::Input(message).into());
        }
        let text = self.manifest_text(&name, file)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let base = self.checked_base()?;
        let mut inputs = Vec::new();
        for entry in manifest::read(&name, &text, folder, base)? {
            let opener = Self {
                kind: None,
                url: entry.url,
                is_in_manifest: true,
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

    /// Returns the setting `manifest_base`, the folder or URL to which relative paths in manifests
    /// are joined. `None` if the setting is not given. Returns an error if the setting is neither a
    /// URL nor an existing folder.
    fn checked_base(&self) -> Result<Option<&str>> {
        let base = self.manifest_base.as_deref();
        match base {
            Some(base) if !base.contains("://") && !Path::new(base).is_dir() => {
                Err(ErrorKind::Input(format!("{base} is no folder for the lines of a list")).into())
            }
            base => Ok(base),
        }
    }

    /// Reads the text of the manifest `name` from `file`, and unpacks it if it is compressed.
    /// Returns an error if the text exceeds the limit `manifest_bytes` or is not UTF-8.
    fn manifest_text(&self, name: &str, file: File) -> Result<String> {
        let most = self.terms.limits.manifest_bytes;
        let raw = RawInput::pipe(Box::new(file), Arc::default());
        let mut source = ByteSource::new(raw, &Arc::new(self.terms.clone()));
        let mut text = Vec::new();
        let read = source.take(most.saturating_add(1), Some(&mut text));
        read.map_err(|error| {
            if source.is_packed() {
                let place = name.to_owned();
                let error = source.unpack_error(&error);
                ErrorKind::At { place, error }.into()
            } else {
                io_error(name, error)
            }
        })?;
        self.check_limit(name, "manifest_bytes", text.len() as u64, most)?;
        String::from_utf8(text).map_err(|error| {
            let start = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = start.iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = format!("{name} line {line}: a list of inputs is text in UTF-8");
            ErrorKind::Input(message).into()
        })
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

    /// Creates an input for a file that contains no page. Reading this input yields one damage item
    /// with the reason `why`.
    fn no_page(&self, name: String, why: &str) -> Input {
        self.input(name, InputFormat::Html, ReadyFrom::NoPage(why.to_owned()))
    }

    /// Returns an error for the input `name` if its size, `bytes`, exceeds `most`, the value of the
    /// limit `limit`.
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
            ahead: Mutex::default(),
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

/// Error message for an entry of a manifest whose path is a pipe or a device.
const IS_SPECIAL_FILE: &str =
    "is no file: a pipe or a device is read only where it is named on the command line";

/// Error message for a robots.txt whose path is given in place of the path of a page.
const IS_ROBOTS_TXT: &str = "has the rules of a site, and is no page: give it as such (--robots)";

fn io_error(name: &str, source: io::Error) -> Error {
    let subject = name.to_owned();
    ErrorKind::Io { subject, source }.into()
}

fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| io_error(&path.display().to_string(), error))
}

/// Returns the size in bytes and the first bytes of a file, and rewinds the file.
fn file_start(file: &mut File) -> io::Result<(u64, FileStart)> {
    let size = file.metadata()?.len();
    let start = FileStart::read(file)?;
    file.rewind()?;
    Ok((size, start))
}

/// True if `path` is a pipe or a device. Reading such a file might block or never end.
fn is_special(path: &Path) -> bool {
    match path.metadata() {
        Ok(data) => !data.is_file() && !data.is_dir(),
        Err(_) => false,
    }
}

/// Returns the first bytes of a pipe, and an `io::Read` that yields the whole pipe, including these
/// bytes. Stops reading once the bytes show that a JSON object or array begins. So a slow program
/// that writes JSON Lines does not block this function.
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

/// True if the file is an archive, a table, or JSON Lines with pages. If a folder is opened without
/// a URL, each such file in the folder becomes an input of its own.
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
        // Damage may have left no other sign of an archive than its name.
        _ => look.is_zip() || is_named_archive(path),
    }
}
