//! Converts the records of a web archive into items: pages, robots.txt files, unchanged pages, and
//! records that are not pages.
//!
//! HTTP statuses of records are interpreted by docs/semantics.md, section 7: a complete 2xx
//! response is a page. If the record of a robots.txt cannot be read, that robots.txt forbids
//! everything.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded};

use super::head::{ArchiveRecordKind, RecordHead, bad};
use super::item::{
    Body, Damage, FetchedPage, InputPlace, Item, ItemPlace, Position, Skip, Skipped, placed,
};
use super::kind::InputFormat;
use super::records::{FoundRecord, Lost, ReadingCosts, Record, Records};
use super::robots::{Robots, SiteFileResponse, parse_site_file};
use super::source::{ByteMark, ByteSource};
use super::terms::{Allowance, InputTerms, UnpackBudget};
use super::{coding, http, wat};

/// Calls `take` with each site file of an archive, such as a robots.txt. If a robots.txt cannot be
/// read, `take` gets a robots.txt that forbids everything.
pub(super) fn robots(
    source: ByteSource,
    kind: InputFormat,
    terms: &Arc<InputTerms>,
    take: &mut dyn FnMut(Robots),
) {
    let mut records = Records::new(source, kind, terms);
    while let Some(next) = records.next(RecordHead::is_robots) {
        let robots = match next {
            FoundRecord::Record(record) => robots_of(&record.head, Some(&record), &terms.limits),
            // The damage is not reported here: `items` reports it when the pages are read.
            FoundRecord::Damage(lost) => robots_of(&lost.head, None, &terms.limits),
        };
        if let Some(robots) = robots {
            take(robots);
        }
    }
}

pub(super) fn robots_of(
    head: &RecordHead,
    record: Option<&Record>,
    limits: &Limits,
) -> Option<Robots> {
    if !head.is_robots() {
        return None;
    }
    let (url, file) = parse_site_file(head.target.as_deref()?)?;
    // A large robots.txt is kept only in part, and an incomplete one cannot be trusted.
    let is_cut = head.is_cut || record.is_some_and(|record| record.is_part);
    let answer = match (record, head.kind) {
        (_, ArchiveRecordKind::Revisit) => SiteFileResponse::Unknown,
        (Some(record), ArchiveRecordKind::Resource) => {
            SiteFileResponse::Rules(http::rules(file, None, &record.content, is_cut))
        }
        (Some(record), ArchiveRecordKind::Response) => {
            http::robots(&url, file, &record.content, is_cut, limits)
        }
        _ => SiteFileResponse::Rules(file.unreadable(http::UNREAD)),
    };
    Some(Robots::new(&url, file, answer).fetched_at(head.captured))
}

/// Returns an iterator over the items of an archive: pages, robots.txt files, skipped records and
/// damage. Each item comes with the position at which reading can resume after the item.
pub(super) fn items(
    source: ByteSource,
    kind: InputFormat,
    name: &Arc<str>,
    terms: &Arc<InputTerms>,
) -> ArchiveItems {
    let records = Records::new(source, kind, terms);
    let before = records.source.position();
    ArchiveItems {
        // With `each_record` there must be one item for each record, so none for an empty archive.
        is_empty: before == Position::default() && !terms.each_record,
        records,
        name: Arc::clone(name),
        terms: Arc::clone(terms),
        waiting: VecDeque::new(),
        before,
    }
}

/// Iterator over the items of an archive. Each item comes with the position at which reading can
/// resume after the item.
pub(super) struct ArchiveItems {
    records: Records,
    name: Arc<str>,
    terms: Arc<InputTerms>,
    /// Items of the most recently read record that were not yielded yet.
    waiting: VecDeque<(Item, Position)>,
    /// Position in the archive before the next record.
    before: Position,
    /// True as long as no record was found. An archive without records yields one damage item.
    is_empty: bool,
}

impl ArchiveItems {
    /// Returns the costs of reading the archive so far: unpacked bytes, tags, and bytes that were
    /// read twice. Limits for the whole archive bound these costs.
    pub(super) fn costs(&self) -> ReadingCosts {
        self.records.costs()
    }

    /// Sets the costs of reading the archive up to the first item of this iterator. An earlier
    /// iterator has read that part of the archive. Limits for the whole archive bound the costs of
    /// both iterators.
    pub(super) fn with_costs(mut self, costs: ReadingCosts) -> Self {
        self.records.set_costs(costs);
        self
    }

