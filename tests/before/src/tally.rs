//! Counts differences, and keeps the smallest example of each kind.

use std::collections::BTreeMap;

use crate::class::{Answer, Class, Difference};
use crate::question::Question;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) questions: usize,
    /// Questions that both libraries refuse, by the error's name.
    pub(crate) refused: BTreeMap<String, usize>,
    pub(crate) seconds: f64,
    found: BTreeMap<(Class, String), Kind>,
}

#[derive(Debug)]
struct Kind {
    count: usize,
    example: Example,
}

#[derive(Clone, Debug)]
struct Example {
    name: String,
    question: Question,
    difference: Difference,
}

impl Tally {
    pub(crate) fn add(&mut self, name: &str, question: &Question, answer: Answer) {
        self.questions += 1;
        let differences = match answer {
            Answer::Same => return,
            Answer::Refused(error) => {
                *self.refused.entry(error).or_default() += 1;
                return;
            }
            Answer::Differs(differences) => differences,
        };
        for difference in differences {
            let key = (difference.class, difference.key.clone());
            let make = || Example { name: name.to_owned(), question: question.clone(), difference: difference.clone() };
            let kind = self.found.entry(key).or_insert_with(|| Kind { count: 0, example: make() });
            kind.count += 1;
            if question.size() < kind.example.question.size() {
                kind.example = make();
            }
        }
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.questions += other.questions;
        for (error, count) in other.refused {
            *self.refused.entry(error).or_default() += count;
        }
        self.seconds += other.seconds;
        for (key, kind) in other.found {
            match self.found.get_mut(&key) {
                Some(known) => {
                    known.count += kind.count;
                    if kind.example.question.size() < known.example.question.size() {
                        known.example = kind.example;
                    }
                }
                None => {
                    self.found.insert(key, kind);
                }
            }
        }
    }

    pub(crate) fn count(&self, class: Class) -> usize {
        self.found.iter().filter(|((other, _), _)| *other == class).map(|(_, kind)| kind.count).sum()
    }
}

/// What is printed, and what is excused.
pub(crate) struct Printer<'a> {
    /// Class, key and reason of each difference that is meant. A key ending in `*` is the beginning of keys.
    pub(crate) listed: &'a [(String, String, String)],
    /// How many kinds of a class are shown.
    pub(crate) most: usize,
    /// Asks both libraries.
    pub(crate) ask: fn(&Question) -> Answer,
}

impl Printer<'_> {
    fn reason(&self, class: Class, key: &str) -> Option<&str> {
        let is_meant = |listed: &str| match listed.strip_suffix('*') {
            Some(begin) => key.starts_with(begin),
            None => key == listed,
        };
        let is_here = |listed: &&(String, String, String)| listed.0 == class.name() && is_meant(&listed.1);
        self.listed.iter().find(is_here).map(|(_, _, reason)| reason.as_str())
    }

    /// Prints the kinds of each class, the most frequent first; returns the number of faults.
    pub(crate) fn print(&self, tally: &Tally) -> usize {
        let mut faults = 0;
        for class in Class::ALL {
            let mut kinds: Vec<_> = tally.found.iter().filter(|((other, _), _)| *other == class).collect();
            kinds.sort_by_key(|((_, key), kind)| (self.reason(class, key).is_some(), usize::MAX - kind.count));
            if !kinds.is_empty() {
                println!("\n== {}: {} of {} kinds", class.name(), tally.count(class), kinds.len());
            }
            for (at, ((_, key), kind)) in kinds.iter().enumerate() {
                let reason = self.reason(class, key).filter(|_| !class.is_never_excused());
                faults += if class.is_fault() && reason.is_none() { kind.count } else { 0 };
                match reason {
                    Some(reason) if at < self.most => println!("{:>8}  {key}\n          meant: {reason}", kind.count),
                    None if at < self.most => self.show(key, kind),
                    _ => {}
                }
            }
            if kinds.len() > self.most {
                println!("          and {} kinds more: HEEDFUL_SHOWN", kinds.len() - self.most);
            }
        }
        faults
    }

    fn show(&self, key: &str, kind: &Kind) {
        let Example { name, question, difference } = self.smaller(&kind.example);
        println!("{:>8}  {key}\n          in {name}", kind.count);
        match &question {
            Question::Page(page) => {
                for (name, value) in &page.headers {
                    println!("          {name}: {}", quoted(value.as_bytes()));
                }
                if let Some(robots) = &page.robots {
                    println!("          robots.txt {}", quoted(&robots.bytes));
                }
            }
            Question::Robots(_) => {}
        }
        println!("          {}", quoted(question.bytes()));
        println!("          - {}\n          + {}", quoted(difference.was.as_bytes()), quoted(difference.is.as_bytes()));
    }

    /// A smaller example with the same difference.
    fn smaller(&self, example: &Example) -> Example {
        let mut best = example.clone();
        let mut asked = 0;
        let mut size = best.question.bytes().len() / 2;
        while size > 0 && asked < 600 {
            let mut at = 0;
            while at < best.question.bytes().len() && asked < 600 {
                let mut bytes = best.question.bytes().to_vec();
                bytes.drain(at..(at + size).min(bytes.len()));
                let question = best.question.with_bytes(bytes);
                let same = |one: &Difference| one.class == best.difference.class && one.key == best.difference.key;
                // Half a character would be another question.
                let is_whole = std::str::from_utf8(question.bytes()).is_ok();
                asked += usize::from(is_whole);
                let answer = if is_whole { (self.ask)(&question) } else { Answer::Same };
                let found = if let Answer::Differs(found) = answer { found } else { Vec::new() };
                match found.into_iter().find(same) {
                    Some(difference) => best = Example { question, difference, ..best },
                    None => at += size,
                }
            }
            size /= 2;
        }
        best
    }
}

/// A text on one line, cut if it is long.
fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let cut: String = text.chars().take(400).collect();
    let rest = text.chars().count() - cut.chars().count();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let shown = |sign: char| sign.is_ascii_graphic() || sign == ' ' || sign.is_alphanumeric();
    let escaped = |sign: char| if shown(sign) { sign.to_string() } else { sign.escape_default().to_string() };
    format!("{}{more}", cut.chars().map(escaped).collect::<String>())
}
