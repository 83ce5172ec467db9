//! Compares rulings of real robots.txt files with those of google/robotstxt. Counts the pages that
//! heedful denies and google/robotstxt allows, with the reasons.
//!
//! Each real robots.txt is asked about `/` and two paths of its own rules, for a bot that no file
//! names and for one that this file names. Each difference between heedful and google/robotstxt
//! gets a reason. The reason is the kind of the note on the line that decides, or on the agent line
//! by which the ruling is decided. A difference without a note has one of the reasons that
//! docs/semantics.md, section 6, gives for Google.
//!
//! A person judged each site that heedful denies and google/robotstxt does not, in sites.tsv. A
//! line there has the file's id, and the line of the robots.txt that decides. The third value is
//! whether the writer meant the denial (`meant`), or not (`false`), or left it to the RFC (`rfc`).
//! A site that is not judged is a failure.
//!
//! docs/robots-real.md has the tables of this comparison. If real files are available, heedful's
//! rulings of the first files are counted again. The whole comparison needs two settings, and
//! `BLESS=1` writes it:
//!
//! * `HEEDFUL_SITES` names a file with more robots.txt files, in JSON Lines, `.gz` or plain. Each
//!   object has `body` or `body_b64`, and may have `host` or `site`, and `id`.
//! * `HEEDFUL_PEER` names a program (google/robotstxt) that answers questions as
//!   `heedful check --batch` does.
//!
//! `HEEDFUL_DIFFERENCES` names a file to which the differences are written, with their lines, for a
//! person to look at. `HEEDFUL_PATHS` sets how many of a file's own paths are asked about.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::env::{var, var_os};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heedful::{Bot, Mode, RobotsNoteKind as Kind, RobotsTxt, Ruling, Url};
use serde_json::{Value, json};

use crate::support;

const PAGE: &str = "docs/robots-real.md";
const MARKS: [&str; 2] = ["<!-- generated: sites -->\n", "<!-- end -->"];

/// Kinds of notes on an agent line that may make the rules below it apply to other bots than in
/// Google's parser.
const OF_AGENTS: [Kind; 7] = [
    Kind::BetweenAgents,
    Kind::MisspeltKey,
    Kind::NoColon,
    Kind::SeveralKeys,
    Kind::OddAgent,
    Kind::DigitInToken,
    Kind::PurposeGroup,
];

/// Kinds of notes on a whole robots.txt file.
const OF_FILES: [Kind; 2] = [Kind::Utf16, Kind::TooLong];

/// A real robots.txt, with the site that serves it.
struct File {
    id: String,
    host: String,
    body: Vec<u8>,
    robots: RobotsTxt,
}

impl File {
    fn of(object: &Value, number: usize) -> Self {
        let text = |name: &str| object[name].as_str().map(str::to_owned);
        let packed = || BASE64_STANDARD.decode(text("body_b64").unwrap()).unwrap();
        let body = text("body").map_or_else(packed, String::into_bytes);
        let host = text("host").or_else(|| text("site"));
        let is_host = |host: &String| {
            Url::parse(&format!("https://{host}/")).is_ok_and(|url| url.host_str() == Some(host))
        };
        Self {
            id: text("id").unwrap_or_else(|| format!("line {}", number + 1)),
            host: host
                .filter(is_host)
                .unwrap_or_else(|| "site.example".to_owned()),
            robots: RobotsTxt::parse(&body),
            body,
        }
    }

    /// Returns two bots about which this file is asked. One is named by no file, and the other is
    /// one of those that this file names.
    fn bots(&self, number: usize) -> Vec<Bot> {
        let text = self.text();
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        let names = lines.filter(|(key, _)| key.trim().eq_ignore_ascii_case("user-agent"));
        let names: Vec<_> = names
            .filter_map(|(_, name)| Bot::new(name.split('#').next()?.trim()).ok())
            .collect();
        let named = (!names.is_empty()).then(|| names[number % names.len()].clone());
        std::iter::once(Bot::new("FooBot").unwrap())
            .chain(named)
            .collect()
    }