    fn items(&self, found: FoundRecord) -> Vec<Item> {
        let limits = &self.terms.limits;
        match found {
            FoundRecord::Record(Record { mark, head, .. })
                if head.kind == ArchiveRecordKind::Unknown =>
            {
                let robots = robots_of(&head, None, limits);
                let error = bad("a record of no known type");
                unreadable_items(robots, damage(mark, error, &self.name, head))
            }
            FoundRecord::Record(record) => {
                let mut items = Vec::new();
                if let Some(robots) = robots_of(&record.head, Some(&record), limits) {
                    items.push(Item::Robots(robots));
                } else if record.head.is_page() {
                    return vec![item(record, &self.name, &self.records.room())];
                }
                if self.terms.each_record || self.terms.heads && record.head.may_be_wat() {
                    items.push(other(record, &self.name));
                }
                items
            }
            FoundRecord::Damage(Lost {
                mark,
                error,
                head,
                unread,
            }) => {
                let robots = robots_of(&head, None, limits);
                let damage = Damage {
                    unread,
                    ..damage(mark, error, &self.name, head)
                };
                unreadable_items(robots, damage)
            }
        }
    }

    /// Returns the damage item of an archive that contains no record.
    fn no_record(&self) -> Item {
        let origin = InputPlace {
            file: Arc::clone(&self.name),
            at: None,
        };
        Item::Damage(Damage {
            unread: u64::MAX,
            ..Damage::new(origin, "there is no record in it")
        })
    }
}

impl Iterator for ArchiveItems {
    type Item = (Item, Position);

    fn next(&mut self) -> Option<Self::Item> {
        while self.waiting.is_empty() {
            let is_wanted = if self.terms.each_record || self.terms.heads {
                |head: &RecordHead| head.is_wanted() || head.may_be_wat()
            } else {
                RecordHead::is_wanted
            };
            let Some(found) = self.records.next(is_wanted) else {
                if !std::mem::take(&mut self.is_empty) {
                    return None;
                }
                return Some((self.no_record(), self.records.source.position()));
            };
            self.is_empty = false;
            let items = self.items(found);
            let stored = self.records.source.stored();
            let items = items
                .into_iter()
                .map(|item| afforded(item, &mut self.records.allowance, stored))
                .collect();
            let after = self.records.source.position();
            let before = std::mem::replace(&mut self.before, after.clone());
            self.waiting.extend(placed(items, before, after));
        }
        self.waiting.pop_front()
    }
}

/// Returns the items for a record that cannot be read: `robots`, which is given only if the record
/// is a robots.txt, and then the damage.
fn unreadable_items(robots: Option<Robots>, damage: Damage) -> Vec<Item> {
    let mut items = Vec::from_iter(robots.map(Item::Robots));
    items.push(Item::Damage(damage));
    items
}

/// Counts the bytes and tags of a page against `allowance`, the limits for all pages of the input.
/// If the page has too many tags, returns damage. Otherwise returns the item unchanged. `stored` is
/// the offset in the stored (packed) file at which the item ends.
pub(super) fn afforded(item: Item, allowance: &mut Allowance, stored: u64) -> Item {
    let Item::Document(document) = &item else {
        return item;
    };
    match allowance.give(document.bytes(), stored) {
        Ok(()) => item,
        Err(error) => {
            let damage = Damage::from_error(document.origin().clone(), error);
            Item::Damage(damage.for_page(Some(document.url().to_owned()), document.captured))
        }
    }
}

/// Returns the item for an archive record of a type that never contains a page. The item is always
/// an [`Item::Skipped`].
fn other(record: Record, name: &Arc<str>) -> Item {
    let origin = origin(record.mark, name);
    if !record.head.may_be_wat() || !wat::is_about_response(&record.content) {
        return skipped(Skip::Other, record.head, origin);
    }
    let Some(response) = wat::parse(&record.content) else {
        return skipped(Skip::Wat, record.head, origin);
    };
    let why = match (response.status, response.head) {
        (Some(304), _) => Skip::Unchanged,
        (Some(status), _) if !(200..300).contains(&status) || status == 206 => Skip::Status(status),
        (_, None) => Skip::Type,
        (status, Some(head)) => {
            let url = record.head.target.clone().unwrap_or_default();
            let head = FetchedPage {
                status,
                captured: record.head.captured,
                record: record.head.id.clone(),
                ..FetchedPage::new(url, response.headers, Body::Text(head), origin.clone())
            };
            return Item::Skipped(Skipped {
                head: Some(Arc::new(head)),
                ..skipped_record(Skip::Wat, record.head, origin)
            });
        }
    };
    skipped(why, record.head, origin)
}

fn skipped(why: Skip, head: RecordHead, origin: InputPlace) -> Item {
    Item::Skipped(skipped_record(why, head, origin))
}

fn skipped_record(why: Skip, head: RecordHead, origin: InputPlace) -> Skipped {
    let RecordHead {
        target,
        captured,
        id,
        refers_to,
        ..
    } = head;
    Skipped {
        record: id,
        refers_to,
        ..Skipped::new(why, target, captured, Some(origin))
    }
}

