//! WET files hold the text of a page as a `conversion` record of a WARC. Common Crawl has them, and
//! readers of training data take them.
//!
//! The title comes first, then the body, one phrase a line. Descriptions and alternative texts of
//! pictures are left out. A record bears the date at which the page was fetched, if that is known.
//! Otherwise it bears the response's date, or else that of the export. It names what the page
//! denies, as a whole or for a part of the text that stands there. So a pipeline can leave out what
//! it may not have.

use std::time::SystemTime;

use heedful::{Page, Use};
use heedful_base::error::Result;
use heedful_base::warc::{RecordInfo, WarcWriter};

use super::capture::Capture;

pub(super) fn opening(now: SystemTime) -> Result<Vec<u8>> {
    WarcWriter::new(Vec::new(), true, now)?.finish()
}

pub(super) fn document(
    key: &str,
    page: &Page,
    capture: &Capture<'_>,
    now: SystemTime,
) -> Result<Vec<u8>> {
    let date = capture.time().unwrap_or(now);
    let denied = Use::ALL
        .into_iter()
        .filter(|usage| !page.allows_throughout(*usage))
        .map(Use::name);
    let denied: Vec<_> = denied.collect();
    let about = RecordInfo {
        record: capture.record,
        denied: &denied,
    };
    let text: String = page
        .title()
        .iter()
        .chain(page.phrases())
        .flat_map(|phrase| [phrase.as_str(), "\n"])
        .collect();
    let mut writer = WarcWriter::resume(Vec::new(), true, date);
    writer.text(key, &text, &about)?;
    writer.finish()
}
