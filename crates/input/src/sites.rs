//! Extracts what a run on many machines must exchange about an archive: the sites of the archive's
//! pages, and the archive's robots.txt files.
//!
//! A page and the robots.txt of its site may be in archives on different machines. Each robots.txt
//! is returned as a WARC record, so that another machine parses it with the same code.

use std::collections::HashSet;
use std::sync::Arc;

use url::Url;

use super::archive::{afforded, item, robots_of};
use super::head::{ArchiveRecordKind, RecordHead};
use super::item::{FetchedPage, Item};
use super::kind::InputFormat;
use super::records::{FoundRecord, Lost, Record, Records};
use super::robots::SiteFileResponse;
use super::source::ByteSource;
use super::terms::InputTerms;

/// Entry in the list of an archive's sites. An entry describes a site with pages in the archive, or
/// a site file, such as robots.txt, in the archive.
#[derive(Debug)]
pub struct ArchivedSite {
    /// Scheme, host and port of the site.
    pub authority: String,
    /// The robots.txt as a WARC record. This record has the same meaning as the original one in the
    /// archive. `None` if this entry of the list describes a site with pages.
    pub robots: Option<Vec<u8>>,
    /// Scheme, host and port of the site to which the robots.txt redirects. `None` if it does not
    /// redirect.
    pub leads_to: Option<String>,
}

/// Returns the sites that have pages in an archive, and the robots.txt files in the archive. The
/// list has the order of the archive. Each site with pages is listed once. If `page` is given, it
/// is called with each page.
pub(super) fn sites(
    source: ByteSource,
    kind: InputFormat,
    name: &Arc<str>,
    terms: &Arc<InputTerms>,
    mut page: Option<&mut dyn FnMut(&FetchedPage)>,
) -> Vec<ArchivedSite> {
    let mut records = Records::new(source, kind, terms);
    let mut sites = Vec::new();
    let mut known = HashSet::new();
    let wanted = if page.is_some() {
        RecordHead::is_wanted
    } else {
        RecordHead::is_robots
    };
    while let Some(next) = records.next(wanted) {
        let (head, record) = match &next {
            FoundRecord::Record(record) => (&record.head, Some(record)),
            FoundRecord::Damage(Lost { head, .. }) => (head, None),
        };
        if head.is_robots() {
            sites.extend(site_of_robots(head, record, terms));
            continue;
        }
        if !head.is_page() {
            continue;
        }
        if let Some(Ok(url)) = head.target.as_deref().map(Url::parse) {
            let authority = super::authority(&url);
            if known.insert(authority.clone()) {
                sites.push(ArchivedSite {
                    authority,
                    robots: None,
                    leads_to: None,
                });
            }
        }
        if let (Some(page), FoundRecord::Record(record)) = (&mut page, next) {
            let item = item(record, name, &records.room());
            let stored = records.source.stored();
            if let Item::Document(document) = afforded(item, &mut records.allowance, stored) {
                page(&document);
            }
        }
    }
    sites
}

fn site_of_robots(
    head: &RecordHead,
    record: Option<&Record>,
    terms: &InputTerms,
) -> Option<ArchivedSite> {
    let robots = robots_of(head, record, &terms.limits)?;
    let authority = robots.authority().to_owned();
    let leads_to = if let SiteFileResponse::Redirect(target) = robots.into_response()
        && let Ok(url) = Url::parse(&target)
    {
        Some(super::authority(&url))
    } else {
        None
    };
    Some(ArchivedSite {
        authority,
        robots: Some(record_to_exchange(head, record)),
        leads_to,
    })
}

/// Returns a WARC record that has the same meaning as the original record of a robots.txt. In a run
/// on several machines, the other machines get the new record. If the original cannot be read, the
/// new record has an unknown type. So the other machines treat the robots.txt as unreadable, too.
fn record_to_exchange(head: &RecordHead, record: Option<&Record>) -> Vec<u8> {
    // A partial robots.txt forbids everything here, so it must not be sent on as a readable one.
    let record = record.filter(|record| !record.is_part);
    let kind = match (head.kind, record) {
        (ArchiveRecordKind::Revisit, _) => "revisit",
        (ArchiveRecordKind::Response, Some(_)) => "response",
        (ArchiveRecordKind::Resource, Some(_)) => "resource",
        _ => "unread",
    };
    let content = match record {
        Some(record) => &record.content[..],
        None => b"",
    };
    let cut = if head.is_cut {
        "WARC-Truncated: length\r\n"
    } else {
        ""
    };
    let date = match head.captured.map(jiff::Timestamp::try_from) {
        Some(Ok(date)) => format!("WARC-Date: {date}\r\n"),
        _ => String::new(),
    };
    let target = head.target.as_deref().unwrap_or_default();
    let length = content.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {target}\r\n{date}{cut}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}
