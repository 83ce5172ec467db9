//! Compares what both libraries tell of a robots.txt.

use crate::class::{Class, Difference, shape};
use crate::question::{BotTold, RobotsQuestion, RobotsTold, RulingTold};

pub(crate) fn compare(question: &RobotsQuestion, was: &RobotsTold, is: &RobotsTold) -> Vec<Difference> {
    if was == is {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&question.file.bytes);
    let source = Source { mode: &question.file.mode, lines: numbered(&text) };
    let mut found = source.notes(&was.notes, &is.notes);
    for ((kind, was), (_, is)) in was.others.iter().zip(&is.others) {
        if was != is {
            found.push(source.difference(Class::Other, kind, format!("{was:?}"), format!("{is:?}")));
        }
    }
    for was in &was.bots {
        match is.bots.iter().find(|is| is.name == was.name) {
            Some(is) if was != is => source.bot(&question.urls, was, is, &mut found),
            Some(_) => {}
            None => found.push(source.difference(Class::Other, "a bot's name", was.name.clone(), String::new())),
        }
    }
    found
}

/// The lines as the libraries count them: `\r\n` is one end.
fn numbered(text: &str) -> Vec<String> {
    text.replace("\r\n", "\n").split(['\n', '\r']).map(str::to_owned).collect()
}

struct Source<'a> {
    mode: &'a str,
    lines: Vec<String>,
}

