//! Judges URLs without reading their pages. The policies of many URLs are cached by the rules that
//! match the URL. Cached policies must equal those that a filter pass computes for each URL alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use heedful::{Bot, Conventions, Filter, Licence, Limits, Mode, Policy, RobotsTxt, Url, Use, Uses};
use heedful_input::{Input, Inputs};
use heedful_run::{Gate, Outcome, Run, UrlPolicies, survey};
use proptest::prelude::*;

use crate::support as real;
use crate::support::made::{self, Chance, http, page, robots, warc};

/// Robots.txt files of the sites in a test case, and the settings of the gate.
#[derive(Clone, Debug, Default)]
struct Known {
    of_sites: Vec<(Url, RobotsTxt)>,
    everywhere: Vec<RobotsTxt>,
    is_required: bool,
    mode: Option<Mode>,
}

impl Known {
    fn gate(&self) -> Gate {
        let mut gate = Gate::default();
        for (site, robots) in &self.of_sites {
            gate = gate.for_site(site, robots.clone());
        }
        for robots in &self.everywhere {
            gate = gate.with_robots_for_all_sites(robots.clone());
        }
        gate = if self.is_required {
            gate.required()
        } else {
            gate
        };
        self.mode.into_iter().fold(gate, Gate::mode)
    }

    /// Returns the robots.txt files that apply to a URL. They are computed anew by the rules in the
    /// documentation of [`Gate`].
    fn files(&self, url: &str) -> Vec<RobotsTxt> {
        let site = |url: &Url| url.origin().ascii_serialization();
        let url = Url::parse(url).ok().filter(|url| url.scheme() != "file");
        let own = self
            .of_sites
            .iter()
            .filter(|(other, _)| url.as_ref().is_some_and(|url| site(url) == site(other)));
        let mut files: Vec<_> = own.map(|(_, robots)| robots.clone()).collect();
        if files.is_empty() && self.is_required && url.is_some() {
            files.push(RobotsTxt::deny_all());
        }
        files.extend(self.everywhere.iter().cloned());
        files
            .into_iter()
            .map(|robots| self.mode.into_iter().fold(robots, RobotsTxt::mode))
            .collect()
    }
}

/// Returns the policies of a URL by a filter pass for it alone, without the cache.
fn plainly(url: &str, files: &[RobotsTxt], filter: &Filter) -> Result<Vec<Policy>, String> {
    let mut pass = filter.open(url).map_err(|error| error.to_string())?;
    for robots in files {
        pass.robots_txt(robots);
    }
    let pages = pass.end_each().map_err(|error| error.to_string())?;
    Ok(pages.iter().map(|page| page.policy().clone()).collect())
}

/// Fails if the policies of any URL of `urls` differ from those of a filter pass for this URL
/// alone.
fn check(known: &Known, filter: &Filter, urls: &[String]) -> Result<(), TestCaseError> {
    let gate = known.gate();
    let mut unread = UrlPolicies::new(&gate, filter);
    for url in urls {
        let found = unread
            .policies(url)
            .map(|policies| policies.to_vec())
            .map_err(|error| error.to_string());
        prop_assert_eq!(found, plainly(url, &known.files(url), filter), "{}", url);
    }
    Ok(())
}

const HOSTS: &[&str] = &[
    "https://a.example",
    "https://a.example",
    "https://a.example",
    "http://a.example",
    "https://www.a.example",
    "https://a.example:8443",
    "https://a.example:443",
    "https://me@a.example",
    "https://me:it@a.example",
    "HTTPS://A.Example",
    "https://bücher.example",
    "https://xn--bcher-kva.example",
    "https://127.0.0.1",
    "https://127.1",
    "https://[::1]:80",
    "http://a.example:80",
    "ftp://a.example",
    "foo://a.example",
    "file://",
    "https:/",
    "https:",
    "https:\\\\a.example",
    "https://a b",
    "https://a.example.",
    "//a.example",
    "",
    " https://a.example",
    "mailto:me@a.example",
];

