//! What a file says: agents, rules and records, each with its line, packed; and which of the rules decides.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use crate::bot::Bot;

use super::alike::Alike;
use super::line::{Line, Lines, Packed, Place};
use super::mode::Mode;
use super::note::{MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::sorted::Sorted;
use super::walk;

/// What a file says.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) packed: Packed,
    /// Where groups begin; each ends where the next one does.
    pub(super) groups: Vec<Place>,
    /// The groups as they are if misspelt agent lines are none; only where there are such lines.
    pub(super) strict: Option<Vec<Place>>,
    pub(super) notes: Vec<RobotsNote>,
    /// It says something of the use of pages.
    pub(super) has_usage: bool,
    /// Patterns of rules have reserved characters that are encoded.
    pub(super) encodes_reserved: bool,
    pub(super) ready: Ready,
    /// The same file without repairs; only where there are any.
    pub(super) as_written: Option<Arc<Self>>,
    /// The same file as Google reads it; only where a line is another one to it.
    pub(super) google: Option<Arc<Self>>,
}

/// What makes answers quick, made when a file is asked again and again: many are parsed for their records alone, and most are asked
/// a few questions.
#[derive(Debug, Default)]
pub(super) struct Ready {
    sorted: OnceLock<Box<Sorted>>,
    alike: OnceLock<Box<Alike>>,
    /// How often it was asked, in either way.
    asked: [AtomicU8; 2],
}

/// So many walks cost what sorting does, about; where reserved characters are alike a walk writes all rules anew, and costs as much.
const WALKS: u8 = 16;

impl Ready {
    fn is_asked_often(&self, alike: bool) -> bool {
        let is_made = if alike { self.alike.get().is_some() } else { self.sorted.get().is_some() };
        let walks = if alike { 1 } else { WALKS };
        is_made || self.asked[usize::from(alike)].fetch_add(1, Ordering::Relaxed) >= walks
    }
}

impl Clone for Ready {
    fn clone(&self) -> Self {
        Self { sorted: self.sorted.clone(), alike: self.alike.clone(), asked: Default::default() }
    }
}

impl File {
    /// As those read it whose mode it is; without repairs.
    pub(super) fn of(&self, mode: Mode) -> &Self {
        match &self.google {
            Some(google) if mode == Mode::Google => google,
            _ => self.as_written(),
        }
    }

    /// Without repairs.
    pub(super) fn as_written(&self) -> &Self {
        self.as_written.as_deref().unwrap_or(self)
    }

    /// The same, if there are any.
    pub(super) fn repaired(&self) -> Option<&Arc<Self>> {
        self.as_written.as_ref()
    }

    /// As it is written, and, if there are repairs, as it is repaired.
    pub(super) fn readings(&self) -> impl Iterator<Item = &Self> {
        self.as_written.as_deref().into_iter().chain([self])
    }

    /// All lines that count.
    pub(super) fn lines(&self) -> Lines<'_> {
        self.packed.lines(0, None)
    }

    /// The lines of each group, its agents first. With `strict`, misspelt agents begin none.
    pub(super) fn groups(&self, strict: bool) -> impl Iterator<Item = Lines<'_>> {
        let groups = self.strict.as_ref().filter(|_| strict).unwrap_or(&self.groups);
        (0..groups.len()).map(|number| self.group(groups, number))
    }

    fn group(&self, groups: &[Place], number: usize) -> Lines<'_> {
        self.packed.lines(groups[number], groups.get(number + 1).copied())
    }

    /// By RFC 9309, the rule that decides of a path for a bot, with its group; and whether any group is for the bot. None where
    /// a walk over the rules is to say it: among those that are alike it is another one.
    pub(super) fn decide(&self, bot: &Bot, path: &[u8], alike: bool) -> Option<(Option<(Line<'_>, Lines<'_>)>, bool)> {
        let (best, is_spoken_to) = match (alike, self.ready.is_asked_often(alike)) {
            (false, false) => walk::decide(&self.packed, bot, path),
            (false, true) => self.sorted().decide(&self.packed, &self.groups, bot, path),
            (true, false) => return None,
            (true, true) => self.alike().decide(bot, path),
        };
        let rule = best.and_then(|place| {
            let next = self.groups.partition_point(|start| *start <= place);
            Some((self.packed.line(place)?, self.group(&self.groups, next - 1)))
        });
        Some((rule, is_spoken_to))
    }

    fn sorted(&self) -> &Sorted {
        self.ready.sorted.get_or_init(|| Box::new(Sorted::of(&self.packed, self.groups(false))))
    }

    fn alike(&self) -> &Alike {
        self.ready.alike.get_or_init(|| Box::new(Alike::of(&self.packed, &self.groups)))
    }

    /// Whether the groups depend on misspelt agents.
    pub(super) fn has_misspelt_agents(&self) -> bool {
        self.strict.is_some()
    }

    /// Whether a rule reads otherwise where reserved characters are the same, encoded or not.
    pub(super) fn encodes_reserved(&self) -> bool {
        self.encodes_reserved
    }

    pub(super) fn has_usage(&self) -> bool {
        self.has_usage
    }

    /// What looks wrong, in the order of lines.
    pub(super) fn notes(&self) -> Vec<RobotsNote> {
        let shadowed = self.groups(false).flat_map(shadowed).take(MOST_NOTES as usize);
        let shadowed = shadowed.map(|line| RobotsNote { kind: RobotsNoteKind::ShadowedRule, line });
        let mut notes: Vec<_> = self.notes.iter().copied().chain(shadowed).collect();
        notes.sort_by_key(|note| note.line);
        notes
    }
}

/// The lines of denials that an allowance with the same pattern in their group overrules.
fn shadowed(group: Lines<'_>) -> Vec<u32> {
    let rules = group.filter(|line| line.is_rule() && !line.is_void());
    let allowed: HashSet<_> = rules.clone().filter(Line::allows).map(|rule| rule.text).collect();
    rules.filter(|rule| !rule.allows() && allowed.contains(rule.text)).map(|rule| rule.number).collect()
}
