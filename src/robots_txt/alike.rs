//! A file's rules in the form in which reserved characters are the same, encoded or not. They are sorted, each with its
//! place in the file.

use crate::bot::Bot;

use super::line::{Line, LineKind, NewLine, Packed, PackedAt};
use super::matching::{self, Target};
use super::sorted::Sorted;

#[derive(Clone, Debug)]
pub(super) struct Alike {
    packed: Packed,
    groups: Vec<PackedAt>,
    /// The place of each line, here and in the file.
    places: Vec<(PackedAt, PackedAt)>,
    sorted: Sorted,
}

impl Alike {
    pub(super) fn of(packed: &Packed, groups: &[PackedAt]) -> Self {
        let (mut own, mut places) = (Packed::default(), Vec::new());
        let says = |line: &Line<'_>| line.kind() == LineKind::Agent || line.is_rule() && !line.is_void();
        for (place, line) in packed.places(packed.lines(0, None)).filter(|(_, line)| says(line)) {
            places.push((own.here(), place));
            let text = if line.is_rule() { matching::alike(line.text) } else { line.text.into() };
            let flags = [false, line.is_special()];
            if !line.is_rule() || !own.push_usual(line.allows(), line.number, &text, flags) {
                own.push(&NewLine::bare(&line, &text));
            }
        }
        own.shrink();
        let starts = groups.iter().filter_map(|start| {
            let at = places.binary_search_by_key(start, |(_, there)| *there).ok()?;
            Some(places[at].0)
        });
        let groups: Vec<_> = starts.collect();
        let ends = groups.iter().skip(1).map(|end| Some(*end)).chain([None]);
        let sorted = Sorted::of(&own, groups.iter().zip(ends).map(|(start, end)| own.lines(*start, end)));
        Self { sorted, packed: own, groups, places }
    }

    /// Decides like [`Sorted::decide`], with places of the file. The path must be in the same form as the rules.
    pub(super) fn decide(&self, bot: &Bot, target: Target<'_>) -> (Option<PackedAt>, bool) {
        let (best, is_spoken_to) = self.sorted.decide(&self.packed, &self.groups, bot, target);
        let there = |here: PackedAt| {
            let at = self.places.binary_search_by_key(&here, |(own, _)| *own).ok()?;
            Some(self.places[at].1)
        };
        (best.and_then(there), is_spoken_to)
    }
}
