//! The destination of snapshots (copies of pages): one file or standard output, a folder of files,
//! or a WARC.
//!
//! A folder of snapshots has a file for each copy, whose path is derived from the copy's URL
//! (`file_names`). A folder and a single file have at most one copy of a URL: the copy of its
//! latest capture. A WARC has a copy of each capture. Files are written as `new_file` of
//! `heedful-base` does: a link in the folder never makes a copy go elsewhere.

use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heedful::Result;
use heedful_base::new_file::{self, NewFile};
use heedful_base::warc::target_uri;
use heedful_export::warc::WarcWriter;
use heedful_index::Index;

use crate::ending::{io_error, setting, written};
use crate::output;

use super::file_names::FileNames;

/// The destination of snapshots (copies of pages): a file, a folder or a WARC.
pub(super) enum Destination {
    /// A single file, or standard output if `path` is `None`. This destination can take only one
    /// copy. The copy is buffered until the run ends.
    One {
        path: Option<PathBuf>,
        /// The buffered copy: the URL of its page, then its text. `None` if the run has no copy
        /// yet.
        only: Option<(String, String)>,
    },
    Folder {
        folder: PathBuf,
        names: FileNames,
    },
    Warc {
        path: PathBuf,
        writer: Box<WarcWriter<BufWriter<NewFile>>>,
    },
}

impl Destination {
    /// Opens the destination of snapshots at `path`. If `path` ends in `.html` or `.htm`, the
    /// destination is a single file. If `path` ends in `.warc` or `.warc.gz`, it is a WARC. Any
    /// other path is a folder. If `path` is `None`, the destination is standard output.
    ///
    /// # Errors
    /// Fails if `path` is an index, or is an existing file with another ending. Also fails if the
    /// destination cannot be created.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self::One {
                path: None,
                only: None,
            });
        };
        let name = path.to_string_lossy();
        // A symbolic link to a folder does not count: that folder may belong to somebody else.
        let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if (name.ends_with(".html") || name.ends_with(".htm")) && !is_folder {
            return Ok(Self::One {
                path: Some(path.to_owned()),
                only: None,
            });
        }
        if name.ends_with(".warc") || name.ends_with(".warc.gz") {
            let writer =
                WarcWriter::new(create_file(path)?, name.ends_with(".gz"), SystemTime::now())?;
            return Ok(Self::Warc {
                path: path.to_owned(),
                writer: Box::new(writer),
            });
        }
        if Index::is_in(path) {
            return Err(setting(format!(
                "{name} is an index: write the copies to another folder"
            )));
        }
        if path.is_file() {
            return Err(setting(format!(
                "{name} is a file: -o takes a folder, or a name that ends in .html, .warc or .warc.gz"
            )));
        }
        std::fs::create_dir_all(path).map_err(io_error(path.display()))?;
        Ok(Self::Folder {
            folder: path.to_owned(),
            names: FileNames::default(),
        })
    }

    /// Returns the path of the list of copies. Returns `None` for a single file, which has no list.
    /// The list is beside the folder of the copies, not in the folder. So the folder can be served
    /// to the public without the list.
    pub(super) fn list(&self) -> Option<PathBuf> {
        let path = match self {
            Self::One { .. } => return None,
            Self::Folder { folder, .. } => folder,
            Self::Warc { path, .. } => path,
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Some(path.with_file_name(format!("{name}.copies.jsonl")))
    }

    /// Writes `snapshot`, the copy of a URL, to the destination. Returns the file that contains the
    /// copy: a path inside the folder, or the name of the WARC. Returns `None` for a single file.
    pub(super) fn write(&mut self, url: &str, snapshot: &str) -> Result<Option<String>> {
        match self {
            Self::One { only: Some(_), .. } => Err(setting(
                "there are several pages: name a folder or a .warc.gz for them with -o",
            )),
            Self::One { only, .. } => {
                *only = Some((url.to_owned(), snapshot.to_owned()));
                Ok(None)
            }
            Self::Folder { folder, names } => {
                let name = names.assign(url);
                let path = folder.join(&name);
                let below = name.parent().unwrap_or(Path::new(""));
                new_file::create_folders(folder, below)
                    .and_then(|_| new_file::write(&path, snapshot))
                    .map_err(io_error(path.display()))?;
                let mut parts = Vec::new();
                for part in &name {
                    parts.push(part.to_string_lossy());
                }
                Ok(Some(parts.join("/")))
            }
            Self::Warc { path, writer } => {
                writer.snapshot(&target_uri(url), snapshot)?;
                let name = path.file_name();
                Ok(name.map(|name| name.to_string_lossy().into_owned()))
            }
        }
    }

    /// Removes the copy of an earlier capture of a URL from the folder or file of the copies.
    /// Returns true if there was a copy.
    pub(super) fn remove(&mut self, url: &str) -> Result<bool> {
        match self {
            Self::One { only, .. } => Ok(only.take_if(|(own, _)| own == url).is_some()),
            Self::Folder { folder, names } => {
                let Some(name) = names.release(url) else {
                    return Ok(false);
                };
                let path = folder.join(name);
                std::fs::remove_file(&path).map_err(io_error(path.display()))?;
                Ok(true)
            }
            Self::Warc { .. } => Ok(false),
        }
    }

    /// True if the destination keeps at most one copy of a URL: that of the latest capture (fetch).
    /// True for a folder or a single file. False for a WARC, which keeps a copy of each capture.
    pub(super) fn is_of_latest(&self) -> bool {
        !matches!(self, Self::Warc { .. })
    }

    /// Returns the path of the copy that an earlier run wrote for a URL. Returns `None` if there is
    /// no such file, or if this run has replaced the file.
    pub(super) fn older(&self, url: &str) -> Option<PathBuf> {
        let path = match self {
            Self::One { path, .. } => path.clone()?,
            Self::Folder { folder, names } => folder.join(names.of_earlier_runs(url)?),
            Self::Warc { .. } => return None,
        };
        path.is_file().then_some(path)
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Warc { writer, .. } => finish_file(writer.finish()?),
            Self::One {
                only: Some((_, copy)),
                path: Some(path),
            } => new_file::write(&path, copy).map_err(io_error(path.display())),
            Self::One {
                only: Some((_, copy)),
                path: None,
            } => {
                let mut out = output::data();
                written(out.write_all(copy.as_bytes()).and_then(|()| out.flush()))
            }
            Self::One { only: None, .. } | Self::Folder { .. } => Ok(()),
        }
    }
}

/// Creates an output file for snapshots: the WARC, the list of snapshots, or the map of ranges that
/// were cut out of them. [`finish_file`] gives the file its final name.
pub(super) fn create_file(path: &Path) -> Result<BufWriter<NewFile>> {
    let file = NewFile::create(path).map_err(io_error(path.display()))?;
    Ok(BufWriter::new(file))
}

/// Completes a file that [`create_file`] created, and gives it its final name.
pub(super) fn finish_file(file: BufWriter<NewFile>) -> Result<()> {
    let path = file.get_ref().path().to_owned();
    file.into_inner()
        .map_err(IntoInnerError::into_error)
        .and_then(NewFile::finish)
        .map_err(io_error(path.display()))
}
