//! Items of an archive that a survey has read and that the run after it has not.
//!
//! A survey reads all inputs before the first page is judged. The items that it reads first stay in
//! memory within a bound, so that their part of the archive is read once. A run takes them from
//! there, and reads the rest of the archive from its file.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::item::{Item, Position};
use super::records::ReadingCosts;

/// Assumed bytes of an item in memory, in addition to its page and its headers.
const OF_ITEM: u64 = 512;

/// The first items of an archive, and the place where its other items begin.
#[derive(Debug, Default)]
pub(super) struct ReadAhead {
    items: VecDeque<AheadItem>,
    /// Number of `items` whose records have all of their items there.
    whole: usize,
    /// Position after the last record that has all of its items in `items`.
    position: Position,
    /// Costs of reading the archive up to `position`.
    costs: Option<ReadingCosts>,
    /// Bytes of the archive that were read up to `position`.
    read: u64,
    /// True if the archive has records after `position`.
    is_part: bool,
}

#[derive(Debug)]
struct AheadItem {
    item: Item,
    position: Position,
    /// Bytes of the archive that were read for this item.
    read: u64,
}

impl ReadAhead {
    /// Adds the next item of the archive. `None` is an item that a run does not need again. `room`
    /// is the memory that is left for items, in bytes. If the item does not fit, this item and all
    /// later ones are left in the archive, and `room` becomes 0.
    pub(super) fn add(
        &mut self,
        item: Option<Item>,
        position: Position,
        read: u64,
        costs: ReadingCosts,
        room: &mut u64,
    ) {
        if self.is_part {
            return;
        }
        let weight = item.as_ref().map_or(0, weight);
        if weight > *room {
            self.items.truncate(self.whole);
            self.is_part = true;
            *room = 0;
            return;
        }
        *room -= weight;
        let read_before = self.read;
        self.read = read;
        self.items.extend(item.map(|item| AheadItem {
            item,
            position: position.clone(),
            read: read - read_before,
        }));
        // All items of a record but the last have the position before the record.
        if position != self.position {
            self.whole = self.items.len();
            self.position = position;
            self.costs = Some(costs);
        }
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

    /// Returns the position at which the items begin that are not in memory, and the costs of
    /// reading the archive up to there. `None` if all items are in memory.
    pub(super) fn rest(&self) -> Option<(Position, Option<ReadingCosts>)> {
        let rest = || (self.position.clone(), self.costs.clone());
        self.is_part.then(rest)
    }

    /// Returns the items in memory, each with the position after it. Adds to `counter` the bytes
    /// that were read for each item.
    pub(super) fn into_items(
        self,
        counter: Arc<AtomicU64>,
    ) -> impl Iterator<Item = (Item, Position)> {
        let mut items = self.items.into_iter();
        let mut left = self.read;
        std::iter::from_fn(move || {
            let Some(next) = items.next() else {
                counter.fetch_add(std::mem::take(&mut left), Ordering::Relaxed);
                return None;
            };
            counter.fetch_add(next.read, Ordering::Relaxed);
            left -= next.read;
            Some((next.item, next.position))
        })
    }
}

/// Returns about as many bytes as an item takes in memory.
fn weight(item: &Item) -> u64 {
    let (Item::Document(document) | Item::Unchanged(document)) = item else {
        return OF_ITEM;
    };
    let lines = document.headers().iter();
    let headers: usize = lines.map(|(name, value)| name.len() + value.len()).sum();
    OF_ITEM + (document.bytes().len() + headers) as u64
}
