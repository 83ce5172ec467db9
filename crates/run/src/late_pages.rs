//! Collects the indexed pages that a pipe contains before the robots.txt of their site. These pages
//! are judged again when the robots.txt has been read.
//!
//! The URLs of pages that may be judged again are stored in a temporary file, one per line. So
//! memory does not grow with their number.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};

use url::Url;

use heedful::Filter;
use heedful_base::address::authority;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_index::Writer;

use super::gate::{Gate, GateRules};
use super::judge::{Judgement, judge};

/// List of the indexed pages that were read from a pipe. A robots.txt of their site may follow
/// later in the pipe.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::Index;
/// use heedful_run::{Gate, LatePages};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let mut late = LatePages::new()?;
/// late.add("https://site.example/rye")?;
/// // No robots.txt came after the page, so it stays.
/// assert_eq!(late.judge_again(&Gate::default(), &filter, &mut writer)?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LatePages {
    urls: BufWriter<File>,
    /// Value of [`Gate::stricter_count`] when the pages of the list were last judged.
    news: u64,
    /// Length of the part of the temporary file whose URLs were already judged, in bytes.
    judged_bytes: u64,
}

impl LatePages {
    /// Creates a list without pages.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if no temporary file can be created.
    pub fn new() -> Result<Self> {
        let urls = BufWriter::new(heedful_base::scratch::file().map_err(trouble)?);
        Ok(Self {
            urls,
            news: 0,
            judged_bytes: 0,
        })
    }

    /// Adds the URL of an indexed page that was read from a pipe.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the temporary file cannot be written.
    pub fn add(&mut self, url: &str) -> Result<()> {
        writeln!(self.urls, "{url}").map_err(trouble)
    }

    /// Judges the pages of the list again, by the robots.txt files that were read since the last
    /// call. Removes pages that are now forbidden from the index. Returns the number of removed
    /// pages.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the temporary file cannot be read or written. Also fails if
    /// the index cannot be read or written.
    pub fn judge_again(
        &mut self,
        gate: &Gate,
        filter: &Filter,
        writer: &mut Writer,
    ) -> Result<u64> {
        let all_news = gate.stricter_count();
        self.urls.flush().map_err(trouble)?;
        let length = self.urls.get_mut().stream_position().map_err(trouble)?;
        // Without new answers only the pages added since are judged. The reader runs ahead, so they
        // were filtered before the last call's answers.
        let start = if all_news == self.news {
            self.judged_bytes
        } else {
            0
        };
        let mut at = start;
        self.urls
            .get_mut()
            .seek(SeekFrom::Start(start))
            .map_err(trouble)?;
        let mut gone = 0;
        let mut news = HashMap::new();
        for url in BufReader::new(self.urls.get_ref()).lines() {
            let url = url.map_err(trouble)?;
            let is_new = at >= self.judged_bytes;
            at += url.len() as u64 + 1;
            let Ok(parsed) = Url::parse(&url) else {
                continue;
            };
            let site = authority(&parsed);
            // A page is judged again only if its site gave a new answer. That is checked once per
            // site.
            let since = if is_new { 0 } else { self.news };
            let has_stricter = if gate.has_late_robots(&site) {
                *news
                    .entry((site, is_new))
                    .or_insert_with_key(|(site, _)| gate.has_stricter(site, since))
            } else {
                gate.has_stricter(&site, since)
            };
            if has_stricter {
                gone += u64::from(again(&url, gate, filter, writer)?);
            }
        }
        self.urls
            .get_mut()
            .seek(SeekFrom::End(0))
            .map_err(trouble)?;
        self.news = all_news;
        self.judged_bytes = length;
        Ok(gone)
    }
}

fn again(url: &str, gate: &Gate, filter: &Filter, writer: &mut Writer) -> Result<bool> {
    // A site without an answer lets no page in. This page was indexed only because it preceded the
    // answer, so it is removed too.
    let fetched = writer.captured(url)?;
    let basis = gate.basis(url, fetched).unwrap_or_default();
    let gate_rules = GateRules {
        has_no_response: false,
        ..gate.for_url(url, fetched)
    };
    let since = gate_rules.forbidden_since(filter, url);
    match judge(url, None, gate_rules, filter)? {
        Judgement::Gone(reason, why) => writer.with_basis(basis, |writer| {
            writer.remove_ruled(url, reason, &why, since)
        }),
        // A directive that denies the snapshot may deny other uses too, so the page is confirmed.
        Judgement::Bare(page) | Judgement::In(page) => {
            writer.with_basis(basis, |writer| writer.confirm(&page, None))
        }
        _ => Ok(false),
    }
}

fn trouble(source: io::Error) -> Error {
    ErrorKind::Io {
        subject: "a temporary file".to_owned(),
        source,
    }
    .into()
}
