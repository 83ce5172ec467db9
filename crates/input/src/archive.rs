//! The meaning of records in a web archive: pages, robots.txt files, unchanged pages, and what is
//! no page at all.
//!
//! Statuses are read as in docs/semantics.md, section 7: a whole answer with 2xx is a page. A
//! robots.txt whose record cannot be read may forbid anything, so it forbids everything.

use std::collections::VecDeque;
use std::sync::Arc;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded};

use super::head::{ArchiveRecordKind, RecordHead, bad};
use super::item::{
    Body, Damage, FetchedPage, InputPlace, Item, ItemPlace, Position, Skip, Skipped, placed,
};
use super::kind::InputFormat;
use super::records::{FoundRecord, Lost, Record, Records};
use super::robots::{Robots, RobotsAnswer};
use super::source::{ByteMark, ByteSource};
use super::terms::{Allowance, InputTerms, UnpackBudget};
use super::{coding, http};

/// The robots.txt files of an archive. An unreadable file may forbid anything.
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
            // The damage is reported when the pages are read.
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
    let url = head.target.as_deref().filter(|_| head.is_robots())?;
    // The end of a large one is missing.
    let content = record.map(|record| (&record.content, head.is_cut || record.is_part));
    Robots::at(url, |url, file| match (content, head.kind) {
        (_, ArchiveRecordKind::Revisit) => RobotsAnswer::Unknown,
        (Some((content, is_cut)), ArchiveRecordKind::Resource) => {
            RobotsAnswer::Rules(http::rules(file, None, content, is_cut))
        }
        (Some((content, is_cut)), ArchiveRecordKind::Response) => {
            http::robots(url, file, content, is_cut, limits)
        }
        _ => RobotsAnswer::Rules(file.unreadable(http::UNREAD)),
    })
    .map(|robots| robots.fetched_at(head.captured))
}

/// The pages of an archive, and its robots.txt files.
pub(super) fn items(
    source: ByteSource,
    kind: InputFormat,
    name: &Arc<str>,
    terms: &Arc<InputTerms>,
) -> impl Iterator<Item = (Item, Position)> + Send + use<> {
    let mut records = Records::new(source, kind, terms);
    let (name, terms) = (Arc::clone(name), Arc::clone(terms));
    let (mut waiting, mut before) = (VecDeque::new(), records.source.position());
    // Where each record is answered, none is.
    let mut is_empty = before == Position::default() && !terms.each_record;
    std::iter::from_fn(move || {
        while waiting.is_empty() {
            let Some(found) = records.next(RecordHead::is_wanted) else {
                let origin = InputPlace {
                    file: Arc::clone(&name),
                    at: None,
                };
                let damage = Damage {
                    unread: u64::MAX,
                    ..Damage::new(origin, "there is no record in it")
                };
                return std::mem::take(&mut is_empty)
                    .then(|| (Item::Damage(damage), records.source.position()));
            };
            is_empty = false;
            let items = match found {
                FoundRecord::Record(Record { mark, head, .. })
                    if head.kind == ArchiveRecordKind::Unknown =>
                {
                    let robots = robots_of(&head, None, &terms.limits);
                    with_robots(
                        robots,
                        damage(mark, bad("a record of no known type"), &name, head),
                    )
                }
                FoundRecord::Record(record) => {
                    match robots_of(&record.head, Some(&record), &terms.limits) {
                        Some(robots) => {
                            let also = terms.each_record.then(|| other(record, &name));
                            std::iter::once(Item::Robots(robots)).chain(also).collect()
                        }
                        None if record.head.is_page() => vec![item(record, &name, &records.room())],
                        None => terms
                            .each_record
                            .then(|| other(record, &name))
                            .into_iter()
                            .collect(),
                    }
                }
                FoundRecord::Damage(Lost {
                    mark,
                    error,
                    head,
                    unread,
                }) => {
                    let robots = robots_of(&head, None, &terms.limits);
                    with_robots(
                        robots,
                        Damage {
                            unread,
                            ..damage(mark, error, &name, head)
                        },
                    )
                }
            };
            let stored = records.source.stored();
            let items = items
                .into_iter()
                .map(|item| afforded(item, &mut records.allowance, stored))
                .collect();
            let behind = records.source.position();
            waiting.extend(placed(
                items,
                std::mem::replace(&mut before, behind.clone()),
                behind,
            ));
        }
        waiting.pop_front()
    })
}

