//! The readings of a robots.txt, and the one fold over them: a bot is let in only if all of them
//! let it in.
//!
//! A reading is a whole parsed file. By RFC 9309 there is the file as it is written, and the file
//! with its sloppy lines repaired (docs/semantics.md, section 6). Each of them has a second one,
//! where agent lines are misspelt: such a line begins a group, or is none. Readings that are equal
//! are one, so most files have one reading. Each is compared with paths in two ways: with reserved
//! characters as written (Google), and with encoded ones equal to plain ones (the RFC). The other
//! modes have one reading each, without repairs.
//!
//! This file decides nothing about a line. Every query to a robots.txt goes through
//! [`Readings::for_mode`] here.

use std::sync::Arc;

use smallvec::SmallVec;

use heedful_base::bot::Bot;

use super::asking::RuleQuery;
use super::file::RobotsReading;
use super::matching::MatchSubject;
use super::mode::Mode;
use super::note::{MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::parse::{Leniency, ParsedReading, read_for_google};
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
    /// Notes on oddities, except for rules without effect.
    pub(super) notes: Vec<RobotsNote>,
}

impl Default for Readings {
    fn default() -> Self {
        Self::from_one(RobotsReading::default(), Vec::new())
    }
}

impl Readings {
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

    /// Adds the parsed file to the readings by RFC 9309. If it has misspelt agent lines, also adds
    /// the reading that ignores them. A reading that is known already is not added again.
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

    fn add_new(&mut self, file: RobotsReading) {
        if !self.by_rfc.iter().any(|known| known.is_same(&file)) {
            self.by_rfc.push(Arc::new(file));
        }
    }

    /// Reads a file that a program wrote, without repairs: it needs none, and must get none.
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

    fn from_one(file: RobotsReading, notes: Vec<RobotsNote>) -> Self {
        Self {
            by_rfc: SmallVec::from_iter([Arc::new(file)]),
            exact: 1,
            google: None,
            notes,
        }
    }

    /// All readings in a mode. What one of them denies is denied.
    pub(super) fn for_mode(&self, mode: Mode) -> &[Arc<RobotsReading>] {
        match (mode, &self.google) {
            (Mode::Rfc9309, _) => &self.by_rfc,
            (Mode::Google, Some(google)) => std::slice::from_ref(google),
            _ => &self.by_rfc[..1],
        }
    }

    /// The reading that has every line with any effect.
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

    fn encode_reserved(&self) -> bool {
        self.by_rfc.iter().any(|file| file.encodes_reserved)
    }

    /// The ruling on a path, the strictest of all readings, with the query that it answers.
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
