//! Facts about a URL of an index that anybody may see: the address of its copy, and the reason why
//! the URL was removed.

use std::time::SystemTime;

use heedful::{ErrorKind, Url, Use};
use heedful_index::{Gone, Search, Terms};

use crate::ending::setting;
use crate::full::serve::asked::QueryString;
use crate::full::serve::refuse::Refusal;

/// Returns the setting `url` of the query string. Fails if the setting is missing or not a valid
/// URL.
pub(super) fn url_of(query: &QueryString) -> Result<String, Refusal> {
    let url = query.one("url")?.unwrap_or_default().trim().to_owned();
    if url.is_empty() {
        return Err(setting("`url` is missing").into());
    }
    Url::parse(&url).map_err(|_| ErrorKind::Url { url: url.clone() })?;
    Ok(url)
}

/// True if a copy of the page at `url` may be shown. For this, the index must store a copy of the
/// page. The page must not have expired at `now`. The use `archive` must not be denied by the page,
/// or by a later statement about `url`.
pub(super) fn may_be_copied(search: &Search, url: &str, now: SystemTime) -> heedful::Result<bool> {
    let uses = search.uses(url, Some(now))?;
    Ok(
        uses.is_some_and(|uses| !uses.denied().contains(Use::Archive))
            && search.has_snapshot(url)?,
    )
}

/// Returns the address of the copy of the page at `url`. `origin` is the origin from which copies
/// are served.
pub(super) fn copy_at(origin: &str, url: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("url", url)
        .finish();
    format!("{origin}/copy?{query}")
}

/// Returns a sentence with the reason why a URL was removed from the index.
pub(super) fn in_words(reason: Gone) -> String {
    match reason {
        Gone::Robots => "robots.txt of its site keeps it out.".to_owned(),
        Gone::Noindex => "its publisher says that it may not be indexed.".to_owned(),
        Gone::Expired => "the time until which it might be found is over.".to_owned(),
        Gone::Status(status) => format!("its site answered with status {status}."),
        Gone::NotHtml => "it is not HTML.".to_owned(),
        Gone::CutShort => "it came cut short, and the missing part could forbid it.".to_owned(),
        Gone::Unreadable => {
            "it passes a limit, or its markup has two readings. Nothing of such a page is used."
                .to_owned()
        }
        Gone::Damaged => "its record is damaged.".to_owned(),
        Gone::Changed => {
            "its site forbids more than when it was read; it has to be fetched again.".to_owned()
        }
        Gone::Removed => "it was removed.".to_owned(),
        Gone::Absent => "its site no longer names it.".to_owned(),
        Gone::Unseen => "it was not fetched again for too long.".to_owned(),
        _ => "it may not be found.".to_owned(),
    }
}

/// Returns `why`, the reason for the removal of a page, if clients may see this reason. Clients may
/// see a statement of the publisher. Returns `None` if the reason comes from the operator of the
/// service. An example is a denial in `terms`. Also returns `None` if `why` is empty.
pub(super) fn statement<'a>(reason: Gone, why: &'a str, terms: &Terms) -> Option<&'a str> {
    let is_public = matches!(reason, Gone::Robots | Gone::Noindex | Gone::Expired);
    if !is_public || why.is_empty() {
        return None;
    }
    let own = terms.denials().ok()?;
    if own.iter().any(|(_, pattern)| pattern == why) {
        None
    } else {
        Some(why)
    }
}
