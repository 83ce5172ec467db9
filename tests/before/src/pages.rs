//! Compares what both libraries let a bot have of a page, by its JSON.

use serde_json::Value;

use crate::class::{Class, Difference, shape};
use crate::covered::Covered;

const FACETS: [&str; 10] =
    ["enter", "index", "follow", "anchor", "archive", "snippet", "image", "translate", "train", "input"];
/// The fields whose text is a part of the page's. An excerpt is cut to a length, so it goes further on
/// where something is left out. The text that it is cut from stands for it.
const TEXTS: [&str; 6] = ["title", "description", "headings", "phrases", "alt", "shown_title"];

/// Compares the pages of each bot.
pub(crate) fn compare(dialects: &str, was: &[String], is: &[String]) -> Vec<Difference> {
    let pairs = was.iter().zip(is).filter(|(was, is)| was != is);
    pairs.flat_map(|(was, is)| Pair::of(dialects, was, is).differences()).collect()
}

/// Class, key, and what a field holds on both sides.
type Rest = (Class, String, Option<(String, String)>);

struct Pair<'a> {
    dialects: &'a str,
    was: Value,
    is: Value,
    /// What is denied, or no longer.
    more: Vec<String>,
    less: Vec<String>,
    other: Vec<String>,
}

impl<'a> Pair<'a> {
    fn of(dialects: &'a str, was: &str, is: &str) -> Self {
        let value = |told: &str| serde_json::from_str(told).unwrap_or_default();
        Self { dialects, was: value(was), is: value(is), more: Vec::new(), less: Vec::new(), other: Vec::new() }
    }

