//! Judges a list of URLs without reading their pages. The list has one URL per line, and each URL
//! gets an answer.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::unread_pages::UrlPolicies;
use heedful::Policy;
use heedful_base::error::{Error, ErrorKind, Result};

use super::answer::{AnswerKind, MaskAnswer};
use super::judging::MaskQuestions;
use super::lines::too_long;

/// Maximum length of a line that is parsed, in bytes. The answer for a longer line is `unknown`.
const LINE: u64 = 64 << 10;
/// Maximum number of bytes that are skipped after the first [`LINE`] bytes of a longer line.
const REST: u64 = 256 << 20;

/// Reader of a list of URLs, one per line. Empty lines are skipped. Text after a tab is ignored, so
/// a list may have more columns.
///
/// ```
/// use heedful::{Bot, Filter, RobotsTxt, Use, Uses};
/// use heedful_run::mask::{MaskQuestions, MaskUrlList};
/// use heedful_run::{Gate, UrlPolicies};
///
/// let gate = Gate::default().everywhere(RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let asking = MaskQuestions::new(Uses::parse_names("index")?, &filter);
/// let list = "https://site.example/rye\tseen today\nhttps://site.example/drafts/1\n";
/// let mut allowed = Vec::new();
/// MaskUrlList::new("urls.txt", list.as_bytes()).each(
///     &asking,
///     &mut UrlPolicies::new(&gate, &filter),
///     |answer| Ok(allowed.push(answer.allow.allows(Use::Index))),
/// )?;
/// assert_eq!(allowed, [true, false]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct MaskUrlList<R> {
    name: String,
    from: R,
    line: u64,
}

/// A nonempty line of a list of URLs.
struct ListLine {
    text: String,
    /// True if the URL of the line is complete and valid UTF-8.
    is_whole: bool,
}

impl<R: BufRead> MaskUrlList<R> {
    /// Creates a reader of a list. `name` becomes the field `file` of its answers.
    pub fn new(name: &str, from: R) -> Self {
        Self {
            name: name.to_owned(),
            from,
            line: 0,
        }
    }

    /// Judges all URLs. Calls `take` with the answers, in the order of the list.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the list cannot be read or a line exceeds 256 MiB. Fails
    /// with the error that `take` returns. An invalid URL is an answer of kind `unknown`, not an
    /// error.
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
                // A URL that was truncated or repaired is not the listed one, so it is not judged.
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

    /// Reads the next nonempty line.
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
            // Only the URL before the first tab must be complete.
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

    /// Skips the rest of a line. Fails if more than [`REST`] bytes are left of it.
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