/// The items for a record that cannot be read. The robots.txt that it may be comes first.
fn with_robots(robots: Option<Robots>, damage: Damage) -> Vec<Item> {
    robots
        .map(Item::Robots)
        .into_iter()
        .chain([Item::Damage(damage)])
        .collect()
}

/// The item, unless it is a page that its input cannot afford.
pub(super) fn afforded(item: Item, allowance: &mut Allowance, stored: u64) -> Item {
    let Item::Document(document) = &item else {
        return item;
    };
    match allowance.give(document.bytes(), stored) {
        Ok(()) => item,
        Err(error) => {
            let damage = Damage::with(document.origin().clone(), error);
            Item::Damage(damage.of(Some(document.url().to_owned()), document.captured))
        }
    }
}

/// The item for a record that is never a page.
fn other(record: Record, name: &Arc<str>) -> Item {
    skipped(Skip::Other, record.head, origin(record.mark, name))
}

fn skipped(why: Skip, head: RecordHead, origin: InputPlace) -> Item {
    let RecordHead {
        target,
        captured,
        id,
        refers_to,
        ..
    } = head;
    Item::Skipped(Skipped {
        record: id,
        refers_to,
        ..Skipped::new(why, target, captured, Some(origin))
    })
}

fn damage(mark: ByteMark, error: Error, name: &Arc<str>, head: RecordHead) -> Damage {
    // A problem with a request, or with metadata on a page, is no problem of the page.
    let url = head
        .target
        .filter(|_| head.kind != ArchiveRecordKind::Other);
    Damage::with(origin(mark, name), error).of(url, head.captured)
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
        let document =
            FetchedPage::new(url.clone(), headers, Body::Bytes(body), origin(mark, name));
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
        let content = whole.and_then(|()| coding::of_page(content, room, head.is_cut));
        return match content.and_then(|content| room.check(content.len() as u64).map(|()| content))
        {
            Ok(content) => Item::Document(document(
                vec![("content-type".to_owned(), head.content_type.clone())],
                content,
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
        return Item::Unchanged(document(response.headers, Vec::new()));
    }
    // A 206 answer has only a part.
    if !is_page {
        return skipped(Skip::Status(response.status), head, origin(mark, name));
    }
    if response.kind().is_other() {
        return skipped(Skip::Type, head, origin(mark, name));
    }
    match whole.and_then(|()| page(&response, room, head.is_cut)) {
        Err(error) => Item::Damage(damage(mark, error, name, head)),
        Ok(None) => skipped(Skip::Type, head, origin(mark, name)),
        Ok(Some((wishes, body))) => {
            let status = Some(response.status);
            let page = document(
                response.headers.into_iter().chain(wishes).collect(),
                body.bytes,
            );
            Item::Document(FetchedPage {
                status,
                is_cut: body.is_cut,
                ..page
            })
        }
    }
}

/// A body, and the publisher's wishes in its trailer.
type HeadersAndBody = (Vec<(String, String)>, http::HttpBody);

/// The body of a response, with the wishes behind it. `is_cut` says that its record is cut short.
/// Returns None if it is not HTML.
fn page(
    response: &http::HttpResponse<'_>,
    room: &UnpackBudget<'_>,
    is_cut: bool,
) -> Result<Option<HeadersAndBody>, Error> {
    let mut body = response.body(room, is_cut)?;
    let wishes = body.wishes(room.limits)?;
    body.bytes = coding::of_page(body.bytes, room, body.is_cut)?;
    Ok(response.is_html(&body.bytes).then_some((wishes, body)))
}