fn damage(mark: ByteMark, error: Error, name: &Arc<str>, head: RecordHead) -> Damage {
    // Damage in a request, or in metadata about a page, does not affect the page with that URL.
    let url = if head.kind == ArchiveRecordKind::Other {
        None
    } else {
        head.target
    };
    Damage::from_error(origin(mark, name), error).for_page(url, head.captured)
}

fn origin(mark: ByteMark, name: &Arc<str>) -> InputPlace {
    InputPlace {
        file: Arc::clone(name),
        at: Some(ItemPlace::Offset(mark.offset())),
    }
}

pub(super) fn item(record: Record, name: &Arc<str>, room: &UnpackBudget<'_>) -> Item {
    let Record {
        mark,
        head,
        content,
        is_part,
    } = record;
    let url = head.target.clone().unwrap_or_default();
    let document = |headers, body| {
        let document = FetchedPage::new(url.clone(), headers, body, origin(mark, name));
        FetchedPage {
            captured: head.captured,
            record: head.id.clone(),
            is_cut: head.is_cut,
            ..document
        }
    };
    let whole = if is_part {
        Err(exceeded("record_bytes", room.limits))
    } else {
        Ok(())
    };
    if head.is_other_file() {
        return skipped(Skip::Type, head, origin(mark, name));
    }
    if head.kind == ArchiveRecordKind::Resource {
        let content = match whole {
            Ok(()) => resource(content, room, head.is_cut),
            Err(error) => Err(error),
        };
        return match content {
            Ok(content) => Item::Document(document(
                vec![("content-type".to_owned(), head.content_type.clone())],
                Body::Bytes(content),
            )),
            Err(error) => Item::Damage(damage(mark, error, name, head)),
        };
    }
    if head.kind == ArchiveRecordKind::Revisit && !content.starts_with(b"HTTP/") {
        return skipped(Skip::Unchanged, head, origin(mark, name));
    }
    let response = match http::HttpResponse::parse(&content, room.limits) {
        Ok(response) => response,
        Err(error) => return Item::Damage(damage(mark, error, name, head)),
    };
    let is_page = (200..300).contains(&response.status) && response.status != 206;
    if response.status == 304 || head.kind == ArchiveRecordKind::Revisit && is_page {
        return Item::Unchanged(document(response.headers, Body::Bytes(Vec::new())));
    }
    // A 206 response is only part of a page.
    if !is_page {
        return skipped(Skip::Status(response.status), head, origin(mark, name));
    }
    if response.kind().is_other() {
        return skipped(Skip::Type, head, origin(mark, name));
    }
    match whole.and_then(|()| page(&response, room, head.is_cut)) {
        Err(error) => Item::Damage(damage(mark, error, name, head)),
        Ok(None) => skipped(Skip::Type, head, origin(mark, name)),
        Ok(Some((trailers, body))) => {
            let status = Some(response.status);
            let is_cut = body.is_cut;
            let headers = response.headers.into_iter().chain(trailers).collect();
            let body = match body.bytes {
                Cow::Owned(bytes) => Body::Bytes(bytes),
                Cow::Borrowed(rest) => {
                    let length = rest.len();
                    Body::rest_of(content, length)
                }
            };
            Item::Document(FetchedPage {
                status,
                is_cut,
                ..document(headers, body)
            })
        }
    }
}

/// Unpacks the content of a `resource` record if it is gzip. Returns an error if the unpacked
/// content is larger than `room` allows. `is_cut` is true if the record declares itself truncated.
fn resource(content: Vec<u8>, room: &UnpackBudget<'_>, is_cut: bool) -> Result<Vec<u8>, Error> {
    let content = coding::of_page(Cow::Owned(content), room, is_cut)?;
    room.check(content.len() as u64)?;
    Ok(content.into_owned())
}

/// Two parts of a response: the headers in its trailer section that may forbid something, and its
/// body.
type HeadersAndBody<'a> = (Vec<(String, String)>, http::HttpBody<'a>);

/// Returns the body of a response. Also returns those headers in the response's trailer section
/// that may forbid something. `None` if the response is not HTML. `is_cut` is true if the archive
/// record declares itself truncated.
fn page<'a>(
    response: &http::HttpResponse<'a>,
    room: &UnpackBudget<'_>,
    is_cut: bool,
) -> Result<Option<HeadersAndBody<'a>>, Error> {
    let mut body = response.body(room, is_cut)?;
    let trailers = body.restricting_trailers(room.limits)?;
    body.bytes = coding::of_page(body.bytes, room, body.is_cut)?;
    Ok(response.is_html(&body.bytes).then_some((trailers, body)))
}
