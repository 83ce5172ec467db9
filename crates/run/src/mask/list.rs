//! A list of URLs to be judged without their pages: a URL a line, and an answer for each.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::unread::UrlPolicies;
use heedful::Policy;
use heedful_base::error::{Error, ErrorKind, Result};

use super::answer::{AnswerKind, MaskAnswer};
use super::asking::MaskQuestions;
use super::lines::too_long;

/// The most bytes of a line that are looked at. A longer URL is none.
const LINE: u64 = 64 << 10;
/// The most bytes that are passed over to find the end of a line.
const REST: u64 = 256 << 20;

/// Reads a list of URLs. Empty lines are passed over, and so is the text after a tab. So a list may
/// have other columns.
#[derive(Debug)]
pub struct MaskUrlList<R> {
    name: String,
    from: R,
    line: u64,
}

/// A line that is not empty.
struct ListLine {
    text: String,
    /// Its URL is here as it was written.
    is_whole: bool,
}

impl<R: BufRead> MaskUrlList<R> {
    /// A list with this name.
    pub fn new(name: &str, from: R) -> Self {
        Self {
            name: name.to_owned(),
            from,
            line: 0,
        }
    }

    /// Judges all URLs, and hands the answers to `take` in their order.
    ///
    /// # Errors
    /// Fails if the list cannot be read, or `take` fails.
    pub fn each(
        mut self,
        asking: &MaskQuestions,
        unread: &mut UrlPolicies<'_>,
        mut take: impl FnMut(MaskAnswer) -> Result<()>,
    ) -> Result<()> {
        let mut known: Option<(Arc<[Policy]>, MaskAnswer)> = None;
        while let Some(line) = self.next()? {
            let url = line.text.split('\t').next().unwrap_or_default().trim();
            let mut answer = match unread.policies(url) {
                // A URL that was cut, or guessed at, is another one.
                _ if !line.is_whole => {
                    asking.denied(AnswerKind::Unknown, "its line is too long, or no UTF-8")
                }
                Ok(policies) => match &known {
                    Some((last, answer)) if Arc::ptr_eq(last, &policies) => answer.clone(),
                    _ => {
                        let answer = asking.policies(&policies);
                        known = Some((policies, answer.clone()));
                        answer
                    }
                },
                Err(error) => asking.denied(AnswerKind::Unknown, error.to_string()),
            };
            answer.basis = unread.basis();
            answer.file.clone_from(&self.name);
            answer.unit = Some("line".to_owned());
            answer.at = Some(self.line);
            answer.url = Some(url.to_owned());
            take(answer)?;
        }
        Ok(())
    }

    /// The next line that is not empty.
    fn next(&mut self) -> Result<Option<ListLine>> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.from).take(LINE).read_until(b'\n', &mut line);
            let read = read.map_err(|error| self.failed(error))?;
            if read == 0 {
                return Ok(None);
            }
            let is_cut = line.last() != Some(&b'\n') && read as u64 == LINE;
            self.line += 1;
            let is_cut = is_cut && self.skip()? > 0;
            // The text after a tab need not be whole.
            let url = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
            let is_whole = std::str::from_utf8(url).is_ok() && (!is_cut || url.len() < line.len());
            let text = String::from_utf8_lossy(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line));
            if is_cut || !text.trim().is_empty() {
                return Ok(Some(ListLine {
                    text: text.into_owned(),
                    is_whole,
                }));
            }
        }
    }

    /// Passes over the rest of a line. A list with a line that does not end is none.
    fn skip(&mut self) -> Result<usize> {
        let mut rest = (&mut self.from).take(REST);
        let skipped = rest.skip_until(b'\n');
        let is_too_long = rest.limit() == 0;
        let skipped = if is_too_long {
            Err(too_long(self.line, REST))
        } else {
            skipped
        };
        skipped.map_err(|error| self.failed(error))
    }

    fn failed(&self, source: io::Error) -> Error {
        ErrorKind::Io {
            what: self.name.clone(),
            source,
        }
        .into()
    }
}
