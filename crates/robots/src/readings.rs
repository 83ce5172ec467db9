//! The readings of a robots.txt, and the one fold over them: a bot is let in only if all of them
//! let it in.
//!
//! A reading is a whole parsed file. By RFC 9309 there is the file as it is written, and the file
//! with its sloppy lines repaired (docs/semantics.md, section 6). Each of them has a second one,
//! where agent lines are misspelt: such a line begins a group, or is none. Readings that are equal
//! are one, so most files have one reading. Each is compared with paths in two ways, as reserved
//! characters stand (Google) and as the same, encoded or not (the RFC). The other modes have one
//! reading each, without repairs.
//!
//! This file decides nothing about a line. Whoever asks a robots.txt anything goes through
//! [`Readings::by`] here.

use std::sync::Arc;

use smallvec::SmallVec;

use heedful_base::bot::Bot;

use super::asking::RuleScan;
use super::file::RobotsReading;
use super::matching::MatchSubject;
use super::mode::Mode;
use super::note::{MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::parse::{Leniency, Parsed, read_for_google};
use super::ruling::Ruling;

/// The readings of one file.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    /// The readings by RFC 9309, at least one: those without repairs, then those with them. Of
    /// either kind the one that takes misspelt agent lines for agents comes first.
    pub(super) by_rfc: SmallVec<[Arc<RobotsReading>; 1]>,
    /// The number of readings without repairs.
    pub(super) exact: usize,
    /// The file as Google reads it, if that differs.
    pub(super) google: Option<Arc<RobotsReading>>,
    /// What looked wrong, except for rules without effect.
    pub(super) notes: Vec<RobotsNote>,
}

impl Default for Readings {
    fn default() -> Self {
        Self::of_one(RobotsReading::default(), Vec::new())
    }
}

impl Readings {
    pub(super) fn read(bytes: &[u8], most: usize) -> Self {
        let parsed = |repairs, misspelt_agents| {
            Parsed::of(
                bytes,
                most,
                Leniency {
                    repairs,
                    misspelt_agents,
                },
            )
        };
        let mut by_rfc = SmallVec::new();
        let mut add = |taken: Parsed, repairs| {
            let strict = taken
                .has_misspelt_agents
                .then(|| parsed(repairs, false).file);
            add_new(std::iter::once(taken.file).chain(strict), &mut by_rfc)
        };
        let mut lenient = parsed(true, true);
        let google = lenient
            .departs
            .then(|| Arc::new(read_for_google(bytes, most)));
        let notes = std::mem::take(&mut lenient.notes);
        let exact = if lenient.is_repaired {
            let exact = add(parsed(false, true), false);
            add(lenient, true);
            exact
        } else {
            add(lenient, false)
        };
        Self {
            by_rfc,
            exact,
            google,
            notes,
        }
    }

    /// Reads a file that a program wrote, without repairs: it needs none, and must get none.
    pub(super) fn as_it_is(bytes: &[u8]) -> Self {
        let parsed = Parsed::of(
            bytes,
            usize::MAX,
            Leniency {
                repairs: false,
                misspelt_agents: true,
            },
        );
        Self::of_one(parsed.file, parsed.notes)
    }

    fn of_one(file: RobotsReading, notes: Vec<RobotsNote>) -> Self {
        Self {
            by_rfc: SmallVec::from_iter([Arc::new(file)]),
            exact: 1,
            google: None,
            notes,
        }
    }

    /// All readings in a mode. What one of them denies is denied.
    pub(super) fn by(&self, mode: Mode) -> &[Arc<RobotsReading>] {
        match (mode, &self.google) {
            (Mode::Rfc9309, _) => &self.by_rfc,
            (Mode::Google, Some(google)) => std::slice::from_ref(google),
            _ => &self.by_rfc[..1],
        }
    }

    /// The reading that has every line which says anything.
    pub(super) fn fullest(&self) -> &RobotsReading {
        self.by_rfc.get(self.exact).unwrap_or(&self.by_rfc[0])
    }

    /// The same file read without repairs.
    pub(super) fn without_repairs(&self) -> Self {
        let by_rfc = SmallVec::from_iter(self.by_rfc[..self.exact].iter().cloned());
        Self {
            by_rfc,
            ..self.clone()
        }
    }

    /// The notes on what looks wrong, in the order of lines.
    pub(super) fn notes(&self) -> Vec<RobotsNote> {
        let shadowed = self.fullest().shadowed().take(MOST_NOTES as usize);
        let shadowed = shadowed.map(|line| RobotsNote {
            kind: RobotsNoteKind::ShadowedRule,
            line,
        });
        let mut notes: Vec<_> = self.notes.iter().copied().chain(shadowed).collect();
        notes.sort_by_key(|note| note.line);
        notes
    }

    fn encode_reserved(&self) -> bool {
        self.by_rfc.iter().any(|file| file.encodes_reserved)
    }

    /// The ruling on a path, the strictest of all readings, with the question that it answers.
    pub(super) fn decide<'a, 'b>(
        &'a self,
        mode: Mode,
        bot: &'b Bot,
        path: &'b MatchSubject<'_>,
    ) -> (RuleScan<'a, 'b>, Ruling<'a>) {
        let answered = |file: &'a RobotsReading, target| {
            let asking = RuleScan {
                file,
                mode,
                bot,
                target,
            };
            (asking, asking.decide())
        };
        let files = self.by(mode);
        let is_one = mode != Mode::Rfc9309 || path.is_one() && !self.encode_reserved();
        let alike = if is_one { &[] } else { files };
        let first = answered(&files[0], path.as_it_stands());
        if !first.1.allowed() {
            return first;
        }
        let as_it_stands = files[1..]
            .iter()
            .map(|file| answered(file, path.as_it_stands()));
        let mut others = as_it_stands.chain(
            alike
                .iter()
                .map(|file| answered(file.alike(), path.alike())),
        );
        others
            .find(|(_, ruling)| !ruling.allowed())
            .unwrap_or(first)
    }
}

/// Adds the readings that are not there yet, and returns how many there are.
fn add_new(
    files: impl Iterator<Item = RobotsReading>,
    readings: &mut SmallVec<[Arc<RobotsReading>; 1]>,
) -> usize {
    for file in files {
        if !readings.iter().any(|known| known.is_same(&file)) {
            readings.push(Arc::new(file));
        }
    }
    readings.len()
}
