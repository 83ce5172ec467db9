//! Asks a robots.txt a question in each way to read it. A bot is let in only if all of them let it in.
//!
//! By RFC 9309 there are several ways. The file is read as it is written and as it is repaired. A misspelt agent line
//! begins a group, or none. Reserved characters are the same to the RFC, encoded or not, and differ to Google. The
//! other modes have one reading each.

use crate::bot::Bot;

use super::asking::{Asking, Decider, FoundRule};
use super::file::File;
use super::matching::{Subject, Target};
use super::mode::Mode;
use super::parsed::RobotsTxt;

impl RobotsTxt {
    /// The answer about a path. `ask` asks one reading.
    pub(super) fn asked<'a, T: ReadingAnswer>(
        &'a self,
        bot: &Bot,
        path: &Subject<'_>,
        ask: impl Fn(Asking<'a, '_>) -> T,
    ) -> T {
        let answer = self.of_path(bot, path.as_it_stands(), false, &ask);
        if self.mode != Mode::Rfc9309 {
            return answer;
        }
        // RFC 9309 has reserved characters encoded before they are compared, and Google as they are. Both must let the
        // bot in.
        if path.is_one() && !self.file.encodes_reserved() {
            return answer;
        }
        stricter(answer, || self.of_path(bot, path.alike(), true, &ask))
    }

    /// The stricter answer of the file as it is written, and as it is repaired.
    fn of_path<'a, T: ReadingAnswer>(
        &'a self,
        bot: &Bot,
        target: Target<'_>,
        alike: bool,
        ask: &impl Fn(Asking<'a, '_>) -> T,
    ) -> T {
        let of_file = |file: &'a File| {
            let alike = alike && file.encodes_reserved();
            self.of_file(Asking { file, mode: self.mode, bot, target, strict: false, alike }, ask)
        };
        let answer = of_file(self.file.of(self.mode));
        if self.mode != Mode::Rfc9309 || self.file.repaired().is_none() {
            return answer;
        }
        stricter(answer, || of_file(&self.file))
    }

    fn of_file<'a, 'b, T: ReadingAnswer>(&self, asking: Asking<'a, 'b>, ask: &impl Fn(Asking<'a, 'b>) -> T) -> T {
        let answer = ask(asking);
        // A misspelt agent line takes no bot out of the group it would otherwise belong to: both readings must let it
        // in.
        if self.mode != Mode::Rfc9309 || !asking.file.has_misspelt_agents() {
            return answer;
        }
        stricter(answer, || ask(Asking { strict: true, ..asking }))
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
