//! The readings of a robots.txt, and the one fold over them: a bot is let in only if all of them let it in.
//!
//! A reading is a whole parsed file. By RFC 9309 there is the file as it is written, and the file with its sloppy lines
//! repaired (docs/semantics.md, section 6). Each of them has a second one, where agent lines are misspelt: such a line
//! begins a group, or is none. Readings that are equal are one, so most files have one reading. Each is compared with
//! paths in two ways, as reserved characters stand (Google) and as the same, encoded or not (the RFC). The other modes
//! have one reading each, without repairs.
//!
//! This file decides nothing about a line. Whoever asks a robots.txt anything goes through [`Readings::by`] here.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::bot::Bot;

use super::asking::{Asking, Decider, FoundRule};
use super::file::File;
use super::matching::{Subject, Target};
use super::mode::Mode;
use super::note::{MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::parsed::RobotsTxt;

/// The readings of one file.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    /// The readings by RFC 9309, at least one: those without repairs, then those with them. Of either kind the one that
    /// takes misspelt agent lines for agents comes first.
    by_rfc: SmallVec<[Arc<File>; 1]>,
    /// The number of readings without repairs.
    exact: usize,
    /// The file as Google reads it, if that differs.
    google: Option<Arc<File>>,
    /// What looked wrong, except for rules without effect.
    notes: Vec<RobotsNote>,
}

impl Default for Readings {
    fn default() -> Self {
        Self::exactly(File::default(), Vec::new())
    }
}

impl Readings {
    /// A file that needs no repairs.
    pub(super) fn exactly(file: File, notes: Vec<RobotsNote>) -> Self {
        Self { by_rfc: SmallVec::from_iter([Arc::new(file)]), exact: 1, google: None, notes }
    }

    /// The readings without and with repairs.
    pub(super) fn new(exact: Vec<File>, repaired: Vec<File>, google: Option<File>, notes: Vec<RobotsNote>) -> Self {
        let mut by_rfc: SmallVec<[Arc<File>; 1]> = SmallVec::new();
        add_new(exact, &mut by_rfc);
        let exact = by_rfc.len();
        add_new(repaired, &mut by_rfc);
        Self { by_rfc, exact, google: google.map(Arc::new), notes }
    }

    /// The same with the file as Google reads it.
    pub(super) fn with_google(self, google: Option<File>) -> Self {
        Self { google: google.map(Arc::new), ..self }
    }

    /// All readings in a mode. What one of them denies is denied.
    pub(super) fn by(&self, mode: Mode) -> &[Arc<File>] {
        match mode {
            Mode::Rfc9309 => &self.by_rfc,
            Mode::Google => self.google.as_ref().map_or(&self.by_rfc[..1], std::slice::from_ref),
            Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline | Mode::Lycos => &self.by_rfc[..1],
        }
    }

    /// The reading that has every line which says anything.
    pub(super) fn fullest(&self) -> &File {
        self.by_rfc.get(self.exact).unwrap_or(&self.by_rfc[0])
    }

    /// The same file read without repairs.
    pub(super) fn without_repairs(&self) -> Self {
        let by_rfc = SmallVec::from_iter(self.by_rfc[..self.exact].iter().cloned());
        Self { by_rfc, ..self.clone() }
    }

    /// The parts, to be stored: the readings by RFC 9309, how many of them are without repairs, the one of Google.
    #[cfg(feature = "run")]
    pub(super) fn parts(&self) -> (&[Arc<File>], usize, Option<&File>) {
        (&self.by_rfc, self.exact, self.google.as_deref())
    }

    /// The readings from their stored parts, or `None` if they are not valid.
    #[cfg(feature = "run")]
    pub(super) fn of_parts(
        files: Vec<File>,
        exact: usize,
        google: Option<File>,
        notes: Vec<RobotsNote>,
    ) -> Option<Self> {
        let by_rfc: SmallVec<[Arc<File>; 1]> = files.into_iter().map(Arc::new).collect();
        let is_valid = (1..=by_rfc.len()).contains(&exact);
        is_valid.then(|| Self { by_rfc, exact, google: google.map(Arc::new), notes })
    }

    /// The stored notes.
    #[cfg(feature = "run")]
    pub(super) fn stored_notes(&self) -> &[RobotsNote] {
        &self.notes
    }

    /// The notes on what looks wrong, in the order of lines.
    pub(super) fn notes(&self) -> Vec<RobotsNote> {
        let shadowed = self.fullest().shadowed().take(MOST_NOTES as usize);
        let shadowed = shadowed.map(|line| RobotsNote { kind: RobotsNoteKind::ShadowedRule, line });
        let mut notes: Vec<_> = self.notes.iter().copied().chain(shadowed).collect();
        notes.sort_by_key(|note| note.line);
        notes
    }

    fn encode_reserved(&self) -> bool {
        self.by_rfc.iter().any(|file| file.encodes_reserved())
    }
}

/// Adds readings that are not there yet.
fn add_new(files: Vec<File>, readings: &mut SmallVec<[Arc<File>; 1]>) {
    for file in files {
        if !readings.iter().any(|known| known.is_same(&file)) {
            readings.push(Arc::new(file));
        }
    }
}

