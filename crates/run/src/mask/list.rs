//! Judges a list of URLs without reading their pages. The list has one URL per line (see
//! `list_line`), or one per row of a table. Each line or row has an answer in the mask.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::unread_pages::UrlPolicies;
use heedful::Policy;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_input::{Input, Item};

use super::answer::{AnswerKind, MaskAnswer};
use super::judging::MaskQuestions;
use super::lines::{LINE, too_long};
use super::list_line::{ListEntry, ListParser};

/// Maximum number of bytes that are skipped after the first [`LINE`] bytes of a line. If the line
/// has more bytes, reading the list fails.
const REST: u64 = 256 << 20;

/// Reader of a list of URLs, one per line. Empty lines are skipped. A line has one of these forms:
///
/// - a URL, after which a tab and any text may follow
/// - a JSON object with the key `url`
/// - a line of a CDXJ index, which contains such an object
/// - a line of a CDX index, whose header must come before it
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
    /// list. If a line has no valid URL, its answer is of the kind `unknown`.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the list cannot be read, or if a line is longer than some
    /// 256 MiB. Fails with the error that `take` returns.
    pub fn each(
        mut self,
        asking: &MaskQuestions,
        unread: &mut UrlPolicies<'_>,
        mut take: impl FnMut(MaskAnswer) -> Result<()>,
    ) -> Result<()> {
        let mut judge = UrlJudge::new(asking, unread);
        let mut parser = ListParser::default();
        while let Some((line, is_cut)) = self.next()? {
            let mut answer = match parser.parse(&line, is_cut) {
                ListEntry::Header => continue,
                ListEntry::Url(url) => judge.answer(&url),
                ListEntry::Unknown { url, reason } => MaskAnswer {
                    url,
                    ..asking.denied(AnswerKind::Unknown, reason)
                },
            };
            answer.file.clone_from(&self.name);
            answer.unit = Some("line".to_owned());
            answer.at = Some(self.line);
            take(answer)?;
        }
        Ok(())
    }

    /// Reads the next line of the list that is not empty. The boolean is true if the end of the
    /// line was skipped because the line was too long. Returns `None` at the end of the list.
    fn next(&mut self) -> Result<Option<(Vec<u8>, bool)>> {
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
            if line.starts_with(b"\xEF\xBB\xBF") {
                line.drain(..3);
            }
            if is_cut || !line.trim_ascii().is_empty() {
                return Ok(Some((line, is_cut)));
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

/// Judges the URLs in the rows of a table, without reading the pages. JSON Lines count as a table,
/// too. Calls `take` with the answer for each row, in the order of the table. If a row has no URL
/// of http or https, its answer is `unknown`.
///
/// The table must be opened with [`each_record`](heedful_input::Inputs::each_record).
///
/// # Errors
/// Fails if the table cannot be read, or with the error that `take` returns.
///
/// ```
/// use heedful::{Bot, Filter, Use, Uses};
/// use heedful_input::Inputs;
/// use heedful_run::mask::{MaskQuestions, each_row_with_url};
/// use heedful_run::{Gate, UrlPolicies};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("urls.jsonl");
/// std::fs::write(&path, r#"{"url":"https://site.example/rye","text":"Rye"}"#)?;
/// let table = &Inputs::default().each_record().open(&[path])?[0];
///
/// let filter = Filter::new(Bot::new("FooBot")?).deny(Uses::parse_names("train")?, "/rye")?;
/// let asking = MaskQuestions::new(Uses::parse_names("index,train")?, &filter);
/// let gate = Gate::default();
/// let mut allowed = Vec::new();
/// each_row_with_url(table, &asking, &mut UrlPolicies::new(&gate, &filter), |answer| {
///     Ok(allowed.push(answer.allow.allows(Use::Train)))
/// })?;
/// assert_eq!(allowed, [false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn each_row_with_url(
    table: &Input,
    asking: &MaskQuestions,
    unread: &mut UrlPolicies<'_>,
    mut take: impl FnMut(MaskAnswer) -> Result<()>,
) -> Result<()> {
    let mut judge = UrlJudge::new(asking, unread);
    for (item, _) in table.items()? {
        // A row without a URL of its own has that of the file.
        let url = item.url().filter(|url| is_web(url));
        let mut answer = match (&item, url) {
            (Item::Robots(_), _) => continue,
            (Item::Damage(damage), _) if !damage.is_without_page() => {
                asking.unknown(damage.error().to_string())
            }
            (_, Some(url)) => judge.answer(url),
            (_, None) => asking.unknown("the row has no URL of http or https in `url`"),
        };
        answer.stands_at(item.origin());
        take(answer)?;
    }
    Ok(())
}

/// Judges the URLs of a list one after the other. If consecutive URLs have the same policies, their
/// answer is computed only once.
struct UrlJudge<'a, 'b> {
    asking: &'a MaskQuestions,
    unread: &'a mut UrlPolicies<'b>,
    known: Option<(Arc<[Policy]>, MaskAnswer)>,
}

impl<'a, 'b> UrlJudge<'a, 'b> {
    fn new(asking: &'a MaskQuestions, unread: &'a mut UrlPolicies<'b>) -> Self {
        Self {
            asking,
            unread,
            known: None,
        }
    }

    fn answer(&mut self, url: &str) -> MaskAnswer {
        let mut answer = match self.unread.policies(url) {
            Ok(policies) => match &self.known {
                Some((last, answer)) if Arc::ptr_eq(last, &policies) => answer.clone(),
                _ => {
                    let answer = self.asking.policies(&policies);
                    self.known = Some((policies, answer.clone()));
                    answer
                }
            },
            Err(error) => self.asking.unknown(error.to_string()),
        };
        if answer.kind == AnswerKind::Page {
            answer.judged_by(self.unread.robots_state());
        }
        answer.basis = self.unread.basis();
        answer.url = Some(url.to_owned());
        answer
    }
}

fn is_web(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default();
    ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web))
}