    /// Returns the URLs about which this file is asked: `/`, and those of its rules for the bot.
    /// Rules of lines with a note are first.
    fn urls(&self, bot: &Bot) -> Vec<String> {
        let most = var("HEEDFUL_PATHS").map_or(2, |most| most.parse().unwrap());
        let notes = self.robots.notes();
        let odd: BTreeSet<_> = notes
            .iter()
            .filter(|note| note.kind().is_doubt())
            .map(|note| note.line())
            .collect();
        let mut rules = self.robots.rules(bot);
        rules.sort_by_key(|rule| {
            (
                !odd.contains(&rule.line().unwrap_or_default()),
                rule.allowed(),
            )
        });
        let mut urls = vec![self.url("/")];
        for url in rules
            .iter()
            .filter_map(Ruling::pattern)
            .map(|pattern| self.url(&path(&pattern)))
        {
            if urls.len() <= most && !urls.contains(&url) && !url.ends_with("/robots.txt") {
                urls.push(url);
            }
        }
        urls
    }

    /// Returns the text of this file, with a newline alone at the end of each line.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body)
            .replace("\r\n", "\n")
            .replace('\r', "\n")
    }

    fn url(&self, path: &str) -> String {
        Url::parse(&format!("https://{}{path}", self.host))
            .unwrap()
            .into()
    }
}

/// Returns a path that matches a pattern of a robots.txt rule.
fn path(pattern: &str) -> String {
    let path = pattern.replace('*', "");
    let path = path.trim_end_matches('$');
    let path = path.split_once("://").map_or(path, |(_, rest)| {
        &rest[rest.find('/').unwrap_or(rest.len())..]
    });
    format!("/{}", path.trim_start_matches('/'))
}

/// Reads real robots.txt files from a file in JSON Lines.
fn files(path: &Path) -> impl Iterator<Item = File> {
    let opened = BufReader::new(std::fs::File::open(path).unwrap());
    let is_packed = path.extension().is_some_and(|end| end == "gz");
    let lines: Box<dyn BufRead> = if is_packed {
        Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(opened)))
    } else {
        Box::new(opened)
    };
    lines
        .lines()
        .enumerate()
        .map(|(at, line)| File::of(&serde_json::from_str(&line.unwrap()).unwrap(), at))
}

/// A running program (google/robotstxt) that answers questions as `heedful check --batch` does.
struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &OsStr) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (questions, answers) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Self {
            child,
            questions,
            answers,
        }
    }

    /// True if the running program allows the URL for the bot.
    fn allows(&mut self, file: &File, bot: &Bot, url: &str) -> bool {
        let (key, robots) = match std::str::from_utf8(&file.body) {
            Ok(text) => ("robots", text.to_owned()),
            Err(_) => ("robots_b64", BASE64_STANDARD.encode(&file.body)),
        };
        writeln!(
            self.questions,
            "{}",
            json!({key: robots, "bot": bot.name(), "url": url})
        )
        .unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()["allowed"]
            .as_bool()
            .unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A question about a robots.txt with heedful's ruling. The ruling of google/robotstxt is the
/// opposite.
struct Difference<'a> {
    file: &'a File,
    bot: &'a Bot,
    url: &'a str,
    ruling: Ruling<'a>,
}

impl Difference<'_> {
    /// Returns the reason for the difference between the rulings of heedful and of
    /// google/robotstxt.
    fn reason(&self) -> String {
        let (notes, line) = (
            self.file.robots.notes(),
            self.ruling.line().unwrap_or(u32::MAX),
        );
        let mut above = notes
            .iter()
            .rev()
            .filter(|note| note.line() < line && OF_AGENTS.contains(&note.kind()));
        let kind = self.kind_of_own_line().or_else(|| {
            above
                .find(|note| self.hangs_on(note.line()))
                .map(|note| note.kind())
        });
        let whole = || {
            notes
                .iter()
                .map(|note| note.kind())
                .find(|kind| OF_FILES.contains(kind))
        };
        match kind.or_else(whole) {
            Some(kind) => format!("`{}`", kind.name()),
            None => self.of_google().to_owned(),
        }
    }

    /// Returns the kind of the note on the line of the robots.txt that decides. The line is parsed
    /// alone, because the notes of a whole file stop at a hundred of a kind.
    fn kind_of_own_line(&self) -> Option<Kind> {
        let text = self.file.text();
        let line = text.split('\n').nth(self.ruling.line()? as usize - 1)?;
        let alone = RobotsTxt::parse(format!("User-agent: *\n{line}").as_bytes());
        alone
            .notes()
            .iter()
            .map(|note| note.kind())
            .find(|kind| kind.is_doubt())
    }

    /// True if heedful's ruling would be different without the bot that the agent line number
    /// `line` names.
    fn hangs_on(&self, line: u32) -> bool {
        let text = self.file.text();
        let mut lines: Vec<_> = text.split('\n').collect();
        lines[line as usize - 1] = "User-agent: nobody-is-called-so";
        let changed = RobotsTxt::parse(lines.join("\n").as_bytes());
        let ruling = changed.ruling(self.bot, self.url);
        (ruling.allowed(), ruling.line()) != (self.ruling.allowed(), self.ruling.line())
    }

    /// Returns the reason of a difference that no note of the robots.txt explains.
    fn of_google(&self) -> &'static str {
        let google = self.file.robots.clone().mode(Mode::Google);
        let other = google.ruling(self.bot, self.url);
        let [own, others] =
            [&self.ruling, &other].map(|ruling| ruling.pattern().unwrap_or_default().into_owned());
        match () {
            () if other.allowed()
                && others.contains("/index.htm")
                && !own.contains("/index.htm") =>
            {
                "an allowed `index.htm`"
            }
            () if !self
                .bot
                .name()
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || b"_-".contains(&b)) =>
            {
                "a name with other signs"
            }
            () if [&own, &others, self.url]
                .iter()
                .any(|text| text.contains('%')) =>
            {
                "percent-encoding"
            }
            () => "another reason",
        }
    }

    /// Returns the whole difference as JSON, for a person to look at.
    fn difference_json(&self, reason: &str) -> Value {
        let text = self.file.text();
        let line = self.ruling.line().unwrap_or_default() as usize;
        let around: Vec<_> = text
            .split('\n')
            .take(line + 2)
            .skip(line.saturating_sub(8))
            .collect();
        json!({
            "id": self.file.id, "bot": self.bot.name(), "url": self.url, "allowed": self.ruling.allowed(), "reason": reason,
            "line": line, "rule": self.ruling.rule(), "pattern": self.ruling.pattern(), "group": self.ruling.group(),
            "around": around.join("\n"),
        })
    }
}