const PARTS: &[&str] = &[
    "/",
    "/",
    "/",
    "/a",
    "/a/b",
    "/b",
    "/c",
    "/news/",
    "/private/",
    "index.html",
    "index.htm",
    "/x.php",
    "robots.txt",
    "?",
    "?q=1",
    "?sort=a&b=c",
    ";",
    "$",
    "*",
    "%2F",
    "%2f",
    "%61",
    "%2e",
    "/.",
    "/..",
    "/./",
    "%2E%2e/",
    "..",
    ".",
    "~",
    "%7E",
    "%",
    "ä",
    "%C3%A4",
    "%c3%a4",
    " ",
    "\t",
    "\\",
    "'",
    "\"",
    "|",
    "#top",
    "#a/b",
    ",",
    "%2C",
    "%3F",
    "/A/B",
    "\u{200B}",
    "\n",
];

const PATTERNS: &[&str] = &[
    "/",
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/b",
    "/*.php$",
    "/*?",
    "/a*b",
    "/*/b",
    "/news/",
    "/private/",
    "/a$",
    "$",
    "*",
    "/*",
    "",
    "/ä",
    "/%C3%A4",
    "/a%2Fb",
    "/a/*?q=",
    "/%61",
    "/~",
    "/*%2C",
    "/,",
    "a",
    "https://a.example/a",
    "/A",
    "/index.html",
    "/robots.txt",
    "/a?sort",
    "/*#",
    "//",
    "/\\a",
    "/a /b",
];

const AGENTS: &[&str] = &[
    "*",
    "*",
    "FooBot",
    "BarBot",
    "Foo*",
    "BazBot/1.0",
    "FooBot, BarBot",
    "ai-training",
    "Other",
    "* Disallow: /b",
];
const AGENT_KEYS: &[&str] = &[
    "User-agent: ",
    "User-agent: ",
    "User-agent: ",
    "Useragent: ",
    "User_agent: ",
    "User-Agent-Purpose: ",
];
const RULE_KEYS: &[&str] = &[
    "Disallow: ",
    "Disallow: ",
    "Disallow: ",
    "Allow: ",
    "Allow: ",
    "disallow:",
    "Disallowed: ",
    "Dis-allow: ",
    "Allow ",
];
const RECORD_KEYS: &[&str] = &[
    "Noindex: ",
    "DisallowAITraining: ",
    "AllowAITraining: ",
    "No-index: ",
];
const VALUED_KEYS: &[&str] = &[
    "Content-Signal: ",
    "Content-Usage: ",
    "Content-Signals: ",
    "TDM-Reservation: ",
];
const VALUES: &[&str] = &[
    "search=yes, ai-train=no",
    "ai-train=yes",
    "ai-input=no",
    "use=reference",
    "use=immediate",
    "use=full",
    "search=no",
    "train-ai=n",
    "ai-use=n",
    "train-ai=y, search=n",
    "1",
    "0",
    "what",
    "",
];
const LICENCES: &[&str] = &[
    "/rsl.xml",
    "/other.xml",
    "https://a.example/rsl.xml",
    "https://licences.example/one",
    "<https://licences.example/one>",
    "//a.example/rsl.xml",
    "rsl.xml",
    "https://[",
    "?x",
    "#x",
    "mailto:me@a.example",
];

fn one<'a>(chance: &mut Chance, all: &[&'a str]) -> &'a str {
    all[chance.below(all.len())]
}

fn line(chance: &mut Chance) -> String {
    match chance.below(16) {
        0..=4 => format!("{}{}", one(chance, AGENT_KEYS), one(chance, AGENTS)),
        5..=9 => format!("{}{}", one(chance, RULE_KEYS), one(chance, PATTERNS)),
        10 => format!("{}{}", one(chance, RECORD_KEYS), one(chance, PATTERNS)),
        11 => format!("{}{}", one(chance, VALUED_KEYS), one(chance, VALUES)),
        12..=13 => format!(
            "{}{} {}",
            one(chance, VALUED_KEYS),
            one(chance, PATTERNS),
            one(chance, VALUES)
        ),
        14 => format!("License: {}", one(chance, LICENCES)),
        _ => ["", "Sitemap: /s.xml", "what", "# none"][chance.below(4)].to_owned(),
    }
}

