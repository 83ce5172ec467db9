//! The value of the option `--robots` of all verbs: `FILE`, or `SITE=FILE` for one site.
//!
//! A site is an origin: scheme, host and port. A file for one site applies only to the pages of
//! that site. A file without a site applies to the pages of every site. A file may also be an
//! archive, a table or a manifest with the robots.txt files of many sites. Then each robots.txt
//! applies to its own site. All other records in such a file are ignored.

use std::path::{Path, PathBuf};

use heedful::{Result, RobotsNoteKind, RobotsTxt, SiteFile, Source, SourceKind, Url};
use heedful_input::{Input, InputFormat, Inputs, authority};
use heedful_run::Gate;

use crate::ending::setting;
use crate::output::{harmless, print_note};
use crate::terms_args::contents;

/// A file that the option `--robots` names: `FILE`, or `SITE=FILE` for one site.
#[derive(Clone, Debug)]
pub(crate) struct RobotsFile {
    /// URL of the root of the site to which the file applies. `None` means all sites.
    site: Option<Url>,
    pub(crate) path: PathBuf,
}

impl RobotsFile {
    /// Parses the value of the option `--robots`: `FILE` or `SITE=FILE`. SITE is the text before
    /// the first `=`. If this text is not an http or https URL, the whole value is FILE, and the
    /// file must exist. SITE has no path, because a robots.txt applies to a whole site.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let whole = Self {
            site: None,
            path: PathBuf::from(text),
        };
        let Some((site, file)) = text.split_once('=') else {
            return Ok(whole);
        };
        match Url::parse(site) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                let root = url.join("/").ok().filter(|root| *root == url);
                let Some(root) = root else {
                    return Err(setting(format!(
                        "in SITE=FILE, SITE is a whole site: {}/",
                        authority(&url)
                    )));
                };
                Ok(Self {
                    site: Some(root),
                    path: PathBuf::from(file),
                })
            }
            _ if whole.path.exists() => Ok(whole),
            _ => Err(setting(
                "in SITE=FILE, SITE is a whole URL, as https://site.example/",
            )),
        }
    }

    /// Returns the URL of the root of the site to which the file applies, or `None` for all sites.
    pub(crate) fn site(&self) -> Option<&Url> {
        self.site.as_ref()
    }

    /// Reads and parses the file. Fails if the file is HTML, or has only unknown lines: it is then
    /// not a robots.txt, and would allow everything.
    pub(crate) fn read(&self) -> Result<RobotsTxt> {
        robots_txt(&self.path)
    }

    /// True if the file is a single robots.txt that applies to all sites.
    pub(crate) fn is_for_all_sites(&self) -> bool {
        let is_single = || matches!(self.archives(&Inputs::default()), Ok(None));
        self.site.is_none() && !self.is_manifest() && is_single()
    }

    fn is_manifest(&self) -> bool {
        self.path.as_os_str().as_encoded_bytes().starts_with(b"@")
    }

    /// Opens the file if it contains the robots.txt files of several sites. Such a file is an
    /// archive or a table, or a manifest (list of files) that lists archives and tables. `inputs`
    /// has the settings for reading these files. Returns `None` if the file is itself a robots.txt.
    /// Fails if a manifest cannot be read, or if a manifest lists other files.
    pub(crate) fn archives(&self, inputs: &Inputs) -> Result<Option<Vec<Input>>> {
        let is_manifest = self.is_manifest();
        if self.site.is_some() || !is_manifest && !self.path.is_file() {
            return Ok(None);
        }
        let opened = match inputs.open(&[&self.path]) {
            Err(error) if is_manifest => return Err(error),
            // A file that is not an input is a robots.txt.
            Err(_) => return Ok(None),
            Ok(opened) => opened,
        };
        let other = opened.iter().find(|input| !has_urls(input));
        match other {
            Some(other) if is_manifest => Err(setting(format!(
                "{}: {} is no archive of robots.txt files",
                self.path.display(),
                other.name()
            ))),
            Some(_) => Ok(None),
            None => Ok(Some(opened)),
        }
    }

    /// Adds the rules in the file to the gate, for one site or for all sites. `inputs` has the
    /// settings by which archives are read.
    pub(crate) fn add_to(&self, gate: Gate, inputs: &Inputs) -> Result<Gate> {
        if let Some(archives) = self.archives(inputs)? {
            let known = gate.response_count();
            let gate = gate.with_inputs(&archives)?;
            if gate.response_count() == known {
                print_note(&format!(
                    "{} holds no robots.txt, or none that differs from those before it",
                    harmless(&self.path.to_string_lossy())
                ));
            }
            return Ok(gate);
        }
        let rules = self.read()?;
        Ok(match &self.site {
            Some(site) => gate.for_site(site, rules),
            None => gate.with_robots_for_all_sites(rules),
        })
    }
}

/// True if the records of an input have URLs. If a record is a robots.txt, its URL shows to which
/// site the robots.txt applies.
fn has_urls(input: &Input) -> bool {
    matches!(
        input.kind(),
        InputFormat::Warc | InputFormat::Arc | InputFormat::Jsonl | InputFormat::Parquet
    )
}

/// Reads and parses a robots.txt file. Fails if the file is HTML, or has only unknown lines: it is
/// then not a robots.txt, and would allow everything.
pub(crate) fn robots_txt(path: &Path) -> Result<RobotsTxt> {
    let robots = site_file(SiteFile::Robots, path)?;
    let has = |kind| robots.notes().iter().any(|note| note.kind() == kind);
    if has(RobotsNoteKind::Html) || robots.is_empty() && has(RobotsNoteKind::UnknownLine) {
        return Err(setting(format!(
            "{} has no line of a robots.txt: name the file of the site",
            path.display()
        )));
    }
    Ok(robots)
}

/// Reads the file at `path`. Parses it as the kind of file that `file` states: a robots.txt or a
/// tdmrep.json. Fails if the file cannot be read.
pub(crate) fn site_file(file: SiteFile, path: &Path) -> Result<RobotsTxt> {
    let source = Source::new(SourceKind::File, path.display().to_string());
    let bytes = contents(path)?;
    Ok(file
        .read(&bytes)
        .with_response(None, &bytes)
        .with_source(source))
}