/// Numbers of files by the reason of a difference. The first number counts files with such a
/// difference at `/`. The second counts files with such a difference at any page.
type Reasons = BTreeMap<String, [usize; 2]>;

/// Counts of a comparison of heedful with google/robotstxt, over some robots.txt files.
#[derive(Clone, Default)]
struct Counts {
    files: usize,
    shut: usize,
    shut_by_peer: usize,
    /// Number of sites that only heedful denies, although the writers of their robots.txt did not
    /// mean to deny.
    falsely: usize,
    /// Sites that only heedful denies and that no person has judged yet. Each is the beginning of a
    /// line for sites.tsv.
    unjudged: Vec<String>,
    /// Numbers of files with pages that heedful denies and google/robotstxt allows, by reason.
    denied: Reasons,
    /// Numbers of files with pages that heedful allows and google/robotstxt denies, by reason.
    allowed: Reasons,
}

impl Counts {
    /// Asks a robots.txt all questions, and adds the rulings to the counts. Also adds to `told` the
    /// differences from the rulings of google/robotstxt.
    fn add(&mut self, number: usize, file: &File, peer: &mut Option<Peer>, told: &mut Vec<Value>) {
        let (home, mut reasons) = (file.url("/"), BTreeSet::new());
        self.files += 1;
        for (at, bot) in file.bots(number).iter().enumerate() {
            for url in &file.urls(bot) {
                let is_gate = at == 0 && *url == home;
                let ruling = file.robots.ruling(bot, url);
                let allows = peer
                    .as_mut()
                    .map_or(ruling.allowed(), |peer| peer.allows(file, bot, url));
                self.shut += usize::from(is_gate && !ruling.allowed());
                self.shut_by_peer += usize::from(is_gate && !allows);
                if allows == ruling.allowed() {
                    continue;
                }
                let difference = Difference {
                    file,
                    bot,
                    url,
                    ruling,
                };
                let reason = difference.reason();
                told.push(difference.difference_json(&reason));
                if is_gate && allows {
                    self.judge(&format!(
                        "{}\t{}\t",
                        file.id,
                        ruling.line().unwrap_or_default()
                    ));
                }
                reasons.extend((usize::from(!is_gate)..2).map(|at| (allows, reason.clone(), at)));
            }
        }
        for (peer_allows, reason, at) in reasons {
            let rows = if peer_allows {
                &mut self.denied
            } else {
                &mut self.allowed
            };
            rows.entry(reason).or_default()[at] += 1;
        }
    }

    /// Counts a site that only heedful denies, by the judgement of a person in sites.tsv. `begins`
    /// is the beginning of its line there.
    fn judge(&mut self, begins: &str) {
        match include_str!("../sites.tsv")
            .lines()
            .find_map(|line| line.strip_prefix(begins))
        {
            Some("meant" | "rfc") => {}
            Some("false") => self.falsely += 1,
            _ => self.unjudged.push(begins.to_owned()),
        }
    }

