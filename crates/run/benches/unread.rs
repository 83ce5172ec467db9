//! Measures the speed of judging URLs without reading their pages. The lists of URLs are grouped by
//! site. The speed is compared with that of the robots.txt rulings alone.
//!
//! `cargo bench --bench unread` prints the figures of benches/README.md. It uses real robots.txt
//! files if they are available (`HEEDFUL_DATA`), and otherwise synthetic ones. The benchmark
//! reports and never fails.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../../../tests/support/mod.rs"]
mod real;
#[path = "../../../benches/support/robots.rs"]
mod robots;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::Duration;

use heedful::{Bot, Filter, RobotsTxt, Url};
use heedful_run::{Gate, UrlPolicies};

use robots::{files, paths};
use support::turns::spent;

/// Maximum number of URLs in a measured list.
const URLS: usize = 100_000;
const ROUNDS: usize = 5;

/// A list of URLs that are judged, grouped by site. Each site has its robots.txt and its URLs.
struct List {
    files: Vec<Vec<u8>>,
    urls: Vec<Vec<String>>,
}

impl List {
    /// Creates a list of sites. Each site has one of these robots.txt files, and `each` different
    /// URLs. Their paths are common ones, the paths in the robots.txt, and variants of both.
    fn of(files: &[Vec<u8>], each: usize) -> Self {
        let sites = files.len().min((URLS / each).max(1));
        let files = files[..sites].to_vec();
        let urls = files.iter().enumerate().map(|(site, file)| {
            let paths = paths(file);
            let url = |at: usize| {
                let more = if at < paths.len() {
                    String::new()
                } else {
                    format!("{at}.html?page={}", at % 7)
                };
                format!("https://s{site}.example{}{more}", paths[at % paths.len()])
            };
            (0..each).map(url).collect()
        });
        Self {
            urls: urls.collect(),
            files,
        }
    }

    fn count(&self) -> usize {
        self.urls.iter().map(Vec::len).sum()
    }

    /// Parses the robots.txt files of the list again, so that no file has its tables for quick
    /// rulings yet.
    fn parsed(&self) -> Vec<RobotsTxt> {
        self.files
            .iter()
            .map(|file| RobotsTxt::parse(file))
            .collect()
    }

    fn gate(&self) -> Gate {
        let sites = self.parsed().into_iter().enumerate();
        sites.fold(Gate::default(), |gate, (site, robots)| {
            gate.for_site(
                &Url::parse(&format!("https://s{site}.example/")).unwrap(),
                robots,
            )
        })
    }

    /// Computes the policies of all URLs of the list twice with the same robots.txt files. Returns
    /// the minimum time of the first computation, and that of the second.
    fn policies(&self, filter: &Filter) -> [Duration; 2] {
        least(
            || self.gate(),
            |gate| {
                let mut unread = UrlPolicies::new(gate, filter);
                for url in self.urls.iter().flatten() {
                    black_box(unread.policies(url).unwrap());
                }
            },
        )
    }

    /// Computes the robots.txt rulings for all URLs of the list twice. Returns the minimum time of
    /// the first computation, and that of the second. The robots.txt of each URL is known in
    /// advance.
    fn rulings(&self, bots: &[Bot]) -> [Duration; 2] {
        least(
            || self.parsed(),
            |files| {
                for (robots, urls) in files.iter().zip(&self.urls) {
                    for (url, bot) in urls
                        .iter()
                        .flat_map(|url| bots.iter().map(move |bot| (url, bot)))
                    {
                        black_box(robots.ruling(bot, url).line());
                    }
                }
            },
        )
    }
}

/// Calls `make` several times, and calls `ask` twice with each value that `make` returned. Returns
/// the minimum time of the first calls of `ask`, and that of the second calls.
fn least<T>(make: impl Fn() -> T, ask: impl Fn(&T)) -> [Duration; 2] {
    let mut least = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        let made = make();
        for best in &mut least {
            let started = spent();
            ask(&made);
            *best = (*best).min(spent() - started);
        }
    }
    least
}

/// Returns the text of a robots.txt with this number of rules. A third of the rules have wildcards.
/// The file also has content signals for some paths.
fn large(rules: usize) -> Vec<u8> {
    let mut file =
        "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Signal: /news/ ai-input=no\n".to_owned();
    for rule in 0..rules {
        file += &match rule % 3 {
            0 => format!("Disallow: /section{rule}/*/print$\n"),
            1 => format!("Disallow: /section{rule}/private/\n"),
            _ => format!("Allow: /section{rule}/open/\n"),
        };
    }
    file.into_bytes()
}

fn main() {
    unread(&files());
}

/// Prints the number of URLs that one thread judges per second of processor time. Compares it with
/// the number of robots.txt rulings per second.
fn unread(files: &[Vec<u8>]) {
    let large: Vec<_> = (0..500).map(|site| large(1000 + site)).collect();
    let bots = ["Googlebot", "GPTBot", "CCBot"].map(|name| Bot::new(name).unwrap());
    for (name, files, bots) in [
        ("files at hand", files, &bots[..1]),
        ("files at hand, 3 bots", files, &bots),
        ("1000 rules", &large, &bots[..1]),
    ] {
        let filter = Filter::for_bots(bots.to_vec()).unwrap();
        for each in [1, 10, 100, 1000] {
            let list = List::of(files, each);
            let (policies, rulings) = (list.policies(&filter), list.rulings(bots));
            let speed = |time: Duration| list.count() as f64 / 1e6 / time.as_secs_f64();
            for (when, at) in [("asked first", 0), ("asked again", 1)] {
                println!(
                    "{name}, {each} URLs a site, {when}: {:.2} M URLs/s, bare rulings {:.2}, ratio {:.2}",
                    speed(policies[at]),
                    speed(rulings[at]),
                    rulings[at].as_secs_f64() / policies[at].as_secs_f64()
                );
            }
        }
    }
}