impl Source<'_> {
    fn difference(&self, class: Class, key: &str, was: String, is: String) -> Difference {
        Difference::new(class, format!("{}: {key}", self.mode), was, is)
    }

    /// A line without what varies.
    fn shape(&self, line: Option<u32>) -> Option<String> {
        let line = self.lines.get(usize::try_from(line?.checked_sub(1)?).ok()?)?;
        Some(shape(line.trim_start_matches('\u{FEFF}').trim()))
    }

    fn notes(&self, was: &[(String, u32)], is: &[(String, u32)]) -> Vec<Difference> {
        let only = |these: &[(String, u32)], others: &[(String, u32)]| {
            let mut left = others.to_vec();
            let is_new = |note: &(String, u32)| match left.iter().position(|other| other == note) {
                Some(at) => {
                    left.swap_remove(at);
                    false
                }
                None => true,
            };
            let mut these = these.to_vec();
            let mut is_new = is_new;
            these.retain(|note| is_new(note));
            these
        };
        let (gone, mut added) = (only(was, is), only(is, was));
        let mut found = Vec::new();
        for (kind, line) in gone {
            let shape = self.shape(Some(line)).unwrap_or_default();
            let other = added.iter().position(|(other, at)| *at == line || *other == kind);
            match other.map(|at| added.swap_remove(at)) {
                Some((other, at)) => {
                    let key = format!("note {kind} -> {other}, {shape}");
                    let (was, is) = (format!("{kind}@{line}"), format!("{other}@{at}"));
                    found.push(self.difference(Class::NoteChanged, &key, was, is));
                }
                None => {
                    let key = format!("note {kind}, {shape}");
                    found.push(self.difference(Class::NoteGone, &key, format!("{kind}@{line}"), String::new()));
                }
            }
        }
        for (kind, line) in added {
            let key = format!("note {kind}, {}", self.shape(Some(line)).unwrap_or_default());
            found.push(self.difference(Class::NoteAdded, &key, String::new(), format!("{kind}@{line}")));
        }
        found
    }

    fn bot(&self, urls: &[String], was: &BotTold, is: &BotTold, found: &mut Vec<Difference>) {
        let (begin, name) = (found.len(), &was.name);
        for ((was, is), url) in was.rulings.iter().zip(&is.rulings).zip(urls) {
            if was != is {
                found.extend(self.ruling(&format!("{name} {url}"), was, is));
            }
        }
        let told = |told: &BotTold| {
            format!("{name}: delay {:?}, rates {:?}, visits {:?}", told.delay, told.rates, told.visits)
        };
        let is_longer = |was: f64, is: f64| if is > was { Class::MoreDenied } else { Class::LessDenied };
        if was.delay != is.delay {
            let class = is_longer(was.delay.unwrap_or_default(), is.delay.unwrap_or_default());
            found.push(self.difference(class, "crawl delay", told(was), told(is)));
        } else if was.rates != is.rates || was.visits != is.visits {
            found.push(self.difference(Class::Other, "request rates or visit times", told(was), told(is)));
        } else if was.next_fetch.to_bits() != is.next_fetch.to_bits() {
            let class = is_longer(was.next_fetch, is.next_fetch);
            found.push(self.difference(class, "next fetch", was.next_fetch.to_string(), is.next_fetch.to_string()));
        }
        // A denial changes what is listed.
        let is_told = found[begin..].iter().any(|one| matches!(one.class, Class::MoreDenied | Class::LessDenied));
        if was.listed != is.listed && !is_told {
            let without = |these: &[String], others: &[String]| {
                these.iter().filter(|row| !others.contains(row)).cloned().collect::<Vec<_>>()
            };
            let (gone, came) = (without(&was.listed, &is.listed), without(&is.listed, &was.listed));
            let denies = |row: &String| row.starts_with("rules ") && row.contains("\"allowed\":false");
            let is_denial = gone.is_empty() && came.iter().all(denies);
            let class = if is_denial { Class::MoreDenied } else { Class::ReasonChanged };
            let told = |rows: &[String]| format!("{name}: {}", rows[..rows.len().min(3)].join("; "));
            found.push(self.difference(class, "what is listed for a bot", told(&gone), told(&came)));
        }
    }

    fn ruling(&self, asked: &str, was: &RulingTold, is: &RulingTold) -> Vec<Difference> {
        let told = |told: &RulingTold| {
            let word = if told.allowed { "allowed" } else { "denied" };
            let (line, usages) = (told.line.unwrap_or_default(), &told.usages);
            let RulingTold { rule, group, reason, denied, .. } = told;
            format!("{asked}: {word}, {reason}, line {line} {rule:?} of {group:?}, use {usages:?} denies {denied:?}")
        };
        let by = |told: &RulingTold| self.shape(told.line).unwrap_or_else(|| told.reason.clone());
        let mut found = Vec::new();
        let mut push = |class, key: &str| found.push(self.difference(class, key, told(was), told(is)));
        match (was.allowed, is.allowed) {
            (true, false) => push(Class::MoreDenied, &format!("entry, by {}", by(is))),
            (false, true) => push(Class::LessDenied, &format!("entry, once by {}", by(was))),
            _ if (was.line, &was.rule, &was.group, &was.reason) != (is.line, &is.rule, &is.group, &is.reason) => {
                push(Class::ReasonChanged, &format!("ruling by {} -> {}", by(was), by(is)));
            }
            _ => {}
        }
        if was.allowed && is.allowed {
            let shapes = |told: &RulingTold, other: &RulingTold| {
                let mut only: Vec<String> = told
                    .usages
                    .iter()
                    .filter(|usage| !other.usages.contains(usage))
                    .filter_map(|(_, line, _)| self.shape(Some(*line)))
                    .collect();
                only.dedup();
                only.join(" | ")
            };
            let only = |these: &[&'static str], others: &[&'static str]| {
                these.iter().copied().filter(|facet| !others.contains(facet)).collect::<Vec<_>>().join("+")
            };
            let (more, less) = (only(&is.denied, &was.denied), only(&was.denied, &is.denied));
            if !more.is_empty() {
                push(Class::MoreDenied, &format!("{more}, by {}", shapes(is, was)));
            }
            if !less.is_empty() {
                push(Class::LessDenied, &format!("{less}, once by {}", shapes(was, is)));
            }
            if more.is_empty() && less.is_empty() && was.usages != is.usages {
                push(Class::ReasonChanged, &format!("records of use, {} -> {}", shapes(was, is), shapes(is, was)));
            }
        }
        found
    }
}