    /// Returns the counts of the first files and of all files, as rows of a table in Markdown.
    fn sums([first, all]: [&Self; 2]) -> Vec<String> {
        let at_home = |reasons: &Reasons| reasons.values().map(|[home, _]| home).sum::<usize>();
        let row = |name: &str, count: &dyn Fn(&Self) -> usize| {
            format!("| {name} | {} | {} |", count(first), count(all))
        };
        vec![
            row("files", &|counts| counts.files),
            row("shut at `/`", &|counts| counts.shut),
            row("shut at `/` by google/robotstxt", &|counts| {
                counts.shut_by_peer
            }),
            row("shut here, open there", &|counts| at_home(&counts.denied)),
            row("of these, not meant by the writer", &|counts| {
                counts.falsely
            }),
            row("open here, shut there", &|counts| at_home(&counts.allowed)),
        ]
    }

    /// Returns the reasons for all differences with their numbers, as rows of a table in Markdown.
    fn reasons(&self) -> Vec<String> {
        let names: BTreeSet<_> = self.denied.keys().chain(self.allowed.keys()).collect();
        let cells = |reasons: &Reasons, name| reasons.get(name).copied().unwrap_or_default();
        let row = |name| {
            let ([denied_home, denied], [allowed_home, allowed]) =
                (cells(&self.denied, name), cells(&self.allowed, name));
            format!("| {name} | {denied_home} | {denied} | {allowed_home} | {allowed} |")
        };
        names.into_iter().map(row).collect()
    }
}

/// Returns the tables of docs/robots-real.md, from the counts of the first files and of all files.
fn tables(columns: [&Counts; 2]) -> String {
    let [first, all] = columns.map(|counts| counts.files);
    let sums = Counts::sums(columns).join("\n");
    let reasons = columns[1].reasons().join("\n");
    format!(
        "\n| | {first} files | {all} files |\n|---|---|---|\n{sums}\n\n\
         | files, by the reason | denied here, allowed there: `/` | any page | allowed here, denied there: `/` | any page |\n\
         |---|---|---|---|---|\n{reasons}\n\n"
    )
}

/// Returns the rows of `tables` that can be counted without google/robotstxt, with only the column
/// of the first files. They are the number of these files, and the number of those whose `/`
/// heedful denies.
fn own(tables: &str) -> Vec<String> {
    let rows = tables
        .lines()
        .filter(|line| line.starts_with("| files |") || line.starts_with("| shut at `/` |"));
    rows.map(|row| row.split(" | ").take(2).collect::<Vec<_>>().join(" | "))
        .collect()
}

#[test]
fn the_tables_are_in_the_docs() {
    let first = support::data()
        .map(|folder| folder.join("robots-corpus.jsonl.gz"))
        .filter(|path| path.is_file());
    let Some(first) = first else { return };
    let mut peer = var_os("HEEDFUL_PEER").map(|program| Peer::start(&program));
    let (mut told, mut counted) = (Vec::new(), Vec::new());
    let more = var_os("HEEDFUL_SITES").map(Into::into);
    let mut counts = Counts::default();
    for path in std::iter::once(first).chain(more) {
        for (number, file) in files(&path).enumerate() {
            counts.add(number, &file, &mut peer, &mut told);
        }
        counted.push(counts.clone());
    }
    if let Some(path) = var_os("HEEDFUL_DIFFERENCES") {
        std::fs::write(
            path,
            told.iter()
                .map(|one| format!("{one}\n"))
                .collect::<String>(),
        )
        .unwrap();
    }
    assert!(
        counts.unjudged.is_empty(),
        "not in sites.tsv:\n{}",
        counts.unjudged.join("\n")
    );
    let tables = tables([&counted[0], &counts]);
    let page = support::root().join(PAGE);
    let text = std::fs::read_to_string(&page).unwrap();
    let begins = text.find(MARKS[0]).unwrap() + MARKS[0].len();
    let ends = begins + text[begins..].find(MARKS[1]).unwrap();
    if peer.is_none() || counted.len() < 2 {
        assert_eq!(
            own(&text[begins..ends]),
            own(&tables),
            "{PAGE} is written by a whole run: tests/all/sites.rs says how"
        );
    } else if var_os("BLESS").is_some() {
        std::fs::write(&page, [&text[..begins], &tables, &text[ends..]].concat()).unwrap();
    } else {
        assert_eq!(&text[begins..ends], tables, "BLESS=1 writes the tables");
    }
}