fn file(chance: &mut Chance) -> RobotsTxt {
    let statuses = [200, 404, 503, 200];
    match chance.below(8) {
        0 => RobotsTxt::from_response(statuses[chance.below(3)], b"User-agent: *\nDisallow: /a"),
        1 => {
            let rule = |chance: &mut Chance| {
                let value = ["1", "0", "\"1\"", "true"][chance.below(4)];
                format!(
                    "{{\"location\": {:?}, \"tdm-reservation\": {value}}}",
                    one(chance, PATTERNS)
                )
            };
            let rules: Vec<_> = (0..chance.below(4)).map(|_| rule(chance)).collect();
            RobotsTxt::tdmrep(format!("[{}]", rules.join(",")).as_bytes())
        }
        _ => {
            let lines: Vec<_> = (0..chance.below(24)).map(|_| line(chance)).collect();
            RobotsTxt::parse(lines.join("\n").as_bytes())
        }
    }
}

fn url(chance: &mut Chance) -> String {
    let host = one(chance, HOSTS);
    let mut url = host.to_owned();
    for _ in 0..chance.below(6) {
        url += one(chance, PARTS);
    }
    if chance.below(40) == 0 {
        url += &"/long".repeat(2000);
    }
    url
}

fn licence(url: &str) -> Option<Licence> {
    let content = match url {
        "https://a.example/rsl.xml" => {
            "<content url='/a'><license><prohibits type='usage'>ai-train</prohibits></license></content>\
            <content url='/a/b'><license><permits type='usage'>all</permits></license></content>\
            <content url='https://a.example/news/*'><license><prohibits type='usage'>all</prohibits></license></content>"
        }
        "https://me@a.example/rsl.xml" => {
            "<content url='/'><license><prohibits type='usage'>ai-input</prohibits></license></content>"
        }
        "https://licences.example/one" => {
            "<content url='/*?q=' server='https://l.example'/><content url='https://*.A.example/B'><license>\
            <payment type='purchase'/></license></content>"
        }
        "https://a.example/other.xml" => "<content url='/b$'>",
        _ => return None,
    };
    Some(Licence::read(
        format!("<rsl xmlns='https://rslstandard.org/rsl'>{content}</rsl>").as_bytes(),
    ))
}

fn filter(chance: &mut Chance) -> Filter {
    let bots = ["FooBot", "BarBot", "BazBot/2"].map(|name| Bot::new(name).unwrap());
    let bots = bots[..=chance.below(3)].to_vec();
    let conventions = [
        "web",
        "all",
        "web,-content-signal",
        "all,-rsl",
        "none",
        "web,noindex-record",
    ];
    let conventions = one(chance, &conventions).parse::<Conventions>().unwrap();
    let conventions = if chance.below(4) == 0 {
        conventions
            .page("/a*b", Uses::parse_names("image").unwrap())
            .unwrap()
    } else {
        conventions
    };
    let mut filter = Filter::for_bots(bots)
        .unwrap()
        .conventions(conventions)
        .licences(licence);
    for _ in 0..chance.below(3) {
        let denies = ["noindex", "nosnippet,notrain", "noarchive"][chance.below(3)]
            .parse::<Uses>()
            .unwrap();
        let patterns = [
            "/a",
            "/*?",
            "https://A.example/a",
            "*.example/B",
            "/ä",
            "https://me",
            "http://",
            "/a%2fb",
            "/b$",
        ];
        filter = filter.deny(denies, one(chance, &patterns)).unwrap();
    }
    if chance.below(4) == 0 {
        filter = filter.robots_mode(Mode::ALL[chance.below(6)]);
    }
    if chance.below(2) == 0 {
        filter = filter.now(SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000));
    }
    match chance.below(12) {
        0 => filter.limits(Limits::default().directives(chance.below(4) as u64)),
        1 => filter.limits(Limits::default().statements(chance.below(4) as u64)),
        _ => filter,
    }
}

fn known(chance: &mut Chance) -> Known {
    let sites = [
        "https://a.example",
        "http://a.example",
        "https://a.example:8443",
        "https://xn--bcher-kva.example",
        "https://127.0.0.1",
    ];
    let mut known = Known::default();
    for site in sites {
        for _ in 0..[1, 1, 2, 0][chance.below(4)] {
            known.of_sites.push((site.parse().unwrap(), file(chance)));
        }
    }
    known.everywhere = (0..[0, 0, 0, 1][chance.below(4)])
        .map(|_| file(chance))
        .collect();
    known.is_required = chance.below(4) == 0;
    known.mode = (chance.below(4) == 0).then(|| Mode::ALL[chance.below(6)]);
    known
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Judges 60 URLs per case, in any order and grouped by site. The policies must equal those of
    /// each URL alone.
    #[test]
    fn many_urls_are_judged_as_each_alone(seed in any::<u64>()) {
        let chance = &mut Chance(seed);
        let (known, filter) = (known(chance), filter(chance));
        let mut urls: Vec<_> = (0..40).map(|_| url(chance)).collect();
        check(&known, &filter, &urls)?;
        urls.extend((0..20).map(|_| "https://a.example".to_owned() + &(0..chance.below(5)).map(|_| one(chance, PARTS)).collect::<String>()));
        urls.sort();
        check(&known, &filter, &urls)?;
    }
}

