//! Items of an archive that a survey has read and that the run after it has not.
//!
//! A survey reads all inputs before the first page is judged. The items that it reads first stay in
//! memory within a bound, so that their part of the archive is read once. A run takes them from
//! there, and reads the rest of the archive from its file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::item::{Item, Position};
use super::records::ReadingCosts;

/// Assumed number of bytes that an item takes in memory, in addition to the body and the headers of
/// its page.
const OF_ITEM: u64 = 512;

/// The first items of an archive, which stay in memory, and the position after them. The survey
/// (the first reading of all inputs) has stored these items. So the run after the survey need not
/// read them again.
#[derive(Debug, Default)]
pub(super) struct ReadAhead {
    items: Vec<AheadItem>,
    /// Position after the last record whose items are all in `items`.
    position: Position,
    /// True if more items of the same archive record follow the item that was added last.
    is_inside: bool,
    /// Costs of reading the archive up to `position`, which count against the limits for the whole
    /// archive. `None` if no item was added.
    costs: Option<ReadingCosts>,
    /// Number of bytes of the archive that were read up to `position`.
    read: u64,
    /// True if the items in memory are only a part of the archive's items, because the next record
    /// did not fit.
    is_part: bool,
}

#[derive(Debug)]
struct AheadItem {
    item: Item,
    position: Position,
    /// Number of bytes of the archive that were read up to this item.
    read: u64,
}

impl ReadAhead {
    /// Adds the next item that the survey (the first reading of all inputs) has read. `item` is
    /// `None` if the item is not needed after the survey. `position` is the position after the
    /// item. `read` is the number of archive bytes read so far. `room` is the number of bytes of
    /// memory left for items. If the first item of a record does not fit, this record and all later
    /// records are not kept. `room` then becomes 0.
    pub(super) fn add(
        &mut self,
        item: Option<Item>,
        position: Position,
        read: u64,
        costs: ReadingCosts,
        room: &mut u64,
    ) {
        let weight = item.as_ref().map_or(0, weight);
        if weight > *room && !self.is_inside {
            self.is_part = true;
            *room = 0;
        }
        if self.is_part {
            return;
        }
        *room = room.saturating_sub(weight);
        self.items.extend(item.map(|item| AheadItem {
            item,
            position: position.clone(),
            read,
        }));
        self.read = read;
        // All items of a record but the last have the position before the record.
        self.is_inside = position == self.position;
        self.position = position;
        self.costs = Some(costs);
    }

    /// Records that the archive was read to its end, with `read` bytes in all.
    pub(super) fn end(&mut self, read: u64) {
        if !self.is_part {
            self.read = read;
        }
    }

    /// True if the archive has items that are not in memory.
    pub(super) fn is_part(&self) -> bool {
        self.is_part
    }

    /// Returns the position of the first item that is not in memory. Also returns the costs of
    /// reading the archive up to this position. `None` if all items are in memory.
    pub(super) fn rest(&self) -> Option<(Position, Option<ReadingCosts>)> {
        let rest = || (self.position.clone(), self.costs.clone());
        self.is_part.then(rest)
    }

    /// Returns the items in memory, each with the position after it. When an item is yielded, adds
    /// to `counter` the number of archive bytes that were read for the item.
    pub(super) fn into_items(
        self,
        counter: Arc<AtomicU64>,
    ) -> impl Iterator<Item = (Item, Position)> {
        let mut items = self.items.into_iter();
        let mut counted = 0;
        std::iter::from_fn(move || {
            let next = items.next();
            let read = next.as_ref().map_or(self.read, |next| next.read);
            counter.fetch_add(read - counted, Ordering::Relaxed);
            counted = read;
            next.map(|next| (next.item, next.position))
        })
    }
}

/// Returns the approximate number of bytes that an item takes in memory.
fn weight(item: &Item) -> u64 {
    let document = match item {
        Item::Document(document) | Item::Unchanged(document) => Some(document),
        Item::Skipped(skipped) => skipped.head(),
        Item::Robots(_) | Item::Damage(_) => None,
    };
    let Some(document) = document else {
        return OF_ITEM;
    };
    let lines = document.headers().iter();
    let headers: usize = lines.map(|(name, value)| name.len() + value.len()).sum();
    OF_ITEM + (document.bytes().len() + headers) as u64
}
