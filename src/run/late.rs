//! What was read from a pipe before the robots.txt of its site came by is judged again when all has been read.
//!
//! Which pages these are is kept in a temporary file, a line each, so that memory does not grow with them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};

use url::Url;

use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::index::Writer;
use crate::input::authority;

use super::judge::{Judged, judge};
use super::{AtTheGate, Gate};

/// Pages that came from a pipe.
#[derive(Debug)]
pub struct Late {
    urls: BufWriter<File>,
    /// How much was heard when the pages were judged last.
    heard: u64,
    /// Bytes of the file that were there then.
    settled: u64,
}

impl Late {
    /// None so far.
    ///
    /// # Errors
    /// When no temporary file can be made.
    pub fn new() -> Result<Self> {
        let urls = BufWriter::new(crate::scratch::file().map_err(trouble)?);
        Ok(Self { urls, heard: 0, settled: 0 })
    }

    /// A page was indexed.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn add(&mut self, url: &str) -> Result<()> {
        writeln!(self.urls, "{url}").map_err(trouble)
    }

    /// Takes out again what the robots.txt files forbid that came by since the last time; returns how many pages that were.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn settle(&mut self, gate: &Gate, filter: &Filter, writer: &mut Writer) -> Result<u64> {
        let heard = gate.heard();
        self.urls.flush().map_err(trouble)?;
        let length = self.urls.get_mut().stream_position().map_err(trouble)?;
        // Without news there are the pages that came since, for the reader is ahead: they were judged before what was heard at
        // the last time.
        let (start, mut at) = if heard == self.heard { (self.settled, self.settled) } else { (0, 0) };
        self.urls.get_mut().seek(SeekFrom::Start(start)).map_err(trouble)?;
        let (mut gone, mut news) = (0, HashMap::new());
        for url in BufReader::new(self.urls.get_ref()).lines() {
            let url = url.map_err(trouble)?;
            let is_new = at >= self.settled;
            at += url.len() as u64 + 1;
            let Ok(site) = Url::parse(&url).map(|url| authority(&url)) else { continue };
            // Only what concerns a page is asked again, once for each site.
            let since = if is_new { 0 } else { self.heard };
            let has_news = match gate.has_heard(&site) {
                true => *news.entry((site, is_new)).or_insert_with_key(|(site, _)| gate.has_news(site, since)),
                false => gate.has_news(&site, since),
            };
            if has_news {
                gone += u64::from(again(&url, gate, filter, writer)?);
            }
        }
        self.urls.get_mut().seek(SeekFrom::End(0)).map_err(trouble)?;
        (self.heard, self.settled) = (heard, length);
        Ok(gone)
    }
}

fn again(url: &str, gate: &Gate, filter: &Filter, writer: &mut Writer) -> Result<bool> {
    // A site that gave no answer lets nobody in: the page is here only because it came first.
    let at_the_gate = AtTheGate { silent: false, ..gate.for_url(url, None) };
    match judge(url, None, at_the_gate, filter)? {
        Judged::Gone(reason, why) => writer.remove(url, reason, &why).map(|()| true),
        // Who asks that no snapshot be kept may ask for more.
        Judged::Bare(page) | Judged::In(page) => writer.confirm(&page, None),
        _ => Ok(false),
    }
}

fn trouble(source: io::Error) -> Error {
    ErrorKind::Io { what: "a temporary file".to_owned(), source }.into()
}