fn filter_of(bots: &[&str]) -> Filter {
    Filter::for_bots(bots.iter().map(|name| Bot::new(name).unwrap()).collect()).unwrap()
}

/// Judges URLs with the paths in real robots.txt files, both as the files have them and with
/// wildcards replaced.
#[test]
fn real_files_say_the_same_of_many_urls() {
    let filter = filter_of(&["Googlebot", "GPTBot", "FooBot"])
        .conventions("all".parse().unwrap())
        .licences(licence);
    for file in real::robots() {
        let text = String::from_utf8_lossy(&file);
        let values = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .flat_map(|(_, value)| value.split_whitespace());
        let paths = values.filter(|path| path.starts_with('/')).take(10);
        let url = |path: &str| format!("https://site.example{path}");
        let mut urls: Vec<_> = paths
            .flat_map(|path| [url(path), url(&path.replace('*', "x").replace('$', ""))])
            .collect();
        urls.extend(["", "/", "/index.html?x#y", "/robots.txt"].map(url));
        let known = Known {
            of_sites: vec![(
                "https://site.example".parse().unwrap(),
                RobotsTxt::parse(&file),
            )],
            ..Known::default()
        };
        check(&known, &filter, &urls).unwrap();
    }
}

/// Returns the URL and the policies of each page in the inputs. The policies are computed by
/// reading the page.
fn read(inputs: &[Input], gate: &Gate, filter: &Filter) -> Vec<(String, Vec<Policy>)> {
    let mut all = Vec::new();
    let take = |outcome: Outcome, _| {
        if let Outcome::Pages(filtered) = outcome {
            let policies = filtered
                .pages
                .iter()
                .map(|page| page.policy().clone())
                .collect();
            all.push((filtered.pages[0].url().to_owned(), policies));
        }
        Ok(())
    };
    Run::new(inputs, gate, 1).filter(filter, take).unwrap();
    all
}

/// A page without a directive must have the policies that its URL has without reading the page.
/// Rules are in memory and on disk; sites have several responses, redirects, or no response.
#[test]
fn archives_say_the_same_of_pages_and_of_their_urls() {
    let site = |number: usize| format!("https://s{number}.example");
    let answer = |number: usize, path: &str, head: &str, body: &str| {
        warc(
            "response",
            &format!("{}{path}", site(number)),
            "",
            &http(head, body.as_bytes()),
        )
    };
    let tdmrep = "/.well-known/tdmrep.json";
    let mut records = vec![
        robots(
            &site(0),
            "User-agent: *\nContent-Signal: /a ai-train=no\nDisallow: /b\n",
        ),
        robots(&site(0), "User-agent: *\nDisallow: /c\n"),
        answer(
            1,
            "/robots.txt",
            "301 Moved\r\nLocation: https://s0.example/robots.txt",
            "",
        ),
        answer(2, "/robots.txt", "503 Later", ""),
        answer(
            3,
            tdmrep,
            "200 OK\r\nContent-Type: application/json",
            r#"[{"location": "/a", "tdm-reservation": 1}]"#,
        ),
        robots(&site(4), "User-agent: BarBot\nDisallow: /a\n"),
    ];
    let paths = ["/", "/a", "/a/b", "/b?q", "/c", "/%61", "/d"];
    records.extend(
        (0..6).flat_map(|number| {
            paths.map(|path| page(&format!("{}{path}", site(number)), "<p>word"))
        }),
    );
    let folder = made::folder();
    let inputs = Inputs::default()
        .open(&[made::write(folder.path(), "all.warc", &records.concat())])
        .unwrap();
    for limits in [Limits::default(), Limits::default().robots_bytes(0)] {
        let (gate, filter) =
            survey(&inputs, filter_of(&["FooBot", "BarBot"]).limits(limits)).unwrap();
        let gate = gate.required();
        let pages = read(&inputs, &gate, &filter);
        assert_eq!(pages.len(), 42);
        let mut unread = UrlPolicies::new(&gate, &filter);
        for (url, policies) in &pages {
            assert_eq!(
                &*unread.policies(url).unwrap(),
                policies.as_slice(),
                "{url}"
            );
        }
        let mut at = |url: &str| {
            let policies = unread.policies(url).unwrap();
            let site = unread.gate_rules().unwrap();
            (
                policies[0].may_fetch(),
                policies[0].allows(Use::Train),
                site.has_no_response,
                site.site_without_robots.is_some(),
            )
        };
        assert_eq!(at("https://s0.example/a"), (true, false, false, false));
        assert_eq!(at("https://s1.example/c"), (false, false, false, false));
        assert_eq!(at("https://s2.example/d"), (false, false, true, false));
        // A robots.txt that is required and missing counts as no answer.
        assert_eq!(at("https://s5.example/d"), (false, false, true, true));
    }
}

