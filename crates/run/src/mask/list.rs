//! Judges a list of URLs without reading their pages. The list has one URL per line. Each URL has
//! an answer in the mask.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::unread_pages::UrlPolicies;
use heedful::Policy;
use heedful_base::error::{Error, ErrorKind, Result};

use super::answer::{AnswerKind, MaskAnswer};
use super::judging::MaskQuestions;
use super::lines::too_long;

/// Maximum length of a line of the list that is parsed, in bytes. For a longer line, the answer of
/// the mask is `unknown`.
const LINE: u64 = 64 << 10;
/// If a line is longer than [`LINE`] bytes, at most this many further bytes are skipped. A line
/// with more bytes is an error.
const REST: u64 = 256 << 20;

/// Reader of a list of URLs, one per line. Empty lines are skipped. Text after a tab is ignored, so
/// a list may have further columns.
///
/// ```
/// use heedful::{Bot, Filter, RobotsTxt, Use, Uses};
/// use heedful_run::mask::{MaskQuestions, MaskUrlList};
/// use heedful_run::{Gate, UrlPolicies};
///
/// let gate = Gate::default().with_robots_for_all_sites(RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
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

/// A line of a list of URLs that is not empty.
struct ListLine {
    text: String,
    /// True if the URL in the line is complete and valid UTF-8.
    is_whole: bool,
}

impl<R: BufRead> MaskUrlList<R> {
    /// Creates a reader of a list of URLs, whose text is read from `from`. `name` becomes the field
    /// `file` of the answers.
    pub fn new(name: &str, from: R) -> Self {
        Self {
            name: name.to_owned(),
            from,
            line: 0,
        }
    }

    /// Judges all URLs of the list. Calls `take` with the answer for each URL, in the order of the
    /// list.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the list cannot be read or a line exceeds 256 MiB. Fails
    /// with the error that `take` returns. An invalid URL is not an error but has an answer of the
    /// kind `unknown`.
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
            if answer.kind == AnswerKind::Page {
                answer.judged_by(unread.robots_state());
            }
            answer.basis = unread.basis();
            answer.file.clone_from(&self.name);
            answer.unit = Some("line".to_owned());
            answer.at = Some(self.line);
            answer.url = Some(url.to_owned());
            take(answer)?;
        }
        Ok(())
    }

    /// Reads the next line of the list that is not empty.
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

    /// Skips the rest of a line of the list. Fails if the rest is longer than [`REST`] bytes.
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
            subject: self.name.clone(),
            source,
        }
        .into()
    }
}
