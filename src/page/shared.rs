//! Values for the bots of a pass, such as their policies. Bots that have equal values share one
//! value, which is made only once.

use smallvec::{SmallVec, smallvec};

use heedful_base::bot::{BotId, BotSet};

/// The bots of a pass in groups ("classes"). Bots stay in the same group until a difference between
/// them is found.
#[derive(Clone, Debug)]
pub(super) struct BotClasses {
    /// The groups of bots. Up to four groups need no heap memory. This matters, since each link of
    /// a page has such a list.
    classes: SmallVec<[BotSet; 4]>,
    bots: usize,
}

impl BotClasses {
    /// Creates a single group with all bots of the pass.
    pub(super) fn new(all: BotSet) -> Self {
        Self {
            classes: smallvec![all],
            bots: all.count(),
        }
    }

    /// Splits each group in two: the bots that are in `set`, and the bots that are not. A group is
    /// left whole if all or none of its bots are in `set`.
    pub(super) fn split(&mut self, set: BotSet) {
        if set.is_empty() || self.classes.len() == self.bots {
            return;
        }
        for at in 0..self.classes.len() {
            let inside = self.classes[at].and(set);
            let outside = self.classes[at].without(set);
            if !inside.is_empty() && !outside.is_empty() {
                self.classes[at] = inside;
                self.classes.push(outside);
            }
        }
    }
}

/// A value for each bot of a pass. Bots with equal values share one copy.
#[derive(Debug)]
pub(super) struct SharedValues<T> {
    first: T,
    bots: BotSet,
    others: Vec<(BotSet, T)>,
}

impl<T> SharedValues<T> {
    /// Creates one value for each group of bots, by a call of `make` with the first bot of the
    /// group.
    pub(super) fn new(classes: &BotClasses, mut make: impl FnMut(BotId) -> T) -> Self {
        let bots = classes.classes[0];
        let first = make(bots.first());
        let others = classes.classes[1..].iter();
        Self {
            first,
            bots,
            others: others.map(|class| (*class, make(class.first()))).collect(),
        }
    }

    pub(super) fn get(&self, bot: BotId) -> &T {
        for (bots, value) in &self.others {
            if bots.contains(bot) {
                return value;
            }
        }
        &self.first
    }

    /// Returns each group of bots with its value.
    pub(super) fn iter(&self) -> impl Iterator<Item = (BotSet, &T)> {
        std::iter::once((self.bots, &self.first))
            .chain(self.others.iter().map(|(bots, value)| (*bots, value)))
    }

    /// Returns the bots whose value satisfies the predicate `such`.
    pub(super) fn bots(&self, such: impl Fn(&T) -> bool) -> BotSet {
        let mut set = BotSet::NONE;
        for (bots, value) in self.iter() {
            if such(value) {
                set = set.or(bots);
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_parted_where_something_differs() {
        let mut classes = BotClasses::new(BotSet::all(4));
        classes.split(BotSet::all(4));
        assert_eq!(classes.classes.len(), 1);
        let set = |bots: &[usize]| bots.iter().copied().map(BotId::nth).collect::<BotSet>();
        classes.split(set(&[2]));
        classes.split(set(&[2, 3]));
        let shared = SharedValues::new(&classes, |bot| bot);
        let values: Vec<_> = (0..4)
            .map(|bot| shared.get(BotId::nth(bot)).index())
            .collect();
        assert_eq!(values, [0, 0, 2, 3]);
        assert_eq!(shared.bots(|first| first.index() > 1), set(&[2, 3]));
        for bot in 0..4 {
            classes.split(set(&[bot]));
        }
        assert_eq!(classes.classes.len(), 4);
    }
}
