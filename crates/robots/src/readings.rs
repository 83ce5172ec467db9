//! The readings of a robots.txt (its parsed variants), and the one function that combines their
//! rulings. A bot is allowed only if all readings allow it.
//!
//! A reading is one parsed variant of the whole file. By RFC 9309 there is a reading without
//! repairs, and one with sloppy lines repaired (docs/semantics.md, section 6). If agent lines are
//! misspelt, each of these two exists twice: in one variant a misspelt line begins a group, and in
//! the other it is ignored. Equal readings are stored once, so most files have one reading.
//!
//! Each reading by RFC 9309 is compared with paths in two forms. In Google's form, encoded reserved
//! characters differ from plain ones; in the RFC's form, they are equal. The other modes have one
//! reading each, without repairs.
//!
//! This file decides nothing about a single line. Every query to a robots.txt uses
//! [`Readings::for_mode`].

use std::sync::Arc;

use smallvec::SmallVec;

use heedful_base::bot::Bot;

use super::file::RobotsReading;
use super::matching::MatchSubject;
use super::mode::Mode;
use super::note::{MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::parse::{Leniency, ParsedReading, read_for_google};
use super::query::RuleQuery;
use super::ruling::Ruling;

/// All readings (parsed variants) of one robots.txt.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    /// Parsed variants of the file (readings) by RFC 9309, at least one. The readings without
    /// repairs come first, and the readings with repairs follow. In both parts, the reading that
    /// accepts misspelt agent lines comes before the reading that ignores them.
    pub(super) by_rfc: SmallVec<[Arc<RobotsReading>; 1]>,
    /// Number of readings without repairs, which come first in `by_rfc`.
    pub(super) exact: usize,
    /// Reading (parsed variant) by the rules of Google's matcher. `None` if Google's matcher parses
    /// each line as heedful does.
    pub(super) google: Option<Arc<RobotsReading>>,
    /// Notes on lines that look wrong. Notes of the kind `ShadowedRule` are not stored:
    /// [`Readings::notes()`] adds them.
    pub(super) notes: Vec<RobotsNote>,
}

impl Default for Readings {
    fn default() -> Self {
        Self::from_one(RobotsReading::default(), Vec::new())
    }
}

impl Readings {
    /// Parses the first `most` bytes of a robots.txt into all its readings.
    pub(super) fn read(bytes: &[u8], most: usize) -> Self {
        let leniency = Leniency {
            repairs: true,
            misspelt_agents: true,
        };
        let mut lenient = ParsedReading::parse(bytes, most, leniency);
        let google = if lenient.departs {
            Some(Arc::new(read_for_google(bytes, most)))
        } else {
            None
        };
        let mut readings = Self {
            by_rfc: SmallVec::new(),
            exact: 0,
            google,
            notes: std::mem::take(&mut lenient.notes),
        };
        if lenient.is_repaired {
            let leniency = Leniency {
                repairs: false,
                ..leniency
            };
            let exact = ParsedReading::parse(bytes, most, leniency);
            readings.add(exact, bytes, most, false);
            readings.exact = readings.by_rfc.len();
            readings.add(lenient, bytes, most, true);
        } else {
            readings.add(lenient, bytes, most, false);
            readings.exact = readings.by_rfc.len();
        }
        readings
    }

    /// Adds the reading `parsed` to `by_rfc`, the list of readings that decide by RFC 9309. If the
    /// file has misspelt agent lines, also adds the reading that ignores these lines. A reading
    /// that is equal to an earlier one is not added. The other parameters are for parsing the file
    /// again.
    fn add(&mut self, parsed: ParsedReading, bytes: &[u8], most: usize, repairs: bool) {
        self.add_new(parsed.file);
        if parsed.has_misspelt_agents {
            let leniency = Leniency {
                repairs,
                misspelt_agents: false,
            };
            self.add_new(ParsedReading::parse(bytes, most, leniency).file);
        }
    }

