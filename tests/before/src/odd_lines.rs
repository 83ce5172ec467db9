//! Files of robots.txt made by chance of odd lines: misspelt keys, other separators, signs that nobody sees.

use crate::chance::Chance;
use crate::question::{Question, RobotsFile};
use crate::urls;

const KEYS: [&str; 36] = [
    "User-agent",
    "User-agent",
    "User-agent",
    "User-agent",
    "user-agent",
    "USER-AGENT",
    "Useragent",
    "User agent",
    "User_agent",
    "User\u{2010}agent",
    "User-agents",
    "Disallow",
    "Disallow",
    "Disallow",
    "Disallow",
    "disallow",
    "Dissallow",
    "Disalow",
    "Disallowed",
    "Dis-allow",
    "Dis allow",
    "Allow",
    "Allow",
    "allow",
    "Alow",
    "Noindex",
    "Crawl-delay",
    "Crawldelay",
    "Request-rate",
    "Visit-time",
    "Sitemap",
    "Content-Signal",
    "Content-Usage",
    "DisallowAITraining",
    "TDM-Reservation",
    "User-agent-purpose",
];

const SEPARATORS: [&str; 28] = [
    ": ",
    ": ",
    ": ",
    ": ",
    ": ",
    ": ",
    ":",
    ":",
    " : ",
    ":\t",
    "= ",
    "=",
    " ",
    "\t",
    "",
    "::",
    ": : ",
    ";",
    "\u{FF1A}",
    "\u{FF1A} ",
    "\u{2236} ",
    "\u{589} ",
    "\u{A789} ",
    "\u{FE55}",
    "\u{A0}: ",
    ":\u{A0}",
    ":\u{3000}",
    " - ",
];

const AGENTS: [&str; 28] = [
    "*",
    "*",
    "FooBot",
    "FooBot",
    "foobot",
    "FooBot/2.1",
    "Foo Bot",
    "Foo*",
    "*Foo*",
    "BarBot",
    "BarBot, FooBot",
    "BarBot|FooBot",
    "BarBot;FooBot",
    "\u{201C}*\u{201D}",
    "\"FooBot\"",
    "'*'",
    "F\u{43E}oBot",
    "Foo\u{AD}Bot",
    "FooBot # ours",
    "Mozilla/5.0 (compatible; FooBot/1.0)",
    "* Disallow: /a",
    "FooBot Disallow: Allow: /a",
    "FooBot, *",
    "**",
    ".*",
    "all",
    "",
    "Foo-Bot_x",
];

const VALUES: [&str; 48] = [
    "/",
    "/",
    "",
    "/a",
    "/a",
    "/a/",
    "/a/b",
    "/a/*b$",
    "/*.html$",
    "/a$",
    "*",
    "*/a",
    "a",
    "a/b",
    "/b /a",
    "/b, /a",
    "/b Allow: /a",
    "/a Disallow: /b",
    "/a # b",
    "/a#b",
    "/a,",
    "/a;",
    "/a%2Fb",
    "/a%2fb",
    "/%61",
    "/a%",
    "/a?b",
    "/*?",
    "/\u{E9}",
    "/%C3%A9",
    "\u{201C}/a\u{201D}",
    "\"/a\"",
    "<a>",
    "http://site.example/a",
    "https://site.example/a/",
    "https://other.example/a",
    "//site.example/a",
    "site.example/a",
    "\\a\\b",
    "/a\u{200B}",
    "\u{FEFF}/a",
    "/a\u{A0}",
    "\u{3000}/a",
    "\u{2215}a",
    "\u{FF0F}a",
    "./a",
    "/A",
    "all",
];

const USES: [&str; 24] = [
    "ai-train=no",
    "search=no",
    "ai-train=no, search=yes",
    "ai-input=no,search=yes,ai-train=no",
    "/a ai-train=no",
    "search=yes, ai-train=no /a",
    "train-ai=n",
    "train-ai=n, search=n",
    "/a train-ai=n",
    "train-ai=y",
    "train\u{2010}ai=n",
    "train-ai\u{FF1D}n",
    "ai-train:no",
    "ai-train = no",
    "AI-Train=NO",
    "ai-train=no;search=yes",
    "no",
    "1",
    "0",
    "5",
    "0.5",
    "1/10",
    "0600-0845",
    "https://site.example/sitemap.xml",
];

const OTHERS: [&str; 14] = [
    "",
    "",
    "",
    "# a comment",
    "<html>",
    "Disallow",
    "User-agent",
    "/a",
    "*",
    "noindex",
    "Disallow: /a\\nDisallow: /b",
    "User-agent: * Disallow: /",
    "User-agent: FooBot Allow: / Disallow: /a",
    "Host: site.example",
];

/// Signs that stand where nobody expects them.
const SIGNS: [&str; 22] = [
    "\u{200B}",
    "\u{AD}",
    "\u{FEFF}",
    "\u{200D}",
    "\u{2060}",
    "\u{202E}",
    "\u{A0}",
    "\u{3000}",
    "\u{B}",
    "\u{C}",
    "\0",
    "\u{85}",
    "\u{2028}",
    "\u{2010}",
    "\u{201C}",
    "\u{E0020}",
    "\u{430}",
    ":",
    "=",
    "\"",
    " ",
    "\t",
];

const MODES: [&str; 8] = ["rfc9309", "rfc9309", "rfc9309", "google", "1994", "1996", "lycos", "spiderline"];

/// The file of a number.
pub(crate) fn question(seed: u64, number: usize) -> Vec<(String, Question)> {
    let mut chance = Chance::of(seed, number);
    let count = 1 + chance.below(9);
    let mut text = String::new();
    if chance.below(40) == 0 {
        text.push('\u{FEFF}');
    }
    for _ in 0..count {
        text.push_str(&line(&mut chance));
        text.push_str(chance.one(&["\n", "\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n"]));
    }
    let file = RobotsFile::new(text, chance.one(&MODES));
    let bots = ["FooBot", "BarBot"].map(|name| vec![name.to_owned()]);
    let robots = urls::question(&file, &bots, "https://site.example/a/b/c");
    vec![(format!("odd lines {number}"), Question::Robots(robots))]
}

fn line(chance: &mut Chance) -> String {
    if chance.below(10) == 0 {
        return chance.one(&OTHERS).to_owned();
    }
    let key = chance.one(&KEYS);
    let low = key.to_ascii_lowercase();
    let values: &[&str] = match () {
        () if chance.below(20) == 0 => &OTHERS,
        () if low.starts_with("user") => &AGENTS,
        () if low.contains("allow") && !low.contains("training") || low.contains("noindex") => &VALUES,
        () => &USES,
    };
    let mut line = format!("{}{}{}", misspelt(chance, key), chance.one(&SEPARATORS), chance.one(values));
    if chance.below(6) == 0 {
        let places: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
        line.insert_str(places[chance.below(places.len())], chance.one(&SIGNS));
    }
    line
}

/// One key of twelve loses a letter, has one twice, or two in the wrong order.
fn misspelt(chance: &mut Chance, key: &str) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    let at = chance.below(letters.len().saturating_sub(1));
    match chance.below(36) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 => letters.swap(at, at + 1),
        _ => {}
    }
    letters.into_iter().collect()
}