impl RobotsTxt {
    /// The answer about a path, the strictest of all readings. `ask` asks one reading.
    pub(super) fn asked<'a, T: ReadingAnswer>(
        &'a self,
        bot: &Bot,
        path: &Subject<'_>,
        ask: impl Fn(Asking<'a, '_>) -> T,
    ) -> T {
        let answer = self.of_all(bot, path.as_it_stands(), false, &ask);
        if self.mode != Mode::Rfc9309 || path.is_one() && !self.readings.encode_reserved() {
            return answer;
        }
        stricter(answer, || self.of_all(bot, path.alike(), true, &ask))
    }

    /// The strictest answer, with reserved characters compared in one way.
    fn of_all<'a, T: ReadingAnswer>(
        &'a self,
        bot: &Bot,
        target: Target<'_>,
        alike: bool,
        ask: &impl Fn(Asking<'a, '_>) -> T,
    ) -> T {
        let of_file = |file: &'a Arc<File>| {
            let file = if alike { file.alike() } else { file };
            ask(Asking { file, mode: self.mode, bot, target })
        };
        let [first, others @ ..] = self.readings.by(self.mode) else { unreachable!("a file has a reading") };
        others.iter().fold(of_file(first), |answer, file| stricter(answer, || of_file(file)))
    }
}

/// The stricter of two answers: both readings must let a bot in.
fn stricter<T: ReadingAnswer>(answer: T, other: impl FnOnce() -> T) -> T {
    if !answer.allows() {
        return answer;
    }
    let other = other();
    if other.allows() { answer } else { other }
}

/// An answer of one of two readings.
pub(super) trait ReadingAnswer {
    fn allows(&self) -> bool;
}

impl ReadingAnswer for FoundRule<'_> {
    fn allows(&self) -> bool {
        !matches!(self, FoundRule::Rule(decider) if !decider.allowed)
    }
}

impl ReadingAnswer for Vec<Decider<'_>> {
    fn allows(&self) -> bool {
        self.first().is_none_or(|decider| decider.allowed)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::*;
    use crate::robots_txt::Ruling;

    const LINES: [&str; 24] = [
        "User-agent: *",
        "User-agent: FooBot",
        "User-agent: BarBot",
        "User-agent: BarBot, FooBot",
        "User-agent: \u{201C}*\u{201D}",
        "User-agent: Foo*",
        "User-agent= FooBot",
        "Useragent: FooBot",
        "User-agent: * Disallow: /a",
        "User-agent: FooBot Disallow: Allow: /a",
        "Disallow: /a",
        "Disallow: /",
        "Disallow:",
        "Disallow= /a",
        "Disallow=",
        "Disallowed: /a",
        "Disallow: /b /a",
        "Disallow: /b Allow: /a",
        "Allow: /a",
        "Allow: /a/b",
        "Allow= /a",
        "Allow: /a /",
        "",
        "Crawl-delay: 5",
    ];

    const REPEATED: [&str; 24] = [
        "User-agent: *",
        "User-agent: *\u{B}r",
        "User-agent: * , r*",
        "seragent *\tr",
        "Disallow: /w%28 /",
        "User-agent: FooBot/2",
        "User-agent: foobot",
        "User-agent: Foo*",
        "Useragent: BarBot",
        "User-agent: Foo Bot",
        "Disallow: /",
        "Disallow:",
        "Disallow: /a",
        "Disallow: /a%2Fb",
        "Disallow: /a/*b$",
        "Disallow: /a%3Fb",
        "Disallow: /*%2c",
        "Allow: /a",
        "Allow: /a/b",
        "Allow: /a,",
        "Allow: /*?b%2F",
        "Allow: http://x/",
        "",
        "Crawl-delay: 5",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// The first questions are answered by a walk, later ones by the sorted rules, and all rules by another walk.
        #[test]
        fn an_answer_stays_the_same(lines in prop::collection::vec(prop::sample::select(&REPEATED[..]), 0..12)) {
            let text = lines.join("\n");
            let told = |ruling: &Ruling<'_>| (ruling.allowed(), ruling.line(), ruling.reason(), ruling.rule().map(Cow::into_owned), ruling.group());
            for bot in ["FooBot", "BarBot/1", "foo bot", "Other"].map(|bot| Bot::new(bot).unwrap()) {
                for path in ["/a", "/a/b", "/a%2Fb", "/a,", "/a?b/", "/a%2C%3Fb", "/x"] {
                    let robots = RobotsTxt::parse(text.as_bytes());
                    let first = told(&robots.ruling(&bot, path));
                    for _ in 0..20 {
                        prop_assert_eq!(&told(&robots.ruling(&bot, path)), &first);
                    }
                    let matching = robots.matching(&bot, path);
                    prop_assert_eq!(matching.first().map(|first| first.line()), first.1.map(Some));
                }
            }
        }

        /// No repair lets in a bot that the file as written keeps out.
        #[test]
        fn no_repair_lets_anybody_in(lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..9)) {
            let robots = RobotsTxt::parse(lines.join("\n").as_bytes());
            for (bot, path) in [("FooBot", "/a"), ("FooBot", "/a/b"), ("BarBot", "/a"), ("Other", "/b")] {
                let bot = Bot::new(bot).unwrap();
                let (with, without) = (robots.ruling(&bot, path).allowed(), robots.exactly().ruling(&bot, path).allowed());
                prop_assert!(without || !with);
                let mode = robots.clone().mode(Mode::Google);
                prop_assert_eq!(mode.ruling(&bot, path).allowed(), mode.exactly().ruling(&bot, path).allowed());
            }
        }
    }
}
