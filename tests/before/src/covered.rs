//! A set of bytes of a page.

/// Ranges in order, which neither touch nor overlap.
#[derive(Debug)]
pub(crate) struct Covered(Vec<(u64, u64)>);

impl Covered {
    /// The bytes of ranges, from start to end.
    pub(crate) fn of(ranges: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().filter(|(start, end)| start < end).collect();
        ranges.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (start, end) in ranges {
            match joined.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        Self(joined)
    }

    /// True if it has all bytes of another one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let has = |start: u64, end: u64| self.0.iter().any(|range| range.0 <= start && end <= range.1);
        other.0.iter().all(|(start, end)| has(*start, *end))
    }
}