/// URLs with the same matching rules share the policies of the first of these URLs. This also holds
/// if URLs of other sites are judged between them.
#[test]
fn equal_matches_share_their_policies() {
    let file = "User-agent: *\nDisallow: /a\nContent-Signal: /b ai-train=no\n";
    let sites = ["https://a.example", "https://b.example"].map(|site| site.parse::<Url>().unwrap());
    let gate = sites.iter().fold(Gate::default(), |gate, site| {
        gate.for_site(site, RobotsTxt::parse(file.as_bytes()))
    });
    let filter = filter_of(&["FooBot"]);
    let mut unread = UrlPolicies::new(&gate, &filter);
    let mut of = |url: &str| unread.policies(url).unwrap();
    let [denied, signal, open] =
        ["a", "b", "c"].map(|path| of(&format!("https://a.example/{path}")));
    assert!(!denied[0].may_fetch() && !signal[0].allows(Use::Train) && open[0].allows(Use::Train));
    assert!(!of("https://b.example/a")[0].may_fetch());
    for (known, path) in [
        (&denied, "/a/b"),
        (&signal, "/b?x"),
        (&open, "/x"),
        (&denied, "/%61"),
    ] {
        assert!(
            Arc::ptr_eq(known, &of(&format!("https://a.example{path}"))),
            "{path}"
        );
    }
}

/// Judges URLs of one site, each of which matches other rules. The cache of the site is then
/// cleared now and then, and the policies must stay right.
#[test]
fn more_matches_than_are_kept() {
    let rules: String = (0..3000)
        .map(|rule| format!("Disallow: /{rule}/\n"))
        .collect();
    let robots = RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
    let known = Known {
        of_sites: vec![("https://a.example".parse().unwrap(), robots)],
        ..Known::default()
    };
    let urls: Vec<_> = (0..3000)
        .chain(0..10)
        .map(|rule| format!("https://a.example/{rule}/x"))
        .collect();
    check(&known, &filter_of(&["FooBot"]), &urls).unwrap();
}

/// A URL that is neither `http` nor `https` is judged only by those robots.txt files that apply to
/// every site. An invalid URL is an error, and does not affect later URLs.
#[test]
fn other_urls() {
    let gate =
        Gate::default().with_robots_for_all_sites(RobotsTxt::parse(b"User-agent: *\nDisallow: /a"));
    let filter = filter_of(&["FooBot"])
        .deny("noarchive".parse().unwrap(), "/")
        .unwrap();
    let mut unread = UrlPolicies::new(&gate, &filter);
    assert!(unread.gate_rules().is_none());
    assert!(!unread.policies("https://a.example/a").unwrap()[0].may_fetch());
    assert!(unread.gate_rules().is_some());
    assert!(!unread.policies("ftp://a.example/a").unwrap()[0].may_fetch());
    assert!(unread.gate_rules().is_none());
    for bad in ["", "a.example/a", "https://", "/a", "https://a example/"] {
        assert_eq!(
            unread.policies(bad).unwrap_err().to_string(),
            filter.open(bad).unwrap_err().to_string()
        );
        assert!(unread.gate_rules().is_none());
    }
    let policies = unread.policies("https://a.example/b").unwrap();
    assert!(policies[0].may_fetch() && !policies[0].allows(Use::Archive));
}
