//! Finds the rule that decides, by RFC 9309, in one walk over the lines of a reading.
//!
//! It answers the same question as `sorted`, and needs no preparation. Most files are asked only a few questions.

use std::cmp::Reverse;

use crate::bot::Bot;

use super::agents::{is_called, is_star};
use super::line::{Head, LineKind, Packed, PackedAt};
use super::matching::{self, Target, host_and_path};
use super::sorted::{Match, bits, filter};

/// The state of the current group.
#[derive(Clone, Copy, Default)]
struct Group {
    /// More agents may follow.
    begins: bool,
    is_ours: bool,
    is_open: bool,
}

/// The place of the rule that decides on a path for a bot. The second value is true if any group is for the bot.
pub(super) fn decide(packed: &Packed, bot: &Bot, target: Target<'_>) -> (Option<PackedAt>, bool) {
    let (mut group, mut own, mut open): (_, Option<Match>, Option<Match>) = (Group::default(), None, None);
    let (mut is_named, mut is_anybody) = (false, false);
    let asked = (target, bits(target.path));
    for (place, head, text) in packed.heads() {
        match head.kind() {
            LineKind::Agent => {
                group = if group.begins { group } else { Group { begins: true, ..Group::default() } };
                group.is_ours |= is_called(text, head.is_special(), bot);
                group.is_open |= is_star(text) && !head.is_special();
                (is_named, is_anybody) = (is_named | group.is_ours, is_anybody | group.is_open);
            }
            LineKind::Allow | LineKind::Disallow => {
                group.begins = false;
                let best = match group {
                    Group { is_ours: true, .. } => &mut own,
                    Group { is_open: true, .. } if !is_named => &mut open,
                    _ => continue,
                };
                // A rule that cannot win is not compared.
                let length = if head.is_rare() { host_and_path(text).1.len() } else { text.len() };
                let rank = (length, head.kind() == LineKind::Allow);
                if best.is_none_or(|(most, _)| rank > most) && matches(head, text, asked) {
                    *best = Some((rank, Reverse(place)));
                }
            }
            LineKind::Record => {}
        }
    }
    let best = if is_named { own } else { open };
    (best.map(|(_, Reverse(place))| place), is_named || is_anybody)
}

/// True if a pattern and a path are the same up to the first special character, where most differ.
#[inline]
fn may_begin(pattern: &[u8], path: &[u8]) -> bool {
    let common = pattern.iter().zip(path).take_while(|(one, other)| one == other).count();
    matches!(pattern.get(common), None | Some(b'*' | b'$'))
}

#[inline]
fn matches(rule: Head, text: &[u8], (target, bits): (Target<'_>, u64)) -> bool {
    match (rule.is_void(), rule.is_special()) {
        (true, _) => false,
        (_, true) if rule.is_rare() => target.is_matched_by(text),
        (_, true) => may_begin(text, target.path) && filter(text) & !bits == 0 && matching::matches(text, target.path),
        _ => matching::is_prefix(text, target.path),
    }
}