    /// Adds a reading to `by_rfc`, the list of readings that decide by RFC 9309. Does nothing if an
    /// equal reading is in the list.
    fn add_new(&mut self, file: RobotsReading) {
        if !self.by_rfc.iter().any(|known| known.is_same(&file)) {
            self.by_rfc.push(Arc::new(file));
        }
    }

    /// Parses a robots.txt that heedful itself wrote. For example, heedful converts the rules of a
    /// tdmrep.json to robots.txt records. No line is repaired.
    pub(super) fn as_it_is(bytes: &[u8]) -> Self {
        let parsed = ParsedReading::parse(
            bytes,
            usize::MAX,
            Leniency {
                repairs: false,
                misspelt_agents: true,
            },
        );
        Self::from_one(parsed.file, parsed.notes)
    }

    /// Returns the [`Readings`] of a robots.txt whose only reading is `file`.
    fn from_one(file: RobotsReading, notes: Vec<RobotsNote>) -> Self {
        Self {
            by_rfc: SmallVec::from_iter([Arc::new(file)]),
            exact: 1,
            google: None,
            notes,
        }
    }

    /// Returns the readings that decide in the mode `mode`. A URL that one of them denies is
    /// denied.
    pub(super) fn for_mode(&self, mode: Mode) -> &[Arc<RobotsReading>] {
        match (mode, &self.google) {
            (Mode::Rfc9309, _) => &self.by_rfc,
            (Mode::Google, Some(google)) => std::slice::from_ref(google),
            _ => &self.by_rfc[..1],
        }
    }

    /// Returns the most lenient reading (parsed variant). It has each line that has an effect in
    /// any of the readings.
    pub(super) fn fullest(&self) -> &RobotsReading {
        self.by_rfc.get(self.exact).unwrap_or(&self.by_rfc[0])
    }

    /// Returns a copy that has only the readings without repairs.
    pub(super) fn without_repairs(&self) -> Self {
        let by_rfc = SmallVec::from_iter(self.by_rfc[..self.exact].iter().cloned());
        Self {
            by_rfc,
            ..self.clone()
        }
    }

    /// Returns all notes on lines that look wrong, in the order of line numbers.
    pub(super) fn notes(&self) -> Vec<RobotsNote> {
        let mut notes = self.notes.clone();
        for line in self.fullest().shadowed().take(MOST_NOTES as usize) {
            notes.push(RobotsNote {
                kind: RobotsNoteKind::ShadowedRule,
                line,
            });
        }
        notes.sort_by_key(|note| note.line);
        notes
    }

    /// True if a rule's pattern in any reading has a percent-encoded reserved character.
    fn encode_reserved(&self) -> bool {
        self.by_rfc.iter().any(|file| file.encodes_reserved)
    }

    /// Returns the strictest ruling on `path` among the readings for the mode `mode`. Also returns
    /// the query that gave this ruling.
    pub(super) fn decide<'a, 'b>(
        &'a self,
        mode: Mode,
        bot: &'b Bot,
        path: &'b MatchSubject<'_>,
    ) -> (RuleQuery<'a, 'b>, Ruling<'a>) {
        let files = self.for_mode(mode);
        let first = RuleQuery {
            file: &files[0],
            mode,
            bot,
            target: path.as_written(),
        };
        let ruling = first.decide();
        if !ruling.allowed() {
            return (first, ruling);
        }
        for file in &files[1..] {
            let query = RuleQuery { file, ..first };
            let ruling = query.decide();
            if !ruling.allowed() {
                return (query, ruling);
            }
        }
        if mode == Mode::Rfc9309 && (!path.is_one() || self.encode_reserved()) {
            for file in files {
                let query = RuleQuery {
                    file: file.alike(),
                    target: path.alike(),
                    ..first
                };
                let ruling = query.decide();
                if !ruling.allowed() {
                    return (query, ruling);
                }
            }
        }
        (first, ruling)
    }
}