    fn differences(mut self) -> Vec<Difference> {
        self.verdict();
        self.limits();
        self.coverage();
        self.texts();
        self.links();
        self.about();
        let mut found = self.notes();
        let bot = self.was["page"]["bot"].as_str().unwrap_or_default().to_owned();
        let difference = |class, key: String, was: String, is: String| {
            Difference::new(class, format!("{}: {key}", self.dialects), format!("{bot}: {was}"), format!("{bot}: {is}"))
        };
        let (gone, came) = (only(&self.was, &self.is), only(&self.is, &self.was));
        let told = |directives: &[Directive]| {
            directives.iter().map(|directive| directive.told.as_str()).take(4).collect::<Vec<_>>().join("; ")
        };
        let keys = |directives: &[Directive]| {
            let mut keys: Vec<&str> = directives.iter().map(|directive| directive.key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.truncate(2);
            keys.join(" | ")
        };
        let (was, is) = (told(&gone), told(&came));
        if !self.more.is_empty() {
            let key = format!("{}, by {}", self.more.join("+"), keys(&came));
            found.push(difference(Class::MoreDenied, key, was.clone(), is.clone()));
        }
        if !self.less.is_empty() {
            let key = format!("{}, once by {}", self.less.join("+"), keys(&gone));
            found.push(difference(Class::LessDenied, key, was.clone(), is.clone()));
        }
        if !self.other.is_empty() {
            found.push(difference(Class::Other, self.other.join("+"), was.clone(), is.clone()));
        }
        if self.more.is_empty() && self.less.is_empty() && self.other.is_empty() {
            let rest = self.rest(&keys(&gone), &keys(&came));
            found.extend(rest.map(|(class, key, texts)| match texts {
                Some((was, is)) => difference(class, key, was, is),
                None => difference(class, key, was, is),
            }));
        }
        found
    }

    /// A difference that changes nothing of what a bot may have, notes aside; of fields, what the first of them holds.
    fn rest(&self, gone: &str, came: &str) -> Option<Rest> {
        let differing = |key: &&str| self.was["page"][*key] != self.is["page"][*key];
        let keys: Vec<&str> =
            ["excerpt", "input", "snapshot", "url", "verdict"].into_iter().filter(differing).collect();
        let texts = |key: &str| Some((self.was["page"][key].to_string(), self.is["page"][key].to_string()));
        if let Some(first) = keys.first() {
            return Some((Class::Other, keys.join("+"), texts(first)));
        }
        let keys: Vec<&str> = TEXTS.into_iter().filter(differing).collect();
        if let Some(first) = keys.first() {
            return Some((Class::Other, format!("blanks of {}", keys.join("+")), texts(first)));
        }
        let keys: Vec<&str> = ["exclusions", "links"].into_iter().filter(differing).collect();
        let key = format!("the reason of {}, {gone} -> {came}", keys.join("+"));
        (!keys.is_empty()).then_some((Class::ReasonChanged, key, None))
    }

    fn verdict(&mut self) {
        for facet in FACETS {
            let may = |told: &Value| told["page"]["verdict"][facet].as_bool().unwrap_or_default();
            let change = (may(&self.was), may(&self.is));
            self.step(facet, change);
        }
    }

    /// Something that was allowed and is not, or the reverse.
    fn step(&mut self, what: &str, (was, is): (bool, bool)) {
        let list = match (was, is) {
            (true, false) => &mut self.more,
            (false, true) => &mut self.less,
            _ => return,
        };
        if list.iter().all(|known| known != what) {
            list.push(what.to_owned());
        }
    }

    /// Less room is more denied.
    fn limits(&mut self) {
        let sizes = |told: &Value| {
            let verdict = &told["page"]["verdict"];
            let image = verdict["max_image_preview"].as_str();
            let image = image.map(|size| ["none", "standard", "large"].iter().position(|known| *known == size));
            let number = |key: &str| verdict[key].as_u64().map_or(f64::INFINITY, |most| most as f64);
            // Times in RFC 3339, in one zone, sort as texts.
            let time = verdict["unavailable_after"].as_str().unwrap_or("~").to_owned();
            let image = image.flatten().map_or(f64::INFINITY, |at| at as f64);
            ([number("max_snippet"), image, number("max_video_preview")], time)
        };
        let ((was, was_until), (is, is_until)) = (sizes(&self.was), sizes(&self.is));
        for ((was, is), what) in was.into_iter().zip(is).zip(["max-snippet", "max-image-preview", "max-video-preview"])
        {
            self.step(what, (was > is, is > was));
        }
        self.step("unavailable-after", (was_until > is_until, is_until > was_until));
    }

    fn coverage(&mut self) {
        for facet in FACETS {
            let covered = |told: &Value| {
                let page = &told["page"];
                let all = page["exclusions"].as_array().into_iter().flatten().filter(|one| one["facet"] == facet);
                let number = |value: &Value| value.as_u64().unwrap_or_default();
                let mut covered = Covered::of(all.map(|one| (number(&one["start"]), number(&one["end"]))));
                if page["verdict"][facet] == false {
                    covered = Covered::of([(0, u64::MAX)]);
                }
                covered
            };
            let (was, is) = (covered(&self.was), covered(&self.is));
            self.step(facet, (!was.covers(&is), false));
            self.step(facet, (false, !is.covers(&was)));
        }
    }

    fn texts(&mut self) {
        let fields = TEXTS.map(|field| ("page", field)).into_iter();
        for (part, field) in fields.chain([("more", "showable"), ("more", "input_title"), ("page", "input")]) {
            let is_cut = !self.was["page"]["verdict"]["max_snippet"].is_null();
            if field != "input" || !is_cut {
                let change = lost(&self.was[part][field], &self.is[part][field]);
                self.step(field, (change.0, false));
                self.step(field, (false, change.1));
            }
        }
        let kept = |told: &Value| !told["page"]["snapshot"].is_null();
        let change = (kept(&self.was), kept(&self.is));
        self.step("snapshot", change);
    }

    fn links(&mut self) {
        let all = |told: &Value| told["page"]["links"].as_array().cloned().unwrap_or_default();
        let (was, is) = (all(&self.was), all(&self.is));
        let name = |link: &Value| (link["url"].to_string(), link["kind"].to_string());
        let mut names: Vec<_> = was.iter().chain(&is).map(name).collect();
        names.sort();
        names.dedup();
        for one in names {
            let these = |links: &[Value]| links.iter().filter(|link| name(link) == one).cloned().collect::<Vec<_>>();
            let (was, is) = (these(&was), these(&is));
            self.step("link", (was.len() > is.len(), is.len() > was.len()));
            for flag in ["follow", "anchor", "show", "input"] {
                let count = |links: &[Value]| links.iter().filter(|link| link[flag] == true).count();
                let what = format!("link's {flag}");
                self.step(&what, (count(&was) > count(&is), count(&is) > count(&was)));
            }
            for (was, is) in was.iter().zip(&is).filter(|_| was.len() == is.len()) {
                let change = lost(&was["phrases"], &is["phrases"]);
                self.step("link's phrases", (change.0, false));
                self.step("link's phrases", (false, change.1));
                if was["rel"] != is["rel"] {
                    self.other.push("link's rel".to_owned());
                }
            }
        }
    }

    fn about(&mut self) {
        for key in ["lang", "canonical", "content_type", "status", "date"] {
            let (was, is) = (&self.was["page"]["about"][key], &self.is["page"]["about"][key]);
            if was != is && (!is.is_null() || self.more.is_empty()) {
                self.other.push(format!("about {key}"));
            }
        }
    }

    fn notes(&self) -> Vec<Difference> {
        let all = |told: &Value| told["page"]["notes"].as_array().cloned().unwrap_or_default();
        let (mut gone, mut added) = (all(&self.was), all(&self.is));
        gone.retain(|note| match added.iter().position(|other| other == note) {
            Some(at) => {
                added.remove(at);
                false
            }
            None => true,
        });
        let word = |note: &Value, key: &str| note[key].as_str().unwrap_or_default().to_owned();
        let key = |note: &Value| format!("{}: note {} {}", self.dialects, word(note, "kind"), word(note, "dialect"));
        let mut found = Vec::new();
        for note in gone {
            let same = |other: &Value, keys: &[&str]| keys.iter().all(|key| other[*key] == note[*key]);
            let place = |other: &Value| same(other, &["line", "column"]) && !other["line"].is_null();
            let other = added.iter().position(|other| same(other, &["kind"]) || place(other));
            match other.map(|at| added.remove(at)) {
                Some(other) => {
                    let key = format!("{} -> {}", key(&note), word(&other, "kind"));
                    found.push(Difference::new(Class::NoteChanged, key, note.to_string(), other.to_string()));
                }
                None => found.push(Difference::new(Class::NoteGone, key(&note), note.to_string(), "")),
            }
        }
        found.extend(added.iter().map(|note| Difference::new(Class::NoteAdded, key(note), "", note.to_string())));
        found
    }
}

/// True if the second text lacks letters of the first or has more gaps, and if it is the other way about. Leaving out
/// may join and split words, so letters are compared, and not words.
fn lost(was: &Value, is: &Value) -> (bool, bool) {
    if was == is {
        return (false, false);
    }
    let (gaps, others) = (gaps(was), gaps(is));
    let (was, is) = (letters(was), letters(is));
    if was == is {
        let has_all = |these: &[usize], others: &[usize]| others.iter().all(|gap| these.contains(gap));
        return (!has_all(&gaps, &others), !has_all(&others, &gaps));
    }
    let is_part = |part: &[char], whole: &[char]| {
        let mut whole = whole.iter();
        part.iter().all(|sign| whole.any(|other| other == sign))
    };
    (!is_part(&was, &is), !is_part(&is, &was))
}

/// Where a text has a gap, or where its parts end: after how many letters.
fn gaps(value: &Value) -> Vec<usize> {
    let parts: Vec<&str> = match value {
        Value::String(text) => text.split("[...]").collect(),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut at = 0;
    let ends = parts.iter().map(|part| {
        at += part.chars().filter(|sign| !sign.is_whitespace()).count();
        at
    });
    ends.collect()
}

fn letters(value: &Value) -> Vec<char> {
    let text = match value {
        Value::String(text) => text.replace("[...]", " "),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    };
    text.chars().filter(|sign| !sign.is_whitespace()).collect()
}

struct Directive {
    key: String,
    told: String,
}

/// The directives of exclusions that only the first page has.
fn only(these: &Value, others: &Value) -> Vec<Directive> {
    let all = |told: &Value| told["page"]["exclusions"].as_array().cloned().unwrap_or_default();
    let others = all(others);
    let these = all(these).into_iter().filter(|one| !others.contains(one));
    let directive = |one: Value| {
        let word = |key: &str| one[key].as_str().unwrap_or_default();
        let (facet, dialect, text) = (word("facet"), word("dialect"), word("directive"));
        let told =
            format!("{facet} {}-{} {}:{} {dialect} {text}", one["start"], one["end"], one["line"], one["column"]);
        Directive { key: format!("{dialect} {} {}", word("origin"), shape(text)), told }
    };
    these.map(directive).collect()
}
