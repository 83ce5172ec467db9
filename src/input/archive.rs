//! What the records of a web archive say: pages, robots.txt files, that something is as it was, and what is no page at all.
//!
//! Statuses are read as in docs/semantics.md, section 7: what answered 2xx, whole, is a page. A robots.txt whose record
//! cannot be read may forbid anything, and does.

use std::sync::Arc;

use crate::robots_txt::RobotsTxt;

use super::item::{At, Body};
use super::records::{Found, Head, Record, RecordKind, Records};
use super::source::{Mark, Source};
use super::{Answer, Damage, Document, Item, Kind, Origin, Position, Robots, Skip, Skipped, http};

/// The robots.txt files of an archive. One that cannot be read may forbid anything.
pub(super) fn robots(source: Source, kind: Kind, take: &mut dyn FnMut(Robots)) {
    let mut records = Records::new(source, kind);
    while let Some(next) = records.next(Head::is_robots) {
        let (head, answer) = match next {
            Found::Record(record) => (record.head, Some(record.content)),
            // The damage is reported when the pages are read.
            Found::Damage(_, _, head) => (head, None),
        };
        if let Some(robots) = robots_of(&head, answer.as_deref()) {
            take(robots);
        }
    }
}

pub(super) fn robots_of(head: &Head, content: Option<&[u8]>) -> Option<Robots> {
    let url = head.target.as_deref().filter(|_| head.is_robots())?;
    Robots::at(url, |url| match (content, head.kind) {
        (_, RecordKind::Revisit) => Answer::Unknown,
        (Some(content), RecordKind::Resource) => Answer::Rules(http::rules(content, head.is_cut)),
        (Some(content), RecordKind::Response) => http::robots(url, content, head.is_cut),
        _ => Answer::Rules(RobotsTxt::shut()),
    })
    .map(|robots| robots.fetched_at(head.captured))
}

/// The pages of an archive, and its robots.txt files.
pub(super) fn items(
    source: Source,
    kind: Kind,
    name: &Arc<str>,
) -> impl Iterator<Item = (Item, Position)> + Send + use<> {
    let mut records = Records::new(source, kind);
    let name = Arc::clone(name);
    let mut waiting = None;
    std::iter::from_fn(move || {
        if let Some(item) = waiting.take() {
            return Some((item, records.source.position()));
        }
        loop {
            let item = match records.next(Head::is_wanted)? {
                Found::Record(Record { mark, head, .. }) if head.kind == RecordKind::Unknown => {
                    waiting = robots_of(&head, None).map(Item::Robots);
                    let message = "a record of no known type".to_owned();
                    Some(Item::Damage(damage(mark, message, &name, head)))
                }
                Found::Record(record) => match robots_of(&record.head, Some(&record.content)) {
                    Some(robots) => Some(Item::Robots(robots)),
                    None => record.head.is_page().then(|| item(record, &name)),
                },
                Found::Damage(mark, message, head) => {
                    waiting = robots_of(&head, None).map(Item::Robots);
                    Some(Item::Damage(damage(mark, message, &name, head)))
                }
            };
            if let Some(item) = item {
                return Some((item, records.source.position()));
            }
        }
    })
}

fn damage(mark: Mark, message: String, name: &Arc<str>, head: Head) -> Damage {
    // What is wrong with a request, or with what is said about a page, is not wrong with the page.
    let url = head.target.filter(|_| head.kind != RecordKind::Other);
    Damage::new(origin(mark, name), message).of(url, head.captured)
}

fn origin(mark: Mark, name: &Arc<str>) -> Origin {
    Origin { file: Arc::clone(name), at: Some(At::Offset(mark.offset())) }
}

pub(super) fn item(record: Record, name: &Arc<str>) -> Item {
    let Record { mark, head, content } = record;
    let url = head.target.clone().unwrap_or_default();
    let skipped = |why| Item::Skipped(Skipped { why, url: Some(url.clone()), captured: head.captured });
    let document = |headers, body| {
        let document = Document::new(url.clone(), headers, Body::Bytes(body), origin(mark, name));
        Document { captured: head.captured, record: head.id.clone(), is_cut: head.is_cut, ..document }
    };
    if head.is_other_file() {
        return skipped(Skip::Type);
    }
    if head.kind == RecordKind::Resource {
        return Item::Document(document(vec![("content-type".to_owned(), head.content_type.clone())], content));
    }
    if head.kind == RecordKind::Revisit && !content.starts_with(b"HTTP/") {
        return skipped(Skip::Unchanged);
    }
    let response = match http::Response::parse(&content) {
        Ok(response) => response,
        Err(message) => return Item::Damage(damage(mark, message, name, head)),
    };
    let is_page = (200..300).contains(&response.status) && response.status != 206;
    if response.status == 304 || head.kind == RecordKind::Revisit && is_page {
        return Item::Unchanged(document(response.headers, Vec::new()));
    }
    // Of a 206 there is but a part.
    if !is_page {
        return skipped(Skip::Status(response.status));
    }
    match response.body().and_then(|body| Ok((body.wishes()?, body))) {
        Err(message) => Item::Damage(damage(mark, message, name, head)),
        Ok((_, body)) if !response.is_html(&body.bytes) => skipped(Skip::Type),
        Ok((wishes, body)) => {
            let page = document(response.headers.into_iter().chain(wishes).collect(), body.bytes);
            Item::Document(Document { is_cut: page.is_cut || body.is_cut, ..page })
        }
    }
}
