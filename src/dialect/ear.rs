//! The listener: what it heard of one tag, header line or record, for whom each statement is, and what looks wrong.
//!
//! It hears nothing twice, and no more than it is told to. Where both a denial and an allowance stand in one tag or line, it
//! complains. It decides nothing.

use crate::bot::{BotSet, Bots};
use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Says};

use super::Dialects;

/// The most complaints about one tag or line.
const MOST_COMPLAINTS: usize = 1000;

/// One thing that was said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) says: Says,
    pub(crate) whom: Whom,
    pub(crate) extent: Extent,
    pub(crate) dialect: &'static str,
}

/// For whom something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    Bots(BotSet),
    /// The same, but the profile's `robots-follow` is heard before it.
    Unless(BotSet),
    /// By the profile: all bots, or those to which the page gives this number.
    Profile(Option<u32>),
}

impl Whom {
    /// Whether something said to these is also said, with the same weight, to those.
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Profile(one), Self::Profile(other)) => one == other,
            _ => self.bots().zip(other.bots()).is_some_and(|(one, other)| !one.and(other).is_empty()),
        }
    }

    /// Those who have not heard it with these.
    fn besides(self, heard: Self) -> Self {
        match (self, heard) {
            (Self::Bots(bots), Self::Bots(heard)) => Self::Bots(bots.without(heard)),
            _ if self == heard => Self::Bots(BotSet::NONE),
            _ => self,
        }
    }

    fn bots(self) -> Option<BotSet> {
        match self {
            Self::Bots(bots) | Self::Unless(bots) => Some(bots),
            Self::Profile(_) => None,
        }
    }

    /// Those of `bots` that are left where the profile lets some of them follow.
    pub(crate) fn left(self, bots: BotSet, follow: BotSet) -> BotSet {
        if matches!(self, Self::Unless(_)) { bots.without(follow) } else { bots }
    }
}

/// What a page says about the profile itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declaration {
    /// It follows the profile.
    Profile,
    /// It means to, but does not say so rightly: denials count.
    MeantProfile,
    /// The bot of this number is called so.
    Name(u32, String),
    /// The names stand in the page with this address.
    NamesPage(String),
}

/// Who listens, and what was heard.
#[derive(Debug)]
pub(crate) struct Ear<'a> {
    pub(super) bots: &'a Bots,
    pub(super) dialects: &'a Dialects,
    /// The profile's URI.
    pub(super) profile: &'a str,
    /// The most that is heard; one more shows that it was too much.
    most: usize,
    pub(crate) heard: Vec<Said>,
    pub(crate) declared: Vec<Declaration>,
    /// Where licences stand.
    pub(crate) pointers: Vec<String>,
    pub(crate) complaints: Vec<Complaint>,
}

impl<'a> Ear<'a> {
    pub(crate) fn new(bots: &'a Bots, dialects: &'a Dialects, profile: &'a str, most: usize) -> Self {
        Self {
            bots,
            dialects,
            profile,
            most,
            heard: Vec::new(),
            declared: Vec::new(),
            pointers: Vec::new(),
            complaints: Vec::new(),
        }
    }

    pub(crate) fn has_heard_too_much(&self) -> bool {
        self.heard.len() > self.most
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heard.is_empty() && self.declared.is_empty() && self.pointers.is_empty() && self.complaints.is_empty()
    }

    /// Only what denies counts, of the page as a whole: it is said where a page does not speak of itself.
    pub(crate) fn keep_denials_of_the_page(&mut self) {
        self.declared.clear();
        self.heard.retain(|said| said.extent.is_ceiling() && !matches!(said.says, Says::Allow(_)));
    }

    /// All that was heard is for these bots.
    pub(crate) fn only(&mut self, bots: BotSet) {
        for said in &mut self.heard {
            said.whom = Whom::Bots(bots);
        }
        for complaint in &mut self.complaints {
            complaint.bots = bots;
        }
    }

    /// Nobody hears the same twice, be it said to some and then to all.
    pub(super) fn hear(&mut self, says: Says, whom: Whom, extent: Extent, dialect: &'static str) {
        let same = self.heard.iter().filter(|said| (said.says, said.extent, said.dialect) == (says, extent, dialect));
        let whom = same.fold(whom, |whom, said| whom.besides(said.whom));
        if whom != Whom::Bots(BotSet::NONE) && !self.has_heard_too_much() {
            self.heard.push(Said { says, whom, extent, dialect });
        }
    }

    /// Tells of so much in one tag or line, and no more: a page's notes are bounded too.
    pub(super) fn complain(&mut self, kind: NoteKind, bots: BotSet, dialect: &'static str, message: String) {
        if self.complaints.len() < MOST_COMPLAINTS {
            self.complaints.push(Complaint { kind, bots, dialect, message });
        }
    }

    /// Complains where one tag or line denies and allows the same thing to the same bots.
    pub(super) fn contradictions(&mut self) {
        if self.complaints.iter().any(|complaint| complaint.kind == NoteKind::Contradiction) {
            return;
        }
        for (at, said) in self.heard.iter().enumerate() {
            let Says::Allow(allowed) = said.says else { continue };
            let others = self.heard.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
            let of_same_rank = others.filter(|other| other.dialect == said.dialect && other.whom.meets(said.whom));
            let contradicts = |facet: &Facet| {
                let denies = |other: &Said| matches!(other.says, Says::Deny(denied) if denied.contains(*facet));
                of_same_rank.clone().any(denies)
            };
            if let Some(facet) = allowed.iter().find(contradicts) {
                let message = format!("`{}` is both denied and allowed here: it is denied", facet.name());
                let bots = said.whom.bots().unwrap_or(self.bots.all());
                self.complaints.push(Complaint { kind: NoteKind::Contradiction, bots, dialect: said.dialect, message });
                return;
            }
        }
    }
}

/// Something that looks wrong.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) dialect: &'static str,
    pub(crate) message: String,
}
